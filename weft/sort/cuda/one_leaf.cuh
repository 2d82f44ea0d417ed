// A sort of at most as many items as a leaf has: one block, one launch, no temporary memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <weft/sort/cuda/sort_leaves.cuh>
#include <weft/sort/cuda/spread_leaves.cuh>

namespace weft::sort_detail {

template <class Shape, class Order> constexpr std::size_t one_leaf_bytes() {
  const std::size_t bytes = shared_tile<typename Order::held>::bytes(Shape::size, Shape::items);
  if constexpr (Order::numbers)
    return std::max(bytes, sizeof(spread_memory<Shape, Order>));
  else
    return bytes;
}

// Sorts the items in place. All threads of the block must call this function, which ends with a barrier.
// Numbers that a spread over bins does not separate, and items that only a comparator orders, are merged.
template <class Shape, class Order>
__device__ void sort_one_leaf(char* memory, typename Order::array items, std::uint32_t n, Order& order) {
  using held = typename Order::held;
  if constexpr (Order::numbers)
    if (spread_leaf<Shape>(*reinterpret_cast<spread_memory<Shape, Order>*>(memory), items, n, items, order))
      return;
  sort_tile<Shape>(items, items, n, shared_tile<held>{reinterpret_cast<held*>(memory)}, order);
}

template <class Shape, class Order>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    sort_one_leaf_kernel(typename Order::array items, std::uint32_t n, Order order) {
  sort_one_leaf<Shape>(dynamic_shared, items, n, order);
}

} // namespace weft::sort_detail
