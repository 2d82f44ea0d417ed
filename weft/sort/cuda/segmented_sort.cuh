// The segmented sort: each segment of the items is sorted by itself. Unlike cub::DeviceSegmentedSort, it does
// not wait for the device between its launches.
//
// The plain version:
//     start(i) = the offset at which the segment of item i begins
//     sort the items by (start, less): no item leaves its segment
//
// 1. Numbers in their own order are sorted by a sample sort whose first level has the caller's segments;
//    segments of up to a leaf are sorted at once (segment_kernels.cuh).
// 2. If blocks have too little shared memory for that, and in engine radix, numbers are sorted by two stable
//    radix sorts: by number, then by start. The second one sorts by only as many bits of the starts as the
//    number of items has.
// 3. Anything else is sorted by one merge sort of items that carry their starts.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cub/device/device_for.cuh>
#include <weft/sort/cuda/engines.cuh>

namespace weft::gpu::detail {

// Finds the start of the segment that contains an item.
template <class Count> struct segment_starts {
  const std::uint64_t* offsets;
  std::uint64_t num_segments;
  // Returns the last offset that is not greater than `i`. If several segments begin there, all but the last
  // of them are empty.
  WEFT_HOST_DEVICE Count start_of(std::uint64_t i) const {
    std::uint64_t low = 0, high = num_segments - 1;
    while (low < high) {
      const std::uint64_t middle = high - (high - low) / 2;
      if (offsets[middle] <= i)
        low = middle;
      else
        high = middle - 1;
    }
    return static_cast<Count>(offsets[low]);
  }
};

template <class Count> struct write_start {
  segment_starts<Count> starts;
  Count* to;
  __device__ void operator()(Count i) const { to[i] = starts.start_of(i); }
};

// An item with the start of its segment.
template <class T, class Count> struct segmented_item {
  T item;
  Count start;
};
// Orders items by segment, then by `less`.
template <class Less> struct segmented_less {
  Less less;
  template <class Segmented> __device__ bool operator()(const Segmented& a, const Segmented& b) const {
    return a.start != b.start ? a.start < b.start : static_cast<bool>(less(a.item, b.item));
  }
};
template <class T, class Count> struct attach_start {
  const T* from;
  segmented_item<T, Count>* to;
  segment_starts<Count> starts;
  __device__ void operator()(Count i) const { to[i] = {from[i], starts.start_of(i)}; }
};
template <class T, class Count> struct extract_item {
  const segmented_item<T, Count>* from;
  T* to;
  __device__ void operator()(Count i) const { to[i] = from[i].item; }
};

template <class T, class Count, class Less>
cudaError_t sort_numbers_in_segments(void* d_temp, std::size_t& bytes, T* d_items, Count n,
                                     segment_starts<Count> starts, Less, cudaStream_t stream) {
  constexpr bool reverse = is_descending<T, Less>;
  constexpr int item_bits = sizeof(T) * 8;
  const int start_bits = std::bit_width(n);
  std::size_t by_item = 0, by_start = 0;
  if (const cudaError_t status = radix_sort_counted<reverse>(
          nullptr, by_item, d_items, static_cast<Count*>(nullptr), n, item_bits, stream))
    return status;
  if (const cudaError_t status = radix_sort_counted<false>(nullptr, by_start, static_cast<Count*>(nullptr),
                                                           d_items, n, start_bits, stream))
    return status;
  void* parts[2] = {};
  const std::size_t sizes[] = {std::size_t{n} * sizeof(Count), std::max(by_item, by_start)};
  if (const cudaError_t status = cut_storage(d_temp, bytes, sizes, parts); status || d_temp == nullptr)
    return status;
  auto* const d_starts = static_cast<Count*>(parts[0]);
  if (const cudaError_t status = cub::DeviceFor::Bulk(n, write_start<Count>{starts, d_starts}, stream))
    return status;
  if (const cudaError_t status =
          radix_sort_counted<reverse>(parts[1], by_item, d_items, d_starts, n, item_bits, stream))
    return status;
  return radix_sort_counted<false>(parts[1], by_start, d_starts, d_items, n, start_bits, stream);
}

template <class T, class Count, class Less>
cudaError_t merge_in_segments(void* d_temp, std::size_t& bytes, T* d_items, Count n,
                              segment_starts<Count> starts, Less less, cudaStream_t stream) {
  using segmented = segmented_item<T, Count>;
  std::size_t merge_bytes = 0;
  const segmented_less<Less> order{less};
  if (const cudaError_t status =
          merge_sort(nullptr, merge_bytes, static_cast<segmented*>(nullptr), n, order, stream))
    return status;
  void* parts[2] = {};
  const std::size_t sizes[] = {std::size_t{n} * sizeof(segmented), merge_bytes};
  if (const cudaError_t status = cut_storage(d_temp, bytes, sizes, parts); status || d_temp == nullptr)
    return status;
  auto* const d_segmented = static_cast<segmented*>(parts[0]);
  if (const cudaError_t status =
          cub::DeviceFor::Bulk(n, attach_start<T, Count>{d_items, d_segmented, starts}, stream))
    return status;
  if (const cudaError_t status = merge_sort(parts[1], merge_bytes, d_segmented, n, order, stream))
    return status;
  return cub::DeviceFor::Bulk(n, extract_item<T, Count>{d_segmented, d_items}, stream);
}

// Sorts each segment by itself; stable.
template <device_engine Engine, class T, class Less>
cudaError_t segmented_sort(void* d_temp, std::size_t& bytes, T* d_items, std::uint64_t n,
                           const std::uint64_t* d_offsets, std::uint64_t num_segments, Less less,
                           cudaStream_t stream) {
  static_assert(engine_sorts<Engine, T, Less> && engine_is_stable<Engine>);
  if (!valid_arrays(d_temp, n, d_items, d_offsets) || (n != 0 && num_segments == 0))
    return cudaErrorInvalidValue;
  if (n < 2) return need_nothing(d_temp, bytes);
  if constexpr (engine_is_automatic<Engine> && radix_sorts<T, Less>) {
    const cudaError_t status =
        sample_sort(d_temp, bytes, d_items, n, less, stream, {}, {d_offsets, num_segments});
    if (status != cudaErrorNotSupported) return status;
  }
  return with_count_type(n, [&](auto count) {
    using count_type = decltype(count);
    count = static_cast<count_type>(n);
    const segment_starts<count_type> starts{d_offsets, num_segments};
    if constexpr (radix_sorts<T, Less> && (engine_is_automatic<Engine> || Engine == device_engine::radix))
      return sort_numbers_in_segments(d_temp, bytes, d_items, count, starts, less, stream);
    else
      return merge_in_segments(d_temp, bytes, d_items, count, starts, less, stream);
  });
}

} // namespace weft::gpu::detail
