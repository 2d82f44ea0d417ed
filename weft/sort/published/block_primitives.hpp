// Helpers that the block bodies of the sample-merge sort share: counters, strided loops, a sort of a few
// items, a prefix sum, and a copy with aligned writes.
#pragma once

#include <cstdint>
#include <weft/base/block.hpp>
#include <weft/base/host_device.hpp>

namespace weft::sort_detail {

// Size of a memory transaction in bytes. Writes of a warp to one aligned piece of this size take one
// transaction.
inline constexpr std::uint32_t transaction_bytes = 128;

// Adds `value` to a counter and returns the old value. Needs no atomics: a block on the host runs its threads
// one after another.
struct serial_add {
  WEFT_HOST_DEVICE std::uint32_t operator()(std::uint32_t* counter, std::uint32_t value) const {
    const std::uint32_t before = *counter;
    *counter = before + value;
    return before;
  }
};

#if defined(__CUDACC__)
// Adds `value` to a counter of a device and returns the old value.
struct atomic_add {
  __device__ std::uint32_t operator()(std::uint32_t* counter, std::uint32_t value) const {
    return atomicAdd(counter, value);
  }
};
#endif

template <class T> WEFT_HOST_DEVICE void exchange(T& a, T& b) {
  const T c = a;
  a = b;
  b = c;
}

// Returns where share t begins if n items are cut into `threads` shares whose sizes differ by at most one.
WEFT_HOST_DEVICE inline std::uint32_t share_begin(std::uint32_t n, int t, int threads) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(n) * static_cast<std::uint32_t>(t) /
                                    static_cast<std::uint32_t>(threads));
}

// Calls body(i) for each i in [0, n). Thread t takes t, t + threads, ..., so neighbouring threads access
// neighbouring items.
template <class Block, class Index, class Body>
WEFT_HOST_DEVICE void for_each_strided(const Block& block, Index n, Body body) {
  block.phase([&](int t) {
    for (Index i = static_cast<Index>(t); i < n; i += static_cast<Index>(block.threads)) body(i);
  });
}

// Sorts any number of items by Batcher's bitonic sort (AFIPS 1968). Not stable. Every comparator puts the
// smaller item at the smaller index, so items past the end may be treated as +inf: they would never move. The
// first step of a merge compares index i with its mirror image in the run of `size` items, which has the same
// effect as reversing the second half.
template <class Block, class T, class Less>
WEFT_HOST_DEVICE void bitonic_sort(const Block& block, T* items, std::uint32_t n, Less& less) {
  for (std::uint32_t size = 2; size / 2 < n; size *= 2)
    for (std::uint32_t stride = size / 2; stride > 0; stride /= 2) {
      const std::uint32_t mask = stride == size / 2 ? size - 1 : stride;
      for_each_strided(block, n, [&](std::uint32_t i) {
        const std::uint32_t partner = i ^ mask;
        if (i < partner && partner < n && less(items[partner], items[i])) exchange(items[i], items[partner]);
      });
    }
}

// Computes the exclusive prefix sum of values[0 .. n-1]. Returns the array that holds the result, which is
// `values` or `scratch` (n elements each).
template <class Block>
WEFT_HOST_DEVICE std::uint32_t* block_prefix_sum(const Block& block, std::uint32_t* values,
                                                 std::uint32_t* scratch, std::uint32_t n) {
  std::uint32_t *from = values, *to = scratch;
  for_each_strided(block, n, [&](std::uint32_t i) { to[i] = i == 0 ? 0 : from[i - 1]; });
  exchange(from, to);
  for (std::uint32_t distance = 1; distance < n; distance *= 2) {
    for_each_strided(block, n,
                     [&](std::uint32_t i) { to[i] = i < distance ? from[i] : from[i] + from[i - distance]; });
    exchange(from, to);
  }
  return from;
}

// Copies n items. If `aligned`, the items before the first transaction boundary of `to` are written
// separately, and thread 0 starts again at the boundary, so that every further write of a warp fills whole
// transactions (Kozawa, Amagasa & Kitagawa, Figure 5).
template <class Block, class T>
WEFT_HOST_DEVICE void write_run(const Block& block, const T* from, T* to, std::uint32_t n, bool aligned) {
  const std::uint32_t misaligned_bytes =
      static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(to) % transaction_bytes);
  std::uint32_t head =
      aligned && misaligned_bytes != 0 ? (transaction_bytes - misaligned_bytes) / sizeof(T) : 0;
  if (head > n) head = n;
  block.phase([&](int t) {
    const std::uint32_t first = static_cast<std::uint32_t>(t),
                        step = static_cast<std::uint32_t>(block.threads);
    for (std::uint32_t i = first; i < head; i += step) to[i] = from[i];
    for (std::uint32_t i = head + first; i < n; i += step) to[i] = from[i];
  });
}

} // namespace weft::sort_detail
