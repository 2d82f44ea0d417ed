// Sorts lines on a GPU by all of their bytes, not by their first words alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/sort/core/line_entry.hpp>
#include <weft/sort/cuda/run_sort.hpp>
#include <weft/sort/engines.hpp>

namespace weft::sort_detail {

// Sorts entries of lines in device memory by comes_before(), which `memory` is for. Sets *d_gave_up to 1 if
// that gives up. Has the two phases of the functions in sort.cuh.
[[nodiscard]] cudaError_t sort_whole_lines(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                           uint128* d_entries, std::uint64_t num_entries,
                                           const line_memory& memory, std::uint32_t* d_gave_up,
                                           cudaStream_t stream) noexcept;

// Sorts the entries of lines in host memory likewise. Returns false, with the entries as they were, if lines
// agree in max_compared_bytes. Throws memory_error if lines, codes and entries do not fit the GPU's memory at
// once, cancelled_error, device_error.
[[nodiscard]] bool sort_lines_on_gpu(const line_sort_problem& problem, const gpu_options& options);

} // namespace weft::sort_detail
