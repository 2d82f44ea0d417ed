// The sample-merge sort on a device: Kozawa, Amagasa & Kitagawa, An Efficient Sorting Algorithm on GPUs via
// Data Partitioning and Cooperative Merge. One partition into k buckets by sampled splitters saves log k of
// the log(n / tile) passes of a merge sort over the memory; all buckets are merged in one launch a pass. See
// core/sample_partition.hpp, core/cooperative_merge.hpp.
//
//   choose_splitters  count_buckets  (cub::DeviceScan)  place_buckets  transpose  relocate
//   sort_tiles  (split  merge) for each pass
//
// What the host cannot know when it launches, the sizes of buckets, stays on the device: grids are for the
// most tiles that there can be and passes for the largest bucket that there can be (all items); blocks and
// passes with nothing to do end at once. Passes after those that buckets of twice the mean need get small
// grids.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cub/device/device_scan.cuh>
#include <numeric>
#include <type_traits>
#include <weft/sort/cuda/merge_kernels.cuh>

namespace weft::gpu {

// The defaults are good ones; the rest is there to measure and to test.
struct sample_merge_options {
  std::uint32_t num_buckets = 0;  // k: a power of two, at most 1024 (1: a merge sort); 0: by size and type
  std::uint32_t oversampling = 0; // alpha, samples a bucket, at most what one block sorts; 0: by size
  std::uint64_t seed = 1;         // of the sample
  bool transpose = true;          // the offsets, so that a tile reads its own from one place
  bool align = true;              // buckets to 128 bytes in the buffer, and the writes of each pass
};

namespace detail {

// Threads and items a thread of the three kinds of tiles.
template <class Sort, class Merge, class Move, bool Async = false> struct sample_merge_shape {
  using sort = Sort;
  using merge = Merge;
  using move = Move;
  static constexpr bool async = Async; // merges load past the registers

  static_assert(std::has_single_bit(unsigned{Sort::items}) && Sort::threads % 32 == 0);
  static_assert(std::has_single_bit(unsigned{Merge::items}) || Merge::items % 2 != 0);
  static_assert(2 * Sort::size % Merge::size == 0);
};

// The most items that a thread's registers hold with ease, a power of two.
template <class T>
inline constexpr int register_items = sizeof(T) <= 8 ? 16 : static_cast<int>(std::bit_floor(128 / sizeof(T)));

template <class T, int Items = register_items<T>> struct default_shapes {
  using type =
      sample_merge_shape<tile_shape<512, Items, 2>, tile_shape<256, Items, 4>, tile_shape<512, Items, 2>>;
};
template <class T>
requires(sizeof(T) == 4) struct default_shapes<T> {
  using type = sample_merge_shape<tile_shape<512, 32, 2>, tile_shape<256, 32, 3>, tile_shape<512, 16, 2>>;
};
template <class T> using default_shape = typename default_shapes<T>::type;

// Parts of the caller's memory, one after another.
class memory_layout {
public:
  explicit memory_layout(void* memory) : base_(reinterpret_cast<std::uintptr_t>(memory)) {
    if (base_ != 0) base_ = (base_ + alignment - 1) / alignment * alignment;
  }
  template <class P> P* take(std::uint64_t count) {
    P* const place = base_ != 0 ? reinterpret_cast<P*>(base_ + used_) : nullptr;
    used_ += (count * sizeof(P) + alignment - 1) / alignment * alignment;
    return place;
  }
  [[nodiscard]] std::size_t bytes() const { return used_ + alignment - 1; }

private:
  static constexpr std::size_t alignment = 256;
  std::uintptr_t base_;
  std::size_t used_ = 0;
};

template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), std::uint64_t blocks, int threads, std::size_t shared_bytes,
                   cudaStream_t stream, const Arguments&... arguments) noexcept {
  if (shared_bytes > 48U << 10) {
    const cudaError_t status = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                    static_cast<int>(shared_bytes));
    if (status != cudaSuccess) return status;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

// The launches of one sort, phase by phase; all return at once. num_items >= 2.
template <class T, class Index, class Less, class Shape> class sample_merge {
  using sort_shape = typename Shape::sort;
  using merge_shape = typename Shape::merge;
  using move_shape = typename Shape::move;

public:
  sample_merge(T* items, std::uint64_t num_items, std::uint32_t num_buckets, Less less,
               const sample_merge_options& options, cudaStream_t stream) noexcept
      : options_(options), less_(less), stream_(stream), items_(items),
        num_items_(static_cast<Index>(num_items)), num_buckets_(num_buckets),
        num_tiles_(tiles(move_shape::size)), most_passes_(std::bit_width(tiles(sort_shape::size) - 1)) {}

  // Lays out the memory; nullptr: only counts it.
  cudaError_t set_memory(void* memory, std::size_t& bytes) noexcept {
    memory_layout layout(memory);
    const std::uint64_t buckets = num_buckets_, places = buckets + 1;
    Index *start = layout.take<Index>(places), *aligned_start = layout.take<Index>(places);
    plan_.sort_tiles = {start, aligned_start, layout.take<Index>(places), num_buckets_};
    plan_.merge_tiles = {start, aligned_start, layout.take<Index>(places), num_buckets_};
    plan_.num_passes = layout.take<std::uint32_t>(1);
    slices_ = layout.take<merge_slice<Index>>(most_passes_ == 0 ? 0 : most_tiles(merge_shape::size));
    buffer_ = layout.take<T>(buckets == 1 && most_passes_ == 0 ? 0 : num_items_ + buckets * alignment());
    if (buckets > 1) {
      tree_ = layout.take<T>(buckets);
      counts_ = layout.take<Index>(buckets * num_tiles_);
      transposed_ = options_.transpose ? layout.take<Index>(buckets * num_tiles_) : counts_;
      const cudaError_t status = cub::DeviceScan::ExclusiveSum(
          nullptr, scan_bytes_, counts_, counts_, static_cast<std::int64_t>(buckets * num_tiles_), stream_);
      if (status != cudaSuccess) return status;
      scan_memory_ = layout.take<char>(scan_bytes_);
    }
    bytes = layout.bytes();
    return cudaSuccess;
  }

  [[nodiscard]] std::uint32_t num_buckets() const { return num_buckets_; }
  [[nodiscard]] std::uint32_t most_passes() const { return static_cast<std::uint32_t>(most_passes_); }
  [[nodiscard]] const merge_plan<Index>& plan() const { return plan_; }

  cudaError_t choose_splitters() const noexcept {
    constexpr int items = register_items<T>;
    constexpr std::uint64_t most = std::uint64_t{one_block_threads} * items;
    // Of few items few samples: their sort is the time of one block, that all others wait for.
    const std::uint64_t samples = std::min<std::uint64_t>(most, num_items_ / 256);
    const std::uint64_t alpha = options_.oversampling != 0
                                    ? options_.oversampling
                                    : std::max<std::uint64_t>(samples / num_buckets_, 1);
    return launch(choose_splitters_kernel<items, T, Index, Less>, 1, one_block_threads,
                  shared_tile<T>::bytes(static_cast<std::uint32_t>(most), items), stream_, items_, num_items_,
                  num_buckets_, static_cast<std::uint32_t>(alpha), options_.seed, tree_, less_);
  }
  cudaError_t count_buckets() const noexcept {
    return launch(count_buckets_kernel<move_shape, T, Index, Less>, num_tiles_, move_shape::threads,
                  partition_memory<T, Index>::bytes(num_buckets_, 0), stream_, input(), tree_, num_buckets_,
                  counts_, less_);
  }
  cudaError_t sum_counts() noexcept {
    return cub::DeviceScan::ExclusiveSum(scan_memory_, scan_bytes_, counts_, counts_,
                                         static_cast<std::int64_t>(std::uint64_t{num_buckets_} * num_tiles_),
                                         stream_);
  }
  cudaError_t place_buckets() const noexcept {
    const bucket_offsets<Index> offsets{counts_, num_buckets_, num_buckets_ > 1 ? num_tiles_ : 1, num_items_,
                                        false};
    return launch(place_buckets_kernel<Index>, 1, one_block_threads, 0, stream_, offsets, sort_shape::size,
                  merge_shape::size, alignment(), plan_);
  }
  cudaError_t transpose() const noexcept {
    if (!options_.transpose) return cudaSuccess;
    const auto squares = [](std::uint64_t n) {
      return (n + weft::detail::square_size - 1) / weft::detail::square_size;
    };
    return launch(transpose_kernel<Index>, squares(num_buckets_) * squares(num_tiles_), transpose_threads, 0,
                  stream_, counts_, num_buckets_, num_tiles_, transposed_);
  }
  cudaError_t relocate() const noexcept {
    const bucket_offsets<Index> offsets{transposed_, num_buckets_, num_tiles_, num_items_,
                                        options_.transpose};
    return launch(relocate_kernel<move_shape, T, Index, Less>, num_tiles_, move_shape::threads,
                  partition_memory<T, Index>::bytes(num_buckets_, move_shape::size), stream_, input(), tree_,
                  offsets, plan_.sort_tiles, buffer_, less_);
  }
  cudaError_t sort_tiles() const noexcept {
    const bucket_space<T> from =
        num_buckets_ > 1 ? bucket_space<T>{buffer_, false} : bucket_space<T>{items_, true};
    return launch(sort_tiles_kernel<sort_shape, T, Index, Less>, most_tiles(sort_shape::size),
                  sort_shape::threads, shared_tile<T>::bytes(sort_shape::size, sort_shape::items), stream_,
                  plan_, from, buffers(), options_.align, less_);
  }
  cudaError_t merge(std::uint32_t pass) const noexcept {
    const std::uint64_t blocks = most_tiles(merge_shape::size);
    cudaError_t status =
        launch(split_kernel<merge_shape::size, T, Index, Less>,
               (blocks + split_threads / 2 - 1) / (split_threads / 2), split_threads, 0, stream_, plan_, pass,
               static_cast<Index>(std::uint64_t{sort_shape::size} << pass), buffers(), slices_, less_);
    if (status != cudaSuccess) return status;
    const bool few = pass >= likely_passes();
    return launch(few ? merge_kernel<merge_shape, Shape::async, true, T, Index, Less>
                      : merge_kernel<merge_shape, Shape::async, false, T, Index, Less>,
                  few ? std::min<std::uint64_t>(blocks, unlikely_blocks) : blocks, merge_shape::threads,
                  merge_tile_memory<merge_shape, T>::bytes(merge_shape::size, merge_shape::items), stream_,
                  plan_, pass, buffers(), slices_, options_.align, less_);
  }

  cudaError_t run() noexcept {
    cudaError_t status = cudaSuccess;
    const auto next = [&](auto step) {
      if (status == cudaSuccess) status = step();
    };
    if (num_buckets_ > 1) {
      next([&] { return choose_splitters(); });
      next([&] { return count_buckets(); });
      next([&] { return sum_counts(); });
    }
    next([&] { return place_buckets(); });
    if (num_buckets_ > 1) {
      next([&] { return transpose(); });
      next([&] { return relocate(); });
    }
    next([&] { return sort_tiles(); });
    for (std::uint32_t pass = 0; pass < most_passes(); ++pass) next([&] { return merge(pass); });
    return status;
  }

private:
  static constexpr std::uint64_t unlikely_blocks = 1024;

  [[nodiscard]] std::uint64_t tiles(std::uint32_t size) const {
    return (std::uint64_t{num_items_} + size - 1) / size;
  }
  // Each bucket has at most one tile that is not full.
  [[nodiscard]] std::uint64_t most_tiles(std::uint32_t size) const {
    return num_items_ / size + std::min<std::uint64_t>(num_buckets_, num_items_);
  }
  [[nodiscard]] std::uint32_t likely_passes() const {
    const std::uint64_t bucket = num_items_ / num_buckets_ * (num_buckets_ > 1 ? 2 : 1);
    return static_cast<std::uint32_t>(std::bit_width(bucket / sort_shape::size));
  }
  // Buckets begin at multiples of so many items.
  [[nodiscard]] std::uint32_t alignment() const {
    using weft::detail::transaction_bytes;
    return options_.align ? transaction_bytes / std::gcd(transaction_bytes, std::uint32_t{sizeof(T)}) : 1;
  }
  [[nodiscard]] tiled_items<T, Index> input() const { return {items_, num_items_, move_shape::size}; }
  [[nodiscard]] merge_buffers<T> buffers() const { return {items_, buffer_}; }

  const sample_merge_options options_;
  const Less less_;
  const cudaStream_t stream_;
  T* const items_;
  const Index num_items_;
  const std::uint32_t num_buckets_;
  const Index num_tiles_; // of the partition
  const int most_passes_;
  merge_plan<Index> plan_{};
  merge_slice<Index>* slices_ = nullptr;
  T *buffer_ = nullptr, *tree_ = nullptr;
  Index *counts_ = nullptr, *transposed_ = nullptr;
  void* scan_memory_ = nullptr;
  std::size_t scan_bytes_ = 0;
};

// As in the paper; where a merge sort has few passes, none.
template <class T, class Shape> std::uint32_t buckets_for(std::uint64_t num_items) {
  const std::uint64_t tiles = num_items / Shape::sort::size;
  if (tiles < 128) return 1;
  return sizeof(T) > 4 && tiles >= 1U << 13 ? 256 : 128;
}

template <class T> bool valid(const sample_merge_options& options, std::uint32_t num_buckets) {
  return std::popcount(num_buckets) == 1 && num_buckets <= most_device_buckets &&
         options.oversampling <= std::uint32_t{one_block_threads} * register_items<T> / num_buckets;
}

template <class Shape, class Index, class T, class Less>
cudaError_t sample_merge_sort(void* memory, std::size_t& bytes, T* items, std::uint64_t num_items,
                              std::uint32_t num_buckets, Less less, const sample_merge_options& options,
                              cudaStream_t stream) noexcept {
  sample_merge<T, Index, Less, Shape> sort(items, num_items, num_buckets, less, options, stream);
  std::size_t needed = 0;
  const cudaError_t status = sort.set_memory(memory, needed);
  if (status != cudaSuccess) return status;
  if (memory == nullptr) {
    bytes = needed;
    return cudaSuccess;
  }
  return bytes < needed ? cudaErrorInvalidValue : sort.run();
}

} // namespace detail

// Sorts in place; not stable. If d_temp_storage is nullptr, only sets temp_storage_bytes (about n items, and
// (transpose ? 2 : 1) k 4 n / 8192 bytes of 32-bit counts). Else enqueues the sort on the stream: allocates
// nothing, never synchronises, may be captured in a graph. Not deterministic where items are equivalent but
// not the same. Any strict weak order that a device can call; T is trivially copyable, at most 64 bytes.
// cudaErrorInvalidValue: options out of range, too little temporary memory.
template <class T, class Less, class Shape = detail::default_shape<T>>
requires std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T> &&(sizeof(T) <= 64)
    [[nodiscard]] cudaError_t
    sample_merge_sort(void* d_temp_storage, std::size_t& temp_storage_bytes, T* d_items,
                      std::uint64_t num_items, Less less, cudaStream_t stream,
                      const sample_merge_options& options = {}) noexcept {
  const std::uint32_t num_buckets =
      options.num_buckets != 0 ? options.num_buckets : detail::buckets_for<T, Shape>(num_items);
  if (!detail::valid<T>(options, num_buckets)) return cudaErrorInvalidValue;
  if (num_items < 2) {
    if (d_temp_storage == nullptr) temp_storage_bytes = 1;
    return cudaSuccess;
  }
  const std::uint64_t most_tile = std::max({Shape::sort::size, Shape::merge::size, Shape::move::size});
  const std::uint64_t positions = 2 * num_items + num_buckets * (most_tile + 128);
  const auto sort = positions <= UINT32_MAX ? detail::sample_merge_sort<Shape, std::uint32_t, T, Less>
                                            : detail::sample_merge_sort<Shape, std::uint64_t, T, Less>;
  return sort(d_temp_storage, temp_storage_bytes, d_items, num_items, num_buckets, less, options, stream);
}

} // namespace weft::gpu
