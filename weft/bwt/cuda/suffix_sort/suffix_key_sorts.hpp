// Sorts of the suffix sort by the sort engine of this library, in two phases as in weft/sort/sort.cuh.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/bwt/cuda/suffix_sort/suffix_kernels.hpp>

namespace weft::bwt_cuda {

[[nodiscard]] cudaError_t sort_by_keys(void* d_temp, std::size_t& bytes, std::uint64_t* d_keys,
                                       std::uint32_t* d_values, std::uint64_t n, cudaStream_t stream);

// Numbers of 128 bits, by segment.
[[nodiscard]] cudaError_t sort_items(void* d_temp, std::size_t& bytes, void* d_items, std::uint64_t n,
                                     const std::uint64_t* d_offsets, std::uint32_t segments,
                                     cudaStream_t stream);

// d_offsets[0 .. count]: sums of the sizes of the groups before.
[[nodiscard]] cudaError_t sum_sizes(void* d_temp, std::size_t& bytes, const group* d_groups,
                                    std::uint32_t count, std::uint64_t* d_offsets, cudaStream_t stream);

// All suffixes of the large groups (see make_items), in the order of groups and then of the ranks.
template <class Index>
[[nodiscard]] cudaError_t sort_by_cover(void* d_temp, std::size_t& bytes, grouped_suffix<Index>* d_items,
                                        std::uint64_t n, const cover_ranks& ranks, cudaStream_t stream);

} // namespace weft::bwt_cuda
