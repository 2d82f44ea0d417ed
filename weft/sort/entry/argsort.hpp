// Finds the sorted order of items without moving them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>
#include <weft/sort/entry/dispatch.hpp>

namespace weft::detail {

// Returns the stable order of the items, by a merge sort of their positions.
template <class T, class Less>
std::vector<std::uint64_t> argsort_by_merge(std::span<const T> items, const Less& less,
                                            const sort_options& options) {
  record_engine(options, "merge");
  std::vector<std::uint64_t> order(items.size());
  for (std::uint64_t i = 0; i < items.size(); ++i) order[i] = i;
  parallel_merge_sort(
      std::span(order),
      [less, items](std::uint64_t a, std::uint64_t b) mutable {
        return static_cast<bool>(less(items[a], items[b]));
      },
      options.threads, options.monitor);
  return order;
}

// Returns the stable order of the items, found by the engine that the options choose. Throws
// error(invalid_input) if the engine does not apply.
template <class T, class Less>
std::vector<std::uint64_t> argsort_items(std::span<const T> items, const Less& less,
                                         const sort_options& options) {
  if constexpr (stable_order<T, Less>) {
    return argsort_numbers(items.data(), items.size(), known_number_type<T, Less>, options);
  } else {
    const sort_engine engine = choose_sort_engine(options, numbers_only).id;
    check_stable(engine, true, options);
    if (engine == sort_engine::vqsort) engine_does_not_apply(options.engine, small_numbers_only);
    return argsort_by_merge(items, less, options);
  }
}

} // namespace weft::detail
