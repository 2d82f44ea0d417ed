// The engine `radix`: CUB's radix sort for numbers in their natural order. The result ends where the items
// were.
//
// The plain version:
//     sort(keys) = cub::DeviceRadixSort(keys), between the caller's array and one of temporary storage
//
// 1. CUB treats -0 and +0 as equal and orders NaNs differently. Floats are therefore sorted as their
//    ordered_bits. They are converted on the way into the temporary array, and back on the way from the array
//    in which CUB's last pass ends.
// 2. Integers start in the caller's array. They are copied back if the last pass ends in the other array
//    (with digits of 8 bits: if the number of digits is odd, or if all items fit a tile).
#pragma once

#include <concepts>
#include <cstdint>
#include <cub/device/device_for.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <type_traits>
#include <weft/sort/core/ordered_bits.hpp>
#include <weft/sort/cuda/digit_tile.cuh>
#include <weft/sort/cuda/natural_orders.cuh>
#include <weft/sort/cuda/temporary_storage.hpp>

namespace weft::sort_detail {

// Whether the engine sorts pairs with such values. Larger values would be moved too often, and do not fit
// CUB's tiles.
template <class Value> constexpr bool radix_carries = sizeof(Value) <= 16;

template <class T, bool IsSigned> struct radix_integer { using type = ordered_bits_t<T>; };
template <class T> struct radix_integer<T, true> { using type = std::make_signed_t<ordered_bits_t<T>>; };
template <> struct radix_integer<int128, true> { using type = int128; };
// The type that CUB sorts instead of `T`.
template <number T>
using radix_key =
    typename radix_integer<T, !std::floating_point<T> && (static_cast<T>(-1) < static_cast<T>(0))>::type;

template <class T> struct to_ordered_bits {
  const T* from;
  ordered_bits_t<T>* to;
  template <class Index> __device__ void operator()(Index i) const { to[i] = ordered_bits(from[i]); }
};
template <class T> struct from_ordered_bits {
  const ordered_bits_t<T>* from;
  T* to;
  template <class Index> __device__ void operator()(Index i) const {
    to[i] = number_of_ordered_bits<T>(from[i]);
  }
};

template <bool Descending, class Key, class Value, class Count>
cudaError_t call_radix(void* d_temp, std::size_t& bytes, cub::DoubleBuffer<Key>& keys,
                       cub::DoubleBuffer<Value>& values, Count n, int end_bit, cudaStream_t stream) {
  using cub::DeviceRadixSort;
  if constexpr (std::is_same_v<Value, no_value>) {
    if constexpr (Descending)
      return DeviceRadixSort::SortKeysDescending(d_temp, bytes, keys, n, 0, end_bit, stream);
    else
      return DeviceRadixSort::SortKeys(d_temp, bytes, keys, n, 0, end_bit, stream);
  } else {
    if constexpr (Descending)
      return DeviceRadixSort::SortPairsDescending(d_temp, bytes, keys, values, n, 0, end_bit, stream);
    else
      return DeviceRadixSort::SortPairs(d_temp, bytes, keys, values, n, 0, end_bit, stream);
  }
}

// Enqueues a copy of `n` items to `d_to`, unless they are there already.
template <class T>
cudaError_t copy_if_elsewhere(const T* d_from, T* d_to, std::uint64_t n, cudaStream_t stream) {
  if (d_from == d_to || n == 0) return cudaSuccess;
  return cudaMemcpyAsync(d_to, d_from, n * sizeof(T), cudaMemcpyDeviceToDevice, stream);
}

// Sorts d_keys, and with them d_values, by their lowest end_bit bits; stable. Without values, d_values is a
// null pointer to `no_value`.
template <bool Descending, class T, class Value, class Count>
cudaError_t radix_sort_counted(void* d_temp, std::size_t& bytes, T* d_keys, Value* d_values, Count n,
                               int end_bit, cudaStream_t stream) {
  using key = radix_key<T>;
  constexpr bool has_values = !std::is_same_v<Value, no_value>;
  std::size_t radix_bytes = 0;
  cub::DoubleBuffer<key> keys;
  cub::DoubleBuffer<Value> values;
  if (const cudaError_t status =
          call_radix<Descending>(nullptr, radix_bytes, keys, values, n, end_bit, stream))
    return status;
  void* parts[3] = {};
  const std::size_t sizes[] = {std::size_t{n} * sizeof(key), has_values ? std::size_t{n} * sizeof(Value) : 0,
                               radix_bytes};
  if (const cudaError_t status = cut_storage(d_temp, bytes, sizes, parts); status || d_temp == nullptr)
    return status;
  auto *const own = reinterpret_cast<key*>(d_keys), *const other = static_cast<key*>(parts[0]);
  values = {d_values, static_cast<Value*>(parts[1])};
  if constexpr (std::floating_point<T>) {
    keys = {other, own};
    if (const cudaError_t status = cub::DeviceFor::Bulk(n, to_ordered_bits<T>{d_keys, other}, stream))
      return status;
  } else {
    keys = {own, other};
  }
  if (const cudaError_t status =
          call_radix<Descending>(parts[2], radix_bytes, keys, values, n, end_bit, stream))
    return status;
  if constexpr (has_values)
    if (const cudaError_t status = copy_if_elsewhere<Value>(values.Current(), d_values, n, stream))
      return status;
  if constexpr (std::floating_point<T>)
    return cub::DeviceFor::Bulk(n, from_ordered_bits<T>{keys.Current(), d_keys}, stream);
  else
    return copy_if_elsewhere<key>(keys.Current(), own, n, stream);
}

template <class T, class Value, class Less>
cudaError_t radix_sort(void* d_temp, std::size_t& bytes, T* d_keys, Value* d_values, std::uint64_t n, Less,
                       cudaStream_t stream) {
  const auto sort = [&](auto count) {
    count = static_cast<decltype(count)>(n);
    return radix_sort_counted<is_descending<T, Less>>(d_temp, bytes, d_keys, d_values, count, sizeof(T) * 8,
                                                      stream);
  };
  // For keys of 4 bytes without values, CUB's tiles are better with 64-bit counts (CCCL 3.0.1).
  if constexpr (sizeof(T) == 4 && std::is_same_v<Value, no_value>)
    if (n >= std::uint64_t{1} << 23) return sort(std::uint64_t{});
  return with_count_type(n, sort);
}

} // namespace weft::sort_detail
