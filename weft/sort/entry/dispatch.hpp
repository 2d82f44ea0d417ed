// Makes a problem of a call, for the engines (weft/sort/engines.hpp). Numbers in a natural order are sorted
// by functions that are compiled once; for everything else the problem carries the code that sorts by the
// comparator.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>
#include <weft/sort/core/ordered_bits.hpp>
#include <weft/sort/cpu/comparator_sort.hpp>
#include <weft/sort/cpu/numbers.hpp>
#include <weft/sort/cpu/top_k.hpp>
#include <weft/sort/engines.hpp>
#include <weft/sort/published/sample_merge.hpp>

namespace weft::sort_detail {

template <class T, class Less>
constexpr bool is_std_less = std::is_same_v<Less, std::less<>> || std::is_same_v<Less, std::less<T>> ||
                             std::is_same_v<Less, std::ranges::less>;
template <class T, class Less>
constexpr bool is_std_greater =
    std::is_same_v<Less, std::greater<>> || std::is_same_v<Less, std::greater<T>> ||
    std::is_same_v<Less, std::ranges::greater>;
template <class Less>
constexpr bool is_weft_order = std::is_same_v<Less, ascending> || std::is_same_v<Less, descending>;

// Whether Less orders numbers naturally, so that an unstable sort by Less may be a sort by ordered_bits.
template <class T, class Less>
constexpr bool is_natural_order = number<T> &&
                                  (is_weft_order<Less> || is_std_less<T, Less> || is_std_greater<T, Less>);
// Whether a stable sort by Less may be a sort by ordered_bits, too. For floating-point numbers std::less does
// not allow that, because it takes -0 and +0 as equal.
template <class T, class Less>
constexpr bool is_natural_stable_order = is_natural_order<T, Less> &&
                                         (is_weft_order<Less> || !std::is_floating_point_v<T>);
// The number type, and direction, of items that are sorted in a natural order.
template <class T, class Less>
constexpr number_type natural_number_type = number_type_of<T>(std::is_same_v<Less, descending> ||
                                                              is_std_greater<T, Less>);

// Returns the problem for numbers in a natural order.
template <class T, class Less>
sort_problem number_problem(sort_task task, std::span<const T> items, const run_options& run, bool stable) {
  return {.task = task,
          .run = run,
          .num_items = items.size(),
          .stable = stable,
          .type = natural_number_type<T, Less>,
          .items = const_cast<T*>(items.data())}; // written by sorts only, whose callers may do so
}

// Sorts; keeps the order of equal items if `stable`.
template <class T, class Less>
void sort_range(std::span<T> items, const Less& less, const run_options& run, bool stable) {
  if constexpr (is_natural_order<T, Less>)
    if (!stable || is_natural_stable_order<T, Less>) {
      sort_problem problem = number_problem<T, Less>(sort_task::sort, items, run, stable);
      return solve_sort(problem);
    }
  sort_problem problem{.task = sort_task::sort, .run = run, .num_items = items.size(), .stable = stable};
  const auto merge = [&] { sort_by_merge(items, less, run, run.threads); };
  [[maybe_unused]] const auto sample_merge = [&] {
    if constexpr (is_moved_through_buffers<T>)
      sample_merge_sort(items, less, {.monitor = run.monitor}, run.threads);
  };
  problem.merge = std::ref(merge); // a reference is kept without an allocation
  if constexpr (is_moved_through_buffers<T>) problem.sample_merge = std::ref(sample_merge);
  solve_sort(problem);
}

// Returns the stable order of the items.
template <class T, class Less>
std::vector<std::uint64_t> argsort_items(std::span<const T> items, const Less& less, const run_options& run) {
  std::vector<std::uint64_t> order;
  if constexpr (is_natural_stable_order<T, Less>) {
    sort_problem problem = number_problem<T, Less>(sort_task::argsort, items, run, true);
    problem.order = &order;
    solve_sort(problem);
  } else {
    sort_problem problem{.task = sort_task::argsort, .run = run, .num_items = items.size(), .stable = true};
    problem.merge = [&] { order = argsort_by_merge(items, less, run); };
    solve_sort(problem);
  }
  return order;
}

// Sorts each segment by itself; stable.
template <class T, class Less>
void sort_segments(std::span<T> items, std::span<const std::uint64_t> offsets, const Less& less,
                   const run_options& run) {
  check_segments(items.size(), offsets);
  if constexpr (is_natural_stable_order<T, Less>) {
    sort_problem problem = number_problem<T, Less>(sort_task::segments, items, run, true);
    problem.offsets = offsets;
    solve_sort(problem);
  } else {
    sort_problem problem{.task = sort_task::segments, .run = run, .num_items = items.size(), .stable = true};
    problem.merge = [&] {
      for_each_segment(offsets, run.threads, [&](std::uint64_t begin, std::uint64_t end, int threads) {
        sort_by_merge(items.subspan(begin, end - begin), less, run, threads);
      });
    };
    solve_sort(problem);
  }
}

// Returns the first k items (all, if there are fewer) of the stable order.
template <class T, class Less>
std::vector<T> top_k_items(std::span<const T> items, std::uint64_t k, const Less& less,
                           const run_options& run) {
  k = std::min<std::uint64_t>(k, items.size());
  if constexpr (is_natural_stable_order<T, Less>) {
    std::vector<T> first(k);
    sort_problem problem = number_problem<T, Less>(sort_task::top_k, items, run, true);
    problem.k = k;
    problem.top_items = first.data();
    solve_sort(problem);
    return first;
  } else {
    std::vector<std::uint64_t> order;
    sort_problem problem{
        .task = sort_task::top_k, .run = run, .num_items = items.size(), .stable = true, .k = k};
    problem.merge = [&] {
      order = is_full_sort_cheaper(k, items.size()) ? argsort_by_merge(items, less, run)
                                                    : top_k_positions(items, k, less, run);
    };
    solve_sort(problem);
    std::vector<T> result;
    result.reserve(k);
    for (std::uint64_t i = 0; i < k; ++i) result.push_back(items[order[i]]);
    return result;
  }
}

// Returns whether no item comes before the one in front of it.
template <class T, class Less>
bool items_in_order(std::span<const T> items, const Less& less, const run_options& run) {
  base_detail::run_record record(run, "items");
  record.set_work(items.size());
  if constexpr (is_natural_stable_order<T, Less>)
    return numbers_in_order(items.data(), items.size(), natural_number_type<T, Less>, run);
  else
    return in_order(items, less, run.threads, run.monitor);
}

} // namespace weft::sort_detail
