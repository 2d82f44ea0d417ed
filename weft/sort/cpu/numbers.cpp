#include <weft/sort/cpu/numbers.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <weft/base/parallel.hpp>
#include <weft/sort/cpu/comparator_sort.hpp>
#include <weft/sort/cpu/top_k.hpp>

namespace weft::sort_detail {

namespace {

constexpr std::uint64_t short_size = 64; // are sorted in less time than vqsort takes to begin

// Sorts at most short_size numbers.
template <class T> void sort_short_array(std::span<T> items, bool reverse) {
  T buffer[short_size];
  auto less = [](T a, T b) { return ordered_bits(a) < ordered_bits(b); };
  auto greater = [](T a, T b) { return ordered_bits(a) > ordered_bits(b); };
  if (reverse)
    merge_sort(items.data(), buffer, items.size(), false, greater, nullptr);
  else
    merge_sort(items.data(), buffer, items.size(), false, less, nullptr);
}

template <class T> void vqsort_numbers(std::span<T> items, bool reverse, int threads, task_monitor* monitor) {
  if (items.size() <= short_size) {
    if (monitor != nullptr) monitor->check();
    sort_short_array(items, reverse);
    if (monitor != nullptr) monitor->add(items.size());
    return;
  }
  const sort_order order = reverse ? sort_order::descending : sort_order::ascending;
  if constexpr (std::floating_point<T>) {
    using bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    sort_floats<bits>({reinterpret_cast<bits*>(items.data()), items.size()}, order, threads, monitor);
  } else {
    sort_integers<T>(items, order, threads, monitor);
  }
}

// Returns the stable order of numbers of up to 64 bits. Packs each number and its position into one unsigned
// number, and sorts these by vqsort; the result is stable, because positions differ. Packed is u64 if numbers
// and positions have up to 32 bits each, else u128.
template <class Packed, class T>
std::vector<std::uint64_t> argsort_packed(std::span<const T> items, bool reverse,
                                          const run_options& options) {
  constexpr int position_bits = sizeof(Packed) * 4;
  constexpr std::uint64_t grain = std::uint64_t{1} << 18;
  const auto packed = std::make_unique_for_overwrite<Packed[]>(items.size());
  parallel_for(0, items.size(), grain, options.threads, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) {
      const ordered_bits_t<T> bits = ordered_bits(items[i]);
      packed[i] =
          static_cast<Packed>(reverse ? static_cast<ordered_bits_t<T>>(~bits) : bits) << position_bits | i;
    }
  });
  sort_integers<Packed>({packed.get(), items.size()}, sort_order::ascending, options.threads,
                        options.monitor);
  std::vector<std::uint64_t> order(items.size());
  parallel_for(0, items.size(), grain, options.threads, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i)
      order[i] = static_cast<std::uint64_t>(packed[i] & ((Packed{1} << position_bits) - 1));
  });
  return order;
}

// Solves the problem by sort(items, threads), which sorts, and order(), which returns the stable order.
template <class T, class Less, class Sort, class Order>
void solve_by(const sort_problem& problem, std::span<T> items, const Less& less, const Sort& sort,
              const Order& order) {
  switch (problem.task) {
  case sort_task::sort:
    return sort(items, problem.run.threads);
  case sort_task::segments:
    return for_each_segment(problem.offsets, problem.run.threads,
                            [&](std::uint64_t begin, std::uint64_t end, int threads) {
                              sort(items.subspan(begin, end - begin), threads);
                            });
  case sort_task::argsort:
    *problem.order = order();
    return;
  case sort_task::top_k: {
    const std::vector<std::uint64_t> positions =
        is_full_sort_cheaper(problem.k, items.size())
            ? order()
            : top_k_positions(std::span<const T>(items), problem.k, less, problem.run);
    for (std::uint64_t i = 0; i < problem.k; ++i) static_cast<T*>(problem.top_items)[i] = items[positions[i]];
  }
  }
}

// Returns the numbers of the problem, of the type that `type_tag` points to.
template <class T> std::span<T> numbers_of(const sort_problem& problem, T*) {
  return {static_cast<T*>(problem.items), problem.num_items};
}

} // namespace

void for_each_segment(std::span<const std::uint64_t> offsets, int threads,
                      const std::function<void(std::uint64_t, std::uint64_t, int)>& sort) {
  if (offsets.empty()) return;
  const int members = thread_count(threads);
  const std::uint64_t share = offsets.back() / static_cast<std::uint64_t>(members) / 4;
  const auto is_small = [&](std::uint64_t s) { return members == 1 || offsets[s + 1] - offsets[s] <= share; };
  parallel_for(0, offsets.size() - 1, 64, members, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t s = first; s < last; ++s)
      if (is_small(s)) sort(offsets[s], offsets[s + 1], 1);
  });
  for (std::uint64_t s = 0; s + 1 < offsets.size(); ++s)
    if (!is_small(s)) sort(offsets[s], offsets[s + 1], threads);
}

void sort_numbers_by_vqsort(const sort_problem& problem) {
  const run_options& run = problem.run;
  const bool reverse = problem.type->descending;
  with_number(*problem.type, [&](auto* type_tag, const auto& less) {
    using number = std::remove_pointer_t<decltype(type_tag)>;
    const std::span<number> items = numbers_of(problem, type_tag);
    const auto sort = [&](std::span<number> part, int threads) {
      vqsort_numbers(part, reverse, threads, run.monitor);
    };
    const auto order = [&]() -> std::vector<std::uint64_t> {
      if constexpr (sizeof(number) <= 8) {
        if (sizeof(number) <= 4 && items.size() <= std::numeric_limits<std::uint32_t>::max())
          return argsort_packed<std::uint64_t>(std::span<const number>(items), reverse, run);
        return argsort_packed<uint128>(std::span<const number>(items), reverse, run);
      } else {
        throw std::logic_error("vqsort finds orders of numbers of up to 64 bits only");
      }
    };
    solve_by(problem, items, less, sort, order);
  });
}

void sort_numbers_by_merge(const sort_problem& problem) {
  const run_options& run = problem.run;
  with_number(*problem.type, [&](auto* type_tag, const auto& less) {
    using number = std::remove_pointer_t<decltype(type_tag)>;
    const std::span<number> items = numbers_of(problem, type_tag);
    const auto sort = [&](std::span<number> part, int threads) { sort_by_merge(part, less, run, threads); };
    const auto order = [&] { return argsort_by_merge(std::span<const number>(items), less, run); };
    solve_by(problem, items, less, sort, order);
  });
}

bool numbers_in_order(const void* items, std::uint64_t num_items, const number_type& type,
                      const run_options& run) {
  bool result = false;
  with_number(type, [&](auto* type_tag, const auto& less) {
    using number = std::remove_pointer_t<decltype(type_tag)>;
    result =
        in_order(std::span(static_cast<const number*>(items), num_items), less, run.threads, run.monitor);
  });
  return result;
}

} // namespace weft::sort_detail
