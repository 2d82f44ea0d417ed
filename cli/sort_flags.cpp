// Parses the command line of weft sort by the rules of GNU sort: flags may stand anywhere, letters may share
// a word, long flags may be abbreviated, and there are obsolete keys (+POS1 -POS2).
#include <algorithm>
#include <charconv>
#include <cli/flags.hpp>
#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/sort/line_key.hpp>

namespace weft::cli {

namespace {

// The long flags of GNU sort. An abbreviation is looked up among these first, and then among the flags that
// only weft has.
constexpr std::string_view gnu_flags =
    " batch-size buffer-size check compress-program debug dictionary-order field-separator files0-from "
    "general-numeric-sort help human-numeric-sort ignore-case ignore-leading-blanks ignore-nonprinting key "
    "merge month-sort numeric-sort output parallel random-sort random-source reverse sort stable "
    "temporary-directory unique version version-sort zero-terminated ";

bool is_gnu(const flag& known) {
  return gnu_flags.find(fmt::format(" {} ", known.name)) != std::string::npos;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Returns the version of POSIX that the environment asks for, as GNU sort reads it.
long posix_version() {
  const char* text = std::getenv("_POSIX2_VERSION");
  long version = 200809;
  if (text == nullptr) return version;
  const std::string_view digits(text);
  long asked = 0;
  const auto [rest, status] = std::from_chars(digits.data(), digits.data() + digits.size(), asked);
  return status == std::errc() && rest == digits.data() + digits.size() ? asked : version;
}

// Returns the only one of `names` (separated by |) that begins with `word`, or the one that is `word`. Calls
// `refuse` with "invalid" if there is none, and with "ambiguous" if there are several.
template <class Refuse>
std::string_view choose(std::string_view word, std::string_view names, Refuse refuse) {
  std::string_view found;
  for (std::size_t at = 0; at < names.size();) {
    const std::size_t end = std::min(names.find('|', at), names.size());
    const std::string_view name = names.substr(at, end - at);
    at = end + 1;
    if (name == word) return name;
    if (!name.starts_with(word)) continue;
    if (!found.empty()) refuse("ambiguous");
    found = name;
  }
  if (found.empty() || word.empty()) refuse("invalid");
  return found;
}

class sort_parser {
public:
  sort_parser(const verb& of, const std::vector<std::string>& words, bool as_sort)
      : verb_(of), words_(words), as_sort_(as_sort), known_(flags_of(of)),
        pedantic_(std::getenv("POSIXLY_CORRECT") != nullptr),
        obsolete_keys_(posix_version() < 200112 || posix_version() >= 200809) {
    result_.chosen_verb = &of;
  }

  arguments parse() {
    while (next_ < words_.size()) {
      const std::string& word = words_[next_++];
      if (only_files_ || (pedantic_ && !result_.inputs.empty() && !is_late_output(word)))
        result_.inputs.push_back(word);
      else if (word == "--")
        only_files_ = true;
      else if (word.starts_with("--"))
        take_long(std::string_view(word).substr(2));
      else if (word.size() > 1 && word[0] == '-')
        take_letters(word);
      else
        take_operand(word);
    }
    check_repeated();
    return std::move(result_);
  }

private:
  // Throws error(invalid_input) with the message of GNU sort if weft was called as sort, and otherwise with
  // the message of weft and the usage.
  [[noreturn]] void refuse(const std::string& gnu_message, const std::string& weft_message) const {
    if (as_sort_) throw error(errc::invalid_input, gnu_message + "\nTry 'sort --help' for more information.");
    bad_usage(verb_, weft_message);
  }

  // Returns the choice of `known` that `word` is or abbreviates.
  [[nodiscard]] std::string_view choice(const flag& known, std::string_view word) const {
    return choose(word, known.choices, [&](const char* fault) {
      const std::string fault_message = fmt::format("{} argument '{}' for '--{}'", fault, word, known.name);
      refuse(fmt::format("{}\nValid arguments are:{}", fault_message, gnu_list(known.choices)),
             fmt::format("{}: it must be one of {}", fault_message, known.choices));
    });
  }

  // Returns names "a|b" as GNU programs list them: one in a line, but synonyms together.
  static std::string gnu_list(std::string_view names) {
    std::string list;
    for (std::size_t at = 0; at < names.size();) {
      const std::size_t end = std::min(names.find('|', at), names.size());
      const std::string_view name = names.substr(at, end - at);
      list += fmt::format("{} '{}'", name == "silent" ? "," : "\n  -", name);
      at = end + 1;
    }
    return list;
  }

  // Returns whether `word` is the flag -o behind the first file. With POSIXLY_CORRECT, all other words there
  // are files.
  [[nodiscard]] bool is_late_output(const std::string& word) const {
    return obsolete_keys_ && !result_.has("check") && word.starts_with("-o") &&
           (word.size() > 2 || next_ < words_.size());
  }

  // Takes a long flag, "NAME" or "NAME=VALUE".
  void take_long(std::string_view text) {
    const std::size_t equals = text.find('=');
    const flag& known = find_long(text.substr(0, equals), text);
    const bool optional = known.argument.starts_with('[');
    if (equals != std::string_view::npos) {
      if (known.argument.empty())
        refuse(fmt::format("option '--{}' doesn't allow an argument", known.name),
               fmt::format("--{} does not take a value: '--{}'", known.name, text));
      set(known, std::string(text.substr(equals + 1)));
    } else if (known.argument.empty() || optional) {
      set(known, "");
    } else {
      if (next_ == words_.size())
        refuse(fmt::format("option '--{}' requires an argument", known.name),
               fmt::format("--{} needs a value: {}", known.name, known.argument));
      set(known, words_[next_++]);
    }
  }

  // Returns the flag with this name, or the only flag that the name abbreviates. `whole` is the name with its
  // value.
  const flag& find_long(std::string_view name, std::string_view whole) {
    for (const flag* known : known_)
      if (known->name == name) return *known;
    for (const bool from_gnu : {true, false}) {
      std::vector<const flag*> candidates;
      for (const flag* known : known_)
        if (known->name.starts_with(name) && is_gnu(*known) == from_gnu) candidates.push_back(known);
      if (candidates.size() == 1) return *candidates.front();
      if (candidates.empty()) continue;
      std::string all;
      for (const flag* candidate : candidates) all += fmt::format(" '--{}'", candidate->name);
      const std::string message = fmt::format("option '--{}' is ambiguous; possibilities:{}", name, all);
      refuse(message, message);
    }
    if (as_sort_) refuse(fmt::format("unrecognized option '--{}'", whole), "");
    unknown_flag(verb_, fmt::format("--{}", name));
  }

  // Takes a word of letters, such as "-rnk2": flags without a value, and at most one flag with a value, which
  // is the rest of the word or the next word.
  void take_letters(const std::string& word) {
    for (std::size_t at = 1; at < word.size(); ++at) {
      if (word[at] == 'y') return skip_y(word, at + 1);
      const auto found = std::find_if(known_.begin(), known_.end(),
                                      [&](const flag* known) { return known->letter == word[at]; });
      if (found == known_.end() && as_sort_) refuse(fmt::format("invalid option -- '{}'", word[at]), "");
      if (found == known_.end()) unknown_flag(verb_, fmt::format("-{}", word[at]));
      const flag& known = **found;
      if (known.argument.empty() || known.argument.starts_with('[')) {
        set(known, "");
        continue;
      }
      if (at + 1 < word.size()) return set(known, word.substr(at + 1));
      if (next_ == words_.size())
        refuse(fmt::format("option requires an argument -- '{}'", known.letter),
               fmt::format("-{} needs a value: {}", known.letter, known.argument));
      return set(known, words_[next_++]);
    }
  }

  // Skips the old flag -y of Solaris, which GNU sort ignores with its value: the rest of the word, or the
  // next word if that is a number.
  void skip_y(const std::string& word, std::size_t value) {
    if (value < word.size()) return;
    if (next_ == words_.size())
      refuse("option requires an argument -- 'y'", "-y needs a value, although weft ignores it");
    if (std::all_of(words_[next_].begin(), words_[next_].end(), is_digit)) ++next_;
  }

  // Takes a file or an obsolete key. If POSIX leaves open whether +POS is a key, it is one if a -POS follows.
  // A word that is no key is a file.
  void take_operand(const std::string& word) {
    const bool ends = next_ < words_.size() && words_[next_].size() > 1 && words_[next_][0] == '-' &&
                      is_digit(words_[next_][1]);
    if (!word.starts_with('+') || !(obsolete_keys_ || (ends && !pedantic_)) || !is_key(word)) {
      result_.inputs.push_back(word);
      return;
    }
    result_.given["key"].push_back(ends ? fmt::format("{} {}", word, words_[next_++]) : word);
  }
  static bool is_key(const std::string& word) {
    try {
      (void)line_key::parse(word);
      return true;
    } catch (const error&) {
      return false;
    }
  }

  // Records a flag. If the flag is another way to write a second flag, records that flag, too.
  void set(const flag& known, std::string value) {
    if (known.name == "sort") {
      value = choice(known, value);
      const std::string meant = value + "-sort";
      for (const flag* each : known_)
        if (each->name == meant) result_.given[each->name] = {};
    } else if (known.name == "check") {
      value = value.empty() ? "diagnose-first" : choice(known, value);
      if (value == "silent") value = "quiet";
    } else if (known.name == "check-quiet") {
      result_.given["check"].emplace_back("quiet");
    } else if (known.name == "parallel") {
      result_.given["threads"].push_back(threads_of(value));
    }
    std::vector<std::string>& values = result_.given[known.name];
    if (!known.argument.empty()) values.push_back(std::move(value));
  }

  // Returns the value of --threads for a value of --parallel. --parallel is an upper bound, so more threads
  // than weft can use are not an error.
  static std::string threads_of(const std::string& value) {
    const bool number = !value.empty() && std::all_of(value.begin(), value.end(), is_digit);
    if (!number) throw error(errc::invalid_input, fmt::format("invalid --parallel argument '{}'", value));
    std::uint64_t threads = 0;
    const auto [rest, status] = std::from_chars(value.data(), value.data() + value.size(), threads);
    if (status != std::errc() || threads > 1024) threads = 1024;
    if (threads == 0) throw error(errc::invalid_input, "number in parallel must be nonzero");
    return std::to_string(threads);
  }

  // Throws error(invalid_input) if flags that may be repeated only with equal values differ.
  void check_repeated() {
    for (const auto& [name, message] : {std::pair{"output", "multiple output files specified"},
                                        {"field-separator", "incompatible tabs"},
                                        {"random-source", "multiple random sources specified"},
                                        {"compress-program", "multiple compress programs specified"}}) {
      const auto found = result_.given.find(name);
      if (found == result_.given.end()) continue;
      std::vector<std::string>& values = found->second;
      if (std::any_of(values.begin(), values.end(),
                      [&](const std::string& value) { return value != values.front(); }))
        throw error(errc::invalid_input, message);
      values.resize(1);
    }
  }

  const verb& verb_;
  const std::vector<std::string>& words_;
  bool as_sort_;
  std::vector<const flag*> known_;
  bool pedantic_, obsolete_keys_, only_files_ = false;
  std::size_t next_ = 0;
  arguments result_;
};

} // namespace

arguments parse_sort(const verb& of, const std::vector<std::string>& words, bool as_sort) {
  return sort_parser(of, words, as_sort).parse();
}

} // namespace weft::cli
