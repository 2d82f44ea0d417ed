// The kernels of a level of a sample sort that keeps the order of equal items. An item goes behind the items
// of its bucket in earlier tiles and behind the earlier ones in its own tile.
//
// The plain version:
//     offset(tile, bucket) = the number of the bucket's items in all earlier tiles of the segment
//     position(item) = begin(bucket) + offset(tile, bucket) + the bucket's earlier items in the tile
//
//   count_tiles_kernel    each block counts the tiles of one stretch (consecutive tiles), and sums the counts
//   sum_stretches_kernel  computes, for the segment within which a stretch begins, the counts of the segment
//                         in earlier stretches
//   move_stably_kernel    each warp takes consecutive items of a tile, and ranks the items of each bucket by
//                         match instructions
//
// The counts of segments are added to plan.bucket_positions by atomic additions in any order, as in a sort
// that is not stable. All accesses to the tables are to whole rows, and no tile waits for another.
#pragma once

#include <cstdint>
#include <cub/block/block_scan.cuh>
#include <weft/sort/cuda/sample_sort_kernels.cuh>

namespace weft::sort_detail {

inline constexpr std::uint32_t max_stretches = 1024;

// The tables of a stable level, with rows of max_buckets entries. A stretch has fewer than 2^32 items.
struct tile_offsets {
  std::uint32_t* in_stretch; // of each tile: items in the earlier tiles of the same stretch and segment
  // of each stretch: first the items of its last segment, then the items that its first segment has in
  // earlier stretches
  std::uint64_t* stretches;
  std::uint32_t blocks; // number of counting blocks, and of stretches; at most max_stretches
};

// The division of a level's tiles into stretches of equal length, of which the last may be shorter.
class tile_stretches {
public:
  __device__ tile_stretches(const level_counts& counts, const tile_offsets& offsets)
      : tiles_(counts.tiles), length_((counts.tiles + offsets.blocks - 1) / offsets.blocks) {}
  [[nodiscard]] __device__ std::uint32_t count() const {
    return tiles_ == 0 ? 0 : (tiles_ + length_ - 1) / length_;
  }
  [[nodiscard]] __device__ std::uint32_t begin(std::uint32_t stretch) const {
    return min(stretch * length_, tiles_);
  }
  [[nodiscard]] __device__ std::uint32_t stretch_of(std::uint32_t tile) const { return tile / length_; }

private:
  std::uint32_t tiles_, length_;
};

// A flag in the count of a stretch: its last segment begins within it.
inline constexpr std::uint64_t begins_here = std::uint64_t{1} << 63;
__device__ inline std::uint64_t add_stretch(std::uint64_t before, std::uint64_t count) {
  return (count & begins_here) != 0 ? count : before + count;
}

// Does the work of count_level_kernel, and writes a row of the tables for each tile and for the stretch. One
// thread per bucket.
template <class Shape, class Order>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    count_tiles_kernel(sort_plan<typename Order::key> plan, int level, typename Order::array items,
                       std::uint8_t* buckets, bool assign_in_one_block, tile_offsets offsets, Order order) {
  using key = typename Order::key;
  static_assert(Shape::threads >= max_buckets);
  auto& splitters = *reinterpret_cast<level_splitters<Order>*>(dynamic_shared);
  __shared__ std::uint32_t counts[2][max_buckets]; // counts of a tile and of the next tile
  const std::uint32_t b = threadIdx.x;
  wait_for_launch_before();
  level_counts& of_level = plan.counts->levels[level];
  const tile_stretches stretches(of_level, offsets);
  const std::uint32_t first_tile = stretches.begin(blockIdx.x);
  tiles_of_block<key, false> tile(plan, level, first_tile, stretches.begin(blockIdx.x + 1));
  sort_segment counted{};
  std::uint32_t total = 0, odd = 0; // total: of the bucket, in this segment and stretch so far
  const auto flush = [&] {
    if (b < counted.num_buckets && total > 0)
      atomicAdd(reinterpret_cast<unsigned long long*>(&plan.bucket_positions[counted.first_bucket + b]),
                total);
  };
  if (b < max_buckets) counts[0][b] = counts[1][b] = 0;
  typename level_splitters<Order>::search_params params{};
  bool changed;
  while (tile.next(changed)) {
    typename Order::item x[Shape::items];
    load_tile<Shape::threads>(items + tile.begin, tile.size, x);
    if (changed) {
      flush();
      counted = tile.segment;
      total = 0;
      params = splitters.set(counted.num_buckets, plan.splitters + counted.first_bucket, order);
    }
    count_tile<Shape>(splitters, counted.num_buckets, params, x, tile.size, counts[odd], buckets + tile.begin,
                      order);
    __syncthreads();
    if (b < max_buckets) {
      offsets.in_stretch[std::uint64_t{tile.number} * max_buckets + b] = total;
      total += counts[odd][b];
      counts[odd][b] = 0;
    }
    odd ^= 1;
  }
  flush();
  if (counted.num_buckets > 0 && b < max_buckets)
    offsets.stretches[std::uint64_t{blockIdx.x} * max_buckets + b] =
        total | (tile.first_of_segment >= first_tile ? begins_here : 0);
  if (assign_in_one_block && of_level.tiles > 0 && is_last_block(of_level.blocks_done))
    assign_buckets_in_one_block<Shape::threads>(plan, level, order);
}

inline constexpr int sum_threads = 1024;
// a lane handles a bucket, a warp a part of the rows
inline constexpr std::uint32_t sum_blocks = max_buckets / 32;

// Replaces the counts of each stretch by the sums of the counts of earlier stretches, from the beginning of
// the segment on.
template <class Key>
__global__ void __launch_bounds__(sum_threads)
    sum_stretches_kernel(sort_plan<Key> plan, int level, tile_offsets offsets) {
  constexpr std::uint32_t warps = sum_threads / 32;
  __shared__ std::uint64_t pieces[warps][32];
  const std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  wait_for_launch_before();
  const std::uint32_t rows = tile_stretches(plan.counts->levels[level], offsets).count();
  std::uint64_t* const column = offsets.stretches + blockIdx.x * 32 + lane;
  const std::uint32_t first = rows * warp / warps, end = rows * (warp + 1) / warps;
  std::uint64_t sum = 0;
  for (std::uint32_t r = first; r < end; ++r) sum = add_stretch(sum, column[std::uint64_t{r} * max_buckets]);
  pieces[warp][lane] = sum;
  __syncthreads();
  sum = 0;
  for (std::uint32_t w = 0; w < warp; ++w) sum = add_stretch(sum, pieces[w][lane]);
  for (std::uint32_t r = first; r < end; ++r) {
    std::uint64_t& entry = column[std::uint64_t{r} * max_buckets];
    const std::uint64_t count = entry;
    entry = sum & ~begins_here;
    sum = add_stretch(sum, count);
  }
}

// The shared memory of a block that moves tiles of a stable sort.
template <class Shape, class Order> struct stable_move_memory {
  static constexpr std::uint32_t warps = Shape::threads / 32;
  typename Order::item items[Shape::size];
  long long shifts[max_buckets]; // from an index in `items` to the position in the buffer
  // counts of a warp's items; then where they begin in `items`
  alignas(16) std::uint16_t counts[warps][max_buckets];
  typename cub::BlockScan<std::uint32_t, Shape::threads>::TempStorage scan;
  std::uint8_t buckets[Shape::size];
};

// Returns the number of items of a lane. It is a multiple of four, and smaller than Shape::items if tiles are
// smaller than the shape allows.
template <class Shape> __device__ int items_of_lane(std::uint32_t tile) {
  constexpr std::uint32_t four = 4 * Shape::threads;
  return min(static_cast<int>((tile + four - 1) / four * 4), Shape::items);
}

// Sets the upper half of each bucket[i] to the rank of the item among the warp's items of the same bucket.
// bucket[0] of all lanes come first, then bucket[1], and so on up to bucket[each - 1]. All lanes of the warp
// must call this function.
template <int Items>
__device__ void number_in_warp(std::uint16_t (&counts)[max_buckets], int each,
                               std::uint32_t (&bucket)[Items]) {
  const unsigned lane = threadIdx.x % 32, lower_lanes = (1U << lane) - 1U;
  static_assert(sizeof(counts) == 32 * sizeof(uint4));
  reinterpret_cast<uint4*>(counts)[lane] = {0, 0, 0, 0};
  WEFT_UNROLL
  for (int i = 0; i < Items; ++i) {
    if (i % 4 == 0 && i >= each) break;
    const unsigned same = __match_any_sync(0xFFFFFFFFU, bucket[i]);
    bucket[i] |= static_cast<std::uint32_t>(__popc(same & lower_lanes)) << 8 |
                 static_cast<std::uint32_t>(__popc(same)) << 16;
  }
  __syncwarp();
  WEFT_UNROLL
  for (int i = 0; i < Items; ++i) {
    if (i % 4 == 0 && i >= each) break;
    const std::uint32_t b = bucket[i] & 0xFFU, before = bucket[i] >> 8 & 0xFFU, same = bucket[i] >> 16;
    const std::uint32_t first = counts[b];
    __syncwarp();
    if (before == 0) counts[b] = static_cast<std::uint16_t>(first + same);
    __syncwarp();
    bucket[i] = b | (first + before) << 16;
  }
}

// Turns the counts of warps into indices in the tile. `to` is the position of the tile's first item of the
// thread's bucket. Ends with a barrier of the block.
template <class Shape, class Order>
__device__ void assign_tile_positions(stable_move_memory<Shape, Order>& shared, std::uint64_t to) {
  const std::uint32_t b = threadIdx.x;
  std::uint32_t sum = 0, first;
  if (b < max_buckets) {
    WEFT_UNROLL
    for (std::uint32_t w = 0; w < shared.warps; ++w) sum += shared.counts[w][b];
  }
  cub::BlockScan<std::uint32_t, Shape::threads>(shared.scan).ExclusiveSum(sum, first);
  if (b < max_buckets) {
    shared.shifts[b] = static_cast<long long>(to) - first;
    WEFT_UNROLL
    for (std::uint32_t w = 0; w < shared.warps; ++w) {
      const std::uint32_t count = shared.counts[w][b];
      shared.counts[w][b] = static_cast<std::uint16_t>(first);
      first += count;
    }
  }
  __syncthreads();
}

// Returns the position of the tile's first item of bucket `b`.
template <class Key>
__device__ std::uint64_t position_of_bucket(const sort_plan<Key>& plan, const tiles_of_block<Key, true>& tile,
                                            const tile_stretches& stretches, const tile_offsets& offsets,
                                            std::uint32_t b) {
  const std::uint32_t stretch = stretches.stretch_of(tile.number);
  const std::uint64_t position = plan.bucket_positions[tile.segment.first_bucket + b] +
                                 offsets.in_stretch[std::uint64_t{tile.number} * max_buckets + b];
  const bool begins_before = tile.first_of_segment < stretches.begin(stretch);
  return position + (begins_before ? offsets.stretches[std::uint64_t{stretch} * max_buckets + b] : 0);
}

template <class Shape, class Order>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    move_stably_kernel(sort_plan<typename Order::key> plan, int level, typename Order::array items,
                       const std::uint8_t* buckets, tile_offsets offsets, typename Order::array to) {
  using key = typename Order::key;
  static_assert(Shape::size <= 1U << 16 && Shape::threads >= max_buckets);
  auto& shared = *reinterpret_cast<stable_move_memory<Shape, Order>*>(dynamic_shared);
  const std::uint32_t b = threadIdx.x, warp = b / 32;
  const int each = items_of_lane<Shape>(plan.tile);
  // index of the lane's first item
  const std::uint32_t first = warp * 32 * static_cast<std::uint32_t>(each) + b % 32;
  wait_for_launch_before();
  const tile_stretches stretches(plan.counts->levels[level], offsets);
  tiles_of_block<key, true> tile(plan, level);
  bool changed;
  while (tile.next(changed)) {
    typename Order::item x[Shape::items];
    std::uint32_t bucket[Shape::items]; // then also the rank in the warp, in the upper half
    const auto at = [&](int i) { return first + static_cast<std::uint32_t>(32 * i); };
    const auto is_present = [&](int i) { return i < each && at(i) < tile.size; };
    WEFT_UNROLL
    for (int i = 0; i < Shape::items; ++i)
      if (is_present(i)) x[i] = items[tile.begin + at(i)];
    WEFT_UNROLL
    for (int i = 0; i < Shape::items; ++i) // indices past the tile's end come behind all items
      bucket[i] = is_present(i) ? buckets[tile.begin + at(i)] : max_buckets - 1;
    const std::uint64_t position =
        b < tile.segment.num_buckets ? position_of_bucket(plan, tile, stretches, offsets, b) : 0;
    number_in_warp(shared.counts[warp], each, bucket);
    __syncthreads();
    assign_tile_positions(shared, position);
    WEFT_UNROLL
    for (int i = 0; i < Shape::items; ++i)
      if (is_present(i)) {
        const std::uint32_t own = bucket[i] & 0xFFU, in_tile = shared.counts[warp][own] + (bucket[i] >> 16);
        shared.items[in_tile] = x[i];
        shared.buckets[in_tile] = static_cast<std::uint8_t>(own);
      }
    __syncthreads();
    WEFT_UNROLL
    for (int i = 0; i < Shape::items; ++i) {
      const std::uint32_t in_tile = static_cast<std::uint32_t>(i * Shape::threads) + threadIdx.x;
      if (in_tile < tile.size) to[shared.shifts[shared.buckets[in_tile]] + in_tile] = shared.items[in_tile];
    }
    __syncthreads();
  }
}

} // namespace weft::sort_detail
