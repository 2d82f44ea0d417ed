// weft sort: its two halves, for lines and for arrays; its inputs and its settings, as the flags give them;
// and the output of --debug.
#pragma once

#include <cli/flags.hpp>
#include <cli/gpus.hpp>
#include <string>
#include <string_view>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/files/lines/line_merge.hpp>
#include <weft/files/lines/sort_inputs.hpp>
#include <weft/sort/line_order.hpp>
#include <weft/sort/sort_options.hpp>

namespace weft::cli {

// Throws error(invalid_input) if a flag for lines has a bad value, as far as the flags alone can tell.
void check_line_flags(const arguments& given);
// Sort the inputs as the flags say. Return the exit code. `start` is the start of the GPU of the options.
int run_sort_lines(const arguments& given, files::sort_inputs inputs, const sort_options& options,
                   const gpu_start& start);
int run_sort_array(const arguments& given, files::sort_inputs inputs, sort_options options);

// Returns the inputs that the command line names. Throws error(invalid_input) for flags that contradict each
// other and for a bad list of files, and the errors of sort_inputs.
[[nodiscard]] files::sort_inputs sort_inputs_of(const arguments& given);

// Returns the byte that separates fields (-t). The default is a comma with --csv, and otherwise -1, which
// stands for blanks.
[[nodiscard]] int separator_of(const arguments& given);

// Returns keys of --csv (COLUMN[:OPTIONS], where COLUMN is the name or number of a column) as keys of a
// line_order.
[[nodiscard]] std::vector<std::string> csv_keys(const std::vector<std::string>& keys,
                                                const std::vector<std::string>& names);

// Returns the settings that the flags give. `names` are the names of the columns, for --csv. Throws
// error(invalid_input) for flags that contradict each other, and for invalid values.
[[nodiscard]] files::sort_settings
sort_settings_of(const arguments& given, const std::vector<std::string>& names, const sort_options& sorting);

// Returns the error for a second file if --check is given, which takes one file.
[[nodiscard]] error extra_operand(const arguments& given, const std::string& path);
// Returns the name of the program, which messages of sort begin with.
[[nodiscard]] std::string program_name(const arguments& given);

// For --debug: warns on standard error about flags that may not mean what the user expects.
void warn_of_keys(const arguments& given, const line_order& order);
// For --debug: returns the lines as they are shown, with tabs as >, each followed by marks under the parts
// that the keys compare.
[[nodiscard]] std::string annotated(std::string_view lines, char terminator, const line_order& order);

} // namespace weft::cli
