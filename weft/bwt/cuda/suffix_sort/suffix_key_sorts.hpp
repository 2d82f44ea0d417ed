// The sorts and sums that the suffix sort needs, by this library's sort engine and CUB. Each function has two
// phases, as those of weft/sort/sort.cuh.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/bwt/cuda/suffix_sort/suffix_kernels.hpp>

namespace weft::bwt_cuda {

[[nodiscard]] cudaError_t sort_by_keys(void* d_temp, std::size_t& bytes, std::uint64_t* d_keys,
                                       std::uint32_t* d_values, std::uint64_t n, cudaStream_t stream);

// Sorts numbers of 128 bits within each segment.
[[nodiscard]] cudaError_t sort_items(void* d_temp, std::size_t& bytes, void* d_items, std::uint64_t n,
                                     const std::uint64_t* d_offsets, std::uint32_t segments,
                                     cudaStream_t stream);

// Sets d_offsets[i], for 0 <= i <= count, to the total size of the groups before group i.
[[nodiscard]] cudaError_t sum_sizes(void* d_temp, std::size_t& bytes, const group* d_groups,
                                    std::uint32_t count, std::uint64_t* d_offsets, cudaStream_t stream);

// Sorts all suffixes of the large groups (see make_items) by group, and within a group by the ranks of the
// cover.
template <class Index>
[[nodiscard]] cudaError_t sort_by_cover(void* d_temp, std::size_t& bytes, grouped_suffix<Index>* d_items,
                                        std::uint64_t n, const cover_ranks& ranks, cudaStream_t stream);

} // namespace weft::bwt_cuda
