// The GPU engines (cuda/engines.hpp) as lcs.cpp uses them; compiles also where there is no CUDA toolkit.
#pragma once

#include <memory>
#include <vector>
#include <weft/lcs/engine_choice.hpp>
#include <weft/lcs/full_table.hpp>

namespace weft::lcs_detail {

// Where systolic overtakes the CPU: cells of the table. To be set from measurements of both.
inline constexpr double gpu_value_cells = 4e9, gpu_path_cells = 16e9;

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
