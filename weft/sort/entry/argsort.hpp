// Where items go, without moving them.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>
#include <weft/sort/entry/dispatch.hpp>

namespace weft::detail {

// A number of up to 64 bits and its position make one unsigned number, which vqsort sorts: stable, as
// positions differ. Packed: u64 for numbers and positions of up to 32 bits each, else u128.
template <class Packed, class T, class Less>
std::vector<std::uint64_t> order_of_numbers(std::span<const T> items, const sort_options& options) {
  constexpr int half = sizeof(Packed) * 4;
  constexpr bool reverse = is_descending<T, Less>;
  constexpr std::uint64_t grain = std::uint64_t{1} << 18;
  const auto packed = std::make_unique_for_overwrite<Packed[]>(items.size());
  parallel_for(0, items.size(), grain, options.threads, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) {
      const ordered_bits_t<T> bits = ordered_bits(items[i]);
      packed[i] = static_cast<Packed>(reverse ? static_cast<ordered_bits_t<T>>(~bits) : bits) << half | i;
    }
  });
  sort_integers<Packed>({packed.get(), items.size()}, sort_order::ascending, options.threads,
                        options.monitor);
  std::vector<std::uint64_t> order(items.size());
  parallel_for(0, items.size(), grain, options.threads, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i)
      order[i] = static_cast<std::uint64_t>(packed[i] & ((Packed{1} << half) - 1));
  });
  return order;
}

template <class T, class Less>
std::vector<std::uint64_t> order_of(std::span<const T> items, const Less& less, const sort_options& options) {
  const sort_choice choice = choose_sort_engine(options, stable_order<T, Less> ? nullptr : numbers_only);
  const sort_engine engine = choice.id;
  if (engine == sort_engine::sample_merge) engine_does_not_apply(options.engine, "it is not stable");
  std::vector<std::uint64_t> order;
  if constexpr (stable_order<T, Less>)
    if (order_on_gpu(choice, items.data(), items.size(), known_type<T, Less>, order, options)) return order;
  if constexpr (number<T> && sizeof(T) <= 8 && (is_ascending<T, Less> || is_descending<T, Less>)) {
    if (engine != sort_engine::merge) {
      tell_engine(options, "vqsort");
      if (sizeof(T) <= 4 && items.size() <= std::numeric_limits<std::uint32_t>::max())
        return order_of_numbers<std::uint64_t, T, Less>(items, options);
      return order_of_numbers<uint128, T, Less>(items, options);
    }
  } else if (engine == sort_engine::vqsort) {
    engine_does_not_apply(options.engine, "it orders numbers of up to 64 bits in their own order only");
  }
  tell_engine(options, "merge");
  order.resize(items.size());
  for (std::uint64_t i = 0; i < items.size(); ++i) order[i] = i;
  parallel_merge_sort(
      std::span(order),
      [less, items](std::uint64_t a, std::uint64_t b) mutable {
        return static_cast<bool>(less(items[a], items[b]));
      },
      options.threads, options.monitor);
  return order;
}

} // namespace weft::detail
