// Sorting numbers of any type in device memory, as the host's functions call it. Compiled for keys of 32, 64
// and 128 bits (number_keys_*.cu), to which numbers are turned and back; those of 8 and 16 bits are widened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/sort/core/number_key.hpp>

namespace weft::sort_cuda {

// Stable. Sorts d_items[0 .. n-1] in the type's order; n >= 1. With positions d_positions[i] becomes the
// place, in [0, n), that item i of the result came from; n <= 2^32, and the items end as keys. Two phases, as
// in sort.cuh.
[[nodiscard]] cudaError_t sort_numbers(void* d_temp_storage, std::size_t& temp_storage_bytes, void* d_items,
                                       bool has_positions, std::uint32_t* d_positions,
                                       std::uint64_t num_items, const number_type& type,
                                       cudaStream_t stream) noexcept;

template <class Key>
[[nodiscard]] cudaError_t sort_keys(void* d_temp_storage, std::size_t& temp_storage_bytes, void* d_items,
                                    bool has_positions, std::uint32_t* d_positions, std::uint64_t num_items,
                                    const number_type& type, cudaStream_t stream) noexcept;

} // namespace weft::sort_cuda
