// Sorts numbers of any type in device memory, for the functions of the host. Numbers are converted to keys of
// 32, 64 or 128 bits, and back; numbers of 8 and 16 bits are widened to 32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/sort/core/number_key.hpp>

namespace weft::sort_detail {

// Sorts d_items[0 .. num_items-1] in the type's order; stable. num_items >= 1. If `has_positions`,
// d_positions[i] becomes the position, in [0, num_items), that item i of the result had before; num_items <=
// 2^32 then, and the items are left as keys. Has the two phases of the functions in sort.cuh.
[[nodiscard]] cudaError_t sort_typed_numbers(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                             void* d_items, bool has_positions, std::uint32_t* d_positions,
                                             std::uint64_t num_items, const number_type& type,
                                             cudaStream_t stream) noexcept;

} // namespace weft::sort_detail
