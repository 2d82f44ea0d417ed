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
#include <weft/sort/core/merge_path.hpp>

namespace weft::detail {

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

// Sorts n items. The result is in `other` if to_other, else in `items`; both arrays have n elements.
template <class T, class Less>
void merge_sort(T* items, T* other, std::uint64_t n, bool to_other, Less& less) {
  if (n <= insertion_size) {
    sort_by_insertion(items, n, less);
    if (to_other) std::copy_n(items, n, other);
    return;
  }
  const std::uint64_t half = n / 2;
  merge_sort(items, other, half, !to_other, less);
  merge_sort(items + half, other + half, n - half, !to_other, less);
  if (to_other)
    merge_halves(items, n, other, less);
  else
    merge_halves(other, n, items, less);
}

// Merges the runs [bounds[r], bounds[r + 1]) of `from` pair by pair into `to`. Returns the bounds of the
// merged runs.
template <class T, class Less>
std::vector<std::uint64_t> merge_round(const T* from, T* to, const std::vector<std::uint64_t>& bounds,
                                       Less less, int threads) {
  const std::uint64_t n = bounds.back(), slices = static_cast<std::uint64_t>(threads);
  std::vector<std::uint64_t> result;
  for (std::size_t r = 0; r < bounds.size(); r += 2) result.push_back(bounds[r]);
  if (result.back() != n) result.push_back(n);
  const std::uint64_t grain = std::max((n + slices - 1) / slices, std::uint64_t{1});
  parallel_for(0, n, grain, threads, [&](std::uint64_t first, std::uint64_t last) {
    Less own_less = less;
    for (std::size_t r = 0; r + 1 < bounds.size(); r += 2) { // merges the part of each pair in this slice
      const std::uint64_t begin = bounds[r], middle = bounds[r + 1];
      const std::uint64_t end = r + 2 < bounds.size() ? bounds[r + 2] : middle;
      const std::uint64_t from_here = std::max(first, begin), to_here = std::min(last, end);
      if (from_here >= to_here) continue;
      merge_slice(from + begin, middle - begin, from + middle, end - middle, from_here - begin,
                  to_here - begin, to + from_here, own_less);
    }
  });
  return result;
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
  bool in_buffer = false;
  for (std::uint64_t runs = chunks; runs > 1; runs = (runs + 1) / 2) in_buffer = !in_buffer;
  // Each round of merges moves the items to the other array. The chunks are therefore sorted into the array
  // from which the last round ends in `items`.
  const int members = static_cast<int>(chunks);
  parallel_for(0, chunks, 1, members, [&](std::uint64_t c, std::uint64_t) {
    Less own_less = less;
    merge_sort(items.data() + bounds[c], buffer.get() + bounds[c], bounds[c + 1] - bounds[c], in_buffer,
               own_less);
    if (monitor != nullptr) monitor->check();
  });
  while (bounds.size() > 2) {
    bounds = in_buffer ? merge_round<T>(buffer.get(), items.data(), bounds, less, members)
                       : merge_round<T>(items.data(), buffer.get(), bounds, less, members);
    in_buffer = !in_buffer;
    if (monitor != nullptr) monitor->check();
  }
  if (monitor != nullptr) monitor->add(n);
}

} // namespace weft::detail
