// The moves of a level of a sample sort that need not keep the order of equal items. A block reserves
// positions in the buckets for all items of a tile at once. It first brings the items into the order of their
// buckets in shared memory, so that items of one bucket are written side by side.
//
// Pairs whose values are narrower than their keys are moved in two parts: first the keys go through shared
// memory, then the values, by the same indices. Larger tiles fit that way, and the part of a tile that goes
// to one bucket is longer.
#pragma once

#include <cstdint>
#include <cub/block/block_scan.cuh>
#include <type_traits>
#include <weft/sort/cuda/sample_sort_kernels.cuh>

namespace weft::sort_detail {

struct no_splitters {};

// The shared memory of a block that moves tiles.
template <class Shape, class Order> struct move_memory {
  typename Order::moved items[Shape::size];
  long long shifts[max_buckets]; // from an index in `items` to the position in the buffer
  std::uint32_t counts[max_buckets];
  typename cub::BlockScan<std::uint32_t, Shape::threads>::TempStorage scan;
  std::uint8_t buckets[Shape::size];
  std::conditional_t<looked_up_twice<Order>, level_splitters<Order>, no_splitters> splitters;
};

// Turns the counts into their exclusive prefix sums, and reserves positions for the tile's items in each
// bucket.
template <class Shape, class Order>
__device__ void reserve_positions(move_memory<Shape, Order>& shared, std::uint64_t* positions) {
  constexpr int each = (static_cast<int>(max_buckets) + Shape::threads - 1) / Shape::threads;
  std::uint32_t counts[each], sums[each];
  const std::uint32_t first = threadIdx.x * each;
  WEFT_UNROLL
  for (int i = 0; i < each; ++i) counts[i] = first + i < max_buckets ? shared.counts[first + i] : 0;
  cub::BlockScan<std::uint32_t, Shape::threads>(shared.scan).ExclusiveSum(counts, sums);
  WEFT_UNROLL
  for (int i = 0; i < each; ++i) {
    if (first + i >= max_buckets) break;
    shared.counts[first + i] = sums[i];
    if (counts[i] == 0) continue;
    auto* const position = reinterpret_cast<unsigned long long*>(&positions[first + i]);
    shared.shifts[first + i] = static_cast<long long>(atomicAdd(position, counts[i])) - sums[i];
  }
  __syncthreads();
}

// Brings a part of each item i of the thread to index_of(i) in the tile, and from there to its bucket. Does
// not end with a barrier.
template <class Shape, class Order, class T, class IndexOf>
__device__ void move_part(move_memory<Shape, Order>& shared, const T (&x)[Shape::items], IndexOf index_of,
                          std::uint32_t size, auto to) {
  T* const items = reinterpret_cast<T*>(shared.items);
  const auto at = [](int i) { return static_cast<std::uint32_t>(i * Shape::threads) + threadIdx.x; };
  WEFT_UNROLL
  for (int i = 0; i < Shape::items; ++i)
    if (at(i) < size) items[index_of(i)] = x[i];
  __syncthreads();
  WEFT_UNROLL
  for (int i = 0; i < Shape::items; ++i)
    if (at(i) < size) to[shared.shifts[shared.buckets[at(i)]] + at(i)] = items[at(i)];
}

// Sets number[i] to the kept bucket of the thread's item i, in the lower half, and to the rank of the item in
// its bucket, in the upper half. Counts the items in shared.counts, which must be 0 at the barrier within
// this function.
template <class Shape, class Order>
__device__ void number_kept(move_memory<Shape, Order>& shared, const std::uint8_t* kept, std::uint32_t size,
                            std::uint32_t (&number)[Shape::items]) {
  const auto at = [](int i) { return static_cast<std::uint32_t>(i * Shape::threads) + threadIdx.x; };
  WEFT_UNROLL
  for (int i = 0; i < Shape::items; ++i) number[i] = at(i) < size ? kept[at(i)] : 0;
  __syncthreads();
  WEFT_UNROLL
  for (int i = 0; i < Shape::items; ++i)
    if (at(i) < size) number[i] |= atomicAdd(&shared.counts[number[i]], 1U) << 16;
}

// Does the same for a tile whose buckets were not kept, by finding them again.
template <class Shape, class Order>
__device__ void number_again(move_memory<Shape, Order>& shared, const sort_segment& segment,
                             const typename level_splitters<Order>::search_params& params,
                             const typename Order::item (&x)[Shape::items], std::uint32_t size,
                             std::uint32_t (&number)[Shape::items], const Order& order) {
  __syncthreads();
  for_each_bucket<Shape>(
      shared.splitters, segment.num_buckets, params, x, size, order,
      [&](int i, std::uint32_t bucket) { number[i] = bucket | atomicAdd(&shared.counts[bucket], 1U) << 16; });
}

// Loads the part of each item that is moved first. Items whose buckets are found again are loaded with the
// fill values of load_tile.
template <class Shape, class Order>
__device__ void load_moved(typename Order::array items, std::uint32_t size,
                           typename Order::moved (&x)[Shape::items]) {
  if constexpr (Order::in_parts)
    load_present<Shape::threads>(items.keys(), size, x);
  else if constexpr (looked_up_twice<Order>)
    load_tile<Shape::threads>(items, size, x);
  else
    load_present<Shape::threads>(items, size, x);
}

template <class Shape, class Order>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    move_level_kernel(sort_plan<typename Order::key> plan, int level, typename Order::array items,
                      kept_buckets<Order> buckets, typename Order::array to, Order order) {
  using key = typename Order::key;
  static_assert(Shape::size <= 1U << 16);
  auto& shared = *reinterpret_cast<move_memory<Shape, Order>*>(dynamic_shared);
  wait_for_launch_before();
  tiles_of_block<key, true> tile(plan, level);
  typename level_splitters<Order>::search_params params{};
  bool changed, loaded = false; // `loaded`: the segment's splitters are in shared memory
  while (tile.next(changed)) {
    typename Order::moved x[Shape::items];
    std::uint32_t index[Shape::items]; // the bucket and the rank in it; then the index in the tile
    load_moved<Shape, Order>(items + tile.begin, tile.size, x);
    for (std::uint32_t b = threadIdx.x; b < max_buckets; b += Shape::threads) shared.counts[b] = 0;
    if constexpr (looked_up_twice<Order>) {
      const sort_segment& segment = tile.segment;
      const key* const splitters = plan.splitters + segment.first_bucket;
      if (changed && !buckets.all()) {
        params = level_splitters<Order>::load_search(plan.tables, segment.first_bucket, segment.num_buckets,
                                                     splitters);
        loaded = false;
      }
      if (const std::uint8_t* const kept = buckets.template tile_buckets<Shape>(tile, params.kind)) {
        number_kept(shared, kept, tile.size, index);
      } else {
        if (!loaded)
          shared.splitters.load(plan.tables, segment.first_bucket, segment.num_buckets, splitters, params);
        loaded = true;
        number_again(shared, segment, params, x, tile.size, index, order);
      }
    } else {
      number_kept(shared, buckets.template tile_buckets<Shape>(tile, params.kind), tile.size, index);
    }
    __syncthreads();
    reserve_positions<Shape>(shared, plan.bucket_positions + tile.segment.first_bucket);
    const auto assign_index = [&](int i) {
      const std::uint32_t b = index[i] & 0xFFFFU;
      index[i] = shared.counts[b] + (index[i] >> 16);
      shared.buckets[index[i]] = static_cast<std::uint8_t>(b);
      return index[i];
    };
    if constexpr (Order::in_parts) {
      typename Order::value values[Shape::items];
      const auto same_index = [&](int i) { return index[i]; };
      move_part(shared, x, assign_index, tile.size, to.keys());
      load_present<Shape::threads>(items.values() + tile.begin, tile.size, values);
      __syncthreads();
      move_part(shared, values, same_index, tile.size, to.values());
    } else {
      move_part(shared, x, assign_index, tile.size, to);
    }
    __syncthreads();
  }
}

} // namespace weft::sort_detail
