#pragma once

#include <cli/flags.hpp>

namespace weft::bench {

// Compares two records of benchmarks and prints a line for each row. A record is a JSON file of weft-bench or
// a folder of such files. Returns 1 if --fail is given and a row is slower, has failed or is gone; otherwise
// 0. Throws error(invalid_input) or io_error if a record cannot be read.
int run_compare(const cli::arguments& given);

} // namespace weft::bench
