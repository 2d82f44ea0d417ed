// Sample sort: levels of partitions into up to 256 buckets, until what is left fits the shared memory of a
// block. An item is read and written once a level and once in a leaf, and read once more to be counted.
//
//   start  (choose_splitters  count  place_buckets  move) for each level  leaves
//
// The host launches all without a look back: levels that all segments need, one more for what comes out too
// large, which mostly has nothing to do, and the kernels of all kinds of leaves.
//
// Or a caller's segments of numbers are those of the first level: see segment_kernels.cuh.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <weft/sort/cuda/count_leaves.cuh>
#include <weft/sort/cuda/radix_sort.cuh>
#include <weft/sort/cuda/sample_merge.cuh>
#include <weft/sort/cuda/segment_kernels.cuh>
#include <weft/sort/cuda/split_leaves.cuh>
#include <weft/sort/cuda/spread_leaves.cuh>

namespace weft::gpu::detail {

// Threads, items a thread and blocks a multiprocessor of each kernel. Tiles are counted and moved as one.
template <class Count, class Move, class Small, class Large, class Split, class Sort>
struct sample_sort_shape {
  using count = Count;
  using move = Move;
  using small = Small;
  using large = Large;
  using split = Split;
  using sort = Sort;
  static_assert(Count::size == Move::size && Small::size <= Large::size);
  static_assert(Large::size == Split::size && Large::size == Sort::size);
};

template <class Key, bool Numbers> struct default_sample_sort_shapes;
template <class Key> struct default_sample_sort_shapes<Key, true> {
  static constexpr int move = sizeof(Key) <= 4 ? 32 : 22;
  using type =
      sample_sort_shape<tile_shape<512, move / 2, 2>, tile_shape<256, move, 2>, tile_shape<512, 11, 2>,
                        tile_shape<1024, 8, 1>, tile_shape<512, 16, 2>, tile_shape<512, 16, 2>>;
};
template <class Key>
requires(sizeof(Key) == 16) struct default_sample_sort_shapes<Key, true> {
  using type = sample_sort_shape<tile_shape<512, 8, 2>, tile_shape<256, 16, 2>, tile_shape<512, 8, 2>,
                                 tile_shape<1024, 8, 1>, tile_shape<1024, 8, 1>, tile_shape<1024, 8, 1>>;
};
template <class Key> struct default_sample_sort_shapes<Key, false> {
  static constexpr int items = register_items<Key>;
  using move = tile_shape<512, items, 1>;
  using leaf = tile_shape<512, items, sizeof(Key) <= 16 ? 2 : 1>;
  using type = sample_sort_shape<move, move, leaf, leaf, leaf, leaf>;
};

// The defaults are good ones; the rest is there to test.
struct sample_sort_options {
  int num_levels = 0;     // 1 .. most_levels; 0: by size
  std::uint64_t seed = 1; // of the samples
};

template <class Order, class Shape> class sample_sort_call {
  using item = typename Order::item;
  using key = typename Order::key;

public:
  // segments: numbers only; d_offsets is not looked at before run.
  sample_sort_call(item* items, std::uint64_t num_items, Order order, const sample_sort_options& options,
                   cudaStream_t stream, const caller_segments& segments = {}) noexcept
      : items_(items), num_items_(num_items), order_(order), options_(options), stream_(stream),
        segments_(segments) {
    plan_.leaf = {Shape::large::size / 2, Order::numbers ? Shape::small::size : 0, Shape::large::size};
    plan_.tile = Shape::move::size;
    int bits = 0;
    while ((std::uint64_t{plan_.leaf.mean} << bits) < num_items_) ++bits;
    const int levels = std::clamp((bits + 7) / 8, 1, most_levels - 1);
    plan_.num_levels = options.num_levels > 0 ? std::min(options.num_levels, most_levels) : levels + 1;
    num_buckets_ = buckets_for(num_items_, plan_.leaf.mean, levels);
    if (segmented() && num_items_ <= plan_.leaf.large) plan_.num_levels = 0;
  }

  // Lays out the memory; nullptr: only counts it. cudaErrorNotSupported: the device's blocks have too little
  // shared memory. cudaErrorInvalidValue: too few bytes.
  cudaError_t set_memory(void* memory, std::size_t& bytes) noexcept {
    std::size_t limit = 0;
    if (const cudaError_t status = shared_memory_limit(limit)) return status;
    if (shared_bytes() > limit) return cudaErrorNotSupported;
    const std::size_t segments = num_items_ / plan_.leaf.large + 1;
    const std::size_t buckets = most_buckets + 2 * num_items_ / plan_.leaf.mean;
    const std::size_t leaves =
        (buckets * static_cast<std::size_t>(plan_.num_levels) + segments + listed(short_shape<key>::size)) *
        sizeof(sort_leaf);
    const std::size_t sizes[] = {sizeof(sort_counts),
                                 segments * sizeof(sort_segment),
                                 segments * sizeof(sort_segment),
                                 segments * sizeof(sort_segment),
                                 segments * sizeof(std::uint32_t),
                                 segments * sizeof(std::uint32_t),
                                 buckets * sizeof(std::uint64_t),
                                 buckets * sizeof(key),
                                 leaves,
                                 leaves,
                                 leaves,
                                 leaves,
                                 leaves,
                                 listed(tiny_segment<key>) * sizeof(sort_leaf),
                                 num_items_,
                                 num_items_ * sizeof(item)};
    static_assert(num_leaf_kinds == 6 && short_leaf == 5);
    void* parts[std::size(sizes)] = {};
    if (const cudaError_t status = cut_storage(memory, bytes, sizes, parts)) return status;
    plan_.counts = static_cast<sort_counts*>(parts[0]);
    plan_.rests = static_cast<sort_segment*>(parts[3]);
    for (int i : {0, 1}) {
      plan_.segments[i] = static_cast<sort_segment*>(parts[1 + i]);
      plan_.first_tile[i] = static_cast<std::uint32_t*>(parts[4 + i]);
    }
    plan_.places = static_cast<std::uint64_t*>(parts[6]);
    plan_.splitters = static_cast<key*>(parts[7]);
    for (int i = 0; i < num_leaf_kinds; ++i) plan_.leaves[i] = static_cast<sort_leaf*>(parts[8 + i]);
    bucket_numbers_ = static_cast<std::uint8_t*>(parts[14]);
    buffer_ = static_cast<item*>(parts[15]);
    return cudaSuccess;
  }

  cudaError_t run() noexcept {
    cudaError_t status = count_multiprocessors();
    const auto next = [&](auto step) {
      if (status == cudaSuccess) status = step();
    };
    if constexpr (Order::numbers)
      next([&] { return segmented() ? start_segments() : start(); });
    else
      next([&] { return start(); });
    for (int level = 0; level < plan_.num_levels; ++level) {
      next([&] { return choose_splitters(level); });
      next([&] { return count(level); });
      next([&] { return place_buckets(level); });
      next([&] { return move(level); });
    }
    if (!segmented() || num_items_ > short_shape<key>::size) next([&] { return leaves(); });
    return status;
  }

  cudaError_t count_multiprocessors() noexcept {
    int device = 0;
    const cudaError_t status = cudaGetDevice(&device);
    if (status != cudaSuccess) return status;
    return cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device);
  }
  cudaError_t start() noexcept {
    return launch(start_sort_kernel<key>, 1, plan_threads, 0, stream_, plan_, num_items_, num_buckets_);
  }
  // Also sorts what needs no level and is less than a leaf.
  cudaError_t start_segments() noexcept {
    if (const cudaError_t status = cudaMemsetAsync(plan_.counts, 0, sizeof(sort_counts), stream_))
      return status;
    cudaError_t status = launch(check_offsets_kernel<key>, blocks_for(segments_.count / plan_threads, 8),
                                plan_threads, 0, stream_, plan_, segments_, num_items_);
    if (status != cudaSuccess) return status;
    using shape = short_shape<key>;
    constexpr std::uint64_t warps = tiny_threads / 32, most_each = 256;
    const std::uint64_t blocks = blocks_for(segments_.count / warps, tiny_blocks<key> * 2);
    const std::uint64_t each =
        std::clamp(segments_.count / (4 * warps * blocks), std::uint64_t{1}, most_each);
    status = launch(start_segments_kernel<Order>, blocks, tiny_threads, 0, stream_, plan_, segments_,
                    static_cast<std::uint32_t>(each), items_, order_);
    if (status == cudaSuccess && plan_.num_levels > 0)
      status = launch(number_tiles_kernel<key>, 1, plan_threads, 0, stream_, plan_, 0);
    if (status != cudaSuccess || num_items_ <= tiny_segment<key>) return status;
    const std::uint64_t most = blocks_for(listed(tiny_segment<key>), shape::blocks * 8);
    if constexpr (sizeof(key) == 1)
      return launch(count_leaves_kernel<shape, Order>, most, shape::threads, 0, stream_, plan_, short_leaf,
                    items_, buffer_, order_);
    else
      return launch(sort_leaves_kernel<shape, Order>, most, shape::threads,
                    shared_tile<key>::bytes(shape::size, shape::items), stream_, plan_, short_leaf, items_,
                    buffer_, order_);
  }
  cudaError_t choose_splitters(int level) noexcept {
    using shape = splitter_shape<key>;
    return launch(choose_splitters_of_level_kernel<Order>, segments_at_most(level, 2), shape::threads,
                  shared_tile<key>::bytes(shape::threads * shape::items, shape::items), stream_, plan_, level,
                  from(level), options_.seed, order_);
  }
  cudaError_t count(int level) noexcept {
    using shape = typename Shape::count;
    return launch(count_level_kernel<shape, Order>, tiles_at_most(shape::blocks), shape::threads,
                  sizeof(shared_splitters<Order>), stream_, plan_, level, from(level), bucket_numbers_,
                  order_);
  }
  cudaError_t place_buckets(int level) noexcept {
    return launch(place_buckets_of_level_kernel<key, Order>, segments_at_most(level, 8), plan_threads, 0,
                  stream_, plan_, level, order_);
  }
  cudaError_t move(int level) noexcept {
    using shape = typename Shape::move;
    return launch(move_level_kernel<shape, Order>, tiles_at_most(shape::blocks), shape::threads,
                  sizeof(move_memory<shape, Order>), stream_, plan_, level, from(level), bucket_numbers_,
                  from(level + 1));
  }
  cudaError_t leaves() noexcept {
    cudaError_t status = cudaSuccess;
    if constexpr (Order::numbers) {
      status = spread<typename Shape::small>(small_leaf);
      if (status == cudaSuccess) status = spread<typename Shape::large>(large_leaf);
      if (status == cudaSuccess) status = split(crowded_leaf);
    } else {
      status = split(large_leaf);
    }
    if (status == cudaSuccess) status = sort_leaves(dense_leaf);
    if (status == cudaSuccess) status = sort_rests();
    if (status != cudaSuccess) return status;
    return launch(copy_leaves_kernel<key, item>, leaves_at_most(8), plan_threads, 0, stream_, plan_, items_,
                  buffer_);
  }
  template <class LeafShape> cudaError_t spread(leaf_kind kind) noexcept {
    if constexpr (sizeof(key) == 1)
      return launch(count_leaves_kernel<LeafShape, Order>, leaves_at_most(LeafShape::blocks * 8),
                    LeafShape::threads, 0, stream_, plan_, kind, items_, buffer_, order_);
    else
      return launch(spread_leaves_kernel<LeafShape, Order>, leaves_at_most(LeafShape::blocks * 8),
                    LeafShape::threads, sizeof(spread_memory<LeafShape, key>), stream_, plan_, kind, items_,
                    buffer_, order_);
  }
  cudaError_t split(leaf_kind kind) noexcept {
    using shape = typename Shape::split;
    return launch(split_leaves_kernel<shape, Order>, leaves_at_most(shape::blocks * 8), shape::threads,
                  sizeof(split_memory<shape, Order>), stream_, plan_, kind, items_, buffer_, order_);
  }
  cudaError_t sort_leaves(leaf_kind kind) noexcept {
    using shape = typename Shape::sort;
    return launch(sort_leaves_kernel<shape, Order>, leaves_at_most(shape::blocks * 8), shape::threads,
                  shared_tile<key>::bytes(shape::size, shape::items), stream_, plan_, kind, items_, buffer_,
                  order_);
  }

  cudaError_t sort_rests() noexcept {
    using shape = typename Shape::sort;
    return launch(sort_rests_kernel<shape, Order>, leaves_at_most(shape::blocks), shape::threads,
                  shared_tile<key>::bytes(shape::size, shape::items), stream_, plan_, items_, buffer_,
                  order_);
  }

  [[nodiscard]] const sort_plan<key>& plan() const { return plan_; }

private:
  [[nodiscard]] static std::size_t shared_bytes() {
    using splitters = splitter_shape<key>;
    std::size_t most = std::max(
        {shared_tile<key>::bytes(splitters::threads * splitters::items, splitters::items),
         sizeof(move_memory<typename Shape::move, Order>), sizeof(split_memory<typename Shape::split, Order>),
         shared_tile<key>::bytes(Shape::sort::size, Shape::sort::items)});
    if constexpr (Order::numbers)
      most = std::max({most, sizeof(spread_memory<typename Shape::small, key>),
                       sizeof(spread_memory<typename Shape::large, key>)});
    return most;
  }
  [[nodiscard]] item* from(int level) const { return level % 2 == 0 ? items_ : buffer_; }
  [[nodiscard]] std::uint64_t resident(int blocks) const {
    return static_cast<std::uint64_t>(multiprocessors_) * static_cast<std::uint64_t>(blocks);
  }
  [[nodiscard]] std::uint64_t blocks_for(std::uint64_t number, int blocks) const {
    return std::min(number + 1, resident(blocks));
  }
  [[nodiscard]] bool segmented() const { return segments_.count > 0; }
  // Of a caller's segments, those of more than `size` items, at most.
  [[nodiscard]] std::uint64_t listed(std::uint64_t size) const {
    return segmented() ? std::min(num_items_ / (size + 1), segments_.count) : 0;
  }
  [[nodiscard]] std::uint64_t segments_at_most(int level, int blocks) const {
    return level == 0 && !segmented() ? 1 : blocks_for(num_items_ / plan_.leaf.large, blocks);
  }
  [[nodiscard]] std::uint64_t tiles_at_most(int blocks) const {
    return blocks_for(num_items_ / plan_.tile, blocks);
  }
  [[nodiscard]] std::uint64_t leaves_at_most(int blocks) const {
    const std::uint64_t leaves =
        2 * num_items_ / plan_.leaf.mean + num_buckets_ + listed(short_shape<key>::size);
    return std::min(leaves, resident(blocks));
  }

  item* items_;
  std::uint64_t num_items_;
  Order order_;
  sample_sort_options options_;
  cudaStream_t stream_;
  caller_segments segments_;
  sort_plan<key> plan_{};
  std::uint32_t num_buckets_;
  int multiprocessors_ = 0;
  std::uint8_t* bucket_numbers_ = nullptr; // of each item's bucket
  item* buffer_ = nullptr;
};

template <class T, class Less, bool Numbers> struct sample_sort_order {
  using type = comparator_order<T, Less>;
};
template <class T, class Less> struct sample_sort_order<T, Less, true> {
  using type = number_order<T, is_descending<T, Less>>;
};
template <class T, class Less>
using sample_sort_order_t = typename sample_sort_order<T, Less, radix_sorts<T, Less>>::type;

// Sorts in place, not stable, which does not show of numbers in their own order. In two phases; enqueues
// only, may be captured in a graph. Time O(n log n): two passes up to 2^28 items. Extra memory: n items, 1.3
// n bytes (of segments 1.5 n) and some MB. n >= 2.
// segments: each is sorted by itself; of numbers only.
template <class T, class Less>
cudaError_t sample_sort(void* d_temp, std::size_t& bytes, T* d_items, std::uint64_t n, Less less,
                        cudaStream_t stream, const sample_sort_options& options = {},
                        const caller_segments& segments = {}) {
  using order = sample_sort_order_t<T, Less>;
  using shape = typename default_sample_sort_shapes<typename order::key, order::numbers>::type;
  const auto in_order = [&] {
    if constexpr (order::numbers)
      return order{};
    else
      return order{less};
  };
  sample_sort_call<order, shape> call(d_items, n, in_order(), options, stream, segments);
  if (const cudaError_t status = call.set_memory(d_temp, bytes); status != cudaSuccess || d_temp == nullptr)
    return status;
  return call.run();
}

} // namespace weft::gpu::detail
