// The sample-merge sort on a device: Kozawa, Amagasa & Kitagawa, An Efficient Sorting Algorithm on GPUs via
// Data Partitioning and Cooperative Merge. One partition into k buckets by sampled splitters replaces log k
// of the log(n / tile) passes that a merge sort makes over the memory. Each pass then merges within all
// buckets in one launch. See published/sample_partition.hpp and published/cooperative_merge.hpp.
//
//   choose_splitters  count_buckets  (cub::DeviceScan)  lay_out_buckets  transpose  relocate
//   sort_tiles  (split  merge) for each pass
//
// The host does not know the sizes of the buckets when it launches the kernels. The sizes stay on the device,
// every grid is sized for the largest possible number of tiles, and the number of passes for the largest
// possible bucket (all items). Blocks and passes that have nothing to do end at once. Passes beyond those
// that buckets of twice the mean size need get small grids.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cub/device/device_scan.cuh>
#include <iterator>
#include <numeric>
#include <type_traits>
#include <weft/sort/cuda/launch.cuh>
#include <weft/sort/cuda/temporary_storage.hpp>
#include <weft/sort/published/cuda/merge_kernels.cuh>

namespace weft::gpu {

// The options of a sample-merge sort. The defaults are good; other values are for measurements and tests.
struct sample_merge_options {
  // k: a power of two, at most 1024 (1: a merge sort); 0: chosen by size and type
  std::uint32_t num_buckets = 0;
  // alpha: samples per bucket, at most what one block sorts; 0: chosen by size
  std::uint32_t oversampling = 0;
  std::uint64_t seed = 1; // seed of the sample
  bool transpose = true;  // transposes the offsets, so that the offsets of a tile are contiguous
  bool align = true;      // aligns buckets in the buffer, and the writes of each pass, to 128 bytes
};

} // namespace weft::gpu

namespace weft::sort_detail {

// The shapes (threads, and items per thread) of the tiles of the sort, of the merge, and of the moves to
// buckets.
template <class Sort, class Merge, class Move, bool Async = false> struct sample_merge_shape {
  using sort = Sort;
  using merge = Merge;
  using move = Move;
  static constexpr bool async = Async; // merges load directly into shared memory, not through registers

  static_assert(std::has_single_bit(unsigned{Sort::items}) && Sort::threads % 32 == 0);
  static_assert(std::has_single_bit(unsigned{Merge::items}) || Merge::items % 2 != 0);
  static_assert(2 * Sort::size % Merge::size == 0);
};

template <class T, int Items = register_items<T>> struct default_shapes {
  using type =
      sample_merge_shape<tile_shape<512, Items, 2>, tile_shape<256, Items, 4>, tile_shape<512, Items, 2>>;
};
template <class T>
requires(sizeof(T) == 4) struct default_shapes<T> {
  using type = sample_merge_shape<tile_shape<512, 32, 2>, tile_shape<256, 32, 3>, tile_shape<512, 16, 2>>;
};
template <class T> using default_shape = typename default_shapes<T>::type;

// One sample-merge sort: a function for each phase, which launches its kernels and returns at once. num_items
// >= 2.
template <class T, class Index, class Less, class Shape> class sample_merge {
  using sort_shape = typename Shape::sort;
  using merge_shape = typename Shape::merge;
  using move_shape = typename Shape::move;

public:
  sample_merge(T* items, std::uint64_t num_items, std::uint32_t num_buckets, Less less,
               const gpu::sample_merge_options& options, cudaStream_t stream) noexcept
      : options_(options), less_(less), stream_(stream), items_(items),
        num_items_(static_cast<Index>(num_items)), num_buckets_(num_buckets),
        num_tiles_(tiles(move_shape::size)), max_passes_(std::bit_width(tiles(sort_shape::size) - 1)) {}

  // Divides the memory among the arrays of the sort, or only sets `bytes` to the size needed if `memory` is
  // nullptr. Returns cudaErrorNotSupported if the device's blocks have too little shared memory,
  // cudaErrorInvalidValue if there are too few bytes.
  cudaError_t set_memory(void* memory, std::size_t& bytes) noexcept {
    if (const cudaError_t status = base_detail::shared_memory_limit(shared_limit_)) return status;
    if (shared_bytes() > shared_limit_) return cudaErrorNotSupported;
    const std::size_t buckets = num_buckets_, table_bytes = (buckets + 1) * sizeof(Index);
    const bool splits = buckets > 1, merges = max_passes_ > 0;
    const std::size_t counts = splits ? buckets * num_tiles_ : 0;
    if (splits)
      if (const cudaError_t status = cub::DeviceScan::ExclusiveSum(
              nullptr, scan_bytes_, counts_, counts_, static_cast<std::int64_t>(counts), stream_))
        return status;
    const std::size_t sizes[] = {table_bytes,
                                 table_bytes,
                                 table_bytes,
                                 table_bytes,
                                 sizeof(std::uint32_t),
                                 merges ? max_tiles(merge_shape::size) * sizeof(slice_of_tile<Index>) : 0,
                                 splits || merges ? (num_items_ + buckets * alignment()) * sizeof(T) : 0,
                                 splits ? buckets * sizeof(T) : 0,
                                 counts * sizeof(Index),
                                 options_.transpose ? counts * sizeof(Index) : 0,
                                 scan_bytes_};
    void* parts[std::size(sizes)] = {};
    if (const cudaError_t status = cut_storage(memory, bytes, sizes, parts)) return status;
    plan_.sort_tiles = {static_cast<Index*>(parts[0]), static_cast<Index*>(parts[1]),
                        static_cast<Index*>(parts[2]), num_buckets_};
    plan_.merge_tiles = plan_.sort_tiles;
    plan_.merge_tiles.first_tile = static_cast<Index*>(parts[3]);
    plan_.num_passes = static_cast<std::uint32_t*>(parts[4]);
    slices_ = static_cast<slice_of_tile<Index>*>(parts[5]);
    buffer_ = static_cast<T*>(parts[6]);
    tree_ = static_cast<T*>(parts[7]);
    counts_ = static_cast<Index*>(parts[8]);
    transposed_ = static_cast<Index*>(parts[options_.transpose ? 9 : 8]);
    scan_memory_ = parts[10];
    return cudaSuccess;
  }

  [[nodiscard]] std::uint32_t num_buckets() const { return num_buckets_; }
  [[nodiscard]] std::uint32_t max_passes() const { return static_cast<std::uint32_t>(max_passes_); }
  [[nodiscard]] const merge_plan<Index>& plan() const { return plan_; }

  cudaError_t choose_splitters() const noexcept {
    // Small inputs get few samples: one block sorts the samples while all other blocks wait.
    const std::uint64_t samples = std::min<std::uint64_t>(max_samples(), num_items_ / 256);
    const std::uint64_t alpha = std::max<std::uint64_t>(
        options_.oversampling != 0
            ? std::min<std::uint64_t>(options_.oversampling, max_samples() / num_buckets_)
            : samples / num_buckets_,
        1);
    return launch(choose_splitters_kernel<sample_items, T, Index, Less>, 1, one_block_threads,
                  sample_bytes(alpha * num_buckets_), stream_, items_, num_items_, num_buckets_,
                  static_cast<std::uint32_t>(alpha), options_.seed, tree_, less_);
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
  cudaError_t lay_out_buckets() const noexcept {
    const bucket_offsets<Index> offsets{counts_, num_buckets_, num_buckets_ > 1 ? num_tiles_ : 1, num_items_,
                                        false};
    return launch(lay_out_buckets_kernel<Index>, 1, one_block_threads, 0, stream_, offsets, sort_shape::size,
                  merge_shape::size, alignment(), plan_);
  }
  cudaError_t transpose() const noexcept {
    if (!options_.transpose) return cudaSuccess;
    const auto squares = [](std::uint64_t n) { return (n + square_size - 1) / square_size; };
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
    return launch(sort_tiles_kernel<sort_shape, T, Index, Less>, max_tiles(sort_shape::size),
                  sort_shape::threads, shared_tile<T>::bytes(sort_shape::size, sort_shape::items), stream_,
                  plan_, from, buffers(), options_.align, less_);
  }
  cudaError_t merge(std::uint32_t pass) const noexcept {
    const std::uint64_t blocks = max_tiles(merge_shape::size);
    cudaError_t status =
        launch(split_kernel<merge_shape::size, T, Index, Less>,
               (blocks + split_threads / 2 - 1) / (split_threads / 2), split_threads, 0, stream_, plan_, pass,
               static_cast<Index>(std::uint64_t{sort_shape::size} << pass), buffers(), slices_, less_);
    if (status != cudaSuccess) return status;
    const bool unlikely = pass >= likely_passes();
    return launch(unlikely ? merge_kernel<merge_shape, Shape::async, true, T, Index, Less>
                           : merge_kernel<merge_shape, Shape::async, false, T, Index, Less>,
                  unlikely ? std::min<std::uint64_t>(blocks, unlikely_blocks) : blocks, merge_shape::threads,
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
    next([&] { return lay_out_buckets(); });
    if (num_buckets_ > 1) {
      next([&] { return transpose(); });
      next([&] { return relocate(); });
    }
    next([&] { return sort_tiles(); });
    for (std::uint32_t pass = 0; pass < max_passes(); ++pass) next([&] { return merge(pass); });
    return status;
  }

private:
  static constexpr std::uint64_t unlikely_blocks = 1024;
  static constexpr int sample_items = register_items<T>; // samples of a thread
  static constexpr std::uint32_t warp_samples = 32 * sample_items;

  // Returns the bytes of shared memory for the samples, rounded up to whole warps, as sort_block needs.
  [[nodiscard]] static std::size_t sample_bytes(std::uint64_t samples) {
    return shared_tile<T>::bytes(
        static_cast<std::uint32_t>((samples + warp_samples - 1) / warp_samples * warp_samples), sample_items);
  }
  [[nodiscard]] std::uint64_t max_samples() const {
    std::uint64_t samples = std::uint64_t{one_block_threads} * sample_items;
    while (samples > warp_samples && sample_bytes(samples) > shared_limit_) samples -= warp_samples;
    return samples;
  }
  // Returns the largest number of bytes that a block of any of the kernels needs.
  [[nodiscard]] std::size_t shared_bytes() const {
    const std::size_t merging =
        std::max(shared_tile<T>::bytes(sort_shape::size, sort_shape::items),
                 merge_tile_memory<merge_shape, T>::bytes(merge_shape::size, merge_shape::items));
    if (num_buckets_ == 1) return merging;
    return std::max({merging, sample_bytes(num_buckets_),
                     partition_memory<T, Index>::bytes(num_buckets_, move_shape::size) +
                         sizeof(count_sums_memory<move_shape::threads>)});
  }

  [[nodiscard]] std::uint64_t tiles(std::uint32_t size) const {
    return (std::uint64_t{num_items_} + size - 1) / size;
  }
  // Returns the largest possible number of tiles: each bucket has at most one tile that is not full.
  [[nodiscard]] std::uint64_t max_tiles(std::uint32_t size) const {
    return num_items_ / size + std::min<std::uint64_t>(num_buckets_, num_items_);
  }
  [[nodiscard]] std::uint32_t likely_passes() const {
    const std::uint64_t bucket = num_items_ / num_buckets_ * (num_buckets_ > 1 ? 2 : 1);
    return static_cast<std::uint32_t>(std::bit_width(bucket / sort_shape::size));
  }
  // Returns the number of items at whose multiples buckets begin.
  [[nodiscard]] std::uint32_t alignment() const {
    return options_.align ? transaction_bytes / std::gcd(transaction_bytes, std::uint32_t{sizeof(T)}) : 1;
  }
  [[nodiscard]] tiled_items<T, Index> input() const { return {items_, num_items_, move_shape::size}; }
  [[nodiscard]] merge_buffers<T> buffers() const { return {items_, buffer_}; }

  const gpu::sample_merge_options options_;
  const Less less_;
  const cudaStream_t stream_;
  T* const items_;
  const Index num_items_;
  const std::uint32_t num_buckets_;
  const Index num_tiles_; // of the partition, not of the sort or the merge
  const int max_passes_;
  merge_plan<Index> plan_{};
  slice_of_tile<Index>* slices_ = nullptr;
  T *buffer_ = nullptr, *tree_ = nullptr;
  Index *counts_ = nullptr, *transposed_ = nullptr;
  void* scan_memory_ = nullptr;
  std::size_t scan_bytes_ = 0, shared_limit_ = 0;
};

// Returns the number of buckets that is fastest on an H200, found as the paper found its 128 (its Figure 8;
// docs/papers.md). Returns 1 if a merge sort needs few passes.
template <class T, class Shape> std::uint32_t buckets_for(std::uint64_t num_items) {
  if (num_items / Shape::sort::size < 128) return 1;
  return sizeof(T) <= 8 && num_items >= 1U << 22 ? 512 : 256;
}

template <class T> bool valid(const gpu::sample_merge_options& options, std::uint32_t num_buckets) {
  return std::popcount(num_buckets) == 1 && num_buckets <= max_device_buckets &&
         options.oversampling <= std::uint32_t{one_block_threads} * register_items<T> / num_buckets;
}

template <class Shape, class Index, class T, class Less>
cudaError_t run_sample_merge(void* memory, std::size_t& bytes, T* items, std::uint64_t num_items,
                             std::uint32_t num_buckets, Less less, const gpu::sample_merge_options& options,
                             cudaStream_t stream) noexcept {
  sample_merge<T, Index, Less, Shape> sort(items, num_items, num_buckets, less, options, stream);
  const cudaError_t status = sort.set_memory(memory, bytes);
  return status != cudaSuccess || memory == nullptr ? status : sort.run();
}

} // namespace weft::sort_detail

namespace weft::gpu {

// Sorts in place; not stable. If d_temp_storage is nullptr, only sets temp_storage_bytes (about n items, and
// (transpose ? 2 : 1) k 4 n / 8192 bytes of 32-bit counts). Else enqueues the sort on the stream: it
// allocates nothing, never synchronises, and may be captured in a graph. The result is not deterministic if
// items are equivalent but not the same. `Less` is any strict weak order that a device can call; T is
// trivially copyable and has at most 64 bytes. Returns cudaErrorInvalidValue if options are out of range or
// there is too little temporary memory, and, for most types, cudaErrorNotSupported on a device whose blocks
// have less than 99 KB of shared memory (compute capability 7.5).
template <class T, class Less, class Shape = sort_detail::default_shape<T>>
requires std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T> &&
    (sizeof(T) <= sort_detail::max_item_bytes) [[nodiscard]] cudaError_t
    sample_merge_sort(void* d_temp_storage, std::size_t& temp_storage_bytes, T* d_items,
                      std::uint64_t num_items, Less less, cudaStream_t stream,
                      const sample_merge_options& options = {}) noexcept {
  const std::uint32_t num_buckets =
      options.num_buckets != 0 ? options.num_buckets : sort_detail::buckets_for<T, Shape>(num_items);
  if (!sort_detail::valid<T>(options, num_buckets)) return cudaErrorInvalidValue;
  if (num_items < 2) return sort_detail::need_nothing(d_temp_storage, temp_storage_bytes);
  const std::uint64_t max_tile = std::max({Shape::sort::size, Shape::merge::size, Shape::move::size});
  const std::uint64_t positions = 2 * num_items + num_buckets * (max_tile + 128);
  const auto sort = positions <= UINT32_MAX ? sort_detail::run_sample_merge<Shape, std::uint32_t, T, Less>
                                            : sort_detail::run_sample_merge<Shape, std::uint64_t, T, Less>;
  return sort(d_temp_storage, temp_storage_bytes, d_items, num_items, num_buckets, less, options, stream);
}

} // namespace weft::gpu
