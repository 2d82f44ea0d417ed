// The kernels of a level of a sample sort: they choose splitters, count buckets and move items. Each kernel
// handles all segments of the level.
//
// The plain version:
//     in each segment: the splitters are every alpha-th item of a sorted sample; an item goes to the bucket
//     between the two splitters that enclose it, and items equal to a frequent key get a bucket of their own
//
// A splitter that occurs twice or more in the sample is the key of many items. No item lies between the
// splitter and itself, so the bucket between the two takes the items that equal the splitter. This bucket is
// never divided again (Sanders & Winkel, Super Scalar Sample Sort, ESA 2004; Axtmann, Witt, Ferizovic &
// Sanders, In-Place Parallel Super Scalar Samplesort, ESA 2017).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <weft/base/mixed.hpp>
#include <weft/sort/cuda/block_sort.cuh>
#include <weft/sort/cuda/sample_sort_orders.cuh>
#include <weft/sort/cuda/sample_sort_plan.cuh>
#include <weft/sort/cuda/splitter_cells.cuh>

namespace weft::sort_detail {

// Loads every Threads-th item, beginning with the thread's number, and leaves `x` unchanged for items past
// the end.
template <int Threads, class Array, class T, int Items>
__device__ void load_present(Array items, std::uint32_t n, T (&x)[Items]) {
  const Array from = items + threadIdx.x;
  WEFT_UNROLL
  for (int i = 0; i < Items; ++i)
    if (static_cast<std::uint32_t>(i * Threads) + threadIdx.x < n) x[i] = from[i * Threads];
}
// Loads every Threads-th item, and the last item instead of items past the end, because a comparator may see
// these. n > 0.
template <int Threads, class Array, class T, int Items>
__device__ void load_tile(Array items, std::uint32_t n, T (&x)[Items]) {
  if (n == std::uint32_t{Threads} * Items) return load_present<Threads>(items, n, x);
  WEFT_UNROLL
  for (int i = 0; i < Items; ++i)
    x[i] = items[min(static_cast<std::uint32_t>(i * Threads) + threadIdx.x, n - 1)];
}

inline constexpr std::uint32_t max_samples_per_bucket = 32;

template <class Key> struct splitter_shape {
  static constexpr int items = sizeof(Key) <= 8 ? 16 : static_cast<int>(std::bit_floor(128 / sizeof(Key)));
  static constexpr int threads = 512;
  static constexpr std::uint32_t samples_per_bucket = threads * items / max_buckets < max_samples_per_bucket
                                                          ? threads * items / max_buckets
                                                          : max_samples_per_bucket;
};

// The positions of a segment's samples. The segment is divided into equal parts, whose number is a power of
// two, and each part has one sample at a random position. The positions depend on the sizes of segments, and
// these on the samples of earlier levels, so that nobody can construct an input against the samples of all
// levels.
class sample_positions {
public:
  WEFT_HOST_DEVICE sample_positions(std::uint64_t seed, const sort_segment& segment,
                                    std::uint32_t num_samples)
      : begin_(segment.begin), size_(segment.size),
        seed_(
            static_cast<std::uint32_t>(weft::base_detail::mixed(seed ^ segment.begin ^ segment.size << 24))) {
    while (1U << bits_ < num_samples) ++bits_;
  }
  // Returns the position of a sample.
  WEFT_HOST_DEVICE std::uint64_t operator()(std::uint32_t number) const {
    std::uint32_t any = (number ^ seed_) * 0x9E3779B1U; // followed by the final steps of MurmurHash3
    any = (any ^ any >> 16) * 0x85EBCA6BU;
    any = (any ^ any >> 13) * 0xC2B2AE35U;
    any ^= any >> 16;
    const auto in_part = static_cast<std::uint64_t>(static_cast<uint128>(size_) * any >> 32);
    return begin_ + ((number * size_ + in_part) >> bits_);
  }

private:
  std::uint64_t begin_, size_;
  std::uint32_t seed_, bits_ = 0;
};

// Chooses the splitters of each segment of a level, and sets the counts of its buckets to 0. One block per
// segment.
template <class Order>
__global__ void __launch_bounds__(splitter_shape<typename Order::key>::threads)
    choose_splitters_of_level_kernel(sort_plan<typename Order::key> plan, int level,
                                     typename Order::array items, std::uint64_t seed, Order order) {
  using key = typename Order::key;
  using shape = splitter_shape<key>;
  const shared_tile<key> samples{reinterpret_cast<key*>(dynamic_shared)};
  wait_for_launch_before();
  const std::uint32_t num_segments = plan.counts->levels[level].segments;
  for (std::uint32_t s = blockIdx.x; s < num_segments; s += gridDim.x) {
    const sort_segment segment = plan.segments[level % 2][s];
    const std::uint32_t num_samples = shape::samples_per_bucket * segment.num_buckets;
    const sample_positions positions(seed, segment, num_samples);
    key x[shape::items];
    WEFT_UNROLL
    for (int i = 0; i < shape::items; ++i) {
      const std::uint32_t number = threadIdx.x * shape::items + static_cast<std::uint32_t>(i);
      x[i] = order.key_of(items[number < num_samples ? positions(number) : segment.begin]);
    }
    sort_block<false, shape::threads>(x, samples, num_samples, order);
    for (std::uint32_t b = threadIdx.x; b < segment.num_buckets; b += shape::threads) {
      const std::uint32_t bucket = segment.first_bucket + b;
      plan.bucket_positions[bucket] = 0;
      if (b > 0) plan.splitters[bucket] = samples[b * shape::samples_per_bucket];
    }
    __syncthreads();
  }
}

// Iterates over the tiles of a level that a block handles. If `Strided`, consecutive blocks take consecutive
// tiles: all blocks then work on the same few segments, and their writes to a bucket meet in the cache. Else
// a block's tiles are contiguous, most of them in one segment.
template <class Key, bool Strided> class tiles_of_block {
public:
  __device__ tiles_of_block(const sort_plan<Key>& plan, int level)
      : first_tile_(plan.first_tile[level % 2]), segments_(plan.segments[level % 2]),
        num_segments_(plan.counts->levels[level].segments), size_(plan.tile) {
    const std::uint64_t tiles = plan.counts->levels[level].tiles;
    tile_ = Strided ? blockIdx.x : static_cast<std::uint32_t>(tiles * blockIdx.x / gridDim.x);
    end_ = static_cast<std::uint32_t>(Strided ? tiles : tiles * (blockIdx.x + 1) / gridDim.x);
  }
  // The tiles `first` .. `end` - 1; not strided.
  __device__ tiles_of_block(const sort_plan<Key>& plan, int level, std::uint32_t first, std::uint32_t end)
      : first_tile_(plan.first_tile[level % 2]), segments_(plan.segments[level % 2]),
        num_segments_(plan.counts->levels[level].segments), size_(plan.tile), tile_(first), end_(end) {}
  // Moves to the next tile and returns whether there is one. Sets `changed` to whether the tile is in another
  // segment than the tile before.
  __device__ bool next(bool& changed) {
    if (tile_ >= end_) return false;
    changed = tile_ >= segment_end_;
    if (changed) find();
    number = tile_;
    const std::uint64_t aligned =
        segment.begin - segment.begin % tile_alignment + (std::uint64_t{tile_} - first_of_segment) * size_;
    begin = max(aligned, segment.begin);
    size = static_cast<std::uint32_t>(min(aligned + size_, segment.begin + segment.size) - begin);
    tile_ += Strided ? gridDim.x : 1;
    return true;
  }
  sort_segment segment;
  std::uint64_t begin;
  // `number`: index of the tile in the level; `first_of_segment`: index of the segment's first tile
  std::uint32_t size, number, first_of_segment = 0;

private:
  __device__ void find() { // finds the last segment that begins at the tile or before it
    std::uint32_t low = 0, high = num_segments_;
    while (high - low > 1) {
      const std::uint32_t middle = (low + high) / 2;
      (first_tile_[middle] <= tile_ ? low : high) = middle;
    }
    first_of_segment = first_tile_[low];
    segment = segments_[low];
    segment_end_ = first_of_segment + tiles_of(segment, size_);
  }
  const std::uint32_t* first_tile_;
  const sort_segment* segments_;
  std::uint32_t num_segments_, size_, tile_, end_, segment_end_ = 0;
};

template <class Order>
using level_splitters = std::conditional_t<Order::numbers, splitter_cells<Order>, shared_splitters<Order>>;

// The bucket numbers that a level keeps between the count and the move of its items. Large inputs of numbers
// that may be looked up twice have memory for the bucket numbers of five tiles in eight. No bucket numbers
// are kept where splitters are far apart, because there a bucket is found as fast as it is read.
template <class Order> class kept_buckets {
public:
  static constexpr std::uint64_t bytes(std::uint64_t num_items) {
    return looked_up_twice<Order> && num_items > always_kept
               ? std::max(always_kept, num_items / 8 * kept_of_eight)
               : num_items;
  }
  kept_buckets(std::uint8_t* buckets, std::uint64_t num_items)
      : buckets_(buckets), bytes_(bytes(num_items)), all_(bytes_ == num_items) {}
  [[nodiscard]] __device__ bool all() const { return !looked_up_twice<Order> || all_; }
  // Returns where the bucket numbers of a tile are kept, or null if they are not kept. Which five of eight
  // tiles are kept differs between one group of eight and the next.
  template <class Shape, class Tile>
  __device__ std::uint8_t* tile_buckets(const Tile& tile, splitter_kind kind) const {
    if (all()) return buckets_ + tile.begin;
    const std::uint32_t group = tile.number / 8;
    const std::uint32_t in_group = (tile.number + (group * 0x9E3779B1U >> 29)) % 8;
    const std::uint64_t at = (std::uint64_t{group} * kept_of_eight + in_group) * Shape::size;
    const bool is_kept =
        kind != splitter_kind::apart && in_group < kept_of_eight && at + Shape::size <= bytes_;
    return is_kept ? buckets_ + at : nullptr;
  }

private:
  static constexpr std::uint32_t kept_of_eight = 5;
  static constexpr std::uint64_t always_kept = std::uint64_t{1} << 23;
  std::uint8_t* buckets_;
  std::uint64_t bytes_;
  bool all_;
};

// Finds the bucket of each item i of the thread in a tile that load_tile has loaded, and calls each(i,
// bucket).
template <class Shape, class Order, class Each>
__device__ void for_each_bucket(const level_splitters<Order>& splitters, std::uint32_t num_buckets,
                                const typename level_splitters<Order>::search_params& params,
                                const typename Order::item (&x)[Shape::items], std::uint32_t size,
                                const Order& order, Each each) {
  const auto by = [&](auto find, auto full) {
    constexpr int batch = batch_size<Shape::items>;
    WEFT_UNROLL
    for (int first = 0; first < Shape::items; first += batch) {
      if (!decltype(full)::value && first % 4 == 0 &&
          static_cast<std::uint32_t>(first * Shape::threads) >= size)
        break;
      typename Order::key k[batch];
      std::uint32_t bucket[batch];
      WEFT_UNROLL
      for (int i = 0; i < batch; ++i) k[i] = order.key_of(x[first + i]);
      find(k, bucket);
      WEFT_UNROLL
      for (int i = 0; i < batch; ++i)
        if (decltype(full)::value ||
            static_cast<std::uint32_t>((first + i) * Shape::threads) + threadIdx.x < size)
          each(first + i, bucket[i]);
    }
  };
  if constexpr (level_splitters<Order>::has_cells) {
    const auto apart = [&](const auto& k, auto& bucket) { splitters.find_apart(params, k, bucket); };
    if (params.kind == splitter_kind::apart && size == Shape::size) return by(apart, std::true_type());
    // Without this branch, `find` searches the tree, which is in shared memory too unless items are looked up
    // twice.
    if constexpr (looked_up_twice<Order>)
      if (params.kind == splitter_kind::apart) return by(apart, std::false_type());
  }
  by([&](const auto& k, auto& bucket) { splitters.find(num_buckets, params, k, bucket, order); },
     std::false_type());
}

// Adds the items of a tile that load_tile has loaded to the counts of their buckets, and keeps the bucket
// numbers if there is memory for them.
template <class Shape, class Order>
__device__ void count_tile(const level_splitters<Order>& splitters, std::uint32_t num_buckets,
                           const typename level_splitters<Order>::search_params& params,
                           const typename Order::item (&x)[Shape::items], std::uint32_t size,
                           std::uint32_t* counts, std::uint8_t* buckets, const Order& order) {
  for_each_bucket<Shape>(splitters, num_buckets, params, x, size, order, [&](int i, std::uint32_t bucket) {
    atomicAdd(&counts[bucket], 1U);
    if (!looked_up_twice<Order> || buckets != nullptr)
      buckets[i * Shape::threads + threadIdx.x] = static_cast<std::uint8_t>(bucket);
  });
}

// Counts the items of each bucket in plan.bucket_positions, and keeps the bucket numbers for the moves. If
// `assign_in_one_block`, the last block does the work of assign_buckets_of_level_kernel.
template <class Shape, class Order>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    count_level_kernel(sort_plan<typename Order::key> plan, int level, typename Order::array items,
                       kept_buckets<Order> buckets, bool assign_in_one_block, Order order) {
  using key = typename Order::key;
  auto& splitters = *reinterpret_cast<level_splitters<Order>*>(dynamic_shared);
  __shared__ std::uint32_t counts[max_buckets];
  const auto flush = [&](const sort_segment& segment) {
    for (std::uint32_t b = threadIdx.x; b < segment.num_buckets; b += Shape::threads)
      if (counts[b] > 0)
        atomicAdd(reinterpret_cast<unsigned long long*>(&plan.bucket_positions[segment.first_bucket + b]),
                  counts[b]);
  };
  wait_for_launch_before();
  tiles_of_block<key, false> tile(plan, level);
  sort_segment counted{};
  typename level_splitters<Order>::search_params params{};
  bool changed;
  while (tile.next(changed)) {
    typename Order::item x[Shape::items];
    load_tile<Shape::threads>(items + tile.begin, tile.size, x);
    if (changed) {
      __syncthreads();
      flush(counted);
      __syncthreads();
      for (std::uint32_t b = threadIdx.x; b < max_buckets; b += Shape::threads) counts[b] = 0;
      counted = tile.segment;
      params = splitters.set(counted.num_buckets, plan.splitters + counted.first_bucket, order);
      if constexpr (looked_up_twice<Order>)
        if (!buckets.all() && tile.number == tile.first_of_segment)
          splitters.store(plan.tables, counted.first_bucket, counted.num_buckets, params);
    }
    count_tile<Shape>(splitters, counted.num_buckets, params, x, tile.size, counts,
                      buckets.template tile_buckets<Shape>(tile, params.kind), order);
  }
  __syncthreads();
  flush(counted);
  level_counts& of_level = plan.counts->levels[level];
  if (assign_in_one_block && of_level.tiles > 0 && is_last_block(of_level.blocks_done))
    assign_buckets_in_one_block<Shape::threads>(plan, level, order);
}

} // namespace weft::sort_detail
