// Sorts one tile of numbers, with or without values, by digits: one block, one launch, no temporary memory.
//
// cub::DeviceRadixSort sorts so small an input in the same way, but from one array into another.
#pragma once

#include <cstdint>
#include <cub/block/block_radix_sort.cuh>
#include <type_traits>
#include <weft/sort/cuda/launch.cuh>
#include <weft/sort/cuda/natural_orders.cuh>

namespace weft::sort_detail {

using no_value = cub::NullType;

template <class Key, class Value> struct digit_tile {
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  static constexpr int threads = 256, items = sizeof(Key) <= 4 && sizeof(Value) <= 4 ? 16 : 8,
                       digit_bits = sizeof(Key) == 1 ? 4 : 6;
  static constexpr std::uint32_t size = threads * items;
  using bits = ordered_bits_t<Key>;
  using sorter = cub::BlockRadixSort<bits, threads, items, Value, digit_bits>;
};

// Sorts the tile; stable. The keys that fill up the tile come last, after any real keys that they equal.
template <bool Descending, class Key, class Value>
__global__ void __launch_bounds__(digit_tile<Key, Value>::threads)
    sort_digit_tile_kernel(Key* keys, Value* values, std::uint32_t n) {
  using tile = digit_tile<Key, Value>;
  using bits = typename tile::bits;
  constexpr bits all = static_cast<bits>(~bits{0}), inverted = Descending ? all : bits{0};
  __shared__ typename tile::sorter::TempStorage memory;
  bits own[tile::items];
  Value with[tile::items];
  for (int i = 0; i < tile::items; ++i) {
    const std::uint32_t at = threadIdx.x * tile::items + i;
    own[i] = at < n ? static_cast<bits>(ordered_bits(keys[at]) ^ inverted) : all;
    if constexpr (tile::has_values)
      if (at < n) with[i] = values[at];
  }
  if constexpr (tile::has_values)
    typename tile::sorter(memory).SortBlockedToStriped(own, with);
  else
    typename tile::sorter(memory).SortBlockedToStriped(own);
  for (int i = 0; i < tile::items; ++i) {
    const std::uint32_t at = threadIdx.x + tile::threads * i;
    if (at >= n) break;
    keys[at] = number_of_ordered_bits<Key>(static_cast<bits>(own[i] ^ inverted));
    if constexpr (tile::has_values) values[at] = with[i];
  }
}

// Sorts `n` items, at most the tile's size.
template <bool Descending, class Key, class Value>
cudaError_t sort_digit_tile(Key* d_keys, Value* d_values, std::uint64_t n, cudaStream_t stream) {
  return launch(sort_digit_tile_kernel<Descending, Key, Value>, 1, digit_tile<Key, Value>::threads, 0, stream,
                d_keys, d_values, static_cast<std::uint32_t>(n));
}

} // namespace weft::sort_detail
