// The command line as data: the parser, the help, the man page and the completions of shells are all derived
// from one table of verbs and flags. Each program has such a table: the command weft, and weft-bench.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::cli {

struct program;
extern const program command; // the command weft

// A verb is a command of a program, such as sort or scan of weft, with the texts that describe it.
struct verb {
  std::string_view name;
  std::string_view arguments; // as the usage line shows them
  std::string_view summary;   // one line
  std::string_view details;   // paragraphs of the help and the man page
  std::string_view examples;  // shell commands, which must run in examples/data in the order of the table
  int min_arguments, max_arguments; // max_arguments < 0: any number
  const program* owner = &command;
};

// How a verb uses the file that the value of a flag names. No output may be an input or another output (see
// check_files()).
enum class file_role { none, input, output };

// A flag of one or more verbs.
struct flag {
  std::string_view name;     // long name, without the dashes
  char letter;               // short name, or '\0'
  std::string_view argument; // name of the value; empty: a switch; "[=NAME]": an optional value
  std::string_view fallback; // value if the flag is not given; empty: none
  std::string_view choices;  // "a|b|c", or empty: anything
  std::string_view help;
  std::string_view verbs; // "scan lcs", "*" for all, or "!sort" for all but sort
  // Environment variable that gives the value if the flag is not given, or empty.
  std::string_view environment;
  bool repeats = false;
  file_role file = file_role::none;
};

// A program has a table of verbs and a table of their flags.
struct program {
  std::string_view name, summary, exit_codes;
  std::span<const verb> (*verbs)();
  std::span<const flag> (*flags)();
};

// The tables of the command weft.
[[nodiscard]] std::span<const verb> verbs();
[[nodiscard]] std::span<const flag> flags();
[[nodiscard]] const verb* find_verb(std::string_view name, const program& owner = command);
// Returns the words that start a command line with the verb, such as "weft scan".
[[nodiscard]] std::string full_name(const verb& chosen_verb);
// Returns the flags of a verb in the order of the table.
[[nodiscard]] std::vector<const flag*> flags_of(const verb& chosen_verb);
// Returns the lines of verb::examples.
[[nodiscard]] std::vector<std::string_view> example_lines(const verb& chosen_verb);

// The parsed arguments of one verb.
struct arguments {
  const verb* chosen_verb = nullptr;
  bool as_sort = false; // the program was called by the name sort: messages and exit codes are GNU sort's
  std::vector<std::string> inputs;
  std::map<std::string_view, std::vector<std::string>> given;
  // Flags in `given` whose values come from environment variables.
  std::set<std::string_view> from_environment;

  [[nodiscard]] bool has(std::string_view flag_name) const { return given.contains(flag_name); }
  // Returns the value of the flag, or its default.
  [[nodiscard]] std::string value(std::string_view flag_name) const;
  // Returns the value as a whole number. Throws error(invalid_input) if it is none, is less than `minimum`,
  // or exceeds 10^9.
  [[nodiscard]] std::int64_t number(std::string_view flag_name, std::int64_t minimum) const;
  [[nodiscard]] std::uint64_t size(std::string_view flag_name) const; // bytes; 0 if not given
  // Returns the value of --threads, at most 1024; 0: all processors. Throws error(invalid_input).
  [[nodiscard]] int threads() const;
  // Returns all values of a flag that may be repeated.
  [[nodiscard]] std::vector<std::string> values(std::string_view flag_name) const;
};

// Returns the text as a whole number of up to 64 bits. Throws error(invalid_input) with `what` in its message
// if it is none.
[[nodiscard]] std::uint64_t parse_count(const std::string& text, std::string_view what);

// Parses the words after the verb. Throws error(invalid_input) that names the flag and, if there is a similar
// name, suggests it. `as_sort`: the program was called by the name sort, so that messages are GNU sort's.
[[nodiscard]] arguments parse(const verb& chosen_verb, const std::vector<std::string>& words,
                              bool as_sort = false);

// Parses the words for weft sort by the rules of GNU sort. Neither applies environment variables nor checks
// choices.
[[nodiscard]] arguments parse_sort(const verb& chosen_verb, const std::vector<std::string>& words,
                                   bool as_sort);

// Throws error(invalid_input) with the message and the usage of the verb.
[[noreturn]] void bad_usage(const verb& chosen_verb, const std::string& message);
// Throws error(invalid_input): the verb has no such flag; suggests a similar one.
[[noreturn]] void unknown_flag(const verb& chosen_verb, const std::string& word);

// Returns the name among `names` with the smallest edit distance to `word`, or an empty string if none is
// similar.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& names);

// Return the help of a program and of a verb; and of the command weft the man page and the completions for a
// shell (bash, zsh or fish).
[[nodiscard]] std::string help(const program& shown = command);
[[nodiscard]] std::string help(const verb& chosen_verb);
[[nodiscard]] std::string man_page();
[[nodiscard]] std::string completion(std::string_view shell);

} // namespace weft::cli
