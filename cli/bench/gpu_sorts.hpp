// Sorts of device memory that weft bench holds beside weft's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

namespace weft::cli::bench {

// CUB's radix and merge sort as weft calls them, and the published sample-merge.
enum class gpu_sort { cub_radix, cub_merge, sample_merge };

// Sorts n unsigned numbers of 4 or 8 bytes, in two phases as weft/sort/sort.cuh.
[[nodiscard]] cudaError_t sort_by(gpu_sort how, std::size_t item_bytes, void* d_temp_storage,
                                  std::size_t& temp_storage_bytes, void* d_items, std::uint64_t n,
                                  cudaStream_t stream) noexcept;

} // namespace weft::cli::bench
