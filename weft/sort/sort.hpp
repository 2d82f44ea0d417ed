// Sorting on all processors: numbers at the speed of vectors, anything else with any comparator; numbers also
// on a GPU.
//
//   std::vector<double> values = {2, 1.5, -1};
//   weft::argsort(values);                          // == {2, 1, 0}
//   weft::sort(values);                             // -0 before +0, NaN last
//   values;                                         // == {-1, 1.5, 2}
//   std::vector<std::string> words = {"to", "thee", "be", "I"};
//   weft::stable_sort(words, [](const auto& a, const auto& b) { return a.size() < b.size(); });
//   words;                                          // == {"I", "to", "be", "thee"}
//
// Items are a contiguous range (vector, span, array) of any movable type; Less is a strict weak order that
// may be copied and called on several threads at once. Counts and positions are 64-bit. For items in the
// memory of a GPU see weft/sort/sort.cuh.
//
// Order. weft::ascending (the default) is <, but for float and double, whose order is total: -inf .. -0, +0
// .. +inf, NaNs of sign 0, NaNs of sign 1. weft::descending is its reverse.
//
// Engines (sort_options::engine; see sort_engines()). All give the same result for a stable sort, and for
// items that differ only if they are ordered.
//   vqsort        numbers by weft::ascending or weft::descending (an unstable sort also by std::less and
//                 std::greater): Highway's vectorised quicksort, behind a parallel partition. O(n log n);
//                 O(1) extra memory.
//   merge         any type and comparator; stable. O(n log n); n items (of types that are not trivially
//                 copyable, or larger than 64 bytes: n pointers) of extra memory.
//   sample-merge  the sample partition and cooperative merge of Kozawa, Amagasa & Kitagawa: trivially
//                 copyable types, any comparator; not stable. O(n log n); 2 n items.
//   gpu           numbers, as vqsort takes them: the engines of weft/sort/sort.cuh; stable. O(n) a byte of
//                 the type. On the device twice the items and up to 1.3 bytes an item (of 8 and 16 bits up to
//                 nine times the items), for argsort and sort_by_key 8 bytes an item beside that. What does
//                 not fit device_memory is sorted in runs, which are merged on the host: log2(runs) passes
//                 there, and n items of extra memory (argsort: n positions; top_k: 2 k items a run).
//   auto          vqsort where it applies, else merge; nothing, if the items are in order. Or gpu: on device
//                 gpu always; on device auto where there is one, for numbers of 32 bits or more that are many
//                 enough to be worth it (weft/sort/entry/gpu_sort.hpp says how many) and fit its memory at
//                 once.
//
// Devices. auto: as the engine says. cpu: no GPU is touched. gpu: engine gpu, and for what it does not sort
// error(invalid_input). segmented_sort and is_sorted run on the CPU.
//
// If a comparator throws, the exception is passed on; items are then in no stated order, and for types that
// are not trivially copyable unchanged. A monitor's cancellation ends the same way. After a device_error
// items may be lost.
//
// Sources: Wassenberg et al., arXiv:2205.05982 (vqsort); Odeh et al., IPDPSW 2012 (Merge Path); Kozawa,
// Amagasa & Kitagawa, An Efficient Sorting Algorithm on GPUs via Data Partitioning and Cooperative Merge.
#pragma once

#include <concepts>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <vector>
#include <weft/base/device.hpp>
#include <weft/base/monitor.hpp>
#include <weft/sort/core/ordered_bits.hpp>
#include <weft/sort/entry/argsort.hpp>
#include <weft/sort/entry/dispatch.hpp>
#include <weft/sort/entry/top_k.hpp>
#include <weft/sort/sort_options.hpp>

namespace weft {

// What orders items of T.
template <class Less, class T>
concept comparator_of = std::copy_constructible<Less> && std::strict_weak_order<Less&, const T&, const T&>;

// Items that can be moved about in place.
template <class Range>
concept sortable_range = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range> &&
    std::movable<std::ranges::range_value_t<Range>> &&
    !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Range>>>;

// Items side by side in memory.
template <class Range>
concept readable_range = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range>;

// The type of its items.
template <readable_range Range> using item_t = std::ranges::range_value_t<Range>;

// Sorts in place. Equal items end in no stated order. Throws error (an engine that is unknown or does not
// apply, a device that does not), unavailable_error (no such GPU), memory_error (of the device),
// device_error, bad_alloc, cancelled_error, what `less` throws.
template <sortable_range Range, comparator_of<item_t<Range>> Less = ascending>
void sort(Range&& items, Less less = {}, const sort_options& options = {}) {
  detail::sort_items<item_t<Range>>({std::ranges::data(items), std::ranges::size(items)}, less, options,
                                    false);
}

// The same; equal items keep their order.
template <sortable_range Range, comparator_of<item_t<Range>> Less = ascending>
void stable_sort(Range&& items, Less less = {}, const sort_options& options = {}) {
  detail::sort_items<item_t<Range>>({std::ranges::data(items), std::ranges::size(items)}, less, options,
                                    true);
}

// order[i] is the position of the item that a stable sort would put at i. Items are not moved. Extra memory:
// 8 to 32 bytes an item beside the result. Engines: vqsort (numbers of up to 64 bits), merge, gpu (by
// std::less and std::greater: integers).
template <readable_range Range, comparator_of<item_t<Range>> Less = ascending>
[[nodiscard]] std::vector<std::uint64_t> argsort(const Range& items, Less less = {},
                                                 const sort_options& options = {}) {
  return detail::order_of<item_t<Range>>({std::ranges::data(items), std::ranges::size(items)}, less, options);
}

// Sorts both ranges by the keys; stable. Throws std::invalid_argument if the sizes differ. Extra memory: that
// of argsort, its result, and the larger of the two ranges.
template <sortable_range Keys, sortable_range Values, comparator_of<item_t<Keys>> Less = ascending>
void sort_by_key(Keys&& keys, Values&& values, Less less = {}, const sort_options& options = {}) {
  if (std::ranges::size(keys) != std::ranges::size(values))
    throw std::invalid_argument("sort_by_key: as many values as keys");
  const std::vector<std::uint64_t> order = argsort(keys, less, options);
  detail::permute(std::span(std::ranges::data(keys), order.size()), order, options.threads);
  detail::permute(std::span(std::ranges::data(values), order.size()), order, options.threads);
}

// Sorts each segment [offsets[i], offsets[i + 1]) by itself; stable. offsets: ascending, from 0 to the number
// of items (or empty, if there are none); std::invalid_argument if they are not. Small segments are shared
// out to threads, large ones sorted by all of them.
template <sortable_range Range, comparator_of<item_t<Range>> Less = ascending>
void segmented_sort(Range&& items, std::span<const std::uint64_t> offsets, Less less = {},
                    const sort_options& options = {}) {
  detail::sort_segments<item_t<Range>>({std::ranges::data(items), std::ranges::size(items)}, offsets, less,
                                       options);
}

// The first k items (all, if there are fewer) of the stable sort, in order. O(n + k log k) for items in
// random order; 3 k items and positions of memory a thread. Device auto takes a GPU only if k >= n / 8.
template <readable_range Range, comparator_of<item_t<Range>> Less = ascending>
requires std::copyable<item_t<Range>>
[[nodiscard]] std::vector<item_t<Range>> top_k(const Range& items, std::uint64_t k, Less less = {},
                                               const sort_options& options = {}) {
  return detail::first_of_order<item_t<Range>>({std::ranges::data(items), std::ranges::size(items)}, k, less,
                                               options);
}

// Whether no item comes before the one in front of it. O(n), on all threads.
template <readable_range Range, comparator_of<item_t<Range>> Less = ascending>
[[nodiscard]] bool is_sorted(const Range& items, Less less = {}, const sort_options& options = {}) {
  return detail::items_in_order<item_t<Range>>({std::ranges::data(items), std::ranges::size(items)}, less,
                                               options.threads);
}

// Throws what the functions above throw for these options whatever the items are.
void check_sort_options(const sort_options& options);

// The engines, and whether each can run here.
[[nodiscard]] std::vector<engine_info> sort_engines();

} // namespace weft
