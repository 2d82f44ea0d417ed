// What the flags of weft sort ask for, for lines of text.
#pragma once

#include <cli/flags.hpp>
#include <cli/line_merge.hpp>
#include <cli/sort_inputs.hpp>
#include <cstdint>
#include <string>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/sort/line_order.hpp>
#include <weft/sort/sort_options.hpp>

namespace weft::cli {

struct sort_settings {
  line_order order;
  merge_options merging;      // merging.memory: for sorting as well
  std::uint64_t memory_limit; // merging.memory may grow to it where a line is long
  sort_options sorting;
  std::vector<std::string> folders; // for temporary files, in turn; an empty name: the default
  std::string compress_program;     // empty: none
  std::uint64_t batch_size;         // runs that are merged at a time, at most
};

// Throws error(invalid_input) for flags that contradict each other, and for values that are none. `names`: of
// the columns, for --csv.
[[nodiscard]] sort_settings sort_settings_of(const arguments& given, const std::vector<std::string>& names,
                                             const sort_options& sorting);

// Returns the error of a second file where --check takes one.
[[nodiscard]] error extra_operand(const arguments& given, const std::string& path);
// The name that messages of sort begin with.
[[nodiscard]] std::string program_name(const arguments& given);

// --debug: says on standard error what may be mistaken in the flags.
void warn_of_keys(const arguments& given, const line_order& order);
// --debug: lines, each as it is shown, with tabs as >, and under it marks under what each key compares.
[[nodiscard]] std::string annotated(std::string_view lines, char terminator, const line_order& order);

} // namespace weft::cli
