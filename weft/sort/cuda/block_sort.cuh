// A block sorts and merges a tile: Items (a power of two) items a thread in registers, thread t's being the
// items t Items .. t Items + Items - 1 of the tile.
//
//   sort_registers       each thread its own, by Batcher's odd-even merge sort (AFIPS 1968); not stable
//   transpose_registers  the same by odd-even transposition, which is stable but takes more comparisons
//   sort_block           and the block all of them, by merges in shared memory (Merge Path)
//
// Every comparator of the networks puts the smaller item at the smaller place, so that places past the end of
// a short tile (Full is false) are taken for +inf by leaving them alone.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>
#include <weft/sort/core/merge_path.hpp>
#include <weft/sort/cuda/known_orders.cuh>

namespace weft::gpu::detail {

// A tile in shared memory: a place is left out after each 128 bytes, so that threads that read or write runs
// of a power of two of items do so in different banks.
template <class T>
inline constexpr std::uint32_t padding_every = std::bit_floor(sizeof(T) < 128 ? 128U / sizeof(T) : 1U);
template <class T> inline constexpr int padding_shift = std::countr_zero(padding_every<T>);
template <class T, bool Padded = true> struct shared_tile {
  T* slots;
  std::uint32_t first = 0;

  // Also of a negative number, so that place(i m + j) = i place(m) + place(j) for multiples m of
  // padding_every.
  WEFT_HOST_DEVICE static constexpr int padded_index(int i) {
    return Padded ? i + (i >> padding_shift<T>) : i;
  }
  WEFT_HOST_DEVICE T& operator[](std::uint32_t i) const {
    return slots[static_cast<std::uint32_t>(padded_index(static_cast<int>(first + i)))];
  }
  // merge_registers may read `items` past the end.
  WEFT_HOST_DEVICE static constexpr std::size_t bytes(std::uint32_t tile, std::uint32_t items) {
    return (static_cast<std::size_t>(padded_index(static_cast<int>(tile + items))) + 1) * sizeof(T);
  }
};

// first ? a : b. Of a class's objects that would choose between addresses, in local memory.
template <class T> __device__ T select(bool first, const T& a, const T& b) {
  T chosen = b;
  if (first) chosen = a;
  return chosen;
}

// `there`: whether b's place is one of the tile. (Then a's is.)
template <class T, class Less> __device__ void compare_exchange(T& a, T& b, bool enabled, Less& less) {
  const T x = a, y = b;
  const bool swap = enabled && less(y, x);
  a = select(swap, y, x);
  b = select(swap, x, y);
}

// size: how many of x, from x[0] on, are in the tile (may be negative or more than Items).
template <bool Full, int Run, int Distance, class T, int Items, class Less>
__device__ void odd_even_merge(T (&x)[Items], int size, Less& less) {
  WEFT_UNROLL
  for (int i = Distance % Run; i < Items - Distance; ++i)
    if ((i - Distance % Run) / Distance % 2 == 0 && i / (2 * Run) == (i + Distance) / (2 * Run))
      compare_exchange(x[i], x[i + Distance], Full || i + Distance < size, less);
  if constexpr (Distance > 1) odd_even_merge<Full, Run, Distance / 2>(x, size, less);
}
template <bool Full, int Run = 1, class T, int Items, class Less>
__device__ void sort_registers(T (&x)[Items], int size, Less& less) {
  if constexpr (Run < Items) {
    odd_even_merge<Full, Run, Run>(x, size, less);
    sort_registers<Full, 2 * Run>(x, size, less);
  }
}

template <bool Full, class T, int Items, class Less>
__device__ void transpose_registers(T (&x)[Items], int size, Less& less) {
  WEFT_UNROLL
  for (int round = 0; round < Items; ++round) {
    WEFT_UNROLL
    for (int i = round % 2; i + 1 < Items; i += 2)
      compare_exchange(x[i], x[i + 1], Full || i + 1 < size, less);
  }
}

// Items of the merge of tile[a .. a_end-1] and tile[b .. b_end-1], from the first on; a_end <= b, one of them
// is not empty. Where both have ended, x is arbitrary. Nothing past the end is read: it may be another
// warp's. Checked is false: neither can end, and the place after the last may be read.
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

// x to the places of the thread. (Of two powers of two, Items and padding_every, one is a multiple of the
// other.)
template <class T, bool Padded, int Items>
__device__ void store_registers(shared_tile<T, Padded> tile, const T (&x)[Items]) {
  static_assert(!Padded || (Items & (Items - 1)) == 0);
  T* const to = tile.slots + tile.padded_index(static_cast<int>(threadIdx.x) * Items);
  WEFT_UNROLL
  for (int i = 0; i < Items; ++i) to[tile.padded_index(i)] = x[i];
}

// The n items that a block of Threads holds; at the end they stand in `tile` too. x of places >= n: any
// values. Synchronised at the end.
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
    const auto synchronise = [&] { // as far as items come from, or go to
      if (2 * width <= 32 * Items)
        __syncwarp();
      else
        __syncthreads();
    };
    synchronise();
    if (holds) {
      const std::uint32_t a = first / (2 * width) * (2 * width), diagonal = first - a;
      const std::uint32_t b = a + width < n ? a + width : n, end = b + width < n ? b + width : n;
      const std::uint32_t taken = weft::detail::merge_path(
          shared_tile<T>{tile.slots, a}, b - a, shared_tile<T>{tile.slots, b}, end - b, diagonal, less);
      merge_registers(tile, a + taken, b, b + (diagonal - taken), end, x, less);
    }
    synchronise();
    if (holds) store_registers(tile, x);
  }
  __syncthreads();
}

// The first place that a thread writes, from `to` on, before every Threads-th: its own number, or if
// `aligned` less so much (it may be negative: nothing to write) that each warp's writes but the first begin
// at a multiple of 128 bytes (Kozawa, Amagasa & Kitagawa, Figure 5).
template <class T> __device__ int first_write_index(const T* to, bool aligned) {
  const std::uintptr_t past = reinterpret_cast<std::uintptr_t>(to) % 128 / sizeof(T);
  return static_cast<int>(threadIdx.x) - (aligned ? static_cast<int>(past) : 0);
}

template <int Threads, int Items, class T, bool Padded>
__device__ void write_tile(shared_tile<T, Padded> tile, T* to, std::uint32_t n, bool aligned) {
  static_assert(Threads >= 128 && Threads % padding_every<T> == 0);
  const int first = first_write_index(to, aligned), last = static_cast<int>(n);
  to += first;
  const T* const from = tile.slots + tile.padded_index(first);
  WEFT_UNROLL
  for (int i = 0; i <= Items; ++i)
    if (first + i * Threads >= 0 && first + i * Threads < last)
      to[i * Threads] = from[i * tile.padded_index(Threads)];
}

} // namespace weft::gpu::detail
