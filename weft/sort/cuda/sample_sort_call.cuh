// The sample sort: levels of partitions into up to 256 buckets, until each bucket fits the shared memory of a
// block. A bucket that fits is a leaf. An item is read and written once in each level and once in a leaf, and
// is read once more in each level to be counted.
//
//   start  (choose_splitters  count  assign_buckets  move) for each level  leaves
//
// A small input is sorted by one launch instead (small_sort.cuh), and an input of at most a leaf by one
// block.
//
// `start` also chooses the splitters of the first level. If a level has few segments, as the first level has
// without a caller's segments, the last block of `count` does the work of assign_buckets.
//
// A stable sort uses other kernels for `count` and `move`, with sum_stretches between them
// (stable_level.cuh).
//
// The host launches all kernels without waiting for results: the levels that every segment passes through,
// one more level for segments that are still too large, which mostly has nothing to do, and the kernels of
// all kinds of leaves.
//
// The segments of the first level can also be the caller's (numbers only; segment_kernels.cuh).
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <type_traits>
#include <weft/base/mixed.hpp>
#include <weft/sort/cuda/count_leaves.cuh>
#include <weft/sort/cuda/move_level.cuh>
#include <weft/sort/cuda/radix_sort.cuh>
#include <weft/sort/cuda/sample_sort_shapes.cuh>
#include <weft/sort/cuda/segment_kernels.cuh>
#include <weft/sort/cuda/small_sort.cuh>
#include <weft/sort/cuda/stable_level.cuh>

namespace weft::sort_detail {

// The options of a sample sort. The defaults are good; other values are for tests.
struct sample_sort_options {
  int num_levels = 0;     // 1 .. max_levels; 0: chosen by size, without levels for small inputs
  std::uint64_t seed = 0; // seed of the samples; 0: a different one for each sort
};

// Returns a different seed for each call, derived from the clock, so that nobody can construct an input
// against the samples.
inline std::uint64_t make_seed() noexcept {
  static std::atomic<std::uint64_t> number{
      static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count())};
  return weft::base_detail::mixed(number.fetch_add(1, std::memory_order_relaxed)) | 1;
}

// One sample sort: plans it, divides its memory, and launches its kernels.
template <class Order, class Shape> class sample_sort_call {
  using array = typename Order::array;
  using key = typename Order::key;
  using held = typename Order::held;
  using move_memory_type = std::conditional_t<Order::stable, stable_move_memory<typename Shape::move, Order>,
                                              move_memory<typename Shape::move, Order>>;
  using one_leaf_shape =
      std::conditional_t<Order::numbers, typename Shape::spread_large, typename Shape::sort_large>;

public:
  // Plans the sort. `segments` are for numbers only; d_offsets is not read before run.
  sample_sort_call(array items, std::uint64_t num_items, Order order, const sample_sort_options& options,
                   cudaStream_t stream, const caller_segments& segments = {}) noexcept
      : items_(items), num_items_(num_items), order_(order), options_(options), stream_(stream),
        segments_(segments), seed_(options.seed != 0 ? options.seed : make_seed()) {
    plan_.leaf = {Shape::sort_large::size / 2,
                  Order::numbers ? Shape::spread_small::size : Shape::sort_small::size,
                  Shape::sort_large::size, Shape::sort_small::size};
    const int levels = levels_needed();
    plan_.num_levels = options.num_levels > 0 ? std::min(options.num_levels, max_levels) : levels + 1;
    num_buckets_ = buckets_for(num_items_, plan_.leaf.mean, levels);
    plan_.tile = Shape::move::size;
    if (has_segments() && num_items_ <= 2 * plan_.leaf.large) plan_.num_levels = 0;
  }

  // Divides the memory among the arrays of the sort, or only sets `bytes` to the size needed if `memory` is
  // nullptr. Returns cudaErrorNotSupported if the device's blocks have too little shared memory,
  // cudaErrorInvalidValue if there are too few bytes.
  cudaError_t set_memory(void* memory, std::size_t& bytes) noexcept {
    std::size_t limit = 0;
    if (const cudaError_t status = base_detail::shared_memory_limit(limit)) return status;
    if (shared_bytes() > limit) return cudaErrorNotSupported;
    if (is_one_leaf()) return need_nothing(memory, bytes);
    const std::size_t segments = num_items_ / plan_.leaf.large + 1;
    const std::size_t leftovers = std::max(segments, skips_levels() ? listed(tiny_segment<key>) : 0);
    const std::size_t buckets =
        std::max<std::size_t>(max_buckets + 2 * num_items_ / plan_.leaf.mean, max_small_buckets);
    const std::size_t kept_splitters = looked_up_twice<Order> ? buckets : 0;
    const std::size_t rows =
        Order::stable ? (num_items_ + segments * tile_alignment) / plan_.tile + segments : 0;
    const std::size_t leaves =
        (buckets * static_cast<std::size_t>(plan_.num_levels) + segments + listed(short_shape<key>::size)) *
        sizeof(listed_leaf);
    const std::size_t sizes[] = {sizeof(sort_counts),
                                 segments * sizeof(sort_segment),
                                 segments * sizeof(sort_segment),
                                 leftovers * sizeof(sort_segment),
                                 segments * sizeof(std::uint32_t),
                                 segments * sizeof(std::uint32_t),
                                 buckets * sizeof(std::uint64_t),
                                 buckets * sizeof(key),
                                 leaves,
                                 leaves,
                                 leaves,
                                 leaves,
                                 leaves,
                                 listed(tiny_segment<key>) * sizeof(listed_leaf),
                                 kept_buckets<Order>::bytes(num_items_),
                                 num_items_ * Order::bytes[0],
                                 num_items_ * Order::bytes[1],
                                 rows * max_buckets * sizeof(std::uint32_t),
                                 std::min<std::size_t>(rows, max_stretches) * max_buckets *
                                     sizeof(std::uint64_t),
                                 kept_splitters * sizeof(std::uint32_t),
                                 kept_splitters * sizeof(std::uint32_t),
                                 kept_splitters * sizeof(uint4)};
    static_assert(num_leaf_kinds == 6 && short_leaf == 5);
    void* parts[std::size(sizes)] = {};
    if (const cudaError_t status = cut_storage(memory, bytes, sizes, parts)) return status;
    plan_.counts = static_cast<sort_counts*>(parts[0]);
    plan_.leftovers = static_cast<sort_segment*>(parts[3]);
    for (int i : {0, 1}) {
      plan_.segments[i] = static_cast<sort_segment*>(parts[1 + i]);
      plan_.first_tile[i] = static_cast<std::uint32_t*>(parts[4 + i]);
    }
    plan_.bucket_positions = static_cast<std::uint64_t*>(parts[6]);
    plan_.splitters = static_cast<key*>(parts[7]);
    for (int i = 0; i < num_leaf_kinds; ++i) plan_.leaves[i] = static_cast<listed_leaf*>(parts[8 + i]);
    bucket_numbers_ = static_cast<std::uint8_t*>(parts[14]);
    first_buffer_ = parts[15];
    buffer_ = Order::array_of(parts[15], parts[16]);
    offsets_.in_stretch = static_cast<std::uint32_t*>(parts[17]);
    offsets_.stretches = static_cast<std::uint64_t*>(parts[18]);
    plan_.tables = {static_cast<std::uint32_t*>(parts[19]), static_cast<std::uint32_t*>(parts[20]),
                    static_cast<uint4*>(parts[21])};
    return cudaSuccess;
  }

  cudaError_t run() noexcept {
    if (is_one_leaf()) return one_leaf();
    if constexpr (sizeof(typename Order::item) <= 16 && !Order::stable) {
      bool done = false;
      const cudaError_t status = run_small_sort(done);
      if (done || status != cudaSuccess) return status;
    }
    cudaError_t status = base_detail::count_multiprocessors(multiprocessors_);
    const auto next = [&](auto step) {
      if (status == cudaSuccess) status = step();
    };
    next([&] { return check_early_launch(start_sort_kernel<Order>, early_); });
    if constexpr (Order::numbers && std::is_pointer_v<array>)
      next([&] { return has_segments() ? start_segments() : start(); });
    else
      next([&] { return start(); });
    for (int level = 0; level < plan_.num_levels; ++level) {
      if (level > 0 || has_segments()) next([&] { return choose_splitters(level); });
      next([&] { return count(level); });
      if constexpr (Order::stable) next([&] { return sum_stretches(level); });
      if (!assigns_in_one_block(level)) next([&] { return assign_buckets(level); });
      next([&] { return move(level); });
    }
    if (!skips_levels())
      next([&] { return leaves(); });
    else if (num_items_ > tiny_segment<key>)
      next([&] { return finish_leaves(); });
    return status;
  }

  cudaError_t one_leaf() noexcept {
    return launch(sort_one_leaf_kernel<one_leaf_shape, Order>, 1, one_leaf_shape::threads,
                  one_leaf_bytes<one_leaf_shape, Order>(), stream_, items_,
                  static_cast<std::uint32_t>(num_items_), order_);
  }
  // Sorts a small input in one launch. Sets `done` if that was possible: the input is small enough, and the
  // device can run all blocks of the launch at the same time.
  cudaError_t run_small_sort(bool& done) noexcept {
    using leaf = tile_shape<512, register_items<typename Order::item>, 2>;
    using memory = small_sort_memory<Order, leaf>;
    constexpr std::uint64_t capacity = small_sort_shape<leaf>::capacity;
    if (num_items_ > capacity || options_.num_levels != 0 || has_segments()) return cudaSuccess;
    std::uint64_t blocks = 0;
    cudaError_t status =
        count_resident_blocks(sort_small_kernel<leaf, Order>, leaf::threads, sizeof(memory), blocks);
    if (status != cudaSuccess || blocks * memory::size < num_items_) return status;
    blocks = std::min(blocks, num_items_ / leaf::threads + 1);
    small_sort_plan<key> plan = plan_small_sort<key>(num_items_, capacity, blocks);
    plan.counts = reinterpret_cast<std::uint32_t*>(plan_.bucket_positions);
    plan.splitters = plan_.splitters;
    plan.sampled = static_cast<key*>(first_buffer_);
    status = launch_cooperative(sort_small_kernel<leaf, Order>, blocks, leaf::threads, sizeof(memory),
                                stream_, plan, items_, buffer_, seed_, order_);
    done = status != cudaErrorCooperativeLaunchTooLarge; // a stream may have only a part of the device
    if (done) return status;
    (void)cudaGetLastError();
    return cudaSuccess;
  }
  // Initialises the lists and chooses the splitters of level 0.
  cudaError_t start() noexcept {
    const std::uint32_t samples = choose_num_samples();
    return launch(start_sort_kernel<Order>, (samples * num_buckets_ + ranks_per_block - 1) / ranks_per_block,
                  splitter_shape<key>::threads, 0, stream_, plan_,
                  sort_segment{0, num_items_, 0, num_buckets_}, items_, samples, seed_, order_);
  }
  // Lists the caller's segments, and sorts the tiny and the short ones (segment_kernels.cuh).
  cudaError_t start_segments() noexcept {
    if (const cudaError_t status = cudaMemsetAsync(plan_.counts, 0, sizeof(sort_counts), stream_))
      return status;
    cudaError_t status = launch(check_offsets_kernel<key>, blocks_for(segments_.count / plan_threads, 8),
                                plan_threads, 0, stream_, plan_, segments_, num_items_);
    if (status != cudaSuccess) return status;
    using shape = short_shape<key>;
    constexpr std::uint64_t warps = tiny_threads / 32, max_each = 256;
    const std::uint64_t blocks = blocks_for(segments_.count / warps, tiny_blocks<key> * 2);
    const std::uint64_t each = std::clamp(segments_.count / (4 * warps * blocks), std::uint64_t{1}, max_each);
    status = next_launch(start_segments_kernel<Order>, blocks, tiny_threads, 0, plan_, segments_,
                         static_cast<std::uint32_t>(each), items_, order_);
    if (status != cudaSuccess || skips_levels()) return status;
    status = next_launch(number_tiles_kernel<key>, 1, plan_threads, 0, plan_, 0);
    if (status != cudaSuccess) return status;
    const std::uint64_t max_blocks = blocks_for(listed(tiny_segment<key>), shape::blocks * 8);
    if constexpr (sizeof(key) == 1)
      return next_launch(count_leaves_kernel<shape, Order>, max_blocks, shape::threads, 0, plan_, short_leaf,
                         items_, buffer_, order_);
    else
      return next_launch(sort_leaves_kernel<shape, Order>, max_blocks, shape::threads,
                         shared_tile<key>::bytes(shape::size, shape::items), plan_, short_leaf, items_,
                         buffer_, order_);
  }
  cudaError_t choose_splitters(int level) noexcept {
    using shape = splitter_shape<key>;
    return next_launch(choose_splitters_of_level_kernel<Order>, blocks_for_segments(level, 2), shape::threads,
                       shared_tile<key>::bytes(shape::threads * shape::items, shape::items), plan_, level,
                       from(level), seed_, order_);
  }
  cudaError_t count(int level) noexcept {
    using shape = typename Shape::count;
    if constexpr (Order::stable)
      return next_launch(count_tiles_kernel<shape, Order>, offsets().blocks, shape::threads,
                         sizeof(level_splitters<Order>), plan_, level, from(level), bucket_numbers_,
                         assigns_in_one_block(level), offsets(), order_);
    else
      return next_launch(count_level_kernel<shape, Order>, blocks_for_tiles(shape::blocks), shape::threads,
                         sizeof(level_splitters<Order>), plan_, level, from(level),
                         kept_buckets<Order>(bucket_numbers_, num_items_), assigns_in_one_block(level),
                         order_);
  }
  cudaError_t sum_stretches(int level) noexcept {
    return next_launch(sum_stretches_kernel<key>, sum_blocks, sum_threads, 0, plan_, level, offsets());
  }
  cudaError_t assign_buckets(int level) noexcept {
    return next_launch(assign_buckets_of_level_kernel<key, Order>, blocks_for_segments(level, 8),
                       plan_threads, 0, plan_, level, order_);
  }
  cudaError_t move(int level) noexcept {
    using shape = typename Shape::move;
    const std::uint64_t blocks = blocks_for_tiles(shape::blocks);
    if constexpr (Order::stable)
      return next_launch(move_stably_kernel<shape, Order>, blocks, shape::threads, sizeof(move_memory_type),
                         plan_, level, from(level), bucket_numbers_, offsets(), from(level + 1));
    else
      return next_launch(move_level_kernel<shape, Order>, blocks, shape::threads, sizeof(move_memory_type),
                         plan_, level, from(level), kept_buckets<Order>(bucket_numbers_, num_items_),
                         from(level + 1), order_);
  }
  cudaError_t leaves() noexcept {
    cudaError_t status = cudaSuccess;
    if constexpr (Order::numbers) {
      status = spread<typename Shape::spread_small>(small_leaf);
      if (status == cudaSuccess) status = spread<typename Shape::spread_large>(large_leaf);
    }
    if (status == cudaSuccess)
      status = sort_leaves<typename Shape::sort_small>(Order::numbers ? crowded_leaf : small_leaf);
    if (status == cudaSuccess)
      status = sort_leaves<typename Shape::sort_large>(Order::numbers ? crowded_large_leaf : large_leaf);
    if (status == cudaSuccess) status = finish_leaves();
    return status;
  }
  template <class LeafShape> cudaError_t spread(leaf_kind kind) noexcept {
    if constexpr (sizeof(key) == 1 && std::is_pointer_v<array>)
      return next_launch(count_leaves_kernel<LeafShape, Order>, blocks_for_leaves(LeafShape::blocks * 8),
                         LeafShape::threads, 0, plan_, kind, items_, buffer_, order_);
    else
      return next_launch(spread_leaves_kernel<LeafShape, Order>, blocks_for_leaves(LeafShape::blocks * 8),
                         LeafShape::threads, sizeof(spread_memory<LeafShape, Order>), plan_, kind, items_,
                         buffer_, order_);
  }
  template <class LeafShape> cudaError_t sort_leaves(leaf_kind kind) noexcept {
    return next_launch(sort_leaves_kernel<LeafShape, Order>, blocks_for_leaves(LeafShape::blocks * 8),
                       LeafShape::threads, shared_tile<held>::bytes(LeafShape::size, LeafShape::items), plan_,
                       kind, items_, buffer_, order_);
  }
  cudaError_t finish_leaves() noexcept {
    using shape = typename Shape::sort_large;
    return next_launch(finish_leaves_kernel<shape, Order>, blocks_for_leaves(shape::blocks), shape::threads,
                       shared_tile<held>::bytes(shape::size, shape::items), plan_, items_, buffer_, order_);
  }

  // Returns whether the level has so few segments that one block may assign all their buckets. The first
  // level has one segment unless the segments are the caller's, and the last level of a small input has few.
  [[nodiscard]] bool assigns_in_one_block(int level) const {
    return (level == 0 && !has_segments()) ||
           (level + 1 == plan_.num_levels && num_items_ / plan_.leaf.large <= 16);
  }

private:
  [[nodiscard]] static std::size_t shared_bytes() {
    using splitters = splitter_shape<key>;
    std::size_t max_bytes =
        std::max({shared_tile<key>::bytes(splitters::threads * splitters::items, splitters::items),
                  sizeof(move_memory_type),
                  shared_tile<held>::bytes(Shape::sort_large::size, Shape::sort_large::items),
                  one_leaf_bytes<one_leaf_shape, Order>()});
    if constexpr (Order::numbers)
      max_bytes = std::max({max_bytes, sizeof(spread_memory<typename Shape::spread_small, Order>),
                            sizeof(spread_memory<typename Shape::spread_large, Order>)});
    return max_bytes;
  }
  [[nodiscard]] bool is_one_leaf() const {
    return num_items_ <= plan_.leaf.large && options_.num_levels == 0 && !has_segments();
  }
  // Launches a kernel that follows another kernel of the same sort.
  template <class Kernel, class... Arguments>
  cudaError_t next_launch(Kernel* kernel, std::uint64_t blocks, int threads, std::size_t shared_bytes,
                          const Arguments&... arguments) noexcept {
    return launch_early(early_, kernel, blocks, threads, shared_bytes, stream_, arguments...);
  }
  // Returns how many levels are needed. A few more items than fit with the mean size of a leaf are no reason
  // for another level.
  [[nodiscard]] int levels_needed() const {
    int bits = 0;
    while ((std::uint64_t{plan_.leaf.mean} << bits) < num_items_ - num_items_ / 32) ++bits;
    return std::clamp((bits + 7) / 8, 1, max_levels - 1);
  }
  // Returns the smallest number of samples per bucket with which buckets are rarely larger than a leaf.
  [[nodiscard]] std::uint32_t choose_num_samples() const {
    const std::uint64_t mean = num_items_ / num_buckets_, max_leaf = plan_.leaf.large;
    const std::uint32_t wanted = 4 * mean <= max_leaf        ? 8
                                 : 16 * mean <= 9 * max_leaf ? 16
                                                             : max_samples_per_bucket;
    return std::min(wanted, splitter_shape<key>::samples_per_bucket);
  }
  [[nodiscard]] array from(int level) const { return level % 2 == 0 ? items_ : buffer_; }
  [[nodiscard]] std::uint64_t resident(int blocks) const {
    return static_cast<std::uint64_t>(multiprocessors_) * static_cast<std::uint64_t>(blocks);
  }
  [[nodiscard]] std::uint64_t blocks_for(std::uint64_t number, int blocks) const {
    return std::min(number + 1, resident(blocks));
  }
  [[nodiscard]] bool has_segments() const { return segments_.count > 0; }
  // Returns whether the caller's segments have so few items that levels would take longer than merging them.
  [[nodiscard]] bool skips_levels() const { return has_segments() && plan_.num_levels == 0; }
  // Returns the largest possible number of the caller's segments that have more than `size` items.
  [[nodiscard]] std::uint64_t listed(std::uint64_t size) const {
    return has_segments() ? std::min(num_items_ / (size + 1), segments_.count) : 0;
  }
  [[nodiscard]] std::uint64_t blocks_for_segments(int level, int blocks) const {
    return level == 0 && !has_segments() ? 1 : blocks_for(num_items_ / plan_.leaf.large, blocks);
  }
  [[nodiscard]] std::uint64_t blocks_for_tiles(int blocks) const {
    return blocks_for(num_items_ / plan_.tile, blocks);
  }
  [[nodiscard]] tile_offsets offsets() const {
    tile_offsets own = offsets_;
    own.blocks = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(blocks_for_tiles(Shape::count::blocks), max_stretches));
    return own;
  }
  [[nodiscard]] std::uint64_t blocks_for_leaves(int blocks) const {
    return std::min(std::max<std::uint64_t>(num_items_ / plan_.leaf.mean, num_buckets_) +
                        listed(short_shape<key>::size),
                    resident(blocks));
  }

  array items_, buffer_ = Order::array_of(nullptr, nullptr);
  void* first_buffer_ = nullptr; // the first of its parts
  std::uint64_t num_items_;
  Order order_;
  sample_sort_options options_;
  cudaStream_t stream_;
  caller_segments segments_;
  std::uint64_t seed_;
  sort_plan<key> plan_{};
  tile_offsets offsets_{}; // only of a stable sort
  std::uint32_t num_buckets_;
  int multiprocessors_ = 0;
  bool early_ = false;                     // whether all launches but the first may be early
  std::uint8_t* bucket_numbers_ = nullptr; // one byte per item: the number of its bucket
};

} // namespace weft::sort_detail
