// What occurrences and matches are put in order by: radix sorts and scans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

namespace weft::scan_cuda {

// All have two phases: with d_temp null they set `bytes` only. All enqueue. 1 <= n < 2^31.

// Sorts d_keys[0 .. n-1] by their bits [first_bit, last_bit), stably: `sorted` becomes d_keys or d_other.
[[nodiscard]] cudaError_t sort_keys(void* d_temp, std::size_t& bytes, std::uint64_t* d_keys,
                                    std::uint64_t* d_other, std::uint64_t n, int first_bit, int last_bit,
                                    std::uint64_t*& sorted, cudaStream_t stream);

// By their lowest `bits`, all others being 0; and takes out what occurs again: d_count items are left.
[[nodiscard]] cudaError_t sort_found(void* d_temp, std::size_t& bytes, std::uint64_t* d_found,
                                     std::uint64_t* d_other, std::uint64_t n, int bits,
                                     unsigned long long* d_count, std::uint64_t*& sorted,
                                     cudaStream_t stream);

// Numbers in pairs, and as much memory again.
struct number_pairs {
  std::uint64_t *first, *second, *other_first, *other_second;
};
// Sorts pairs by their first numbers, stably; these and the others change places with each other.
[[nodiscard]] cudaError_t sort_pairs(void* d_temp, std::size_t& bytes, number_pairs& pairs, std::uint64_t n,
                                     int bits, cudaStream_t stream);

// d_items[i] becomes the greatest of those up to i, or the sum of those before.
[[nodiscard]] cudaError_t running_maximum(void* d_temp, std::size_t& bytes, std::uint64_t* d_items,
                                          std::uint64_t n, cudaStream_t stream);
[[nodiscard]] cudaError_t sum_before(void* d_temp, std::size_t& bytes, std::uint64_t* d_items,
                                     std::uint64_t n, cudaStream_t stream);

} // namespace weft::scan_cuda
