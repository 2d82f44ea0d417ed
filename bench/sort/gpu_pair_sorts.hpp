// The sorts of pairs, records and segments in device memory that `weft-bench` measures.
#pragma once

#include <bench/sort/cases.hpp>
#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

namespace weft::bench {

// Arrays in device memory: keys and values, or records and no values.
struct device_pairs {
  void *d_keys, *d_values;
  std::uint64_t count; // below 2^32
};

// Sorts in two phases, as the functions of weft/sort/sort.cuh do: the first call, with null storage, returns
// the size of the temporary storage. The result is where `at` points after the second call, which may be in
// the temporary storage.
[[nodiscard]] cudaError_t sort_pairs_by(pair_sort how, item_kind items, void* d_temp_storage,
                                        std::size_t& temp_storage_bytes, device_pairs& at,
                                        cudaStream_t stream) noexcept;

// Starts to write the pairs or records that have these keys, each with its position as value or payload.
[[nodiscard]] cudaError_t enqueue_pairs(item_kind items, const void* d_keys, const device_pairs& to,
                                        cudaStream_t stream) noexcept;

// Starts to add to `*d_faults` the number of faults of sorted pairs or records: keys out of order; values
// that are no position in the input, occur before, or whose key in the input differs; and, if `stable`,
// adjacent equal keys in another order than that of the input. `d_seen` has a bit for each item, all of them
// 0.
[[nodiscard]] cudaError_t enqueue_check(item_kind items, const void* d_input_keys, const device_pairs& sorted,
                                        bool stable, std::uint32_t* d_seen, unsigned long long* d_faults,
                                        cudaStream_t stream) noexcept;

// weft's segmented sort, and CUB's segmented sorts between two buffers, their fastest form.
enum class segment_sort { weft, cub_merge, cub_radix };

// Segments of numbers of 64 bits in device memory.
struct device_segments {
  std::uint64_t* d_items; // after a sort, a pointer to the result
  std::uint64_t count;
  const std::uint64_t* d_offsets;
  std::uint64_t num_segments;
};

// Sorts each segment by itself; otherwise as sort_pairs_by().
[[nodiscard]] cudaError_t sort_segments_by(segment_sort how, void* d_temp_storage,
                                           std::size_t& temp_storage_bytes, device_segments& at,
                                           cudaStream_t stream) noexcept;

} // namespace weft::bench
