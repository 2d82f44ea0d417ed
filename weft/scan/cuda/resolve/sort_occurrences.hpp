// Radix sorts and prefix scans that bring occurrences and matches into order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

namespace weft::scan_detail {

// All functions have two phases: if d_temp is null, they only set `bytes` to the size of temporary storage
// that they need. All enqueue their work. 1 <= n < 2^31.

// Sorts d_keys[0 .. n-1] stably by their bits [first_bit, last_bit). Uses d_other as a second buffer;
// `sorted` points to the buffer with the result, d_keys or d_other.
[[nodiscard]] cudaError_t sort_keys(void* d_temp, std::size_t& bytes, std::uint64_t* d_keys,
                                    std::uint64_t* d_other, std::uint64_t n, int first_bit, int last_bit,
                                    std::uint64_t*& sorted, cudaStream_t stream);

// Sorts d_codes[0 .. n-1] by their lowest `bits` bits, all other bits being 0, and removes duplicates.
// *d_count becomes the number of items that remain at `sorted`.
[[nodiscard]] cudaError_t sort_occurrences(void* d_temp, std::size_t& bytes, std::uint64_t* d_codes,
                                           std::uint64_t* d_other, std::uint64_t n, int bits,
                                           unsigned long long* d_count, std::uint64_t*& sorted,
                                           cudaStream_t stream);

// Pairs (first[i], second[i]) and two more arrays of the same size for sorting.
struct number_pairs {
  std::uint64_t *first, *second, *other_first, *other_second;
};
// Sorts pairs stably by their first numbers. Swaps the arrays of `pairs` where the result lies in the others.
[[nodiscard]] cudaError_t sort_pairs(void* d_temp, std::size_t& bytes, number_pairs& pairs, std::uint64_t n,
                                     int bits, cudaStream_t stream);

// running_maximum() replaces d_items[i] by the maximum of d_items[0 .. i]; exclusive_sum() replaces it by the
// sum of d_items[0 .. i-1].
[[nodiscard]] cudaError_t running_maximum(void* d_temp, std::size_t& bytes, std::uint64_t* d_items,
                                          std::uint64_t n, cudaStream_t stream);
[[nodiscard]] cudaError_t exclusive_sum(void* d_temp, std::size_t& bytes, std::uint64_t* d_items,
                                        std::uint64_t n, cudaStream_t stream);

} // namespace weft::scan_detail
