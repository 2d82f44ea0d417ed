// Sorts on all processors: numbers with vector instructions, any other items with any comparator. Numbers can
// also be sorted on a GPU.
//
//   std::vector<double> values = {2, 1.5, -1};
//   weft::argsort(values);                          // == {2, 1, 0}
//   weft::sort(values);                             // -0 before +0, NaN last
//   values;                                         // == {-1, 1.5, 2}
//   std::vector<std::string> words = {"to", "thee", "be", "I"};
//   weft::stable_sort(words, [](const auto& a, const auto& b) { return a.size() < b.size(); });
//   words;                                          // == {"I", "to", "be", "thee"}
//
// Items are a contiguous range (vector, span, array) of any movable type. Less is a strict weak order that
// may be copied and called on several threads at once. Counts and positions are 64-bit. For items in the
// memory of a GPU see weft/sort/sort.cuh.
//
// Order. weft::ascending (the default) orders items by <, except that float and double have a total order:
// -inf .. -0, +0 .. +inf, NaNs of sign 0, NaNs of sign 1. weft::descending is the reverse. For numbers these
// two are the natural orders, which engines sort by without calling the comparator; std::less and
// std::greater count as natural orders too, but not in stable sorts of float and double, where they take -0
// and +0 as equal.
//
// Engines (run.engine of the options; see sort_engines()). All engines give the same result for a stable
// sort, and also for an unstable sort if equal items cannot be told apart.
//   vqsort        numbers in a natural order: Highway's vectorised quicksort, behind a parallel partition.
//                 O(n log n); O(1) extra memory.
//   merge         any type and comparator; stable. O(n log n); n items (of types that are not trivially
//                 copyable, or larger than 64 bytes: n pointers) of extra memory, and n bytes beyond 256 KiB
//                 of items.
//   sample-merge  the sample partition and cooperative merge of Kozawa, Amagasa & Kitagawa: trivially
//                 copyable types, any comparator; not stable. O(n log n); 2 n items of extra memory.
//   gpu           numbers in a natural order: the engines of weft/sort/sort.cuh; stable. O(n) for each byte
//                 of the type by radix; O(n log n) by samples or by merging. Memory of the device: twice the
//                 items and up to 1.3 bytes an item (for items of 8 and 16 bits up to nine times the items);
//                 argsort and sort_by_key take 8 more bytes an item. Items that do not fit device_memory are
//                 sorted in runs, which are merged on the host: log2(runs) passes there, and n items of extra
//                 memory (argsort: n positions; top_k: 2 k items a run).
//   auto          vqsort if it applies, else merge; items that are in order already are left as they are.
//                 gpu runs instead if the device is gpu. If the device is auto, it runs if there is a GPU and
//                 the items are numbers of 32 bits or more, are enough to be worth it
//                 (weft/sort/engines.hpp says how many), and fit its memory at once.
//
// Devices. auto: the CPU or a GPU, as described for the engines. cpu: no GPU is touched. gpu: engine gpu
// runs; a task that it cannot do is error(invalid_input). segmented_sort and is_sorted run on the CPU.
//
// Options of a run. The monitor counts items: each function adds as many as it is given, and throws
// cancelled_error soon after a cancel(). The report names the engine, for a top_k that selects the engine
// that would have sorted; is_sorted has no engine, and uses threads, monitor and report alone. `memory`
// limits nothing here: extra memory is what the engines say above.
//
// If a comparator throws, the exception is passed on. The items are then in an unspecified order; items of
// types that are not trivially copyable are unchanged. The same holds if a monitor cancels the call. After a
// device_error, items may be lost.
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
#include <weft/sort/entry/dispatch.hpp>
#include <weft/sort/sort_options.hpp>

namespace weft {

// A comparator of items of T.
template <class Less, class T>
concept comparator_of = std::copy_constructible<Less> && std::strict_weak_order<Less&, const T&, const T&>;

// A range of items that can be moved in place.
template <class Range>
concept sortable_range = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range> &&
    std::movable<std::ranges::range_value_t<Range>> &&
    !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Range>>>;

// A range of items that are contiguous in memory.
template <class Range>
concept readable_range = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range>;

// The type of the items of a range.
template <readable_range Range> using item_t = std::ranges::range_value_t<Range>;

// Sorts in place. The order of equal items is unspecified. Throws error (for an engine that is unknown or
// does not apply, and for a device that does not apply), unavailable_error (if there is no such GPU),
// memory_error (of the device), device_error, bad_alloc, cancelled_error, and what `less` throws.
template <sortable_range Range, comparator_of<item_t<Range>> Less = ascending>
void sort(Range&& items, Less less = {}, const sort_options& options = {}) {
  sort_detail::sort_range<item_t<Range>>({std::ranges::data(items), std::ranges::size(items)}, less,
                                         options.run, false);
}

// Sorts in place; equal items keep their order. Throws what sort throws.
template <sortable_range Range, comparator_of<item_t<Range>> Less = ascending>
void stable_sort(Range&& items, Less less = {}, const sort_options& options = {}) {
  sort_detail::sort_range<item_t<Range>>({std::ranges::data(items), std::ranges::size(items)}, less,
                                         options.run, true);
}

// Returns the stable order: element i is the position of the item that a stable sort would put at i. Does not
// move the items. Extra memory: 8 to 32 bytes an item beside the result. Engines: vqsort (numbers of up to 64
// bits), merge, gpu (by std::less and std::greater: integers only).
template <readable_range Range, comparator_of<item_t<Range>> Less = ascending>
[[nodiscard]] std::vector<std::uint64_t> argsort(const Range& items, Less less = {},
                                                 const sort_options& options = {}) {
  return sort_detail::argsort_items<item_t<Range>>({std::ranges::data(items), std::ranges::size(items)}, less,
                                                   options.run);
}

// Sorts both ranges by the keys; stable. Throws std::invalid_argument if the sizes differ. Extra memory: that
// of argsort, its result, and a copy of the larger of the two ranges.
template <sortable_range Keys, sortable_range Values, comparator_of<item_t<Keys>> Less = ascending>
void sort_by_key(Keys&& keys, Values&& values, Less less = {}, const sort_options& options = {}) {
  if (std::ranges::size(keys) != std::ranges::size(values))
    throw std::invalid_argument("sort_by_key: there must be as many values as keys");
  base_detail::run_record record(options.run, "items");
  record.set_work(std::ranges::size(keys));
  const std::vector<std::uint64_t> order = sort_detail::argsort_items<item_t<Keys>>(
      {std::ranges::data(keys), std::ranges::size(keys)}, less, options.run);
  if (options.run.monitor != nullptr) options.run.monitor->check();
  sort_detail::permute(std::span(std::ranges::data(keys), order.size()), order, options.run.threads);
  sort_detail::permute(std::span(std::ranges::data(values), order.size()), order, options.run.threads);
}

// Sorts each segment [offsets[i], offsets[i + 1]) by itself; stable. Throws std::invalid_argument unless the
// offsets ascend from 0 to the number of items (they may be empty if there are no items). Small segments are
// distributed over the threads; large segments are sorted by all threads.
template <sortable_range Range, comparator_of<item_t<Range>> Less = ascending>
void segmented_sort(Range&& items, std::span<const std::uint64_t> offsets, Less less = {},
                    const sort_options& options = {}) {
  sort_detail::sort_segments<item_t<Range>>({std::ranges::data(items), std::ranges::size(items)}, offsets,
                                            less, options.run);
}

// Returns the first k items (all, if there are fewer) of the stable sort, in order. O(n + k log k) for items
// in random order; 3 k items and positions of memory for each thread. Device auto uses a GPU only if k >= n /
// 8.
template <readable_range Range, comparator_of<item_t<Range>> Less = ascending>
requires std::copyable<item_t<Range>>
[[nodiscard]] std::vector<item_t<Range>> top_k(const Range& items, std::uint64_t k, Less less = {},
                                               const sort_options& options = {}) {
  return sort_detail::top_k_items<item_t<Range>>({std::ranges::data(items), std::ranges::size(items)}, k,
                                                 less, options.run);
}

// Returns whether no item comes before the one in front of it. O(n), on all threads.
template <readable_range Range, comparator_of<item_t<Range>> Less = ascending>
[[nodiscard]] bool is_sorted(const Range& items, Less less = {}, const sort_options& options = {}) {
  return sort_detail::items_in_order<item_t<Range>>({std::ranges::data(items), std::ranges::size(items)},
                                                    less, options.run);
}

// Throws what the functions above throw for these options independently of the items.
void check_sort_options(const sort_options& options);

// Returns the engines, and whether each can run on this machine.
[[nodiscard]] std::vector<engine_info> sort_engines();

} // namespace weft
