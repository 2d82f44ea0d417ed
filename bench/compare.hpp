#pragma once

#include <cli/flags.hpp>

namespace weft::bench {

// Holds two records of benchmarks against each other and prints a line for each row. The records are JSON of
// weft-bench or of Google Benchmark, or folders of such files. Returns 1 if --fail is given and a row is
// slower, has failed or is gone; otherwise 0. Throws error(invalid_input) or io_error if a record cannot be
// read.
int run_compare(const cli::arguments& given);

} // namespace weft::bench
