#pragma once

#include <cli/flags.hpp>

namespace weft::bench {

// The verbs and the flags of weft-bench.
extern const cli::program benchmarks;

// Runs the whole program. Returns the exit code.
int run(int argc, char** argv);

} // namespace weft::bench
