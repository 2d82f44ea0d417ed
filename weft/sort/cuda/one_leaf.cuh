// A sort of no more items than a leaf has: one block, one launch, no memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <weft/sort/cuda/split_leaves.cuh>
#include <weft/sort/cuda/spread_leaves.cuh>

namespace weft::gpu::detail {

template <class Shape, class Order> constexpr std::size_t one_leaf_bytes() {
  using key = typename Order::key;
  const std::size_t bytes = shared_tile<key>::bytes(Shape::size, Shape::items);
  if constexpr (Order::numbers)
    return std::max(bytes, sizeof(spread_memory<Shape, key>));
  else
    return bytes;
}

// Numbers that a spread does not separate, and whatever only a comparator orders, are merged.
template <class Shape, class Order>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    sort_one_leaf_kernel(typename Order::item* items, std::uint32_t n, Order order) {
  using key = typename Order::key;
  if constexpr (Order::numbers)
    if (spread_leaf<Shape>(*reinterpret_cast<spread_memory<Shape, key>*>(dynamic_shared), items, n, items,
                           order))
      return;
  sort_tile<Shape>(items, items, n, shared_tile<key>{reinterpret_cast<key*>(dynamic_shared)}, order);
}

} // namespace weft::gpu::detail
