// Engine merge: CUB's merge sort, for any comparator; stable.
#pragma once

#include <cstdint>
#include <cub/device/device_merge_sort.cuh>
#include <weft/sort/cuda/temporary_storage.hpp>

namespace weft::gpu::detail {

template <class T, class Less>
cudaError_t merge_sort(void* d_temp, std::size_t& bytes, T* d_items, std::uint64_t n, Less less,
                       cudaStream_t stream) {
  return with_count_type(n, [&](auto count) {
    count = static_cast<decltype(count)>(n);
    return cub::DeviceMergeSort::StableSortKeys(d_temp, bytes, d_items, count, less, stream);
  });
}

template <class Key, class Value, class Less>
cudaError_t merge_sort_pairs(void* d_temp, std::size_t& bytes, Key* d_keys, Value* d_values, std::uint64_t n,
                             Less less, cudaStream_t stream) {
  return with_count_type(n, [&](auto count) {
    count = static_cast<decltype(count)>(n);
    return cub::DeviceMergeSort::StableSortPairs(d_temp, bytes, d_keys, d_values, count, less, stream);
  });
}

} // namespace weft::gpu::detail
