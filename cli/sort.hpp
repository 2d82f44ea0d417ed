// The two halves of weft sort.
#pragma once

#include <cli/flags.hpp>

namespace weft::cli {

int run_sort_lines(const arguments& given);
int run_sort_array(const arguments& given);

} // namespace weft::cli
