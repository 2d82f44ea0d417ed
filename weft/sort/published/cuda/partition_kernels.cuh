// The partition kernels of the sample-merge sort. published/sample_partition.hpp describes the algorithm;
// here the items of a tile are in registers and the tree of splitters is in shared memory.
//
// The kernels differ from the bodies described there in three points. Several items of a thread descend the
// tree at the same time. The counter of a bucket gives an item its rank before the counters are summed, so
// that a tile needs only its own offsets. The table is made by prefix sums, not by one thread.
#pragma once

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <weft/sort/cuda/block_sort.cuh>
#include <weft/sort/cuda/shared_splitters.cuh>
#include <weft/sort/published/sample_partition.hpp>

namespace weft::sort_detail {

inline constexpr std::uint32_t max_device_buckets = 1024; // also the number of threads of one-block kernels
inline constexpr int one_block_threads = 1024;

// Where the tiles of the sort and of the merge begin, and the number of merge passes. Both tables share start
// and aligned_start.
template <class Index> struct merge_plan {
  bucket_table<Index> sort_tiles, merge_tiles;
  std::uint32_t* num_passes;
};

// Chooses the splitters from a sorted sample. One block; oversampling * num_buckets <= one_block_threads *
// Items.
template <int Items, class T, class Index, class Less>
__global__ void __launch_bounds__(one_block_threads)
    choose_splitters_kernel(const T* items, Index num_items, std::uint32_t num_buckets,
                            std::uint32_t oversampling, std::uint64_t seed, T* tree, Less less) {
  const shared_tile<T> samples{reinterpret_cast<T*>(dynamic_shared)};
  const std::uint32_t num_samples = oversampling * num_buckets;
  const std::uint64_t mixed_seed = weft::base_detail::mixed(seed);
  T x[Items];
  WEFT_UNROLL
  for (int i = 0; i < Items; ++i) {
    const std::uint32_t number = threadIdx.x * Items + static_cast<std::uint32_t>(i);
    x[i] = items[number < num_samples
                     ? static_cast<Index>(weft::base_detail::mixed(mixed_seed ^ number) % num_items)
                     : Index{0}];
  }
  sort_block<false, one_block_threads>(x, samples, num_samples, less);
  const std::uint32_t node = threadIdx.x;
  if (node > 0 && node < num_buckets)
    tree[node] = samples[weft::sort_detail::splitter_of_node(node, num_buckets) * oversampling];
}

// Loads every Threads-th item of a tile, beginning with the thread's number. Loads the first item instead of
// items past the end.
template <int Threads, class T, int Items>
__device__ void load_strided(const T* items, std::uint32_t n, T (&x)[Items]) {
  const T* const from = items + threadIdx.x;
  const bool full = n == std::uint32_t{Threads} * Items;
  WEFT_UNROLL
  for (int i = 0; i < Items; ++i)
    x[i] = *(full || static_cast<std::uint32_t>(i * Threads) + threadIdx.x < n ? from + i * Threads : items);
}

// The shared memory of count_buckets_kernel and relocate_kernel; only the latter uses `items` and `buckets`.
template <class T, class Index> struct partition_memory {
  T *tree, *items;
  Index* shifts;
  std::uint32_t* counts;
  std::uint16_t* buckets;

  __device__ partition_memory(char* memory, std::uint32_t num_buckets, std::uint32_t tile)
      : tree(reinterpret_cast<T*>(memory)), items(tree + num_buckets),
        shifts(reinterpret_cast<Index*>(memory + aligned((std::size_t{num_buckets} + tile) * sizeof(T)))),
        counts(reinterpret_cast<std::uint32_t*>(shifts + num_buckets)),
        buckets(reinterpret_cast<std::uint16_t*>(counts + num_buckets)) {}
  static constexpr std::size_t bytes(std::uint32_t num_buckets, std::uint32_t tile) {
    return aligned((std::size_t{num_buckets} + tile) * sizeof(T)) +
           num_buckets * (sizeof(Index) + sizeof(std::uint32_t)) + tile * sizeof(std::uint16_t);
  }

private:
  WEFT_HOST_DEVICE static constexpr std::size_t aligned(std::size_t n) {
    return (n + sizeof(Index) - 1) / sizeof(Index) * sizeof(Index);
  }
};

// Counts the items of each bucket in each tile; one block per tile.
template <class Shape, class T, class Index, class Less>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    count_buckets_kernel(tiled_items<T, Index> input, const T* tree, std::uint32_t num_buckets, Index* counts,
                         Less less) {
  const partition_memory<T, Index> shared(dynamic_shared, num_buckets, 0);
  const Index tile = blockIdx.x;
  const std::uint32_t n = input.size(tile);
  T x[Shape::items];
  load_strided<Shape::threads>(input.tile(tile), n, x);
  for (std::uint32_t b = threadIdx.x; b < num_buckets; b += Shape::threads) {
    if (b > 0) shared.tree[b] = tree[b];
    shared.counts[b] = 0;
  }
  __syncthreads();
  std::uint32_t bucket[Shape::items];
  find_buckets(shared.tree, num_buckets, x, bucket, less);
  WEFT_UNROLL
  for (int i = 0; i < Shape::items; ++i)
    if (static_cast<std::uint32_t>(i * Shape::threads) + threadIdx.x < n)
      atomicAdd(&shared.counts[bucket[i]], 1U);
  __syncthreads();
  const Index num_tiles = input.num_tiles();
  for (std::uint32_t b = threadIdx.x; b < num_buckets; b += Shape::threads)
    counts[b * num_tiles + tile] = shared.counts[b];
}

// Decides where buckets begin and how many tiles each has. One block, one thread per bucket. If there is one
// bucket, the sums are not read.
template <class Index>
__global__ void __launch_bounds__(one_block_threads)
    lay_out_buckets_kernel(bucket_offsets<Index> offsets, std::uint32_t sort_tile, std::uint32_t merge_tile,
                           std::uint32_t alignment, merge_plan<Index> plan) {
  using scan = cub::BlockScan<Index, one_block_threads>;
  using reduce = cub::BlockReduce<Index, one_block_threads>;
  __shared__ union {
    typename scan::TempStorage for_scan;
    typename reduce::TempStorage for_reduce;
  } shared;
  const std::uint32_t b = threadIdx.x, num_buckets = offsets.num_buckets;
  const Index begin = b > 0 && b <= num_buckets ? offsets(b, Index{0}) : 0;
  const Index size = b < num_buckets ? offsets(b + 1, Index{0}) - begin : 0;
  const Index sort_tiles = (size + sort_tile - 1) / sort_tile;
  Index aligned_begin, first_sort, first_merge, num_aligned, num_sort, num_merge;
  scan(shared.for_scan)
      .ExclusiveSum((size + alignment - 1) / alignment * alignment, aligned_begin, num_aligned);
  __syncthreads();
  scan(shared.for_scan).ExclusiveSum(sort_tiles, first_sort, num_sort);
  __syncthreads();
  scan(shared.for_scan).ExclusiveSum((size + merge_tile - 1) / merge_tile, first_merge, num_merge);
  __syncthreads();
  const Index max_tiles =
      reduce(shared.for_reduce).Reduce(sort_tiles, [](Index x, Index y) { return x < y ? y : x; });
  if (b < num_buckets) {
    plan.sort_tiles.start[b] = begin;
    plan.sort_tiles.aligned_start[b] = aligned_begin;
    plan.sort_tiles.first_tile[b] = first_sort;
    plan.merge_tiles.first_tile[b] = first_merge;
  }
  if (b != 0) return;
  plan.sort_tiles.start[num_buckets] = offsets.num_items;
  plan.sort_tiles.aligned_start[num_buckets] = num_aligned;
  plan.sort_tiles.first_tile[num_buckets] = num_sort;
  plan.merge_tiles.first_tile[num_buckets] = num_merge;
  std::uint32_t passes = 0;
  for (Index tiles = 1; tiles < max_tiles; tiles += tiles) ++passes;
  *plan.num_passes = passes;
}

inline constexpr int transpose_threads = 256;

// Transposes a matrix, one block per square.
template <class Index>
__global__ void __launch_bounds__(transpose_threads)
    transpose_kernel(const Index* from, Index rows, Index columns, Index* to) {
  __shared__ Index square[square_size * (square_size + 1)];
  weft::sort_detail::transpose(device_block{transpose_threads}, static_cast<Index>(blockIdx.x), from, rows,
                               columns, to, square);
}

template <int Threads> using count_sums_memory = typename cub::BlockScan<std::uint32_t, Threads>::TempStorage;

// Turns counts[0 .. num_buckets-1] into their exclusive prefix sums, and subtracts these from the shifts.
template <int Threads, class Index>
__device__ void sum_counts(std::uint32_t* counts, Index* shifts, std::uint32_t num_buckets) {
  constexpr int each = (static_cast<int>(max_device_buckets) + Threads - 1) / Threads;
  using scan = cub::BlockScan<std::uint32_t, Threads>;
  __shared__ count_sums_memory<Threads> shared;
  std::uint32_t sums[each];
  const std::uint32_t first = threadIdx.x * each;
  WEFT_UNROLL
  for (int i = 0; i < each; ++i) {
    const std::uint32_t b = first + static_cast<std::uint32_t>(i);
    sums[i] = b < num_buckets ? counts[b] : 0;
  }
  scan(shared).ExclusiveSum(sums, sums);
  WEFT_UNROLL
  for (int i = 0; i < each; ++i) {
    const std::uint32_t b = first + static_cast<std::uint32_t>(i);
    if (b >= num_buckets) break;
    counts[b] = sums[i];
    shifts[b] -= sums[i]; // may wrap
  }
  __syncthreads();
}

// Moves the items of a tile to their buckets; one block per tile.
template <class Shape, class T, class Index, class Less>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    relocate_kernel(tiled_items<T, Index> input, const T* tree, bucket_offsets<Index> offsets,
                    bucket_table<Index> table, T* to, Less less) {
  static_assert(Shape::size <= 1U << 16 && max_device_buckets <= 1U << 16);
  const std::uint32_t num_buckets = table.num_buckets;
  const partition_memory<T, Index> shared(dynamic_shared, num_buckets, Shape::size);
  const Index tile = blockIdx.x;
  const std::uint32_t n = input.size(tile);
  T x[Shape::items];
  load_strided<Shape::threads>(input.tile(tile), n, x);
  for (std::uint32_t b = threadIdx.x; b < num_buckets; b += Shape::threads) {
    if (b > 0) shared.tree[b] = tree[b];
    shared.counts[b] = 0;
    shared.shifts[b] = table.aligned_start[b] + (offsets(b, tile) - table.start[b]);
  }
  __syncthreads();
  std::uint32_t bucket[Shape::items]; // then also the rank in the bucket, in the upper half
  find_buckets(shared.tree, num_buckets, x, bucket, less);
  WEFT_UNROLL
  for (int i = 0; i < Shape::items; ++i)
    if (static_cast<std::uint32_t>(i * Shape::threads) + threadIdx.x < n)
      bucket[i] |= atomicAdd(&shared.counts[bucket[i]], 1U) << 16;
  __syncthreads();
  sum_counts<Shape::threads>(shared.counts, shared.shifts, num_buckets);
  WEFT_UNROLL
  for (int i = 0; i < Shape::items; ++i)
    if (static_cast<std::uint32_t>(i * Shape::threads) + threadIdx.x < n) {
      const std::uint32_t b = bucket[i] & 0xFFFFU, index = shared.counts[b] + (bucket[i] >> 16);
      shared.items[index] = x[i];
      shared.buckets[index] = static_cast<std::uint16_t>(b);
    }
  __syncthreads();
  const T* const from = shared.items + threadIdx.x;
  const std::uint16_t* const buckets = shared.buckets + threadIdx.x;
  WEFT_UNROLL
  for (int i = 0; i < Shape::items; ++i) {
    const std::uint32_t index = static_cast<std::uint32_t>(i * Shape::threads) + threadIdx.x;
    if (index < n)
      to[static_cast<Index>(shared.shifts[buckets[i * Shape::threads]] + index)] = from[i * Shape::threads];
  }
}

} // namespace weft::sort_detail
