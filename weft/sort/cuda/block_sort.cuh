// The tiles of blocks: their shapes, their shared memory, and sorts and merges of a tile by one block. Each
// thread holds `Items` items (a power of two) in registers: thread t has the items t * Items .. (t + 1) *
// Items - 1 of the tile.
//
//   sort_registers       a thread sorts its items by Batcher's odd-even merge sort (AFIPS 1968); not stable
//   transpose_registers  a thread sorts its items by odd-even transposition, which is stable but needs more
//                        comparisons
//   sort_block           the block sorts all items of the tile, by merges in shared memory (Merge Path)
//
// Every comparator of the two sorting networks moves the smaller item to the smaller index. A tile that is
// not full (`Full` is false) therefore needs no fill value: leaving the indices past its end alone has the
// same effect as having +infinity there.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>
#include <weft/base/host_device.hpp>
#include <weft/sort/core/merge_path.hpp>
#include <weft/sort/cuda/natural_orders.cuh>

namespace weft::sort_detail {

// The shape of a tile: `Threads` threads of `Items` items each. `Blocks` is the least number of blocks that a
// multiprocessor is to hold (65536 / Blocks / Threads registers per thread).
template <int Threads, int Items, int Blocks = 1> struct tile_shape {
  static constexpr int threads = Threads, items = Items, blocks = Blocks;
  static constexpr std::uint32_t size = std::uint32_t{Threads} * Items;
};

// The dynamic shared memory of a block.
extern __shared__ __align__(128) char dynamic_shared[];

// The largest number of items, a power of two, that fits a thread's registers without spilling.
template <class T>
inline constexpr int register_items = sizeof(T) <= 8 ? 16 : static_cast<int>(std::bit_floor(128 / sizeof(T)));

// A tile of items in shared memory, each in a slot. If `Padded`, one slot is left unused after each 128
// bytes, so that threads that read or write runs of a power of two of items access different banks.
template <class T>
inline constexpr std::uint32_t padding_every = std::bit_floor(sizeof(T) < 128 ? 128U / sizeof(T) : 1U);
template <class T> inline constexpr int padding_shift = std::countr_zero(padding_every<T>);
template <class T, bool Padded = true> struct shared_tile {
  T* slots;
  std::uint32_t first = 0;

  // Returns the slot of item `i`, which may be negative, so that padded_index(i * m + j) = i *
  // padded_index(m) + padded_index(j) for multiples m of padding_every.
  WEFT_HOST_DEVICE static constexpr int padded_index(int i) {
    return Padded ? i + (i >> padding_shift<T>) : i;
  }
  WEFT_HOST_DEVICE T& operator[](std::uint32_t i) const {
    return slots[static_cast<std::uint32_t>(padded_index(static_cast<int>(first + i)))];
  }
  // Returns the bytes of a tile of `tile` items whose threads hold `items` items each, because
  // merge_registers may read that many items past the end of the tile.
  WEFT_HOST_DEVICE static constexpr std::size_t bytes(std::uint32_t tile, std::uint32_t items) {
    return (static_cast<std::size_t>(padded_index(static_cast<int>(tile + items))) + 1) * sizeof(T);
  }
};

// Returns first ? a : b. The conditional operator would choose between the addresses of class objects, which
// moves them to local memory.
template <class T> __device__ T select(bool first, const T& a, const T& b) {
  T chosen = b;
  if (first) chosen = a;
  return chosen;
}

// A key with its value, as one item of a tile.
template <class Key, class Value> struct key_value {
  Key key;
  Value value;
};
template <class Key, class Value>
__device__ key_value<Key, Value> select(bool first, const key_value<Key, Value>& a,
                                        const key_value<Key, Value>& b) {
  return {select(first, a.key, b.key), select(first, a.value, b.value)};
}
// Puts `a` and `b` in order if `enabled`. In a short tile, a comparator is enabled if b's index is in the
// tile (then a's is too).
template <class T, class Less> __device__ void compare_exchange(T& a, T& b, bool enabled, Less& less) {
  const T x = a, y = b;
  const bool swap = enabled && less(y, x);
  a = select(swap, y, x);
  b = select(swap, x, y);
}

// Merges pairs of sorted runs of `Run` items. `size` is the number of items of `x`, from x[0] on, that are in
// the tile; it may be negative or greater than `Items`.
template <bool Full, int Run, int Distance, class T, int Items, class Less>
__device__ void odd_even_merge(T (&x)[Items], int size, Less& less) {
  WEFT_UNROLL
  for (int i = Distance % Run; i < Items - Distance; ++i)
    if ((i - Distance % Run) / Distance % 2 == 0 && i / (2 * Run) == (i + Distance) / (2 * Run))
      compare_exchange(x[i], x[i + Distance], Full || i + Distance < size, less);
  if constexpr (Distance > 1) odd_even_merge<Full, Run, Distance / 2>(x, size, less);
}
// Sorts the first `size` items of `x` by odd-even merges.
template <bool Full, int Run = 1, class T, int Items, class Less>
__device__ void sort_registers(T (&x)[Items], int size, Less& less) {
  if constexpr (Run < Items) {
    odd_even_merge<Full, Run, Run>(x, size, less);
    sort_registers<Full, 2 * Run>(x, size, less);
  }
}

// Sorts the first `size` items of `x` by odd-even transposition; stable.
template <bool Full, class T, int Items, class Less>
__device__ void transpose_registers(T (&x)[Items], int size, Less& less) {
  WEFT_UNROLL
  for (int round = 0; round < Items; ++round) {
    WEFT_UNROLL
    for (int i = round % 2; i + 1 < Items; i += 2)
      compare_exchange(x[i], x[i + 1], Full || i + 1 < size, less);
  }
}

// Sets `x` to the first items of the merge of tile[a .. a_end-1] and tile[b .. b_end-1]. a_end <= b, and at
// least one of the two ranges is not empty. Items of `x` past the end of the merge are arbitrary. Nothing
// past `b_end` is read, because another warp may be writing there. If `Checked` is false, the caller promises
// that neither range ends within `x` and that the item after each range may be read.
template <bool Checked = true, class Tile, class T, int Items, class Less>
__device__ void merge_registers(Tile tile, std::uint32_t a, std::uint32_t a_end, std::uint32_t b,
                                std::uint32_t b_end, T (&x)[Items], Less& less) {
  const auto at = [&](std::uint32_t i) { return tile[Checked ? min(i, b_end - 1) : i]; };
  T left = at(a), right = at(b);
  const std::uint32_t sum = a + b;
  WEFT_UNROLL
  for (int i = 0; i < Items; ++i) {
    const bool take_right =
        Checked ? b < b_end && (a >= a_end || less(right, left)) : static_cast<bool>(less(right, left));
    x[i] = select(take_right, right, left);
    a += take_right ? 0 : 1;
    b = sum + static_cast<std::uint32_t>(i + 1) - a;
    const T next = at(take_right ? b : a);
    right = select(take_right, next, right);
    left = select(take_right, left, next);
  }
}

// Writes `x` to the thread's slots of the tile. One of `Items` and `padding_every` divides the other, because
// both are powers of two.
template <class T, bool Padded, int Items>
__device__ void store_registers(shared_tile<T, Padded> tile, const T (&x)[Items]) {
  static_assert(!Padded || (Items & (Items - 1)) == 0);
  T* const to = tile.slots + tile.padded_index(static_cast<int>(threadIdx.x) * Items);
  WEFT_UNROLL
  for (int i = 0; i < Items; ++i) to[tile.padded_index(i)] = x[i];
}

// Sorts the n items that a block of `Threads` threads holds in `x`, and leaves them in `tile` too. Items of
// `x` whose index is n or more have any values. Ends with a barrier of the block.
template <bool Full, int Threads, bool Stable = false, class T, int Items, class Less>
__device__ void sort_block(T (&x)[Items], shared_tile<T> tile, std::uint32_t n, Less& less) {
  const std::uint32_t first = threadIdx.x * Items;
  const bool holds = Full || first < n;
  if (holds) {
    const int size = static_cast<int>(n) - static_cast<int>(first);
    if constexpr (Stable)
      transpose_registers<Full>(x, size, less);
    else
      sort_registers<Full>(x, size, less);
    store_registers(tile, x);
  }
  WEFT_ROLL
  for (std::uint32_t width = Items; width < Threads * Items && width < n; width *= 2) {
    const auto synchronise = [&] { // as far as items are exchanged: within a warp, or within the block
      if (2 * width <= 32 * Items)
        __syncwarp();
      else
        __syncthreads();
    };
    synchronise();
    if (holds) {
      const std::uint32_t a = first / (2 * width) * (2 * width), diagonal = first - a;
      const std::uint32_t b = a + width < n ? a + width : n, end = b + width < n ? b + width : n;
      const std::uint32_t taken = weft::sort_detail::merge_path(
          shared_tile<T>{tile.slots, a}, b - a, shared_tile<T>{tile.slots, b}, end - b, diagonal, less);
      merge_registers(tile, a + taken, b, b + (diagonal - taken), end, x, less);
    }
    synchronise();
    if (holds) store_registers(tile, x);
  }
  __syncthreads();
}

} // namespace weft::sort_detail
