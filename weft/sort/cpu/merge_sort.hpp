// Stable merge sort with any comparator: sorts chunks in parallel, then merges them in rounds of parallel
// merges.
//
// The plain version:
//     sort(items) = items, if there is one or none
//     sort(items) = merge(sort(first half), sort(second half))
//
// 1. Merging from both ends: two halves of equal size are merged from the front and from the back at the same
//    time, n / 2 items from each end. Neither half can run out of items, because i steps take at most i items
//    of each half; therefore no bound is checked, and the two chains of comparisons overlap. The quadsort of
//    van den Hoven (https://github.com/scandum/quadsort) merges in this way.
// 2. No branches to predict: the result of a comparison selects a pointer.
// 3. Threads: each thread sorts a chunk. Then the chunks are merged pair by pair, and Merge Path (Odeh et
//    al., IPDPSW 2012) cuts each merge into slices of equal output.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/base/monitor.hpp>
#include <weft/base/parallel.hpp>
#include <weft/sort/core/insertion_sort.hpp>
#include <weft/sort/core/merge_runs.hpp>

namespace weft::sort_detail {

constexpr std::uint64_t insertion_size = 16;
constexpr std::uint64_t merge_grain = std::uint64_t{1} << 14; // items; fewer are not worth a thread

// Merges [from, from + half) and [from + half, from + n) into `to`, where half = n / 2.
template <class T, class Less> void merge_halves(const T* from, std::uint64_t n, T* to, Less& less) {
  const std::uint64_t half = n / 2;
  const T *left = from, *right = from + half, *left_last = right - 1, *right_last = from + n - 1;
  T* to_last = to + n - 1;
  for (std::uint64_t i = 0; i < half; ++i) {
    const bool take_right = less(*right, *left);
    *to++ = *(take_right ? right : left);
    right += take_right;
    left += !take_right;
    const bool take_left = less(*right_last, *left_last);
    *to_last-- = *(take_left ? left_last : right_last);
    left_last -= take_left;
    right_last -= !take_left;
  }
  if (n % 2 != 0) *to = *(left <= left_last ? left : right);
}

// Sorts n items. The result is in `other` if to_other, else in `items`; both arrays have n elements. Stops if
// `monitor`, which may be null, is cancelled.
template <class T, class Less>
void merge_sort(T* items, T* other, std::uint64_t n, bool to_other, Less& less, task_monitor* monitor) {
  constexpr std::uint64_t checked_size = std::uint64_t{1} << 18; // fewer items take some ten milliseconds
  if (monitor != nullptr && n > checked_size) monitor->check();
  if (n <= insertion_size) {
    sort_by_insertion(items, n, less);
    if (to_other) std::copy_n(items, n, other);
    return;
  }
  const std::uint64_t half = n / 2;
  merge_sort(items, other, half, !to_other, less, monitor);
  merge_sort(items + half, other + half, n - half, !to_other, less, monitor);
  if (to_other)
    merge_halves(items, n, other, less);
  else
    merge_halves(other, n, items, less);
}

// Sorts the items. Stable. Takes memory for n more items. If `less` throws, the items are in an unspecified
// state (nothing leaks, because T is trivially copyable).
template <class T, class Less>
void parallel_merge_sort(std::span<T> items, Less less, int threads, task_monitor* monitor) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::uint64_t n = items.size();
  const auto buffer = std::make_unique_for_overwrite<T[]>(n);
  const std::uint64_t chunks =
      std::clamp<std::uint64_t>(n / merge_grain, 1, static_cast<std::uint64_t>(thread_count(threads)));
  std::vector<std::uint64_t> bounds;
  for (std::uint64_t c = 0; c <= chunks; ++c) bounds.push_back(n / chunks * c + std::min(c, n % chunks));
  const bool in_buffer = num_merge_rounds(chunks) % 2 != 0;
  // Each round of merges moves the items to the other array. The chunks are therefore sorted into the array
  // from which the last round ends in `items`.
  const int members = static_cast<int>(chunks);
  parallel_for(0, chunks, 1, members, [&](std::uint64_t c, std::uint64_t) {
    Less own_less = less;
    merge_sort(items.data() + bounds[c], buffer.get() + bounds[c], bounds[c + 1] - bounds[c], in_buffer,
               own_less, monitor);
    if (monitor != nullptr) monitor->check();
  });
  merge_runs(in_buffer ? buffer.get() : items.data(), in_buffer ? items.data() : buffer.get(),
             std::move(bounds), less, members, monitor);
  if (monitor != nullptr) monitor->add(n);
}

} // namespace weft::sort_detail
