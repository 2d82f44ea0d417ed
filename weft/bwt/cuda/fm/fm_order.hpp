// Prefix sums and sorts for the search in an FM-index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

namespace weft::bwt_cuda {

// Both functions enqueue, and have two phases: with d_temp null they only set `bytes`.

// Replaces each item by the sum of the items before it.
[[nodiscard]] cudaError_t sum_before(void* d_temp, std::size_t& bytes, std::uint64_t* d_items,
                                     std::uint64_t n, cudaStream_t stream);
// Sorts the items of each segment d_items[d_offsets[s] .. d_offsets[s + 1] - 1].
[[nodiscard]] cudaError_t sort_segments(void* d_temp, std::size_t& bytes, std::uint64_t* d_items,
                                        std::uint64_t n, const std::uint64_t* d_offsets,
                                        std::uint64_t segments, cudaStream_t stream);

} // namespace weft::bwt_cuda
