#pragma once

#include <cli/flags.hpp>
#include <string>

namespace weft::bench {

// The verbs and the flags of weft-bench.
extern const cli::program benchmarks;

// Returns true if `only`, the value of --only, occurs in the name, or matches the whole name as a shell
// pattern.
[[nodiscard]] bool is_requested(const std::string& name, const std::string& only);

// Runs the whole program. Returns the exit code.
int run(int argc, char** argv);

} // namespace weft::bench
