// The segmented sort: each segment of the items is sorted by itself. Unlike cub::DeviceSegmentedSort, it does
// not wait for the device between its launches.
//
// The plain version:
//     start(i) = the offset at which the segment of item i begins
//     sort the items by (start, less): no item leaves its segment
//
// 1. Numbers in their natural order are sorted by a sample sort whose first level has the caller's segments;
//    segments of up to a leaf are sorted at once (segment_kernels.cuh).
// 2. If blocks have too little shared memory for that, and in engine radix, numbers are sorted by two stable
//    radix sorts: by number, then by start. The second one sorts by only as many bits of the starts as the
//    number of items has.
// 3. Anything else is sorted by one merge sort of items that carry their starts.
#pragma once

#include <cstdint>
#include <cub/device/device_for.cuh>
#include <weft/sort/cuda/engines.cuh>

namespace weft::sort_detail {

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
  if constexpr (is_in_natural_order<T, Less> && is_automatic_engine<Engine>) {
    const cudaError_t status = sorts_of<T, Less>::sample_sort(d_temp, bytes, sorted_keys(d_items), n, stream,
                                                              {}, {d_offsets, num_segments});
    if (status != cudaErrorNotSupported) return status; // The device has too little shared memory.
  }
  if constexpr (is_in_natural_order<T, Less> &&
                (is_automatic_engine<Engine> || Engine == device_engine::radix))
    return sorts_of<T, Less>::radix_sort_segments(d_temp, bytes, sorted_keys(d_items), n, stream,
                                                  {d_offsets, num_segments});
  else
    return with_count_type(n, [&](auto count) {
      using count_type = decltype(count);
      count = static_cast<count_type>(n);
      const segment_starts<count_type> starts{d_offsets, num_segments};
      return merge_in_segments(d_temp, bytes, d_items, count, starts, less, stream);
    });
}

} // namespace weft::sort_detail
