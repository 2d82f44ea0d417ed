// The flags of weft sort that say what its inputs are.
#pragma once

#include <cli/flags.hpp>
#include <string>
#include <vector>
#include <weft/files/lines/sort_inputs.hpp>

namespace weft::cli {

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

} // namespace weft::cli
