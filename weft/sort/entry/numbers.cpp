#include <weft/sort/entry/numbers.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <type_traits>
#include <weft/sort/cpu/number_sort.hpp>
#include <weft/sort/entry/argsort.hpp>
#include <weft/sort/entry/gpu_sort.hpp>
#include <weft/sort/entry/top_k.hpp>
#include <weft/sort/entry/with_number.hpp>

namespace weft::detail {

namespace {

template <class Pointer> using pointee = std::remove_pointer_t<Pointer>;

template <class T> void vqsort_numbers(std::span<T> items, bool reverse, const sort_options& options) {
  const sort_order order = reverse ? sort_order::descending : sort_order::ascending;
  if constexpr (std::floating_point<T>) {
    using bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    sort_floats<bits>({reinterpret_cast<bits*>(items.data()), items.size()}, order, options.threads,
                      options.monitor);
  } else {
    sort_integers<T>(items, order, options.threads, options.monitor);
  }
}

// A number of up to 64 bits and its position make one unsigned number, which vqsort sorts: stable, as
// positions differ. Packed: u64 for numbers and positions of up to 32 bits each, else u128.
template <class Packed, class T>
std::vector<std::uint64_t> packed_order(std::span<const T> items, bool reverse, const sort_options& options) {
  constexpr int half = sizeof(Packed) * 4;
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

// The order of numbers on the CPU.
template <class T, class Less>
std::vector<std::uint64_t> number_order(std::span<const T> items, const Less& less, sort_engine engine,
                                        const sort_options& options) {
  if constexpr (sizeof(T) <= 8) {
    if (engine != sort_engine::merge) {
      constexpr bool reverse = is_descending<T, Less>;
      tell_engine(options, "vqsort");
      if (sizeof(T) <= 4 && items.size() <= std::numeric_limits<std::uint32_t>::max())
        return packed_order<std::uint64_t>(items, reverse, options);
      return packed_order<uint128>(items, reverse, options);
    }
  } else if (engine == sort_engine::vqsort) {
    engine_does_not_apply(options.engine, small_numbers_only);
  }
  return merged_order(items, less, options);
}

} // namespace

void sort_numbers(void* items, std::uint64_t num_items, const number_type& type, const sort_options& options,
                  bool stable) {
  const sort_choice choice = choose_sort_engine(options, nullptr);
  check_stable(choice.id, stable, options);
  if (sort_on_gpu(choice, items, num_items, type, options)) return;
  with_number(type, [&](auto* null, const auto& less) {
    const std::span numbers(static_cast<decltype(null)>(items), num_items);
    if (choice.id == sort_engine::merge || choice.id == sort_engine::sample_merge)
      return merge_items(numbers, less, options, choice.id);
    tell_engine(options, "vqsort");
    vqsort_numbers(numbers, type.descending, options);
  });
}

std::vector<std::uint64_t> order_of_numbers(const void* items, std::uint64_t num_items,
                                            const number_type& type, const sort_options& options) {
  const sort_choice choice = choose_sort_engine(options, nullptr);
  check_stable(choice.id, true, options);
  std::vector<std::uint64_t> order;
  if (order_on_gpu(choice, items, num_items, type, order, options)) return order;
  with_number(type, [&](auto* null, const auto& less) {
    const std::span numbers(static_cast<const pointee<decltype(null)>*>(items), num_items);
    order = number_order(numbers, less, choice.id, options);
  });
  return order;
}

void first_numbers(const void* items, std::uint64_t num_items, const number_type& type, std::uint64_t k,
                   void* first, const sort_options& options) {
  const sort_choice choice = choose_sort_engine(options, nullptr);
  const bool all = sorts_all(k, num_items);
  if (k == 0) return;
  if ((all || choice.device.kind == device_kind::gpu) &&
      first_on_gpu(choice, items, num_items, type, first, k, options))
    return;
  sort_options here = options;
  here.device = {device_kind::cpu, 0};
  with_number(type, [&](auto* null, const auto& less) {
    using number = pointee<decltype(null)>;
    const std::span numbers(static_cast<const number*>(items), num_items);
    const std::vector<std::uint64_t> order = all ? order_of_numbers(items, num_items, type, here)
                                                 : first_positions(numbers, k, less, options.threads);
    for (std::uint64_t i = 0; i < k; ++i) static_cast<number*>(first)[i] = numbers[order[i]];
  });
}

void sort_number_segments(void* items, std::uint64_t num_items, std::span<const std::uint64_t> offsets,
                          const number_type& type, const sort_options& options) {
  for_segments(
      num_items, offsets, options, [&](std::uint64_t begin, std::uint64_t end, const sort_options& how) {
        sort_numbers(static_cast<std::byte*>(items) + begin * type.bytes, end - begin, type, how, true);
      });
}

bool numbers_in_order(const void* items, std::uint64_t num_items, const number_type& type, int threads) {
  bool result = false;
  with_number(type, [&](auto* null, const auto& less) {
    const std::span numbers(static_cast<const pointee<decltype(null)>*>(items), num_items);
    result = in_order(numbers, less, threads);
  });
  return result;
}

} // namespace weft::detail
