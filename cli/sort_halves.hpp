// The two halves of weft sort: one sorts lines, the other arrays.
#pragma once

#include <cli/flags.hpp>
#include <weft/files/lines/sort_inputs.hpp>
#include <weft/sort/sort_options.hpp>

namespace weft::cli {

// Throws error(invalid_input) if a flag for lines has a bad value, as far as the flags alone can tell.
void check_line_flags(const arguments& given);
// Sort the inputs as the flags say. Return the exit code.
int run_sort_lines(const arguments& given, files::sort_inputs inputs, const sort_options& options);
int run_sort_array(const arguments& given, files::sort_inputs inputs, sort_options options);

} // namespace weft::cli
