// Sorts any items by any comparator on the CPU: the tasks of the engine merge.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>
#include <weft/base/parallel.hpp>
#include <weft/base/run.hpp>
#include <weft/sort/cpu/bucket_sort.hpp>
#include <weft/sort/cpu/permute.hpp>

namespace weft::sort_detail {

// Whether items may be copied through buffers, and are small enough for it.
template <class T>
constexpr bool
    is_moved_through_buffers = std::is_trivially_copyable_v<T>&& std::is_default_constructible_v<T> &&
                               sizeof(T) <= 64;

// Returns whether no item comes before the one in front of it. Adds the items to the progress of `monitor`,
// which may be null, and stops if it is cancelled.
template <class T, class Less>
bool in_order(std::span<const T> items, Less less, int threads, task_monitor* monitor) {
  constexpr std::uint64_t grain = std::uint64_t{1} << 16;
  const auto range_in_order = [&](std::uint64_t first, std::uint64_t last) {
    Less own_less = less;
    while (first < last && !own_less(items[first], items[first - 1])) ++first;
    return first >= last;
  };
  std::atomic<bool> sorted{true};
  if (items.size() <= 4 * grain) {
    if (monitor != nullptr) monitor->check();
    sorted = range_in_order(1, items.size());
  } else {
    parallel_for(1, items.size(), grain, threads, [&](std::uint64_t first, std::uint64_t last) {
      if (monitor != nullptr) monitor->check();
      if (sorted.load(std::memory_order_relaxed) && !range_in_order(first, last))
        sorted.store(false, std::memory_order_relaxed);
    });
  }
  if (monitor != nullptr) monitor->add(items.size());
  return sorted;
}

// Sorts items that are costly to copy or cannot be copied: sorts pointers to the items, then moves each item
// once.
template <class T, class Less>
void sort_pointers(std::span<T> items, const Less& less, int threads, task_monitor* monitor) {
  std::vector<const T*> pointers(items.size());
  for (std::uint64_t i = 0; i < items.size(); ++i) pointers[i] = &items[i];
  stable_sort_items(
      std::span(pointers), [less](const T* a, const T* b) mutable { return static_cast<bool>(less(*a, *b)); },
      threads, monitor);
  std::vector<std::uint64_t> order(items.size());
  for (std::uint64_t i = 0; i < items.size(); ++i)
    order[i] = static_cast<std::uint64_t>(pointers[i] - items.data());
  permute(items, order, 1);
}

// Sorts by a comparator; stable. With engine auto, returns at once if the items are already in order.
template <class T, class Less>
void sort_by_merge(std::span<T> items, const Less& less, const run_options& run, int threads) {
  if (run.engine == "auto" && in_order<T>(items, less, 1, nullptr)) {
    if (run.monitor != nullptr) run.monitor->add(items.size());
    return;
  }
  if constexpr (is_moved_through_buffers<T>)
    stable_sort_items(items, less, threads, run.monitor);
  else
    sort_pointers(items, less, threads, run.monitor);
}

// Returns the stable order of the items, by a merge sort of their positions.
template <class T, class Less>
std::vector<std::uint64_t> argsort_by_merge(std::span<const T> items, const Less& less,
                                            const run_options& run) {
  std::vector<std::uint64_t> order(items.size());
  for (std::uint64_t i = 0; i < items.size(); ++i) order[i] = i;
  stable_sort_items(
      std::span(order),
      [less, items](std::uint64_t a, std::uint64_t b) mutable {
        return static_cast<bool>(less(items[a], items[b]));
      },
      run.threads, run.monitor);
  return order;
}

} // namespace weft::sort_detail
