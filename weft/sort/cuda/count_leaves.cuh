// Sorts leaves of 8-bit numbers in shared memory: a block counts how often each of the 256 numbers occurs,
// and writes each number that many times.
#pragma once

#include <cstdint>
#include <cub/block/block_scan.cuh>
#include <weft/sort/cuda/sample_sort_kernels.cuh>

namespace weft::sort_detail {

template <class Shape, class Order>
requires(sizeof(typename Order::key) == 1) __global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    count_leaves_kernel(sort_plan<typename Order::key> plan, leaf_kind kind, typename Order::array items,
                        typename Order::array buffer, Order order) {
  using key = typename Order::key;
  constexpr std::uint32_t num_keys = 256;
  constexpr int each = (static_cast<int>(num_keys) + Shape::threads - 1) / Shape::threads;
  __shared__ std::uint32_t counts[num_keys]; // then the index at which each key begins
  __shared__ typename cub::BlockScan<std::uint32_t, Shape::threads>::TempStorage scan;
  const auto at = [](int i) { return static_cast<std::uint32_t>(i * Shape::threads) + threadIdx.x; };
  wait_for_launch_before();
  const std::uint32_t num_leaves = plan.counts->leaves[kind];
  for (std::uint32_t l = blockIdx.x; l < num_leaves; l += gridDim.x) {
    const sort_leaf leaf = plan.leaves[kind][l];
    typename Order::item x[Shape::items];
    load_present<Shape::threads>((leaf.buffer == 0 ? items : buffer) + leaf.begin, leaf.size, x);
    for (std::uint32_t k = threadIdx.x; k < num_keys; k += Shape::threads) counts[k] = 0;
    __syncthreads();
    WEFT_UNROLL
    for (int i = 0; i < Shape::items; ++i)
      if (at(i) < leaf.size) atomicAdd(&counts[order.key_of(x[i])], 1U);
    __syncthreads();
    std::uint32_t sums[each];
    const std::uint32_t first = threadIdx.x * each;
    WEFT_UNROLL
    for (int i = 0; i < each; ++i) sums[i] = first + i < num_keys ? counts[first + i] : 0;
    cub::BlockScan<std::uint32_t, Shape::threads>(scan).ExclusiveSum(sums, sums);
    WEFT_UNROLL
    for (int i = 0; i < each; ++i)
      if (first + i < num_keys) counts[first + i] = sums[i];
    __syncthreads();
    WEFT_UNROLL
    for (int i = 0; i < Shape::items; ++i) {
      if (at(i) >= leaf.size) continue;
      std::uint32_t k = 0; // the last key that begins here or before
      WEFT_UNROLL
      for (std::uint32_t step = num_keys / 2; step > 0; step /= 2) k += counts[k + step] <= at(i) ? step : 0;
      items[leaf.begin + at(i)] = order.item_of(static_cast<key>(k));
    }
    __syncthreads();
  }
}

} // namespace weft::sort_detail
