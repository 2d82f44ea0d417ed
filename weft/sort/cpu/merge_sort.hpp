// Stable merge sort with any comparator, on one thread.
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
// 3. Two merges at a time: a merge waits for each comparison before the next one can begin, so two
// neighbouring
//    merges, four chains of comparisons, take little more time than one. The glidesort of Peters does so,
//    too.
// 4. The first half has a power of two of blocks of 16 items, so that halves within it are equal. A block is
//    sorted by groups of four, without branches, as in the driftsort of Peters and Bergdoll.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <weft/base/monitor.hpp>
#include <weft/sort/core/insertion_sort.hpp>

namespace weft::sort_detail {

constexpr std::uint64_t block_size = 16; // items that are sorted without recursion

// A merge_chains object is the state of a merge of two runs from both ends: what is left of the runs, and
// where the next items go.
template <class T> struct merge_chains {
  const T *left, *left_last, *right, *right_last;
  T *to, *to_last;

  merge_chains(const T* first, std::uint64_t first_size, const T* second, std::uint64_t second_size,
               T* to_begin)
      : left(first), left_last(first + first_size - 1), right(second), right_last(second + second_size - 1),
        to(to_begin), to_last(to_begin + first_size + second_size - 1) {}

  // Moves the first and the last of the items that are left.
  template <class Less> void step(Less& less) {
    step_front(less);
    const bool take_left = less(*right_last, *left_last);
    *to_last-- = *(take_left ? left_last : right_last);
    left_last -= take_left;
    right_last -= !take_left;
  }
  template <class Less> void step_front(Less& less) {
    const bool take_right = less(*right, *left);
    *to++ = *(take_right ? right : left);
    right += take_right;
    left += !take_right;
  }
};

// Merges [from, from + half) and [from + half, from + n) into `to`, where half = n / 2.
template <class T, class Less> void merge_halves(const T* from, std::uint64_t n, T* to, Less& less) {
  const std::uint64_t half = n / 2;
  merge_chains<T> merge(from, half, from + half, n - half, to);
  for (std::uint64_t i = 0; i < half; ++i) merge.step(less);
  if (n % 2 != 0) *merge.to = *(merge.left <= merge.left_last ? merge.left : merge.right);
}

// Merges the halves of [from, from + n) into `to`, and the halves of [from + n, from + 2 n) into to + n. n
// must be even.
template <class T, class Less> void merge_two_halves(const T* from, std::uint64_t n, T* to, Less& less) {
  const std::uint64_t half = n / 2;
  merge_chains<T> first(from, half, from + half, half, to);
  merge_chains<T> second(from + n, half, from + n + half, half, to + n);
  for (std::uint64_t i = 0; i < half; ++i) {
    first.step(less);
    second.step(less);
  }
}

// Merges two runs of any sizes into `to`. While both have k items, k / 2 steps need no check of bounds.
template <class T, class Less>
void merge_unequal(const T* left, std::uint64_t left_size, const T* right, std::uint64_t right_size, T* to,
                   Less& less) {
  merge_chains<T> merge(left, left_size, right, right_size, to);
  while (const auto steps =
             std::min(merge.left_last + 1 - merge.left, merge.right_last + 1 - merge.right) / 2)
    for (std::ptrdiff_t i = 0; i < steps; ++i) merge.step(less);
  while (merge.left <= merge.left_last && merge.right <= merge.right_last) merge.step_front(less);
  T* const rest = std::copy(merge.left, merge.left_last + 1, merge.to);
  std::copy(merge.right, merge.right_last + 1, rest);
}

// Sorts four items into `to`, by five comparisons.
template <class T, class Less> void sort_four(const T* from, T* to, Less& less) {
  const bool swap_front = less(from[1], from[0]), swap_back = less(from[3], from[2]);
  const T *a = from + swap_front, *b = from + !swap_front;       // a <= b
  const T *c = from + 2 + swap_back, *d = from + 2 + !swap_back; // c <= d
  const bool c_first = less(*c, *a), b_last = less(*d, *b);
  const T* const min = c_first ? c : a;
  const T* const max = b_last ? b : d;
  const T* const left = c_first ? a : (b_last ? c : b); // the other two, in the order of the input
  const T* const right = b_last ? d : (c_first ? b : c);
  const bool swap_middle = less(*right, *left);
  to[0] = *min;
  to[1] = *(swap_middle ? right : left);
  to[2] = *(swap_middle ? left : right);
  to[3] = *max;
}

// Sorts block_size items. The result is in `other` if to_other, else in `items`.
template <class T, class Less> void sort_block(T* items, T* other, bool to_other, Less& less) {
  T fours[block_size];
  for (std::uint64_t i = 0; i < block_size; i += 4) sort_four(items + i, fours + i, less);
  T* const eights = to_other ? items : other;
  merge_two_halves(fours, block_size / 2, eights, less);
  merge_halves(eights, block_size, to_other ? other : items, less);
}

// Sorts the first n items and, separately, the next n items, where n is block_size or a power of two times
// it. The results are in `other` if to_other, else in `items`.
template <class T, class Less> void sort_two(T* items, T* other, std::uint64_t n, bool to_other, Less& less) {
  if (n == block_size) {
    sort_block(items, other, to_other, less);
    sort_block(items + n, other + n, to_other, less);
    return;
  }
  sort_two(items, other, n / 2, !to_other, less);
  sort_two(items + n, other + n, n / 2, !to_other, less);
  merge_two_halves(to_other ? items : other, n, to_other ? other : items, less);
}

// Sorts n items. The result is in `other` if to_other, else in `items`; both arrays have n elements. Stops if
// `monitor`, which may be null, is cancelled.
template <class T, class Less>
void merge_sort(T* items, T* other, std::uint64_t n, bool to_other, Less& less, task_monitor* monitor) {
  constexpr std::uint64_t checked_size = std::uint64_t{1} << 18; // fewer items take some ten milliseconds
  if (monitor != nullptr && n > checked_size) monitor->check();
  if (n < block_size) {
    sort_by_insertion(items, n, less);
    if (to_other) std::copy_n(items, n, other);
    return;
  }
  if (n == block_size) return sort_block(items, other, to_other, less);
  T *const from = to_other ? items : other, *const to = to_other ? other : items;
  const std::uint64_t first = std::bit_floor(n - 1);
  if (2 * first == n && n <= checked_size) {
    sort_two(items, other, first, !to_other, less);
    return merge_halves(from, n, to, less);
  }
  merge_sort(items, other, first, !to_other, less, monitor);
  merge_sort(items + first, other + first, n - first, !to_other, less, monitor);
  merge_unequal(from, first, from + first, n - first, to, less);
}

} // namespace weft::sort_detail
