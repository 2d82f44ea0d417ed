// The GPU engines (cuda/engines.hpp) as lcs.cpp uses them. Compiles without a CUDA toolkit, too.
#pragma once

#include <memory>
#include <vector>
#include <weft/lcs/entry/engine_choice.hpp>
#include <weft/lcs/entry/full_table.hpp>

namespace weft::lcs_detail {

// The number of cells from which systolic is faster than the CPU. A process needs a quarter of a second to
// start using a GPU; 16 threads of a CPU fill this many cells in that time (with an H200 beside a Xeon, 1 M
// x 1 M takes 0.25 s and 0.42 s).
inline constexpr double gpu_value_cells = 5e11, gpu_path_cells = 5e11;

// Returns an object that fills tables by engine wavefront if that was chosen, and otherwise by systolic.
// Returns null if no GPU may be used.
[[nodiscard]] std::unique_ptr<full_table> make_gpu_table(const engine_choice& choice,
                                                         const lcs_options& options);

// Computes lcs_all_pairs on the GPU of an engine_choice.
[[nodiscard]] std::vector<std::uint64_t>
gpu_all_pairs(const sequences_view& batch, const engine_choice& choice, const lcs_options& options);

// Whether systolic computes all pairs of `all_cells` cells. May set the GPU of a choice that leaves it
// open.
[[nodiscard]] bool all_pairs_on_gpu(engine_choice& choice, std::uint64_t all_cells);

} // namespace weft::lcs_detail
