// Where items go, without moving them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>
#include <weft/sort/entry/dispatch.hpp>

namespace weft::detail {

// Orders positions by a stable merge.
template <class T, class Less>
std::vector<std::uint64_t> merged_order(std::span<const T> items, const Less& less,
                                        const sort_options& options) {
  tell_engine(options, "merge");
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

template <class T, class Less>
std::vector<std::uint64_t> order_of(std::span<const T> items, const Less& less, const sort_options& options) {
  if constexpr (stable_order<T, Less>) {
    return order_of_numbers(items.data(), items.size(), known_type<T, Less>, options);
  } else {
    const sort_engine engine = choose_sort_engine(options, numbers_only).id;
    check_stable(engine, true, options);
    if (engine == sort_engine::vqsort) engine_does_not_apply(options.engine, small_numbers_only);
    return merged_order(items, less, options);
  }
}

} // namespace weft::detail
