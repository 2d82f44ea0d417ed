// What the bodies of the sample-merge sort share: strided loops, a sort of few items, a prefix sum, counters.
#pragma once

#include <cstdint>
#include <weft/base/block.hpp>
#include <weft/base/host_device.hpp>

namespace weft::detail {

// Bytes that the threads of a warp write as one transaction if they are aligned to as many.
inline constexpr std::uint32_t transaction_bytes = 128;

// Adds to a counter and returns its value before. A block of the host runs its threads one after another.
struct plain_add {
  WEFT_HOST_DEVICE std::uint32_t operator()(std::uint32_t* counter, std::uint32_t value) const {
    const std::uint32_t before = *counter;
    *counter = before + value;
    return before;
  }
};

#if defined(__CUDACC__)
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

// Of n items cut into `threads` equal shares, where share t begins.
WEFT_HOST_DEVICE inline std::uint32_t share_begin(std::uint32_t n, int t, int threads) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(n) * static_cast<std::uint32_t>(t) /
                                    static_cast<std::uint32_t>(threads));
}

// f(i) for i in [0, n), thread t taking t, t + threads, ...: neighbours touch neighbouring places.
template <class Block, class Index, class Body>
WEFT_HOST_DEVICE void for_each_strided(const Block& block, Index n, Body body) {
  block.phase([&](int t) {
    for (Index i = static_cast<Index>(t); i < n; i += static_cast<Index>(block.threads)) body(i);
  });
}

// Batcher's bitonic sort (AFIPS 1968) of any number of items. Every comparator puts the smaller item at the
// smaller place, so that items past the end may be taken for +inf: they would never move. The first step of a
// merge compares i with its mirror image in the run of `size`, which makes the second half descend. Not
// stable.
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

// Exclusive prefix sum of values[0 .. n-1]; returns where it stands: `values` or `scratch` (n places each).
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

// Copies n items. If `aligned`, the items in front of the first boundary of a transaction are written by
// themselves, and from the boundary on thread 0 begins anew, so that every further write of a warp is whole
// (Kozawa, Amagasa & Kitagawa, Figure 5).
template <class Block, class T>
WEFT_HOST_DEVICE void write_run(const Block& block, const T* from, T* to, std::uint32_t n, bool aligned) {
  const std::uint32_t past =
      static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(to) % transaction_bytes);
  std::uint32_t head = aligned && past != 0 ? (transaction_bytes - past) / sizeof(T) : 0;
  if (head > n) head = n;
  block.phase([&](int t) {
    const std::uint32_t first = static_cast<std::uint32_t>(t),
                        step = static_cast<std::uint32_t>(block.threads);
    for (std::uint32_t i = first; i < head; i += step) to[i] = from[i];
    for (std::uint32_t i = head + first; i < n; i += step) to[i] = from[i];
  });
}

} // namespace weft::detail
