// Leaves of any items, sorted in shared memory:
//
//   split   by splitters of a sample, as in a level; an item's place in its bucket is how many of the bucket
//           come before it
//   sort    leaves in which too many share a bucket: by merges (block_sort.cuh)
//
// and what is no leaf: copies of equal items, and the rests that no level has divided.
#pragma once

#include <cstdint>
#include <cub/block/block_scan.cuh>
#include <weft/sort/core/merge_path.hpp>
#include <weft/sort/cuda/sample_sort_kernels.cuh>

namespace weft::gpu::detail {

inline constexpr std::uint32_t split_buckets = 512, split_samples = 2; // samples a bucket
inline constexpr std::uint32_t dense_bucket = 128;

template <class Shape, class Order> struct split_memory {
  using key = typename Order::key;
  union {
    key keys[Shape::size];
    char samples[shared_tile<key>::bytes(split_buckets * split_samples,
                                         split_buckets* split_samples / Shape::threads)];
  };
  shared_splitters<Order, split_buckets> splitters;
  std::uint32_t counts[split_buckets + 1];
  typename cub::BlockScan<std::uint32_t, Shape::threads>::TempStorage scan;
  std::uint16_t buckets[Shape::size];
};

// The splitters of a leaf; see choose_splitters_of_level_kernel. Whether one stands there twice.
template <class Shape, class Order>
__device__ bool choose_splitters_of_leaf(split_memory<Shape, Order>& shared, const typename Order::item* from,
                                         std::uint32_t n, std::uint64_t seed, probe_map<Order>& to_probe,
                                         Order& order) {
  using key = typename Order::key;
  constexpr std::uint32_t num_samples = split_buckets * split_samples;
  constexpr int each = num_samples / Shape::threads;
  const shared_tile<key> samples{reinterpret_cast<key*>(shared.samples)};
  key x[each];
  WEFT_UNROLL
  for (int i = 0; i < each; ++i) {
    const std::uint64_t number = weft::detail::mixed(seed ^ (threadIdx.x * each + static_cast<unsigned>(i)));
    x[i] = order.key_of(from[__umulhi(static_cast<std::uint32_t>(number), n)]);
  }
  sort_block<true, Shape::threads>(x, samples, num_samples, order);
  return shared.splitters.set(
      split_buckets, [&](std::uint32_t b) -> const key& { return samples[b * split_samples]; }, to_probe,
      order);
}

// counts become where buckets begin. False: one that has not only equal items has too many.
template <class Shape, class Order>
__device__ bool sum_buckets(split_memory<Shape, Order>& shared, std::uint32_t n, bool twice,
                            const Order& order) {
  constexpr int each = (split_buckets + Shape::threads - 1) / Shape::threads;
  std::uint32_t counts[each];
  bool dense = false;
  const std::uint32_t first = threadIdx.x * each;
  WEFT_UNROLL
  for (int i = 0; i < each; ++i) {
    const std::uint32_t b = first + static_cast<std::uint32_t>(i);
    counts[i] = b < split_buckets ? shared.counts[b] : 0;
    dense |= counts[i] > dense_bucket && !(twice && shared.splitters.equal(b, order));
  }
  cub::BlockScan<std::uint32_t, Shape::threads>(shared.scan).ExclusiveSum(counts, counts);
  WEFT_UNROLL
  for (int i = 0; i < each; ++i)
    if (first + static_cast<std::uint32_t>(i) < split_buckets) shared.counts[first + i] = counts[i];
  if (threadIdx.x == 0) shared.counts[split_buckets] = n;
  return __syncthreads_or(dense) == 0;
}

// Not stable.
template <class Shape, class Order>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    split_leaves_kernel(sort_plan<typename Order::key> plan, leaf_kind kind, typename Order::item* items,
                        const typename Order::item* buffer, Order order) {
  using key = typename Order::key;
  auto& shared = *reinterpret_cast<split_memory<Shape, Order>*>(dynamic_shared);
  const auto at = [](int i) { return static_cast<std::uint32_t>(i * Shape::threads) + threadIdx.x; };
  wait_for_launch_before();
  const std::uint32_t num_leaves = plan.counts->leaves[kind];
  for (std::uint32_t l = blockIdx.x; l < num_leaves; l += gridDim.x) {
    const sort_leaf leaf = plan.leaves[kind][l];
    const std::uint32_t n = leaf.size;
    const typename Order::item* const from = (leaf.buffer == 0 ? items : buffer) + leaf.begin;
    for (std::uint32_t b = threadIdx.x; b < split_buckets; b += Shape::threads) shared.counts[b] = 0;
    probe_map<Order> to_probe;
    const bool twice = choose_splitters_of_leaf(shared, from, n, leaf.begin, to_probe, order);
    typename Order::item x[Shape::items];
    load_tile<Shape::threads>(from, n, x);
    std::uint32_t number[Shape::items]; // in the bucket, and above it the bucket
    constexpr int few = at_once<Shape::items>;
    WEFT_UNROLL
    for (int first = 0; first < Shape::items; first += few) {
      if (static_cast<std::uint32_t>(first * Shape::threads) >= n) break;
      key k[few];
      std::uint32_t bucket[few];
      WEFT_UNROLL
      for (int i = 0; i < few; ++i) k[i] = order.key_of(x[first + i]);
      shared.splitters.find(split_buckets, twice, to_probe, k, bucket, order);
      WEFT_UNROLL
      for (int i = 0; i < few; ++i)
        if (at(first + i) < n) number[first + i] = atomicAdd(&shared.counts[bucket[i]], 1U) | bucket[i] << 16;
    }
    __syncthreads();
    if (!sum_buckets(shared, n, twice, order)) {
      if (threadIdx.x == 0) add_leaf(plan, dense_leaf, leaf.begin, n, leaf.buffer);
      continue;
    }
    WEFT_UNROLL
    for (int i = 0; i < Shape::items; ++i)
      if (at(i) < n) {
        const std::uint32_t b = number[i] >> 16, place = shared.counts[b] + (number[i] & 0xFFFFU);
        shared.keys[place] = order.key_of(x[i]);
        shared.buckets[place] = static_cast<std::uint16_t>(b);
      }
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < n; i += Shape::threads) {
      const key own = shared.keys[i];
      const std::uint32_t b = shared.buckets[i], begin = shared.counts[b], end = shared.counts[b + 1];
      std::uint32_t place = begin;
      if (end - begin > dense_bucket) // all are equal
        place = i;
      else
        for (std::uint32_t j = begin; j < end; ++j) {
          const key& other = shared.keys[j];
          place += (j < i ? !order(own, other) : j > i && order(other, own)) ? 1 : 0; // never past the bucket
        }
      items[leaf.begin + place] = order.item_of(own);
    }
    __syncthreads();
  }
}

// For the whole block, synchronised at the end. `to` may be `from`. Not stable.
template <class Shape, class Order>
__device__ void sort_tile(const typename Order::item* from, typename Order::item* to, std::uint32_t n,
                          shared_tile<typename Order::key> tile, Order& order) {
  typename Order::key x[Shape::items];
  for (std::uint32_t i = threadIdx.x; i < n; i += Shape::threads) tile[i] = order.key_of(from[i]);
  __syncthreads();
  WEFT_UNROLL
  for (int i = 0; i < Shape::items; ++i) x[i] = tile[min(threadIdx.x * Shape::items + i, n - 1)];
  __syncthreads();
  sort_block<false, Shape::threads>(x, tile, n, order);
  for (std::uint32_t i = threadIdx.x; i < n; i += Shape::threads) to[i] = order.item_of(tile[i]);
  __syncthreads();
}

// Merges src[first .. middle-1] and src[middle .. last-1] to `to`, from first on; for the whole block.
template <int Threads, class T, class Order>
__device__ void merge_runs(const T* src, std::uint64_t first, std::uint64_t middle, std::uint64_t last, T* to,
                           Order& order) {
  constexpr std::uint64_t each = 16; // items of a thread at a time
  const auto less = [&](const T& a, const T& b) { return order(order.key_of(a), order.key_of(b)); };
  const std::uint64_t left = middle - first, right = last - middle;
  for (std::uint64_t out = threadIdx.x * each; out < left + right; out += Threads * each) {
    std::uint64_t a = weft::detail::merge_path(src + first, left, src + middle, right, out, less),
                  b = out - a;
    for (std::uint64_t i = out; i < out + each && i < left + right; ++i) {
      const bool take_right = b < right && (a == left || less(src[middle + b], src[first + a]));
      to[first + i] = take_right ? src[middle + b++] : src[first + a++];
    }
  }
}

// What levels could not divide, if ever: a block merges the segment, in both buffers. Slow, but n log n.
template <class Shape, class Order>
__device__ void sort_rest(const sort_plan<typename Order::key>& plan, const sort_segment& rest,
                          typename Order::item* items, typename Order::item* buffer,
                          shared_tile<typename Order::key> tile, Order& order) {
  using item = typename Order::item;
  const std::uint64_t begin = rest.begin, size = rest.size;
  int passes = 0;
  while ((std::uint64_t{Shape::size} << passes) < size) ++passes;
  const item* from = (plan.num_levels % 2 == 0 ? items : buffer) + begin;
  item *to = (passes % 2 == 0 ? items : buffer) + begin, *other = (passes % 2 == 0 ? buffer : items) + begin;
  for (std::uint64_t first = 0; first < size; first += Shape::size) {
    const std::uint64_t left = size - first;
    sort_tile<Shape>(from + first, to + first,
                     left < Shape::size ? static_cast<std::uint32_t>(left) : Shape::size, tile, order);
  }
  for (std::uint64_t width = Shape::size; width < size; width *= 2) {
    for (std::uint64_t first = 0; first < size; first += 2 * width) {
      const std::uint64_t middle = first + width < size ? first + width : size;
      const std::uint64_t last = middle + width < size ? middle + width : size;
      merge_runs<Shape::threads>(to, first, middle, last, other, order);
    }
    item* const merged = other;
    other = to;
    to = merged;
    __syncthreads();
  }
}

// Dense leaves, rests, copies.
template <class Shape, class Order>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    sort_remains_kernel(sort_plan<typename Order::key> plan, typename Order::item* items,
                        typename Order::item* buffer, Order order) {
  using item = typename Order::item;
  const shared_tile<typename Order::key> tile{reinterpret_cast<typename Order::key*>(dynamic_shared)};
  wait_for_launch_before();
  const sort_counts& counts = *plan.counts;
  for (std::uint32_t l = blockIdx.x; l < counts.leaves[equal_leaf]; l += gridDim.x) {
    const sort_leaf leaf = plan.leaves[equal_leaf][l];
    item* const to = items + leaf.begin + threadIdx.x;
    item x[Shape::items];
    load_some<Shape::threads>(buffer + leaf.begin, leaf.size, x);
    WEFT_UNROLL
    for (int i = 0; i < Shape::items; ++i)
      if (static_cast<std::uint32_t>(i * Shape::threads) + threadIdx.x < leaf.size)
        to[i * Shape::threads] = x[i];
  }
  for (std::uint32_t l = blockIdx.x; l < counts.leaves[dense_leaf]; l += gridDim.x) {
    const sort_leaf leaf = plan.leaves[dense_leaf][l];
    sort_tile<Shape>((leaf.buffer == 0 ? items : buffer) + leaf.begin, items + leaf.begin, leaf.size, tile,
                     order);
  }
  for (std::uint32_t r = blockIdx.x; r < counts.rests; r += gridDim.x)
    sort_rest<Shape>(plan, plan.rests[r], items, buffer, tile, order);
}

} // namespace weft::gpu::detail
