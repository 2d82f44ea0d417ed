// Stable sort with any comparator for items that do not fit in the cache, and on several threads.
//
// The plain version:
//     sort(items) = merge_sort(items), if they fit in the cache
//     splitters   = every 16th item of a sorted sample
//     bucket(x)   = how many splitters are not after x
//     move each item to its bucket, in the order of the items
//     sort(each bucket)
//
// 1. A merge sort of n items passes through memory once for each doubling beyond the cache. One distribution
//    to 256 buckets replaces eight such passes by two: one finds and counts the buckets, one moves the items.
//    The number of the bucket is kept in a byte, so that it is found once.
// 2. A bucket is found by a search tree without branches, for 8 items at a time, because each search waits
// for
//    its comparisons (Sanders & Winkel, Super Scalar Sample Sort, ESA 2004).
// 3. If a splitter occurs twice in the sample, many items equal it. Then there are half as many splitters,
// and
//    each has a bucket for the items that equal it, which is sorted already (as in IPS4o, Axtmann et al., ESA
//    2017).
// 4. Threads: each thread counts and moves the items of a slice. The offset of a slice in a bucket is the
//    number of items of earlier slices in it, so the result does not depend on the number of threads. Then
//    the buckets are distributed over the threads.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>
#include <weft/base/memory.hpp>
#include <weft/base/mixed.hpp>
#include <weft/base/monitor.hpp>
#include <weft/base/parallel.hpp>
#include <weft/sort/core/merge_runs.hpp>
#include <weft/sort/core/splitter_tree.hpp>
#include <weft/sort/cpu/merge_sort.hpp>

namespace weft::sort_detail {

constexpr std::uint64_t merge_grain = std::uint64_t{1} << 14; // items; fewer are not worth a thread
// More items are distributed to buckets, of the expected size below. On a Zen 4, 10^7 records of 16 bytes
// took 28.8 ns each with these constants, and 28.7 to 33 with any of 2^14 to 2^20 and 2^12 to 2^18.
constexpr std::uint64_t max_merged_bytes = std::uint64_t{1} << 18;
constexpr std::uint64_t bucket_bytes = std::uint64_t{1} << 16;

// The splitters of a distribution, in a search tree. The result of the sort does not depend on them.
template <class T, class Less> class bucket_search {
public:
  static constexpr std::uint32_t max_buckets = 256;

  // Chooses splitters for about n / items_per_bucket buckets of the items from[0 .. n-1].
  bucket_search(const T* from, std::uint64_t n, std::uint64_t items_per_bucket, Less& less) {
    constexpr std::uint64_t samples_per_bucket = 16;
    std::uint64_t buckets = std::bit_ceil(std::clamp<std::uint64_t>(n / items_per_bucket, 8, max_buckets));
    std::vector<T> sample(buckets * samples_per_bucket), other(sample.size());
    for (std::uint64_t state = n; T & item : sample) item = from[(state = base_detail::mixed(state)) % n];
    merge_sort(sample.data(), other.data(), sample.size(), false, less, nullptr);
    const auto splitter = [&](std::uint64_t i) -> const T& { return sample[i * (sample.size() / buckets)]; };
    for (std::uint64_t i = 2; i < buckets && !has_equal_buckets_; ++i)
      has_equal_buckets_ = !less(splitter(i - 1), splitter(i));
    if (has_equal_buckets_) buckets /= 2;
    num_leaves_ = static_cast<std::uint32_t>(buckets);
    for (std::uint32_t node = 1; node < num_leaves_; ++node)
      tree_[node] = splitter(splitter_of_node(node, num_leaves_));
    for (std::uint32_t i = 1; i < num_leaves_; ++i) splitters_[i] = splitter(i);
    splitters_[0] = splitters_[1];
  }

  [[nodiscard]] std::uint32_t num_buckets() const noexcept {
    return has_equal_buckets_ ? 2 * num_leaves_ - 1 : num_leaves_;
  }
  // Returns whether all items of a bucket are equal.
  [[nodiscard]] bool is_equal_bucket(std::uint32_t bucket) const noexcept {
    return has_equal_buckets_ && bucket % 2 != 0;
  }
  // Sets buckets[i] to the bucket of from[i], and adds the items to the counts of their buckets.
  void find(const T* from, std::uint64_t n, std::uint8_t* buckets, std::uint64_t* counts, Less& less) const {
    constexpr std::uint64_t group = 8;
    std::uint64_t i = 0;
    for (; i + group <= n; i += group) find_group<group>(from + i, buckets + i, counts, less);
    for (; i < n; ++i) find_group<1>(from + i, buckets + i, counts, less);
  }

private:
  template <std::uint64_t size>
  void find_group(const T* from, std::uint8_t* buckets, std::uint64_t* counts, Less& less) const {
    std::array<std::uint32_t, size> node;
    node.fill(1);
    for (std::uint32_t level = 1; level < num_leaves_; level *= 2)
      for (std::uint64_t i = 0; i < size; ++i)
        node[i] = 2 * node[i] + (less(from[i], tree_[node[i]]) ? 0 : 1);
    for (std::uint64_t i = 0; i < size; ++i) {
      std::uint32_t bucket = node[i] - num_leaves_;
      if (has_equal_buckets_) {
        const bool equal = !less(splitters_[bucket], from[i]);
        bucket = 2 * bucket - (bucket > 0 && equal ? 1 : 0); // equal items come before the others
      }
      buckets[i] = static_cast<std::uint8_t>(bucket);
      ++counts[bucket];
    }
  }

  std::array<T, max_buckets> tree_, splitters_;
  std::uint32_t num_leaves_ = 0;
  bool has_equal_buckets_ = false;
};

// Sorts by chunks on several threads, then merges the chunks in rounds of parallel merges. The result is in
// `other` if to_other, else in `items`.
template <class T, class Less>
void parallel_merge_sort(T* items, T* other, std::uint64_t n, bool to_other, const Less& less, int threads,
                         task_monitor* monitor) {
  const std::uint64_t chunks =
      std::clamp<std::uint64_t>(n / merge_grain, 1, static_cast<std::uint64_t>(threads));
  std::vector<std::uint64_t> bounds;
  for (std::uint64_t c = 0; c <= chunks; ++c) bounds.push_back(n / chunks * c + std::min(c, n % chunks));
  // Each round of merges moves the items to the other array. The chunks are therefore sorted into the array
  // from which the last round ends in the right one.
  const bool chunks_to_other = to_other != (num_merge_rounds(chunks) % 2 != 0);
  const int members = static_cast<int>(chunks);
  parallel_for(0, chunks, 1, members, [&](std::uint64_t c, std::uint64_t) {
    Less own_less = less;
    merge_sort(items + bounds[c], other + bounds[c], bounds[c + 1] - bounds[c], chunks_to_other, own_less,
               monitor);
    if (monitor != nullptr) monitor->check();
  });
  merge_runs(chunks_to_other ? other : items, chunks_to_other ? items : other, std::move(bounds), less,
             members, monitor);
}

// A bucket_sorter sorts one array.
template <class T, class Less> class bucket_sorter {
public:
  // Takes memory for n more items, and a byte for each item if they are distributed to buckets.
  bucket_sorter(std::span<T> items, const Less& less, int threads, task_monitor* monitor)
      : items_(items), buffer_(std::make_unique_for_overwrite<T[]>(items.size())), less_(less),
        threads_(items.size() < 2 * merge_grain ? 1 : thread_count(threads)), monitor_(monitor) {
    if (items.size_bytes() <= max_merged_bytes) return;
    prefer_large_pages(buffer_.get(), items.size_bytes());
    buckets_ = std::make_unique_for_overwrite<std::uint8_t[]>(items.size());
  }

  void sort() {
    sort_part({0, items_.size(), false, false}, threads_);
    if (monitor_ != nullptr) monitor_->add(items_.size());
  }

private:
  // A part of the array, and whether its items are in the buffer.
  struct part {
    std::uint64_t begin, size;
    bool in_buffer, is_sorted;
  };
  static constexpr std::uint64_t grain = std::uint64_t{1} << 16; // items, between two checks of the monitor

  [[nodiscard]] T* source(const part& of) const noexcept {
    return (of.in_buffer ? buffer_.get() : items_.data()) + of.begin;
  }
  [[nodiscard]] T* target(const part& of) const noexcept {
    return (of.in_buffer ? items_.data() : buffer_.get()) + of.begin;
  }
  void check() const {
    if (monitor_ != nullptr) monitor_->check();
  }

  // Sorts a part, and leaves it in the array.
  void sort_part(const part& of, int threads) {
    if (of.is_sorted || of.size * sizeof(T) <= max_merged_bytes) return merge_part(of, threads);
    const std::vector<part> buckets = distribute(of, threads);
    // A large bucket takes all threads. One that has most of the items shows that the sample is bad; merging
    // it bounds the time.
    std::vector<part> small;
    for (const part& bucket : buckets) {
      check();
      if (bucket.size > of.size / 2)
        merge_part(bucket, threads);
      else if (threads > 1 && bucket.size <= of.size / 4 / static_cast<std::uint64_t>(threads))
        small.push_back(bucket);
      else if (bucket.size > 0)
        sort_part(bucket, threads);
    }
    parallel_for(0, small.size(), 1, threads, [&](std::uint64_t i, std::uint64_t) {
      check();
      sort_part(small[i], 1);
    });
  }

  void merge_part(const part& of, int threads) {
    if (of.is_sorted) {
      if (of.in_buffer) std::copy_n(source(of), of.size, target(of));
    } else if (threads > 1 && of.size >= 2 * merge_grain) {
      parallel_merge_sort(source(of), target(of), of.size, of.in_buffer, less_, threads, monitor_);
    } else {
      Less own_less = less_;
      merge_sort(source(of), target(of), of.size, of.in_buffer, own_less, monitor_);
    }
  }

  // Moves the items of a part to their buckets, in the other array. Returns the buckets.
  std::vector<part> distribute(const part& of, int threads) {
    T *const from = source(of), *const to = target(of);
    std::uint8_t* const bucket_of = buckets_.get() + of.begin;
    Less first_less = less_;
    const bucket_search<T, Less> search(from, of.size, bucket_bytes / sizeof(T) + 1, first_less);
    const auto slices = static_cast<std::uint64_t>(threads);
    const std::uint64_t slice_items = (of.size + slices - 1) / slices;
    std::vector<std::array<std::uint64_t, 256>> positions(slices); // counts, then the next positions
    const auto for_each_piece = [&](const auto& body) {
      parallel_for(0, slices, 1, threads, [&](std::uint64_t s, std::uint64_t) {
        const std::uint64_t end = std::min(of.size, (s + 1) * slice_items);
        std::array<std::uint64_t, 256> own = positions[s]; // threads do not write to each other's lines
        for (std::uint64_t i = s * slice_items; i < end; i += grain) {
          check();
          body(i, std::min(end, i + grain), own.data());
        }
        positions[s] = own;
      });
    };
    for_each_piece([&](std::uint64_t first, std::uint64_t last, std::uint64_t* counts) {
      Less own_less = less_;
      search.find(from + first, last - first, bucket_of + first, counts, own_less);
    });
    std::vector<part> buckets;
    std::uint64_t at = 0;
    for (std::uint32_t b = 0; b < search.num_buckets(); ++b) {
      const std::uint64_t begin = at;
      for (auto& slice : positions) at += std::exchange(slice[b], at);
      buckets.push_back({of.begin + begin, at - begin, !of.in_buffer, search.is_equal_bucket(b)});
    }
    for_each_piece([&](std::uint64_t first, std::uint64_t last, std::uint64_t* next) {
      for (std::uint64_t i = first; i < last; ++i) to[next[bucket_of[i]]++] = from[i];
    });
    return buckets;
  }

  std::span<T> items_;
  std::unique_ptr<T[]> buffer_;
  std::unique_ptr<std::uint8_t[]> buckets_;
  const Less& less_;
  int threads_;
  task_monitor* monitor_;
};

// Sorts the items. Stable. Takes memory for n more items, and a byte for each item if they have more than
// max_merged_bytes; none if they have at most 4 KiB. If `less` throws, the items are in an unspecified state
// (nothing leaks, because T is trivially copyable).
template <class T, class Less>
void stable_sort_items(std::span<T> items, const Less& less, int threads, task_monitor* monitor) {
  static_assert(std::is_trivially_copyable_v<T>);
  constexpr std::uint64_t short_size = 4096 / sizeof(T);
  if (items.size() > short_size) return bucket_sorter<T, Less>(items, less, threads, monitor).sort();
  if (monitor != nullptr) monitor->check();
  T buffer[short_size];
  Less own_less = less;
  merge_sort(items.data(), buffer, items.size(), false, own_less, nullptr);
  if (monitor != nullptr) monitor->add(items.size());
}

} // namespace weft::sort_detail
