// The verb `weft-bench scale`: predicts the times of jobs on many ranks, and measures some on a few.
#pragma once

#include <cli/flags.hpp>

namespace weft::bench {

// Writes the rates of one rank, the predicted times of jobs on up to 1,024 ranks, and predicted and measured
// times of small jobs on ranks that are threads; with --gpus, only times of several GPUs. Returns 1 if an
// answer is wrong, otherwise 0.
int run_scale(const cli::arguments& given);

} // namespace weft::bench
