#include <cli/flags.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/lcs/lcs.hpp>

namespace weft::cli {

namespace {

bool applies(const flag& known, std::string_view verb_name) {
  if (known.verbs == "*") return true;
  if (known.verbs.starts_with('!')) return known.verbs.substr(1) != verb_name;
  for (std::size_t at = 0; at < known.verbs.size();) {
    const std::size_t end = std::min(known.verbs.find(' ', at), known.verbs.size());
    if (known.verbs.substr(at, end - at) == verb_name) return true;
    at = end + 1;
  }
  return false;
}

void check_choice(const verb& chosen_verb, const flag& known, const std::string& value) {
  if (known.choices.empty()) return;
  const std::string all = fmt::format("|{}|", known.choices);
  if (value.find('|') == std::string::npos && all.find("|" + value + "|") != std::string::npos) return;
  bad_usage(chosen_verb, fmt::format("--{} must be one of {}, not '{}'", known.name, known.choices, value));
}

// Throws error(invalid_input) for words that CLI11 rejects: a flag has a value too many or lacks one, or else
// `otherwise`, CLI11's own message.
[[noreturn]] void explain(const verb& chosen_verb, const std::vector<std::string>& words,
                          const std::string& otherwise) {
  const std::string last = words.empty() ? "" : words.back();
  for (const flag* known : flags_of(chosen_verb)) {
    const std::string name = fmt::format("--{}", known->name);
    for (const std::string& word : words)
      if (known->argument.empty() && word.starts_with(name + "="))
        bad_usage(chosen_verb,
                  fmt::format("{}: {} does not take a value: '{}'", full_name(chosen_verb), name, word));
    const bool named = last == name || (known->letter != '\0' && last == fmt::format("-{}", known->letter));
    if (!known->argument.empty() && named)
      bad_usage(chosen_verb,
                fmt::format("{}: {} needs a value: {}", full_name(chosen_verb), last, known->argument));
  }
  bad_usage(chosen_verb, fmt::format("{}: {}", full_name(chosen_verb), otherwise));
}

void check_count(const verb& chosen_verb, std::size_t count) {
  if (static_cast<int>(count) < chosen_verb.min_arguments)
    bad_usage(chosen_verb, fmt::format("{} needs an argument: {}", full_name(chosen_verb),
                                       chosen_verb.arguments.substr(0, chosen_verb.arguments.find(' '))));
  if (chosen_verb.max_arguments >= 0 && static_cast<int>(count) > chosen_verb.max_arguments)
    bad_usage(chosen_verb, fmt::format("{}: too many arguments ({} given, at most {} allowed)",
                                       full_name(chosen_verb), count, chosen_verb.max_arguments));
}

} // namespace

void bad_usage(const verb& chosen_verb, const std::string& message) {
  throw error(errc::invalid_input, fmt::format("{}\nusage: {} [flags] {}\n'{} help {}' lists the flags",
                                               message, full_name(chosen_verb), chosen_verb.arguments,
                                               chosen_verb.owner->name, chosen_verb.name));
}

void unknown_flag(const verb& chosen_verb, const std::string& word) {
  std::vector<std::string> names;
  for (const flag* known : flags_of(chosen_verb)) names.push_back("--" + std::string(known->name));
  const std::string guess = nearest(word.substr(0, word.find('=')), names);
  bad_usage(chosen_verb, fmt::format("{} has no flag '{}'{}", full_name(chosen_verb), word,
                                     guess.empty() ? "" : "; did you mean " + guess + "?"));
}

const verb* find_verb(std::string_view name, const program& owner) {
  for (const verb& known : owner.verbs())
    if (known.name == name) return &known;
  return nullptr;
}

std::string full_name(const verb& chosen_verb) {
  return fmt::format("{} {}", chosen_verb.owner->name, chosen_verb.name);
}

std::vector<const flag*> flags_of(const verb& chosen_verb) {
  std::vector<const flag*> result;
  for (const flag& known : chosen_verb.owner->flags())
    if (applies(known, chosen_verb.name)) result.push_back(&known);
  return result;
}

std::vector<std::string_view> example_lines(const verb& chosen_verb) {
  std::vector<std::string_view> lines;
  for (std::string_view rest = chosen_verb.examples; !rest.empty();) {
    lines.push_back(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(std::min(lines.back().size() + 1, rest.size()));
  }
  return lines;
}

std::string nearest(std::string_view word, const std::vector<std::string>& names) {
  std::string best;
  std::uint64_t best_distance = std::max<std::uint64_t>(2, word.size() / 3) + 1;
  for (const std::string& name : names)
    if (const std::uint64_t distance = edit_distance(word, name, {.run = {.threads = 1}});
        distance < best_distance) {
      best_distance = distance;
      best = name;
    }
  return best;
}

namespace {

// Parses the words of every verb but sort, with CLI11.
arguments parse_words(const verb& chosen_verb, const std::vector<std::string>& words) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras(false);
  arguments result;
  result.chosen_verb = &chosen_verb;
  std::map<std::string_view, std::vector<std::string>> values;
  std::map<std::string_view, CLI::Option*> options;
  for (const flag* known : flags_of(chosen_verb)) {
    std::string names = "--" + std::string(known->name);
    if (known->letter != '\0') names += std::string(",-") + known->letter;
    CLI::Option* option =
        known->argument.empty()
            ? app.add_flag(names)->disable_flag_override() // --name=value is an error for a switch
            : app.add_option(names, values[known->name])->expected(1)->allow_extra_args(false);
    option->multi_option_policy(known->repeats ? CLI::MultiOptionPolicy::TakeAll
                                               : CLI::MultiOptionPolicy::TakeLast);
    options[known->name] = option;
  }
  app.add_option("inputs", result.inputs);
  std::vector<std::string> reversed(words.rbegin(), words.rend()); // CLI11 expects the words in reverse order
  try {
    app.parse(reversed);
  } catch (const CLI::ExtrasError&) {
    for (const std::string& word : app.remaining())
      if (word.size() > 1 && word[0] == '-') unknown_flag(chosen_verb, word);
    bad_usage(chosen_verb, fmt::format("{} does not take the argument '{}'", full_name(chosen_verb),
                                       app.remaining().empty() ? "" : app.remaining().front()));
  } catch (const CLI::ParseError& failure) {
    explain(chosen_verb, words, failure.what());
  }
  for (const auto& [name, option] : options)
    if (option->count() > 0) result.given[name] = values[name];
  return result;
}

} // namespace

arguments parse(const verb& chosen_verb, const std::vector<std::string>& words, bool as_sort) {
  arguments result = &chosen_verb == find_verb("sort") ? parse_sort(chosen_verb, words, as_sort)
                                                       : parse_words(chosen_verb, words);
  result.as_sort = as_sort;
  for (const flag* known : flags_of(chosen_verb)) {
    const char* variable =
        known->environment.empty() ? nullptr : std::getenv(std::string(known->environment).c_str());
    if (!result.has(known->name) && variable != nullptr && *variable != '\0') {
      result.given[known->name] = {variable};
      result.from_environment.insert(known->name);
    }
    if (result.has(known->name))
      for (const std::string& value : result.given[known->name]) {
        if (value.empty() && (known->argument == "FILE" || known->argument == "DIR"))
          bad_usage(chosen_verb, fmt::format("{}: the name given to --{} must not be empty",
                                             full_name(chosen_verb), known->name));
        check_choice(chosen_verb, *known, value);
      }
  }
  if (!result.has("help")) check_count(chosen_verb, result.inputs.size());
  return result;
}

std::string arguments::value(std::string_view flag_name) const {
  if (const auto found = given.find(flag_name); found != given.end() && !found->second.empty())
    return found->second.back();
  for (const flag* known : flags_of(*chosen_verb))
    if (known->name == flag_name) return std::string(known->fallback);
  return {};
}

std::vector<std::string> arguments::values(std::string_view flag_name) const {
  const auto found = given.find(flag_name);
  return found == given.end() ? std::vector<std::string>() : found->second;
}

std::uint64_t parse_count(const std::string& text, std::string_view what) {
  std::uint64_t number = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || rest != text.data() + text.size())
    throw error(errc::invalid_input, fmt::format("{} must be a whole number, not '{}'", what, text));
  return number;
}

std::int64_t arguments::number(std::string_view flag_name, std::int64_t minimum) const {
  constexpr std::int64_t maximum = 1'000'000'000;
  const std::string text = value(flag_name);
  std::int64_t number = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || rest != text.data() + text.size() || number < minimum)
    throw error(errc::invalid_input, fmt::format("--{} must be a whole number of at least {}, not '{}'",
                                                 flag_name, minimum, text));
  if (number > maximum)
    throw error(errc::invalid_input,
                fmt::format("--{} must be at most {}, not {}", flag_name, maximum, text));
  return number;
}

int arguments::threads() const {
  constexpr std::int64_t max_threads = 1024; // the number of processors that sched_getaffinity() can report
  const std::int64_t asked = number("threads", 0);
  if (asked > max_threads)
    throw error(errc::invalid_input, fmt::format("--threads must be at most {}, not {}", max_threads, asked));
  return static_cast<int>(asked);
}

std::uint64_t arguments::size(std::string_view flag_name) const {
  return has(flag_name) ? parse_size(value(flag_name)) : 0;
}

} // namespace weft::cli
