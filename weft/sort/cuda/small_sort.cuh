// Sorts of small inputs in one launch. At most as many items as a leaf has are sorted by one block
// (sort_one_leaf_kernel), without temporary memory.
//
// Larger inputs are sorted by a sample sort in one cooperative launch: all blocks run at the same time and
// wait for each other at barriers of the grid. Each block holds its items in shared memory while all blocks
// count, so that the items can be moved within their own array.
//
//   sample | rank | count | move | sort the buckets         |: a barrier of the grid
//
// The plain version: one level of the sample sort, each of whose buckets is a leaf.
#pragma once

#include <algorithm>
#include <bit>
#include <cooperative_groups.h>
#include <cstddef>
#include <cstdint>
#include <cub/block/block_scan.cuh>
#include <weft/sort/cuda/first_level.cuh>
#include <weft/sort/cuda/small_splitters.cuh>
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

inline constexpr std::uint32_t max_small_buckets = 512, max_small_samples = 4096;
// How a small sort is divided among blocks. `threads` are of a block and `items` of a thread. Items of up to
// 8 bytes are `narrow`: a leaf and an H200's 132 multiprocessors hold more of them. `capacity` is the largest
// number of items that is sorted this way; the mean size of a bucket is then a fourth of a leaf, or little
// more. It is 1.25 * 2^20 items of up to 8 bytes.
template <class Leaf> struct small_sort_shape {
  static constexpr bool narrow = Leaf::items > 8;
  static constexpr int threads = Leaf::threads, items = narrow ? 10 : 8;
  static constexpr std::uint32_t size = threads * items;
  static constexpr std::uint64_t capacity =
      std::uint64_t{max_small_buckets} * Leaf::size / 4 * (narrow ? 40 : 33) / 32;
};

// The shared memory of a block: `move` until the items are in their buckets, then `leaf`.
template <class Order, class Leaf> struct small_sort_memory : small_sort_shape<Leaf> {
  using key = typename Order::key;
  static_assert(Leaf::threads == splitter_shape<key>::threads);
  using small_sort_shape<Leaf>::threads, small_sort_shape<Leaf>::size;
  struct moved {
    typename Order::item items[size];
    small_splitters<Order, max_small_buckets> splitters;
    std::uint32_t counts[max_small_buckets], shifts[max_small_buckets];
    std::uint16_t buckets[size];
  };
  union {
    moved move;
    char leaf[one_leaf_bytes<Leaf, Order>()];
  };
  std::uint32_t begins[max_small_buckets + 1]; // where each bucket begins in the items
  std::uint32_t equal[max_small_buckets / 32]; // one bit per bucket: all items of the bucket are equal
  typename cub::BlockScan<std::uint32_t, threads>::TempStorage scan;
};

// The device memory and the numbers of a small sort.
template <class Key> struct small_sort_plan {
  std::uint32_t* counts; // of each bucket, one counter
  Key* splitters;        // splitters[b] separates buckets b - 1 and b; splitters[0] is not set
  Key* sampled;
  std::uint32_t num_items, num_buckets, samples, tile; // `samples` is per bucket, `tile` is items per block
};

// Plans buckets of about 512 items: 16 to 256 buckets, or up to 512 for more than half of `capacity`. With 8
// samples per bucket, a bucket is larger than a leaf in one of 20,000 sorts of 2^20 items of 8 bytes, and in
// one of 135 sorts of `capacity` items.
template <class Key>
small_sort_plan<Key> plan_small_sort(std::uint64_t num_items, std::uint64_t capacity, std::uint64_t blocks) {
  const auto n = static_cast<std::uint32_t>(num_items);
  small_sort_plan<Key> plan{};
  plan.num_items = n;
  plan.num_buckets =
      std::clamp(std::bit_ceil(n / 512), 16U, num_items > capacity / 2 ? max_small_buckets : 256U);
  plan.samples = plan.num_buckets == max_small_buckets ? 8 : 16;
  plan.tile = static_cast<std::uint32_t>((num_items + blocks - 1) / blocks);
  return plan;
}

// Finds the bucket of each of the thread's items. Sets number[i] to the bucket in the upper 16 bits and to
// the item's rank among the block's items of the bucket in the lower 16 bits.
template <class Order, class Leaf>
__device__ void count_small_sort_items(small_sort_memory<Order, Leaf>& shared,
                                       const small_sort_plan<typename Order::key>& plan, std::uint32_t size,
                                       const typename Order::item (&x)[small_sort_memory<Order, Leaf>::items],
                                       std::uint32_t (&number)[small_sort_memory<Order, Leaf>::items],
                                       const Order& order) {
  using memory = small_sort_memory<Order, Leaf>;
  using key = typename Order::key;
  auto& move = shared.move;
  for (std::uint32_t b = threadIdx.x; b < max_small_buckets; b += memory::threads) move.counts[b] = 0;
  const auto params = move.splitters.set(plan.num_buckets, plan.splitters, order);
  for (std::uint32_t b = threadIdx.x; b < max_small_buckets; b += memory::threads) {
    const bool equal = params.kind == splitter_kind::equal && b > 0 && b + 1 < plan.num_buckets &&
                       !order(move.splitters.sorted[b], move.splitters.sorted[b + 1]);
    const unsigned bits = __ballot_sync(0xFFFFFFFFU, equal);
    if (b % 32 == 0) shared.equal[b / 32] = bits;
  }
  constexpr int batch = batch_size<memory::items>;
  WEFT_UNROLL
  for (int first = 0; first < memory::items; first += batch) {
    if (static_cast<std::uint32_t>(first * memory::threads) >= size) break;
    key k[batch];
    std::uint32_t bucket[batch];
    WEFT_UNROLL
    for (int i = 0; i < batch; ++i) k[i] = order.key_of(x[first + i]);
    move.splitters.find(plan.num_buckets, params, k, bucket, order);
    WEFT_UNROLL
    for (int i = 0; i < batch; ++i)
      if (static_cast<std::uint32_t>((first + i) * memory::threads) + threadIdx.x < size)
        number[first + i] = atomicAdd(&move.counts[bucket[i]], 1U) | bucket[i] << 16;
  }
  __syncthreads();
}

// Reserves positions for the block's items in each bucket, one bucket per thread. Returns the offset of the
// reserved positions from the bucket's first item. The final size of the buckets is known only after all
// blocks have called this function.
template <class Order, class Leaf>
__device__ std::uint32_t reserve_small_sort_positions(small_sort_memory<Order, Leaf>& shared,
                                                      const small_sort_plan<typename Order::key>& plan) {
  static_assert(Leaf::threads == max_small_buckets);
  const std::uint32_t b = threadIdx.x;
  if (b >= plan.num_buckets || shared.move.counts[b] == 0) return 0;
  return atomicAdd(&plan.counts[b], shared.move.counts[b]);
}

// Moves the block's items to shared memory in the order of their buckets. The counts become the index at
// which each bucket begins in shared memory.
template <class Order, class Leaf>
__device__ void
gather_small_sort_items(small_sort_memory<Order, Leaf>& shared, std::uint32_t size,
                        const typename Order::item (&x)[small_sort_memory<Order, Leaf>::items],
                        const std::uint32_t (&number)[small_sort_memory<Order, Leaf>::items]) {
  using memory = small_sort_memory<Order, Leaf>;
  auto& move = shared.move;
  const std::uint32_t b = threadIdx.x;
  std::uint32_t begin;
  cub::BlockScan<std::uint32_t, Leaf::threads>(shared.scan)
      .ExclusiveSum(b < max_small_buckets ? move.counts[b] : 0U, begin);
  __syncthreads();
  if (b < max_small_buckets) move.counts[b] = begin;
  __syncthreads();
  WEFT_UNROLL
  for (int i = 0; i < memory::items; ++i)
    if (static_cast<std::uint32_t>(i * memory::threads) + threadIdx.x < size) {
      const std::uint32_t bucket = number[i] >> 16, index = move.counts[bucket] + (number[i] & 0xFFFFU);
      move.items[index] = x[i];
      move.buckets[index] = static_cast<std::uint16_t>(bucket);
    }
}

// Moves the block's items from shared memory to their buckets in `to`, after all blocks have counted.
// `reserved` is the result of reserve_small_sort_positions.
template <class Order, class Leaf>
__device__ void move_small_sort_items(small_sort_memory<Order, Leaf>& shared,
                                      const small_sort_plan<typename Order::key>& plan, std::uint32_t size,
                                      std::uint32_t reserved, typename Order::array to) {
  auto& move = shared.move;
  const std::uint32_t b = threadIdx.x;
  std::uint32_t begin;
  cub::BlockScan<std::uint32_t, Leaf::threads>(shared.scan)
      .ExclusiveSum(b < plan.num_buckets ? __ldcg(&plan.counts[b]) : 0U, begin);
  if (b < max_small_buckets) {
    shared.begins[b] = begin;
    move.shifts[b] = begin + reserved - move.counts[b]; // wraps modulo 2^32
  }
  if (b == 0) shared.begins[max_small_buckets] = plan.num_items;
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < size; i += Leaf::threads)
    to[std::uint32_t{move.shifts[move.buckets[i]] + i}] = move.items[i];
}

template <class Leaf, class Order>
__device__ void sort_small_part(small_sort_memory<Order, Leaf>& shared, std::uint32_t begin,
                                std::uint32_t size, typename Order::array items, typename Order::array buffer,
                                Order& order) {
  using held = typename Order::held;
  if (size < 2) return;
  const shared_tile<held> tile{reinterpret_cast<held*>(shared.leaf)};
  using small = tile_shape<Leaf::threads, Leaf::items / 2>;
  if (size > Leaf::size) // very rare; samples differ from sort to sort
    sort_leftover<Leaf>(begin, size, true, items, buffer, tile, order);
  else if (size > small::size)
    sort_one_leaf<Leaf>(shared.leaf, items + begin, size, order);
  else
    sort_one_leaf<small>(shared.leaf, items + begin, size, order);
}

// Sorts the buckets, one per block at a time. If there are fewer blocks than buckets, a block takes two
// buckets and sorts them as one where both fit a leaf, because sorting a small leaf is mostly waiting.
template <class Leaf, class Order>
__device__ void sort_small_buckets(small_sort_memory<Order, Leaf>& shared, std::uint32_t num_buckets,
                                   typename Order::array items, typename Order::array buffer, Order& order) {
  const std::uint32_t each = num_buckets > gridDim.x ? 2 : 1;
  const auto are_equal = [&](std::uint32_t b, std::uint32_t which) {
    return (shared.equal[b / 32] >> b % 32 & which) != 0;
  };
  for (std::uint32_t first = blockIdx.x * each; first < num_buckets; first += gridDim.x * each) {
    const std::uint32_t end = first + each;
    const bool together = shared.begins[end] - shared.begins[first] <= Leaf::size && !are_equal(first, 3U);
    const std::uint32_t step = together ? each : 1;
    for (std::uint32_t b = first; b < end; b += step) {
      const std::uint32_t begin = shared.begins[b];
      if (!are_equal(b, 1U))
        sort_small_part<Leaf>(shared, begin, shared.begins[b + step] - begin, items, buffer, order);
    }
  }
}

// Sorts all items. The grid has enough blocks to hold all items, plan.tile items each.
template <class Leaf, class Order>
__global__ void __launch_bounds__(Leaf::threads, Leaf::blocks)
    sort_small_kernel(small_sort_plan<typename Order::key> plan, typename Order::array items,
                      typename Order::array buffer, std::uint64_t seed, Order order) {
  using key = typename Order::key;
  using memory = small_sort_memory<Order, Leaf>;
  auto& shared = *reinterpret_cast<memory*>(dynamic_shared);
  const auto grid = cooperative_groups::this_grid();
  const std::uint32_t begin = blockIdx.x * plan.tile;
  const std::uint32_t left = begin < plan.num_items ? plan.num_items - begin : 0;
  const std::uint32_t size = left < plan.tile ? left : plan.tile;
  for (std::uint32_t b = blockIdx.x * Leaf::threads + threadIdx.x; b < plan.num_buckets;
       b += gridDim.x * Leaf::threads)
    plan.counts[b] = 0;
  const std::uint32_t num_samples = plan.samples * plan.num_buckets;
  const sample_positions positions(seed, {0, plan.num_items, 0, 0}, num_samples);
  for (std::uint32_t i = blockIdx.x * Leaf::threads + threadIdx.x; i < num_samples;
       i += gridDim.x * Leaf::threads)
    plan.sampled[i] = order.key_of(items[positions(i)]);
  grid.sync();
  const auto sample = [&](std::uint32_t i) -> key { return plan.sampled[i < num_samples ? i : 0]; };
  for (std::uint32_t first = blockIdx.x * ranks_per_block; first < num_samples;
       first += gridDim.x * ranks_per_block)
    rank_samples<max_small_samples / Leaf::threads>(first, plan.samples, num_samples, sample, plan.splitters,
                                                    order);
  typename Order::item x[memory::items];
  std::uint32_t number[memory::items];
  if (size > 0) load_tile<memory::threads>(items + begin, size, x);
  grid.sync();
  count_small_sort_items<Order, Leaf>(shared, plan, size, x, number, order);
  const std::uint32_t reserved = reserve_small_sort_positions(shared, plan);
  gather_small_sort_items<Order, Leaf>(shared, size, x, number);
  grid.sync();
  move_small_sort_items(shared, plan, size, reserved, items);
  grid.sync();
  sort_small_buckets<Leaf>(shared, plan.num_buckets, items, buffer, order);
}

} // namespace weft::sort_detail
