// The sample-merge sort on the host. It runs the same block bodies as a device, in blocks of one thread, and
// distributes the blocks over the threads of the host.
//
// Kozawa, Amagasa & Kitagawa, An Efficient Sorting Algorithm on GPUs via Data Partitioning and Cooperative
// Merge. The input is partitioned once, by sampled splitters, into k buckets; this saves log k of the log(n /
// tile) passes over the memory that a merge sort makes. See published/sample_partition.hpp and
// published/cooperative_merge.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <new>
#include <numeric>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>
#include <weft/base/block.hpp>
#include <weft/base/monitor.hpp>
#include <weft/base/parallel.hpp>
#include <weft/sort/published/cooperative_merge.hpp>
#include <weft/sort/published/sample_partition.hpp>

namespace weft {

// Options of sample_merge_sort. The defaults suit every input; other values are for measurements and tests.
struct sample_merge_options {
  std::uint32_t num_buckets = 0;   // k: a power of two, at most 65536 (1: a merge sort); 0: at most 128
  std::uint32_t tile_size = 0;     // items, at most 2^20; 0: 32 KiB of items
  std::uint32_t oversampling = 0;  // alpha: samples for each bucket; 0: 48 KiB of samples in all
  std::uint64_t seed = 1;          // seed of the sample
  bool transpose = true;           // transpose the offsets, so that those of a tile are contiguous
  bool align = true;               // align buckets, and the writes of each pass, to 128 bytes
  int block_threads = 1;           // threads of a block on the host
  task_monitor* monitor = nullptr; // work unit: items
};

namespace sort_detail {

// Memory for n items that begins at a multiple of transaction_bytes. The items are not initialized.
template <class T> class aligned_buffer {
public:
  explicit aligned_buffer(std::uint64_t n)
      : items_(static_cast<T*>(::operator new (checked_bytes(n), std::align_val_t{alignment}))) {}
  [[nodiscard]] T* data() const noexcept { return items_.get(); }

private:
  static constexpr std::size_t alignment = std::max<std::size_t>(transaction_bytes, alignof(T));
  static std::size_t checked_bytes(std::uint64_t n) {
    if (n > ~std::size_t{0} / sizeof(T)) throw std::bad_alloc();
    return n * sizeof(T);
  }
  struct release {
    void operator()(T* items) const noexcept { ::operator delete (items, std::align_val_t{alignment}); }
  };
  std::unique_ptr<T, release> items_;
};

template <class T, class Less> class sample_merge_sorter {
  using index = std::uint64_t;
  static constexpr std::uint32_t default_buckets = 128;

public:
  sample_merge_sorter(std::span<T> items, Less less, const sample_merge_options& options, int threads)
      : options_(options), less_(less),
        threads_(thread_count(threads)), block_{options.block_threads}, input_{items.data(), items.size(),
                                                                               choose_tile_size(options)},
        items_(items), num_buckets_(options.num_buckets != 0 ? options.num_buckets
                                                             : default_num_buckets(input_.num_tiles())),
        table_storage_(3 * (num_buckets_ + std::uint64_t{1})), table_{&table_storage_[0],
                                                                      &table_storage_[num_buckets_ + 1],
                                                                      &table_storage_[2 * (num_buckets_ + 1)],
                                                                      num_buckets_} {}

  void sort() {
    if (input_.num_items < 2) return;
    const aligned_buffer<T> partitioned = partition();
    check();
    merge(partitioned.data());
    if (options_.monitor != nullptr) options_.monitor->add(input_.num_items);
  }

private:
  static std::uint32_t choose_tile_size(const sample_merge_options& options) {
    if (std::popcount(options.num_buckets) > 1 || options.num_buckets > max_sample_buckets)
      throw std::invalid_argument("sample_merge_sort: num_buckets is a power of two, at most 65536");
    if (options.tile_size > max_tile_items)
      throw std::invalid_argument("sample_merge_sort: tile_size is at most 2^20");
    if (options.oversampling > max_tile_items / std::max(options.num_buckets, default_buckets))
      throw std::invalid_argument("sample_merge_sort: num_buckets * oversampling is at most 2^20");
    if (options.block_threads < 1) throw std::invalid_argument("sample_merge_sort: block_threads >= 1");
    constexpr std::uint32_t fitting = 32768 / sizeof(T);
    return options.tile_size != 0 ? options.tile_size : std::max(fitting, 64U);
  }

  // Returns the default number of buckets: 128, or, because more buckets than tiles are not worth the
  // partition, the number of tiles rounded up to a power of two if that is less.
  static std::uint32_t default_num_buckets(index num_tiles) {
    return static_cast<std::uint32_t>(std::bit_ceil(std::clamp<index>(num_tiles, 1, default_buckets)));
  }

  // Returns the number of items that the positions of buckets are multiples of.
  [[nodiscard]] std::uint32_t alignment() const {
    return options_.align
               ? transaction_bytes / std::gcd(transaction_bytes, static_cast<std::uint32_t>(sizeof(T)))
               : 1;
  }

  // Calls body(block, workspace, comparator) for the blocks [0, num_blocks), on all threads. Every piece of
  // work has its own comparator, and its own workspace, which memory() makes.
  template <class Memory, class Body> void launch(index num_blocks, const Memory& memory, const Body& body) {
    const index grain = std::max<index>(num_blocks / (static_cast<index>(threads_) * 8), 1);
    parallel_for(0, num_blocks, grain, threads_, [&](index first, index last) {
      Less own_less = less_;
      const auto shared = memory();
      for (index i = first; i < last; ++i) body(i, shared, own_less);
      check();
    });
  }
  void check() const {
    if (options_.monitor != nullptr) options_.monitor->check();
  }

  aligned_buffer<T> sample_splitters() {
    const index fitting = std::min<index>(49152 / sizeof(T), input_.num_items) / num_buckets_;
    const std::uint32_t alpha = options_.oversampling != 0
                                    ? options_.oversampling
                                    : std::max(static_cast<std::uint32_t>(fitting), 1U);
    const aligned_buffer<T> samples(index{alpha} * num_buckets_);
    aligned_buffer<T> tree(num_buckets_);
    choose_splitters(block_, items_.data(), input_.num_items, num_buckets_, alpha, options_.seed,
                     samples.data(), tree.data(), less_);
    return tree;
  }

  // Returns the sums s of sample_partition.hpp, transposed if the options say so.
  std::vector<index> compute_offsets(const T* tree) {
    const index num_tiles = input_.num_tiles();
    std::vector<index> sums(num_buckets_ * num_tiles);
    launch(
        num_tiles, [&] { return std::make_unique<std::uint32_t[]>(num_buckets_); },
        [&](index tile, const auto& shared, Less& less) {
          count_buckets(block_, tile, input_, tree, num_buckets_, shared.get(), sums.data(), serial_add(),
                        less);
        });
    std::exclusive_scan(sums.begin(), sums.end(), sums.begin(), index{0});
    if (!options_.transpose) return sums;
    std::vector<index> transposed(sums.size());
    const auto squares = [](index n) { return (n + square_size - 1) / square_size; };
    launch(
        squares(num_buckets_) * squares(num_tiles),
        [&] { return std::make_unique<index[]>(square_size * (square_size + 1)); },
        [&](index square, const auto& shared, Less&) {
          weft::sort_detail::transpose(block_, square, sums.data(), index{num_buckets_}, num_tiles,
                                       transposed.data(), shared.get());
        });
    return transposed;
  }

  struct relocation_buffers {
    std::unique_ptr<T[]> items;
    std::unique_ptr<std::uint16_t[]> buckets;
    std::unique_ptr<std::uint32_t[]> counts, scratch;
    std::unique_ptr<index[]> shifts;
  };

  aligned_buffer<T> partition() {
    const aligned_buffer<T> tree = sample_splitters();
    const std::vector<index> sums = compute_offsets(tree.data());
    const bucket_offsets<index> tile_offsets{sums.data(), num_buckets_, input_.num_tiles(), input_.num_items,
                                             options_.transpose};
    lay_out_buckets(block_, tile_offsets, input_.tile_size, alignment(), table_);
    aligned_buffer<T> partitioned(table_.aligned_start[num_buckets_]);
    launch(
        input_.num_tiles(),
        [&] {
          return relocation_buffers{std::make_unique_for_overwrite<T[]>(input_.tile_size),
                                    std::make_unique<std::uint16_t[]>(input_.tile_size),
                                    std::make_unique<std::uint32_t[]>(num_buckets_),
                                    std::make_unique<std::uint32_t[]>(num_buckets_),
                                    std::make_unique<index[]>(num_buckets_)};
        },
        [&](index tile, const relocation_buffers& buffers, Less& less) {
          relocate(block_, tile, input_, tree.data(), tile_offsets, table_,
                   relocation_workspace<T, index>{buffers.items.get(), buffers.buckets.get(),
                                                  buffers.counts.get(), buffers.scratch.get(),
                                                  buffers.shifts.get()},
                   partitioned.data(), serial_add(), less);
        });
    return partitioned;
  }

  struct merge_buffers {
    std::unique_ptr<T[]> items, other;
    std::unique_ptr<index[]> splits;
    merge_workspace<T, index> memory{items.get(), other.get(), splits.get()};
  };

  // Sorts the buckets of `partitioned` into the items. The last pass writes to the items; the passes before
  // it alternate between two buffers.
  void merge(T* partitioned) {
    const int passes = num_merge_passes(table_);
    const index num_tiles = table_.first_tile[num_buckets_];
    const auto memory = [&] {
      return merge_buffers{std::make_unique_for_overwrite<T[]>(input_.tile_size),
                           std::make_unique_for_overwrite<T[]>(input_.tile_size),
                           std::make_unique<index[]>(2)};
    };
    const bucket_space<T> result{items_.data(), true};
    const aligned_buffer<T> second(passes < 2 ? 0 : table_.aligned_start[num_buckets_]);
    bucket_space<T> from{partitioned, false}, other{second.data(), false};
    launch(num_tiles, memory, [&](index tile, const merge_buffers& buffers, Less& less) {
      sort_tile(block_, tile, table_, input_.tile_size, buffers.memory, from, passes == 0 ? result : from,
                options_.align, less);
    });
    index width = input_.tile_size;
    for (int pass = 1; pass <= passes; ++pass, width *= 2) {
      launch(num_tiles, memory, [&](index tile, const merge_buffers& buffers, Less& less) {
        merge_tile(block_, tile, table_, input_.tile_size, width, buffers.memory, from,
                   pass == passes ? result : other, options_.align, less);
      });
      std::swap(from, other);
    }
  }

  const sample_merge_options options_;
  Less less_;
  const int threads_;
  const host_block block_;
  const tiled_items<T, index> input_;
  const std::span<T> items_;
  const std::uint32_t num_buckets_;
  std::vector<index> table_storage_;
  const bucket_table<index> table_;
};

} // namespace sort_detail

// Sorts in place. Not stable, because of relocate (published/sample_partition.hpp). The same input and
// options give the same result for any number of threads (0: all). O(n log n), whatever the number of
// distinct items. Takes extra memory for 2 n items (n if every bucket fits in two tiles), and 16 k n /
// tile_size bytes. If `less` throws, the items are in an unspecified state. Throws std::invalid_argument for
// options out of range, bad_alloc, cancelled_error, and what `less` throws.
template <class T, class Less>
requires std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>
void sample_merge_sort(std::span<T> items, Less less, const sample_merge_options& options = {},
                       int threads = 0) {
  sort_detail::sample_merge_sorter<T, Less>(items, less, options, threads).sort();
}

} // namespace weft
