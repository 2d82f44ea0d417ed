// From a type, a comparator and an engine's name to the code that sorts.
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
#include <weft/sort/cpu/number_sort.hpp>
#include <weft/sort/cpu/permute.hpp>
#include <weft/sort/cpu/sample_merge.hpp>
#include <weft/sort/entry/engine_choice.hpp>
#include <weft/sort/entry/gpu_sort.hpp>
#include <weft/sort/sort_options.hpp>

namespace weft::detail {

// Less is known to be the order of numbers. Of a stable sort std::less is not: it takes -0 and +0 as equal.
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
// A stable sort by Less is one of ordered bits.
template <class T, class Less>
constexpr bool stable_order = known_order<T, Less> && (is_ascending<T, Less> || is_descending<T, Less> ||
                                                       !std::is_floating_point_v<T>);
// Of items in a known order.
template <class T, class Less>
constexpr number_type known_type = number_type_of<T>(is_descending<T, Less> || is_greater<T, Less>);

template <class T>
constexpr bool moves_in_buffers = std::is_trivially_copyable_v<T>&& std::is_default_constructible_v<T> &&
                                  sizeof(T) <= 64;

template <class T, class Less> bool in_order(std::span<const T> items, Less less, int threads) {
  constexpr std::uint64_t grain = std::uint64_t{1} << 16;
  std::atomic<bool> sorted{true};
  if (items.size() < 2) return true;
  parallel_for(1, items.size(), grain, items.size() <= 4 * grain ? 1 : thread_count(threads),
               [&](std::uint64_t first, std::uint64_t last) {
                 if (!sorted.load(std::memory_order_relaxed)) return;
                 Less own = less;
                 for (std::uint64_t i = first; i < last; ++i)
                   if (own(items[i], items[i - 1])) {
                     sorted.store(false, std::memory_order_relaxed);
                     return;
                   }
               });
  return sorted;
}

template <class T, class Less>
void sort_numbers(std::span<T> items, const Less&, const sort_options& options) {
  constexpr bool forward = is_ascending<T, Less> || is_less<T, Less>;
  constexpr sort_order order = forward ? sort_order::ascending : sort_order::descending;
  using bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  using integer =
      std::conditional_t<static_cast<T>(-1) < static_cast<T>(0), std::make_signed<ordered_bits_t<T>>,
                         std::make_unsigned<ordered_bits_t<T>>>;
  tell_engine(options, "vqsort");
  if constexpr (std::floating_point<T>)
    sort_floats<bits>({reinterpret_cast<bits*>(items.data()), items.size()}, order, options.threads,
                      options.monitor);
  else if constexpr (sizeof(T) == 16)
    sort_integers<T>(items, order, options.threads, options.monitor);
  else
    sort_integers<typename integer::type>(
        {reinterpret_cast<typename integer::type*>(items.data()), items.size()}, order, options.threads,
        options.monitor);
}

// Items that are costly or not allowed to stand in buffers: pointers to them are sorted, then each item moved
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

template <class T, class Less>
void sort_items(std::span<T> items, const Less& less, const sort_options& options, bool stable) {
  const bool numbers = stable ? stable_order<T, Less> : known_order<T, Less>;
  const sort_choice choice = choose_sort_engine(options, numbers ? nullptr : numbers_only);
  const sort_engine engine = choice.id;
  if (engine == sort_engine::vqsort && !numbers) engine_does_not_apply(options.engine, numbers_only);
  if (engine == sort_engine::sample_merge && stable)
    engine_does_not_apply(options.engine, "it is not stable");
  if constexpr (known_order<T, Less>) {
    if (numbers && sort_on_gpu(choice, items.data(), items.size(), known_type<T, Less>, options)) return;
    if (numbers && (engine == sort_engine::automatic || engine == sort_engine::vqsort))
      return sort_numbers(items, less, options);
  }
  if (engine == sort_engine::automatic && in_order<T>(items, less, 1)) return;
  if (engine == sort_engine::automatic) tell_engine(options, "merge");
  if constexpr (moves_in_buffers<T>) {
    if (engine == sort_engine::sample_merge)
      return sample_merge_sort(items, less, {.monitor = options.monitor}, options.threads);
    parallel_merge_sort(items, less, options.threads, options.monitor);
  } else {
    if (engine == sort_engine::sample_merge)
      engine_does_not_apply(options.engine, "it sorts trivially copyable types of at most 64 bytes only");
    sort_pointers(items, less, options);
  }
}

void check_offsets(std::span<const std::uint64_t> offsets, std::uint64_t num_items);

template <class T, class Less>
void sort_segments(std::span<T> items, std::span<const std::uint64_t> offsets, const Less& less,
                   const sort_options& options) {
  check_offsets(offsets, items.size());
  (void)choose_sort_engine(options, "of segments it sorts those in its own memory only (weft/sort/sort.cuh)");
  if (offsets.empty()) return;
  const int threads = thread_count(options.threads);
  const std::uint64_t share = items.size() / static_cast<std::uint64_t>(threads) / 4;
  const auto segment = [&](std::uint64_t s) {
    return items.subspan(offsets[s], offsets[s + 1] - offsets[s]);
  };
  sort_options alone = options, together = options;
  alone.device = together.device = {device_kind::cpu, 0};
  alone.used = together.used = nullptr;
  alone.threads = 1;
  parallel_for(0, offsets.size() - 1, 64, threads, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t s = first; s < last; ++s)
      if (threads == 1 || segment(s).size() <= share) sort_items(segment(s), less, alone, true);
  });
  for (std::uint64_t s = 0; threads > 1 && s + 1 < offsets.size(); ++s)
    if (segment(s).size() > share) sort_items(segment(s), less, together, true);
}

} // namespace weft::detail
