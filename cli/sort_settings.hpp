// The settings of weft sort for lines of text, as its flags give them.
#pragma once

#include <cli/flags.hpp>
#include <string>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/files/lines/sort_settings.hpp>
#include <weft/sort/line_order.hpp>
#include <weft/sort/sort_options.hpp>

namespace weft::cli {

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
