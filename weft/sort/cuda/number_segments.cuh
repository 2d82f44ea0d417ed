// Numbers in segments, by two stable radix sorts: by number, then by the start of the segment.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cub/device/device_for.cuh>
#include <weft/sort/cuda/radix_sort.cuh>

namespace weft::sort_detail {

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

template <class T, class Count, class Less>
cudaError_t radix_sort_in_segments(void* d_temp, std::size_t& bytes, T* d_items, Count n,
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

} // namespace weft::sort_detail
