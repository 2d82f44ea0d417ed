// Selects the code that sorts, by the type of the items and the comparator. Numbers in their own order go to
// numbers.hpp, which is compiled once; everything else is merged by the comparator.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/base/parallel.hpp>
#include <weft/sort/core/ordered_bits.hpp>
#include <weft/sort/cpu/merge_sort.hpp>
#include <weft/sort/cpu/permute.hpp>
#include <weft/sort/cpu/sample_merge.hpp>
#include <weft/sort/entry/engine_choice.hpp>
#include <weft/sort/entry/numbers.hpp>
#include <weft/sort/sort_options.hpp>

namespace weft::detail {

// Whether Less is a comparator that the engines recognize: an order of numbers that they sort by. A stable
// sort of floating-point numbers cannot treat std::less so, because std::less takes -0 and +0 as equal.
template <class T, class Less> constexpr bool is_ascending = std::is_same_v<Less, ascending>;
template <class T, class Less> constexpr bool is_descending = std::is_same_v<Less, descending>;
template <class T, class Less>
constexpr bool is_less = std::is_same_v<Less, std::less<>> || std::is_same_v<Less, std::less<T>> ||
                         std::is_same_v<Less, std::ranges::less>;
template <class T, class Less>
constexpr bool is_greater = std::is_same_v<Less, std::greater<>> || std::is_same_v<Less, std::greater<T>> ||
                            std::is_same_v<Less, std::ranges::greater>;
template <class T, class Less>
constexpr bool known_order = number<T> && (is_ascending<T, Less> || is_descending<T, Less> ||
                                           is_less<T, Less> || is_greater<T, Less>);
// Whether a stable sort by Less is a sort by ordered_bits.
template <class T, class Less>
constexpr bool stable_order = known_order<T, Less> && (is_ascending<T, Less> || is_descending<T, Less> ||
                                                       !std::is_floating_point_v<T>);
// The number type, and direction, of items that are sorted in a known order.
template <class T, class Less>
constexpr number_type known_number_type = number_type_of<T>(is_descending<T, Less> || is_greater<T, Less>);

// Whether items may be copied through buffers, and are small enough for it.
template <class T>
constexpr bool
    is_moved_through_buffers = std::is_trivially_copyable_v<T>&& std::is_default_constructible_v<T> &&
                               sizeof(T) <= 64;

// Returns whether no item comes before the one in front of it.
template <class T, class Less> bool in_order(std::span<const T> items, Less less, int threads) {
  constexpr std::uint64_t grain = std::uint64_t{1} << 16;
  std::atomic<bool> sorted{true};
  if (items.size() < 2) return true;
  parallel_for(1, items.size(), grain, items.size() <= 4 * grain ? 1 : thread_count(threads),
               [&](std::uint64_t first, std::uint64_t last) {
                 if (!sorted.load(std::memory_order_relaxed)) return;
                 Less own_less = less;
                 for (std::uint64_t i = first; i < last; ++i)
                   if (own_less(items[i], items[i - 1])) {
                     sorted.store(false, std::memory_order_relaxed);
                     return;
                   }
               });
  return sorted;
}

// Sorts items that are costly to copy or cannot be copied: sorts pointers to the items, then moves each item
// once.
template <class T, class Less>
void sort_pointers(std::span<T> items, const Less& less, const sort_options& options) {
  std::vector<const T*> pointers(items.size());
  for (std::uint64_t i = 0; i < items.size(); ++i) pointers[i] = &items[i];
  parallel_merge_sort(
      std::span(pointers), [less](const T* a, const T* b) mutable { return static_cast<bool>(less(*a, *b)); },
      options.threads, options.monitor);
  std::vector<std::uint64_t> order(items.size());
  for (std::uint64_t i = 0; i < items.size(); ++i)
    order[i] = static_cast<std::uint64_t>(pointers[i] - items.data());
  permute(items, order, 1);
}

// Sorts by a comparator, with the engine merge, sample-merge or automatic. Automatic leaves items that are in
// order already as they are, and otherwise runs merge.
template <class T, class Less>
void merge_items(std::span<T> items, const Less& less, const sort_options& options, sort_engine engine) {
  if (engine == sort_engine::automatic) {
    if (in_order<T>(items, less, 1)) return;
    record_engine(options, "merge");
  }
  if constexpr (is_moved_through_buffers<T>) {
    if (engine == sort_engine::sample_merge)
      return sample_merge_sort(items, less, {.monitor = options.monitor}, options.threads);
    parallel_merge_sort(items, less, options.threads, options.monitor);
  } else {
    if (engine == sort_engine::sample_merge)
      engine_does_not_apply(options.engine, "it sorts trivially copyable types of at most 64 bytes only");
    sort_pointers(items, less, options);
  }
}

// Sorts with the engine that the options choose; keeps the order of equal items if `stable`. Throws
// error(invalid_input) if the engine does not apply.
template <class T, class Less>
void sort_items(std::span<T> items, const Less& less, const sort_options& options, bool stable) {
  if constexpr (known_order<T, Less>)
    if (!stable || stable_order<T, Less>)
      return sort_numbers(items.data(), items.size(), known_number_type<T, Less>, options, stable);
  const sort_engine engine = choose_sort_engine(options, numbers_only).id;
  if (engine == sort_engine::vqsort) engine_does_not_apply(options.engine, numbers_only);
  check_stable(engine, stable, options);
  merge_items(items, less, options, engine);
}

// Calls sort(begin, end, options) for each segment. Small segments are sorted at the same time, each on one
// thread; large segments one after another, each on all threads. Throws std::invalid_argument unless the
// offsets ascend from 0 to num_items.
void for_each_segment(std::uint64_t num_items, std::span<const std::uint64_t> offsets,
                      const sort_options& options,
                      const std::function<void(std::uint64_t, std::uint64_t, const sort_options&)>& sort);

// Sorts each segment by itself. Stable.
template <class T, class Less>
void sort_segments(std::span<T> items, std::span<const std::uint64_t> offsets, const Less& less,
                   const sort_options& options) {
  if constexpr (stable_order<T, Less>)
    sort_number_segments(items.data(), items.size(), offsets, known_number_type<T, Less>, options);
  else
    for_each_segment(items.size(), offsets, options,
                     [&](std::uint64_t begin, std::uint64_t end, const sort_options& segment_options) {
                       sort_items(items.subspan(begin, end - begin), less, segment_options, true);
                     });
}

// Returns whether no item comes before the one in front of it.
template <class T, class Less> bool items_in_order(std::span<const T> items, const Less& less, int threads) {
  if constexpr (stable_order<T, Less>)
    return numbers_in_order(items.data(), items.size(), known_number_type<T, Less>, threads);
  else
    return in_order(items, less, threads);
}

} // namespace weft::detail
