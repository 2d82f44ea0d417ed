// A level of a sample sort: samples, counts, moves. Each kernel takes all segments of the level.
//
// The plain version:
//     of each segment: splitters = every alpha-th of a sorted sample; an item goes to the bucket of those
//     between the same two splitters, and equal ones to a bucket of their own where there are many
//
// A splitter that stands twice or more in the sample is the key of many items. No item is between it and
// itself: the bucket that is empty takes what equals it, which is never divided again (Sanders & Winkel,
// Super Scalar Sample Sort, ESA 2004; Axtmann, Witt, Ferizovic & Sanders, In-Place Parallel Super Scalar
// Samplesort, ESA 2017).
#pragma once

#include <bit>
#include <cstdint>
#include <cub/block/block_scan.cuh>
#include <weft/sort/cuda/partition_kernels.cuh>
#include <weft/sort/cuda/sample_sort_orders.cuh>
#include <weft/sort/cuda/sample_sort_plan.cuh>
#include <weft/sort/cuda/shared_splitters.cuh>

namespace weft::gpu::detail {

// Every Threads-th item from the thread's number on; of those past the end, nothing.
template <int Threads, class Array, class T, int Items>
__device__ void load_some(Array items, std::uint32_t n, T (&x)[Items]) {
  const Array from = items + threadIdx.x;
  WEFT_UNROLL
  for (int i = 0; i < Items; ++i)
    if (static_cast<std::uint32_t>(i * Threads) + threadIdx.x < n) x[i] = from[i * Threads];
}
// The same; instead of those past the end, which a comparator may see, the last. n > 0.
template <int Threads, class Array, class T, int Items>
__device__ void load_tile(Array items, std::uint32_t n, T (&x)[Items]) {
  if (n == std::uint32_t{Threads} * Items) return load_some<Threads>(items, n, x);
  WEFT_UNROLL
  for (int i = 0; i < Items; ++i)
    x[i] = items[min(static_cast<std::uint32_t>(i * Threads) + threadIdx.x, n - 1)];
}

inline constexpr std::uint32_t samples_a_bucket = 32;

template <class Key> struct splitter_shape {
  static constexpr int items = sizeof(Key) <= 8 ? 16 : static_cast<int>(std::bit_floor(128 / sizeof(Key)));
  static constexpr int threads = 512;
  static constexpr std::uint32_t most = threads * items / most_buckets < samples_a_bucket
                                            ? threads * items / most_buckets
                                            : samples_a_bucket; // samples a bucket
};

// Where the samples of a segment stand: one somewhere in each of so many parts, a power of two, as long as
// each other. Of sizes that the samples before have made: no input can be written against the samples of all
// levels.
class sample_places {
public:
  WEFT_HOST_DEVICE sample_places(std::uint64_t seed, const sort_segment& segment, std::uint32_t num_samples)
      : begin_(segment.begin), size_(segment.size),
        seed_(static_cast<std::uint32_t>(weft::detail::mixed(seed ^ segment.begin ^ segment.size << 24))) {
    while (1U << bits_ < num_samples) ++bits_;
  }
  // number: of the samples.
  WEFT_HOST_DEVICE std::uint64_t operator()(std::uint32_t number) const {
    std::uint32_t any = (number ^ seed_) * 0x9E3779B1U; // then the end of MurmurHash3
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

// A block a segment. Sets its counts to 0.
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
    const std::uint32_t num_samples = shape::most * segment.num_buckets;
    const sample_places places(seed, segment, num_samples);
    key x[shape::items];
    WEFT_UNROLL
    for (int i = 0; i < shape::items; ++i) {
      const std::uint32_t number = threadIdx.x * shape::items + static_cast<std::uint32_t>(i);
      x[i] = order.key_of(items[number < num_samples ? places(number) : segment.begin]);
    }
    sort_block<false, shape::threads>(x, samples, num_samples, order);
    for (std::uint32_t b = threadIdx.x; b < segment.num_buckets; b += shape::threads) {
      const std::uint32_t place = segment.first_bucket + b;
      plan.places[place] = 0;
      if (b > 0) plan.splitters[place] = samples[b * shape::most];
    }
    __syncthreads();
  }
}

// The tiles of a block. Strided: all blocks work at the same few segments, so that what they write to a
// bucket meets in the cache; else a block's tiles stand together, most of them in one segment.
template <class Key, bool Strided> class tiles_of_block {
public:
  __device__ tiles_of_block(const sort_plan<Key>& plan, int level)
      : first_tile_(plan.first_tile[level % 2]), segments_(plan.segments[level % 2]),
        num_segments_(plan.counts->levels[level].segments), size_(plan.tile) {
    const std::uint64_t tiles = plan.counts->levels[level].tiles;
    tile_ = Strided ? blockIdx.x : static_cast<std::uint32_t>(tiles * blockIdx.x / gridDim.x);
    end_ = static_cast<std::uint32_t>(Strided ? tiles : tiles * (blockIdx.x + 1) / gridDim.x);
  }
  // Those from one to another, not strided.
  __device__ tiles_of_block(const sort_plan<Key>& plan, int level, std::uint32_t first, std::uint32_t end)
      : first_tile_(plan.first_tile[level % 2]), segments_(plan.segments[level % 2]),
        num_segments_(plan.counts->levels[level].segments), size_(plan.tile), tile_(first), end_(end) {}
  // Whether there is one more; changed: of another segment than the one before.
  __device__ bool next(bool& changed) {
    if (tile_ >= end_) return false;
    changed = tile_ >= segment_end_;
    if (changed) find();
    number = tile_;
    begin = (std::uint64_t{tile_} - first_of_segment) * size_;
    const std::uint64_t left = segment.size - begin;
    size = left < size_ ? static_cast<std::uint32_t>(left) : size_;
    begin += segment.begin;
    tile_ += Strided ? gridDim.x : 1;
    return true;
  }
  sort_segment segment;
  std::uint64_t begin;
  std::uint32_t size, number, first_of_segment = 0; // tile of the level, and the first of the segment

private:
  __device__ void find() { // the last segment that begins at the tile or before
    std::uint32_t low = 0, high = num_segments_;
    while (high - low > 1) {
      const std::uint32_t middle = (low + high) / 2;
      (first_tile_[middle] <= tile_ ? low : high) = middle;
    }
    first_of_segment = first_tile_[low];
    segment = segments_[low];
    segment_end_ = first_of_segment + static_cast<std::uint32_t>((segment.size + size_ - 1) / size_);
  }
  const std::uint32_t* first_tile_;
  const sort_segment* segments_;
  std::uint32_t num_segments_, size_, tile_, end_, segment_end_ = 0;
};

template <class Order>
__device__ bool set_splitters(shared_splitters<Order>& shared, const sort_plan<typename Order::key>& plan,
                              const sort_segment& segment, probe_map<Order>& to_probe, const Order& order) {
  const auto* const splitters = plan.splitters + segment.first_bucket;
  return shared.set(
      segment.num_buckets, [&](std::uint32_t b) -> const auto& { return splitters[b]; }, to_probe, order);
}

// Of a tile that load_tile has read: adds to the counts of its buckets, and keeps the number of each item's.
template <class Shape, class Order>
__device__ void count_tile(const shared_splitters<Order>& splitters, std::uint32_t num_buckets, bool twice,
                           const probe_map<Order>& to_probe, const typename Order::item (&x)[Shape::items],
                           std::uint64_t begin, std::uint32_t size, std::uint32_t* counts,
                           std::uint8_t* buckets, const Order& order) {
  constexpr int few = at_once<Shape::items>;
  WEFT_UNROLL
  for (int first = 0; first < Shape::items; first += few) {
    if (first % 4 == 0 && static_cast<std::uint32_t>(first * Shape::threads) >= size) break;
    typename Order::key k[few];
    std::uint32_t bucket[few];
    WEFT_UNROLL
    for (int i = 0; i < few; ++i) k[i] = order.key_of(x[first + i]);
    splitters.find(num_buckets, twice, to_probe, k, bucket, order);
    WEFT_UNROLL
    for (int i = 0; i < few; ++i) {
      const std::uint32_t at = static_cast<std::uint32_t>((first + i) * Shape::threads) + threadIdx.x;
      if (at >= size) continue;
      atomicAdd(&counts[bucket[i]], 1U);
      buckets[begin + at] = static_cast<std::uint8_t>(bucket[i]);
    }
  }
}

// Adds the items of each bucket to places, and keeps the number of each item's bucket. few_segments: the last
// block does what place_buckets_of_level_kernel would.
template <class Shape, class Order>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    count_level_kernel(sort_plan<typename Order::key> plan, int level, typename Order::array items,
                       std::uint8_t* buckets, bool few_segments, Order order) {
  using key = typename Order::key;
  auto& splitters = *reinterpret_cast<shared_splitters<Order>*>(dynamic_shared);
  __shared__ std::uint32_t counts[most_buckets];
  const auto flush = [&](const sort_segment& segment) {
    for (std::uint32_t b = threadIdx.x; b < segment.num_buckets; b += Shape::threads)
      if (counts[b] > 0)
        atomicAdd(reinterpret_cast<unsigned long long*>(&plan.places[segment.first_bucket + b]), counts[b]);
  };
  wait_for_launch_before();
  tiles_of_block<key, false> tile(plan, level);
  sort_segment counted{};
  probe_map<Order> to_probe;
  bool changed, twice = false;
  while (tile.next(changed)) {
    typename Order::item x[Shape::items];
    load_tile<Shape::threads>(items + tile.begin, tile.size, x);
    if (changed) {
      __syncthreads();
      flush(counted);
      __syncthreads();
      for (std::uint32_t b = threadIdx.x; b < most_buckets; b += Shape::threads) counts[b] = 0;
      counted = tile.segment;
      twice = set_splitters(splitters, plan, counted, to_probe, order);
    }
    count_tile<Shape>(splitters, counted.num_buckets, twice, to_probe, x, tile.begin, tile.size, counts,
                      buckets, order);
  }
  __syncthreads();
  flush(counted);
  level_counts& of_level = plan.counts->levels[level];
  if (few_segments && of_level.tiles > 0 && is_last_block(of_level.blocks_done))
    place_buckets_of_few_segments<Shape::threads>(plan, level, order);
}

template <class Shape, class Order> struct move_memory {
  typename Order::item items[Shape::size];
  long long shifts[most_buckets]; // from a place in items to that in the buffer
  std::uint32_t counts[most_buckets];
  typename cub::BlockScan<std::uint32_t, Shape::threads>::TempStorage scan;
  std::uint8_t buckets[Shape::size];
};

// counts become their sums, and room is taken for each bucket.
template <class Shape, class Order>
__device__ void take_places(move_memory<Shape, Order>& shared, std::uint64_t* places) {
  constexpr int each = (static_cast<int>(most_buckets) + Shape::threads - 1) / Shape::threads;
  std::uint32_t counts[each], sums[each];
  const std::uint32_t first = threadIdx.x * each;
  WEFT_UNROLL
  for (int i = 0; i < each; ++i) counts[i] = first + i < most_buckets ? shared.counts[first + i] : 0;
  cub::BlockScan<std::uint32_t, Shape::threads>(shared.scan).ExclusiveSum(counts, sums);
  WEFT_UNROLL
  for (int i = 0; i < each; ++i) {
    if (first + i >= most_buckets) break;
    shared.counts[first + i] = sums[i];
    if (counts[i] == 0) continue;
    auto* const place = reinterpret_cast<unsigned long long*>(&places[first + i]);
    shared.shifts[first + i] = static_cast<long long>(atomicAdd(place, counts[i])) - sums[i];
  }
  __syncthreads();
}

// Not stable.
template <class Shape, class Order>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    move_level_kernel(sort_plan<typename Order::key> plan, int level, typename Order::array items,
                      const std::uint8_t* buckets, typename Order::array to) {
  using key = typename Order::key;
  static_assert(Shape::size <= 1U << 16);
  auto& shared = *reinterpret_cast<move_memory<Shape, Order>*>(dynamic_shared);
  wait_for_launch_before();
  tiles_of_block<key, true> tile(plan, level);
  bool changed;
  while (tile.next(changed)) {
    typename Order::item x[Shape::items];
    std::uint32_t bucket[Shape::items]; // then also the number in the bucket, in the upper half
    const auto at = [](int i) { return static_cast<std::uint32_t>(i * Shape::threads) + threadIdx.x; };
    load_some<Shape::threads>(items + tile.begin, tile.size, x);
    for (std::uint32_t b = threadIdx.x; b < most_buckets; b += Shape::threads) shared.counts[b] = 0;
    WEFT_UNROLL
    for (int i = 0; i < Shape::items; ++i) bucket[i] = at(i) < tile.size ? buckets[tile.begin + at(i)] : 0;
    __syncthreads();
    WEFT_UNROLL
    for (int i = 0; i < Shape::items; ++i)
      if (at(i) < tile.size) bucket[i] |= atomicAdd(&shared.counts[bucket[i]], 1U) << 16;
    __syncthreads();
    take_places<Shape>(shared, plan.places + tile.segment.first_bucket);
    WEFT_UNROLL
    for (int i = 0; i < Shape::items; ++i)
      if (at(i) < tile.size) {
        const std::uint32_t b = bucket[i] & 0xFFFFU, place = shared.counts[b] + (bucket[i] >> 16);
        shared.items[place] = x[i];
        shared.buckets[place] = static_cast<std::uint8_t>(b);
      }
    __syncthreads();
    WEFT_UNROLL
    for (int i = 0; i < Shape::items; ++i)
      if (at(i) < tile.size) to[shared.shifts[shared.buckets[at(i)]] + at(i)] = shared.items[at(i)];
    __syncthreads();
  }
}

} // namespace weft::gpu::detail
