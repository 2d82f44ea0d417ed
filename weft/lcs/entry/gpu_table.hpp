// The GPU engines (cuda/engines.hpp) as lcs.cpp uses them; compiles also where there is no CUDA toolkit.
#pragma once

#include <memory>
#include <vector>
#include <weft/lcs/entry/engine_choice.hpp>
#include <weft/lcs/entry/full_table.hpp>

namespace weft::lcs_detail {

// Where systolic overtakes the CPU, in cells of the table: to take up a GPU costs a process a quarter of a
// second, in which 16 threads of a CPU fill so many (an H200 beside a Xeon: 1 M x 1 M in 0.25 s and 0.42 s).
inline constexpr double gpu_value_cells = 5e11, gpu_path_cells = 5e11;

// Tables filled by engine wavefront, if it was chosen, else by systolic. Null where no GPU may be used.
[[nodiscard]] std::unique_ptr<full_table> make_gpu_table(const engine_choice& choice,
                                                         const lcs_options& options);

// lcs_all_pairs on the GPU of an engine_choice.
[[nodiscard]] std::vector<std::uint64_t> gpu_all_pairs(std::string_view symbols,
                                                       std::span<const std::uint64_t> offsets,
                                                       const engine_choice& choice,
                                                       const lcs_options& options);

// Whether all pairs of so many cells go to systolic. May set the GPU of a choice that leaves it open.
[[nodiscard]] bool all_pairs_on_gpu(engine_choice& choice, std::uint64_t all_cells);

} // namespace weft::lcs_detail
