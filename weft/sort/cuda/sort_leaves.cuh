// The kernels that sort leaves of any items in shared memory by merges (block_sort.cuh), copy equal items to
// the result, and sort the leftovers, which are segments that the last level left too large.
#pragma once

#include <cstdint>
#include <cub/block/block_scan.cuh>
#include <weft/sort/core/merge_path.hpp>
#include <weft/sort/cuda/sample_sort_kernels.cuh>

namespace weft::sort_detail {

// Loads a leaf so that each thread has as many items as sort_block expects of it, in any order. A warp all of
// whose items exist reads them side by side.
template <class Shape, class Order>
__device__ void load_for_sort(typename Order::array from, std::uint32_t n,
                              typename Order::held (&x)[Shape::items], const Order& order) {
  const std::uint32_t lane = threadIdx.x % 32, first_of_warp = (threadIdx.x - lane) * Shape::items;
  if (first_of_warp + 32 * Shape::items <= n) {
    WEFT_UNROLL
    for (int i = 0; i < Shape::items; ++i) x[i] = order.hold(from[first_of_warp + 32 * i + lane]);
  } else if (first_of_warp < n) {
    WEFT_UNROLL
    for (int i = 0; i < Shape::items; ++i)
      x[i] = order.hold(from[min(first_of_warp + lane * Shape::items + i, n - 1)]);
  }
}

// Loads a leaf with its items in order: a warp reads items side by side and gives each lane consecutive ones.
template <class Shape, class Order>
__device__ void load_in_order(typename Order::array from, std::uint32_t n,
                              shared_tile<typename Order::held> tile, typename Order::held (&x)[Shape::items],
                              const Order& order) {
  const std::uint32_t lane = threadIdx.x % 32, first_of_warp = (threadIdx.x - lane) * Shape::items;
  load_for_sort<Shape>(from, n, x, order);
  if (first_of_warp + 32 * Shape::items > n) return; // load_for_sort has loaded consecutive items
  WEFT_UNROLL
  for (int i = 0; i < Shape::items; ++i) tile[first_of_warp + 32 * i + lane] = x[i];
  __syncwarp();
  WEFT_UNROLL
  for (int i = 0; i < Shape::items; ++i) x[i] = tile[first_of_warp + lane * Shape::items + i];
}

// Sorts `n` items of `from` into `to`, which may be the same. All threads of the block must call this
// function, which ends with a barrier.
template <class Shape, class Order>
__device__ void sort_tile(typename Order::array from, typename Order::array to, std::uint32_t n,
                          shared_tile<typename Order::held> tile, Order& order) {
  typename Order::held x[Shape::items];
  if constexpr (Order::stable)
    load_in_order<Shape>(from, n, tile, x, order);
  else
    load_for_sort<Shape>(from, n, x, order);
  sort_block<false, Shape::threads, Order::stable>(x, tile, n, order);
  for (std::uint32_t i = threadIdx.x; i < n; i += Shape::threads) to[i] = order.item_of(tile[i]);
  __syncthreads();
}

template <class Shape, class Order>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    sort_leaves_kernel(sort_plan<typename Order::key> plan, leaf_kind kind, typename Order::array items,
                       typename Order::array buffer, Order order) {
  using held = typename Order::held;
  const shared_tile<held> tile{reinterpret_cast<held*>(dynamic_shared)};
  wait_for_launch_before();
  const std::uint32_t num_leaves = plan.counts->leaves[kind];
  for (std::uint32_t l = blockIdx.x; l < num_leaves; l += gridDim.x) {
    const sort_leaf leaf = plan.leaves[kind][l];
    sort_tile<Shape>((leaf.buffer == 0 ? items : buffer) + leaf.begin, items + leaf.begin, leaf.size, tile,
                     order);
  }
}

// Merges src[first .. middle-1] and src[middle .. last-1] into `to`, from index `first` on. All threads of
// the block must call this function.
template <int Threads, class Order>
__device__ void merge_runs(typename Order::array src, std::uint64_t first, std::uint64_t middle,
                           std::uint64_t last, typename Order::array to, Order& order) {
  using item = typename Order::item;
  constexpr std::uint64_t each = 16;
  const auto less = [&](const item& a, const item& b) { return order(order.key_of(a), order.key_of(b)); };
  const std::uint64_t left = middle - first, right = last - middle;
  for (std::uint64_t out = threadIdx.x * each; out < left + right; out += Threads * each) {
    std::uint64_t a = weft::sort_detail::merge_path(src + first, left, src + middle, right, out, less),
                  b = out - a;
    for (std::uint64_t i = out; i < out + each && i < left + right; ++i) {
      const bool take_right = b < right && (a == left || less(src[middle + b], src[first + a]));
      const item next = src[take_right ? middle + b++ : first + a++];
      to[first + i] = next;
    }
  }
}

// Sorts a leftover: the block merges it from one of the two buffers into `items`, using both buffers. This is
// slow but takes O(n log n), and is rarely needed.
template <class Shape, class Order>
__device__ void sort_leftover(std::uint64_t begin, std::uint64_t size, bool from_items,
                              typename Order::array items, typename Order::array buffer,
                              shared_tile<typename Order::held> tile, Order& order) {
  using array = typename Order::array;
  int passes = 0;
  while ((std::uint64_t{Shape::size} << passes) < size) ++passes;
  const array from = (from_items ? items : buffer) + begin;
  array to = (passes % 2 == 0 ? items : buffer) + begin, other = (passes % 2 == 0 ? buffer : items) + begin;
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
    const array merged = other;
    other = to;
    to = merged;
    __syncthreads();
  }
}

// Copies the leaves of equal items to the result, and sorts the leftovers.
template <class Shape, class Order>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    finish_leaves_kernel(sort_plan<typename Order::key> plan, typename Order::array items,
                         typename Order::array buffer, Order order) {
  using held = typename Order::held;
  const shared_tile<held> tile{reinterpret_cast<held*>(dynamic_shared)};
  wait_for_launch_before();
  const sort_counts& counts = *plan.counts;
  for (std::uint32_t l = blockIdx.x; l < counts.leaves[equal_leaf]; l += gridDim.x) {
    const sort_leaf leaf = plan.leaves[equal_leaf][l];
    const typename Order::array to = items + leaf.begin + threadIdx.x;
    typename Order::item x[Shape::items];
    load_present<Shape::threads>(buffer + leaf.begin, leaf.size, x);
    WEFT_UNROLL
    for (int i = 0; i < Shape::items; ++i)
      if (static_cast<std::uint32_t>(i * Shape::threads) + threadIdx.x < leaf.size)
        to[i * Shape::threads] = x[i];
  }
  for (std::uint32_t r = blockIdx.x; r < counts.leftovers; r += gridDim.x)
    sort_leftover<Shape>(plan.leftovers[r].begin, plan.leftovers[r].size, plan.num_levels % 2 == 0, items,
                         buffer, tile, order);
}

} // namespace weft::sort_detail
