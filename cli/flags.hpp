// The command line as data: one table of verbs and flags, from which come the parser, the help, the man page
// and the completions of shells.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::cli {

struct verb {
  std::string_view name;
  std::string_view arguments;       // as in the usage line
  std::string_view summary;         // one line
  std::string_view details;         // paragraphs of the help and the man page
  std::string_view examples;        // shell lines that run, in the order of the table, in examples/data
  int min_arguments, max_arguments; // most < 0: any number
};

// How a verb uses the file that the value of a flag names. No output may be an input or another output
// (see check_files()).
enum class file_role { none, input, output };

struct flag {
  std::string_view name;     // long name, without the dashes
  char letter;               // short name, or '\0'
  std::string_view argument; // name of its value; empty: a switch; "[=NAME]": a value that may be left out
  std::string_view fallback; // value if not given; empty: none
  std::string_view choices;  // "a|b|c", or empty: anything
  std::string_view help;
  std::string_view verbs;       // "scan lcs", "*" for all, or "!sort" for all but sort
  std::string_view environment; // variable that stands in for it, or empty
  bool repeats = false;
  file_role file = file_role::none;
};

[[nodiscard]] std::span<const verb> verbs();
[[nodiscard]] std::span<const flag> flags();
[[nodiscard]] const verb* find_verb(std::string_view name);
[[nodiscard]] std::vector<const flag*> flags_of(std::string_view verb_name);
[[nodiscard]] std::vector<std::string_view> example_lines(const verb& of);

// What a user gave one verb.
struct arguments {
  const verb* of = nullptr;
  bool as_sort = false; // the program was called by the name sort: messages and exit codes are GNU sort's
  std::vector<std::string> inputs;
  std::map<std::string_view, std::vector<std::string>> given;
  std::set<std::string_view> from_environment; // of these, those that a variable stands in for

  [[nodiscard]] bool has(std::string_view flag_name) const { return given.contains(flag_name); }
  // Its value, or its fall-back.
  [[nodiscard]] std::string value(std::string_view flag_name) const;
  // As a whole number of at least `least`. Throws error(invalid_input).
  [[nodiscard]] std::int64_t number(std::string_view flag_name, std::int64_t least) const;
  [[nodiscard]] std::uint64_t size(std::string_view flag_name) const; // bytes; 0 if not given
  // --threads, 1,024 at most; 0: all processors. Throws error(invalid_input).
  [[nodiscard]] int threads() const;
  [[nodiscard]] std::vector<std::string> values(std::string_view flag_name) const;
};

// A whole number of up to 64 bits; throws error(invalid_input) that names `what`.
[[nodiscard]] std::uint64_t parse_count(const std::string& text, std::string_view what);

// Parses the words behind the verb. Throws error(invalid_input) that names the flag and, if one is near, what
// may have been meant. `as_sort`: the program was called by the name sort, so that messages are GNU sort's.
[[nodiscard]] arguments parse(const verb& of, const std::vector<std::string>& words, bool as_sort = false);

// The same for weft sort, before the environment and choices count: by the rules of GNU sort.
[[nodiscard]] arguments parse_sort(const verb& of, const std::vector<std::string>& words, bool as_sort);

// Throws error(invalid_input): the message, and how the verb is used.
[[noreturn]] void bad_usage(const verb& of, const std::string& message);
// Throws error(invalid_input): the verb has no such flag, and which one may have been meant.
[[noreturn]] void unknown_flag(const verb& of, const std::string& word);

// The name among `names` nearest to `word` by edit distance, or empty if none is near.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& names);

[[nodiscard]] std::string help();
[[nodiscard]] std::string help(const verb& of);
[[nodiscard]] std::string man_page();
[[nodiscard]] std::string completion(std::string_view shell);

} // namespace weft::cli
