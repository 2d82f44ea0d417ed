// The order that occurrences leave the device in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

namespace weft::scan_cuda {

// Sorts d_found[0 .. n-1] by their lowest `bits`, all others being 0, and takes out what occurs again:
// `sorted` becomes d_found or d_other, where d_count items are left. 1 <= n < 2^31. Two phases: with d_temp
// null sets `bytes` only. Enqueues.
[[nodiscard]] cudaError_t sort_found(void* d_temp, std::size_t& bytes, std::uint64_t* d_found,
                                     std::uint64_t* d_other, std::uint64_t n, int bits,
                                     unsigned long long* d_count, std::uint64_t*& sorted,
                                     cudaStream_t stream);

// Sorts d_items[0 .. n-1] by their bits [first_bit, last_bit), stably: `sorted` becomes d_items or d_other.
// n < 2^31. Two phases, as above.
[[nodiscard]] cudaError_t sort_by_high_bits(void* d_temp, std::size_t& bytes, std::uint64_t* d_items,
                                            std::uint64_t* d_other, std::uint64_t n, int first_bit,
                                            int last_bit, std::uint64_t*& sorted, cudaStream_t stream);

} // namespace weft::scan_cuda
