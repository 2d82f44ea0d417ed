// The automatic engines for numbers in their natural order, with or without values. They choose a method by
// the type and the number of items, such that hardly any measured input is sorted at less than nine tenths of
// the speed of the better of CUB's two sorts, and most are sorted much faster. bench/record/notes-sort.md has
// the measurements.
#pragma once

#include <algorithm>
#include <cstdint>
#include <weft/sort/cuda/digit_tile.cuh>
#include <weft/sort/cuda/merge_sort.cuh>
#include <weft/sort/cuda/radix_sort.cuh>
#include <weft/sort/cuda/sample_sort.cuh>

namespace weft::sort_detail {

// The numbers of items at which the method changes. Fewer items than tile_limit are sorted by digits as one
// tile; otherwise fewer than merge_limit are merged, fewer than sample_limit are sorted by samples, and fewer
// than radix_limit by radix. From the largest limit on, items are sorted by samples again. A limit that is
// not greater than the limits before it disables its method. Measured on an H200.
struct number_thresholds {
  std::uint64_t tile_limit, merge_limit, sample_limit, radix_limit;
  [[nodiscard]] constexpr std::uint64_t max_limit() const {
    return std::max({merge_limit, sample_limit, radix_limit});
  }
  [[nodiscard]] constexpr bool uses_samples(std::uint64_t n) const {
    return n < sample_limit || n >= max_limit();
  }
};
inline constexpr std::uint64_t unlimited = ~std::uint64_t{0};

// Returns the thresholds of keys of 1 and 2 bytes, with or without values.
constexpr number_thresholds thresholds_of_narrow_keys(std::size_t key_bytes, std::uint64_t tile) {
  return {tile, (key_bytes == 1 ? 2 : 8) * tile, 0, unlimited};
}

template <class Key> constexpr number_thresholds thresholds_of_keys() {
  constexpr std::uint64_t tile = digit_tile<Key, no_value>::size + 1;
  constexpr std::uint64_t max_cooperative_items = std::uint64_t{5} << 18; // small_sort_shape::capacity
  switch (sizeof(Key)) {
  case 1:
  case 2:
    return thresholds_of_narrow_keys(sizeof(Key), tile);
  case 4:
    return {tile, 48 << 10, max_cooperative_items + 1, unlimited};
  case 8:
    return {0, 48 << 10, max_cooperative_items + 1, 2 << 20};
  default:
    return {0, 144 << 10, unlimited, 0};
  }
}

// `Stable` matters only for pairs, because equal numbers without values are indistinguishable.
template <class Key, class Value, class Less, bool Stable> constexpr number_thresholds thresholds_of_pairs() {
  constexpr std::uint64_t tile = digit_tile<Key, Value>::size + 1, mebi = std::uint64_t{1} << 20;
  constexpr bool samples = sample_sort_carries<Key, Value, Less>, wide = sizeof(Value) >= 8;
  switch (sizeof(Key)) {
  case 1:
  case 2:
    return thresholds_of_narrow_keys(sizeof(Key), tile);
  case 4:
    if (samples && !Stable) return {tile, 32 << 10, mebi + 1, unlimited};
    return {tile, wide ? mebi / 16 : mebi / 4, 0, unlimited};
  case 8:
    if (samples && !Stable) return {wide ? tile : 0, 16 << 10, unlimited, 0};
    return {wide ? tile : 0, mebi / 2 + 1, 0, unlimited};
  default:
    return {0, 16 * mebi, 0, unlimited};
  }
}

// Sorts `n` numbers, and `d_values` with them, by the method that the thresholds choose. Without values,
// `d_values` is a null pointer to `no_value`. n >= 2.
template <bool Stable, class Key, class Value, class Less>
cudaError_t sort_numbers_automatically(void* d_temp, std::size_t& bytes, Key* d_keys, Value* d_values,
                                       std::uint64_t n, Less less, cudaStream_t stream) {
  constexpr bool has_values = !std::is_same_v<Value, no_value>;
  constexpr number_thresholds thresholds = [] {
    if constexpr (has_values)
      return thresholds_of_pairs<Key, Value, Less, Stable>();
    else
      return thresholds_of_keys<Key>();
  }();
  if constexpr (thresholds.tile_limit > 0)
    if (n < thresholds.tile_limit)
      return d_temp == nullptr ? need_nothing(d_temp, bytes)
                               : sort_digit_tile<is_descending<Key, Less>>(d_keys, d_values, n, stream);
  if (n < thresholds.merge_limit) return merge_sort_pairs(d_temp, bytes, d_keys, d_values, n, less, stream);
  if constexpr (thresholds.sample_limit > 0 || thresholds.max_limit() < unlimited) {
    static_assert(!Stable || !has_values);
    if (thresholds.uses_samples(n)) {
      const cudaError_t status = [&] {
        if constexpr (has_values)
          return sample_sort_pairs(d_temp, bytes, d_keys, d_values, n, less, stream);
        else
          return run_sample_sort(d_temp, bytes, d_keys, n, number_order<Key, is_descending<Key, Less>>{},
                                 stream);
      }();
      if (status != cudaErrorNotSupported) return status; // The device has too little shared memory.
    }
  }
  return radix_sort(d_temp, bytes, d_keys, d_values, n, less, stream);
}

} // namespace weft::sort_detail
