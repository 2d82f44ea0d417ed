// The plan of a sample sort in device memory: the segments of a level, their tiles, and the leaves. The host
// does not know these when it launches the kernels.
//
//   segment   contiguous items that come before all items behind them; a level divides a segment into
//             buckets, which become segments of the next level, or leaves
//   tile      the items that a block counts or moves at once; the tiles of a level are numbered across its
//             segments
//   leaf      a segment that a block sorts in shared memory, or whose items are all equal
//
// The segments of level l are in buffer l % 2, its buckets in the other buffer. The result is in buffer 0.
#pragma once

#include <cstdint>
#include <cub/block/block_scan.cuh>
#include <weft/base/host_device.hpp>
#include <weft/sort/cuda/launch.cuh>
#include <weft/sort/cuda/splitter_cells.cuh>

namespace weft::sort_detail {

inline constexpr int max_levels = 5;
inline constexpr int plan_threads = 256;

// A segment of a level.
struct sort_segment {
  std::uint64_t begin, size;
  std::uint32_t first_bucket, num_buckets; // indices among the buckets of the level
};

// All tiles of a segment except the first begin at multiples of this number of items, so that warps read
// whole sectors of an array that begins at the start of a sector.
inline constexpr std::uint32_t tile_alignment = 32;
WEFT_HOST_DEVICE inline std::uint32_t tiles_of(const sort_segment& segment, std::uint32_t tile) {
  return static_cast<std::uint32_t>((segment.begin % tile_alignment + segment.size + tile - 1) / tile);
}

struct sort_leaf {
  std::uint64_t begin;
  std::uint32_t size, buffer;
};
// A leaf as it is stored in a list: `begin`, `size` and `buffer` in 48, 15 and 1 bits. It is unpacked as a
// whole, which needs fewer registers than bit fields.
class listed_leaf {
public:
  __device__ listed_leaf(std::uint64_t begin, std::uint64_t size, std::uint32_t buffer)
      : word_(begin | size << 48 | std::uint64_t{buffer} << 63) {}
  __device__ operator sort_leaf() const {
    const auto rest = static_cast<std::uint32_t>(word_ >> 48);
    return {word_ & ((std::uint64_t{1} << 48) - 1), rest & 0x7FFFU, rest >> 15};
  }

private:
  std::uint64_t word_;
};

// The kinds of leaves, each with a list of its own. Small and large leaves are sorted; leaves of equal items
// are copied to the result if they are in the buffer. Crowded leaves, small and large, have numbers that bins
// of equal width do not separate. Short leaves are a caller's segments (segment_kernels.cuh).
enum leaf_kind {
  small_leaf,
  large_leaf,
  equal_leaf,
  crowded_leaf,
  crowded_large_leaf,
  short_leaf,
  num_leaf_kinds
};

// The numbers of segments, tiles and buckets of a level, and of its finished blocks.
struct level_counts {
  std::uint32_t segments, tiles, buckets, blocks_done;
};
// All counters of a sort.
struct sort_counts {
  level_counts levels[max_levels + 1];
  std::uint32_t leaves[num_leaf_kinds];
  std::uint32_t leftovers;
  std::uint32_t bad_offsets; // not 0: the offsets of a caller's segments are invalid
};

struct leaf_sizes {
  // in items: the wanted mean size, and the largest size of each kind
  std::uint32_t mean, small, large, crowded;
};

// The plan, whose pointers point to device memory. The lists of a level and of the next level alternate.
template <class Key> struct sort_plan {
  sort_counts* counts;
  sort_segment *segments[2], *leftovers;
  std::uint32_t* first_tile[2];
  // of each bucket of a level: first its number of items, then the position of its next item
  std::uint64_t* bucket_positions;
  // the splitters of a segment are at the indices of its buckets; that of its first bucket is not set
  Key* splitters;
  splitter_tables tables; // used if items are looked up twice
  listed_leaf* leaves[num_leaf_kinds];
  leaf_sizes leaf;
  std::uint32_t tile;
  int num_levels; // the last level divides only segments that are still too large
};

// Returns the number of buckets of a segment, a power of two, such that leaves have the mean size after
// `levels_left` levels, or after as many as the segment needs if these are fewer.
WEFT_HOST_DEVICE inline std::uint32_t buckets_for(std::uint64_t size, std::uint32_t mean, int levels_left) {
  int bits = 0;
  while ((std::uint64_t{mean} << bits) < size) ++bits;
  const int needed = (bits + 7) / 8, levels = needed < levels_left ? needed : levels_left;
  if (levels > 1) bits = (bits + levels - 1) / levels;
  return bits < 1 ? 2U : bits < 8 ? 1U << bits : max_buckets;
}

// Returns how many of the remaining levels every segment passes through, but at least 1.
WEFT_HOST_DEVICE inline int remaining_levels(int level, int num_levels) {
  const int left = num_levels - 1 - (level + 1);
  return left > 1 ? left : 1;
}

template <class Key>
__device__ void add_leaf(const sort_plan<Key>& plan, leaf_kind kind, std::uint64_t begin, std::uint64_t size,
                         std::uint32_t buffer) {
  plan.leaves[kind][atomicAdd(&plan.counts->leaves[kind], 1U)] = {begin, size, buffer};
}

// Contiguous items that are all equal.
struct equal_run {
  std::uint64_t begin, size;
};

// Lists leaves for a run of items that are all equal. All threads of the block must call this function.
template <class Key>
__device__ void list_equal_run(const sort_plan<Key>& plan, const equal_run& run, std::uint32_t buffer) {
  const std::uint64_t piece = plan.leaf.large, pieces = (run.size + piece - 1) / piece;
  __shared__ std::uint32_t first;
  if (threadIdx.x == 0)
    first = atomicAdd(&plan.counts->leaves[equal_leaf], static_cast<std::uint32_t>(pieces));
  __syncthreads();
  for (std::uint64_t i = threadIdx.x; i < pieces; i += blockDim.x) {
    const std::uint64_t at = i * piece, left = run.size - at;
    plan.leaves[equal_leaf][first + i] = {run.begin + at, left < piece ? left : piece, buffer};
  }
  __syncthreads();
}

// Makes a bucket a leaf, a segment of the next level, or, after the last level, a leftover.
template <class Key>
__device__ void assign_bucket(const sort_plan<Key>& plan, int level, std::uint64_t begin,
                              std::uint64_t size) {
  const auto buffer = static_cast<std::uint32_t>((level + 1) % 2);
  if (size == 0) return;
  if (size <= plan.leaf.small) return add_leaf(plan, small_leaf, begin, size, buffer);
  if (size <= plan.leaf.large) return add_leaf(plan, large_leaf, begin, size, buffer);
  if (level + 1 == plan.num_levels) {
    plan.leftovers[atomicAdd(&plan.counts->leftovers, 1U)] = {begin, size, 0, 0};
    return;
  }
  level_counts& next = plan.counts->levels[level + 1];
  const std::uint32_t buckets = buckets_for(size, plan.leaf.mean, remaining_levels(level, plan.num_levels));
  plan.segments[(level + 1) % 2][atomicAdd(&next.segments, 1U)] = {
      begin, size, atomicAdd(&next.buckets, buckets), buckets};
}

// Numbers the tiles of a level. One block calls this function, after all segments of the level are listed.
template <int Threads, class Key> __device__ void number_tiles(const sort_plan<Key>& plan, int level) {
  using scan = cub::BlockScan<std::uint32_t, Threads>;
  __shared__ typename scan::TempStorage shared;
  level_counts& counts = plan.counts->levels[level];
  const sort_segment* const segments = plan.segments[level % 2];
  // bypasses L1, where this block may have an older value
  const std::uint32_t num_segments = __ldcg(&counts.segments);
  std::uint32_t before = 0;
  for (std::uint32_t first = 0; first < num_segments; first += Threads) {
    const std::uint32_t s = first + threadIdx.x;
    std::uint32_t tiles = 0, sum, total;
    if (s < num_segments)
      tiles = tiles_of({__ldcg(&segments[s].begin), __ldcg(&segments[s].size), 0, 0}, plan.tile);
    scan(shared).ExclusiveSum(tiles, sum, total);
    __syncthreads();
    if (s < num_segments) plan.first_tile[level % 2][s] = before + sum;
    before += total;
  }
  if (threadIdx.x == 0) counts.tiles = before;
}

// Returns whether all other blocks have called this function already. Their writes are then visible to the
// caller.
__device__ inline bool is_last_block(std::uint32_t& blocks_done) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&blocks_done, 1U) + 1 == gridDim.x;
  __syncthreads();
  if (last) __threadfence();
  return last;
}

// Turns the counts of a segment's buckets into positions, and makes each bucket a leaf or a segment. One
// thread per bucket; ends with a barrier of the block.
template <int Threads, class Key, class Less>
__device__ void assign_buckets_of_segment(const sort_plan<Key>& plan, int level, const sort_segment& segment,
                                          const Less& less) {
  using scan = cub::BlockScan<std::uint64_t, Threads>;
  static_assert(Threads >= max_buckets);
  __shared__ typename scan::TempStorage shared;
  __shared__ equal_run equal_runs[max_buckets];
  __shared__ std::uint32_t num_equal;
  const std::uint32_t b = threadIdx.x;
  const Key* const splitters = plan.splitters + segment.first_bucket;
  std::uint64_t* const positions = plan.bucket_positions + segment.first_bucket;
  const std::uint64_t size = b < segment.num_buckets ? __ldcg(&positions[b]) : 0;
  std::uint64_t begin;
  if (b == 0) num_equal = 0;
  scan(shared).ExclusiveSum(size, begin);
  __syncthreads();
  begin += segment.begin;
  if (b < segment.num_buckets) positions[b] = begin;
  const bool equal = b > 0 && b + 1 < segment.num_buckets && !less(splitters[b], splitters[b + 1]);
  if (!equal)
    assign_bucket(plan, level, begin, size);
  else if (size > 0 && level % 2 == 0) // equal items that this level moves to buffer 0 can stay there
    equal_runs[atomicAdd(&num_equal, 1U)] = {begin, size};
  __syncthreads();
  for (std::uint32_t i = 0; i < num_equal; ++i) list_equal_run(plan, equal_runs[i], 1);
  __syncthreads();
}

// Assigns the buckets of all segments of a level, one segment per block at a time. The last block to end
// numbers the tiles of the next level.
template <class Key, class Less>
__global__ void __launch_bounds__(plan_threads)
    assign_buckets_of_level_kernel(sort_plan<Key> plan, int level, Less less) {
  wait_for_launch_before();
  level_counts& counts = plan.counts->levels[level];
  if (counts.segments == 0) return;
  for (std::uint32_t s = blockIdx.x; s < counts.segments; s += gridDim.x)
    assign_buckets_of_segment<plan_threads>(plan, level, plan.segments[level % 2][s], less);
  if (is_last_block(counts.blocks_done) && level + 1 < plan.num_levels)
    number_tiles<plan_threads>(plan, level + 1);
}

// Does the work of assign_buckets_of_level_kernel in one block. Not inlined, so that a kernel that ends with
// this call can use all its registers for the work before it.
template <int Threads, class Key, class Less>
__device__ __noinline__ void assign_buckets_in_one_block(const sort_plan<Key>& plan, int level,
                                                         const Less& less) {
  const std::uint32_t num_segments = plan.counts->levels[level].segments;
  for (std::uint32_t s = 0; s < num_segments; ++s)
    assign_buckets_of_segment<Threads>(plan, level, plan.segments[level % 2][s], less);
  if (level + 1 < plan.num_levels) number_tiles<Threads>(plan, level + 1);
}

} // namespace weft::sort_detail
