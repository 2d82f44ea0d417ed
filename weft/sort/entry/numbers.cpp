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

// Returns the stable order of numbers of up to 64 bits. Packs each number and its position into one unsigned
// number, and sorts these by vqsort; the result is stable, because positions differ. Packed is u64 if numbers
// and positions have up to 32 bits each, else u128.
template <class Packed, class T>
std::vector<std::uint64_t> argsort_packed(std::span<const T> items, bool reverse,
                                          const sort_options& options) {
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

// Returns the stable order of the numbers, found on the CPU.
template <class T, class Less>
std::vector<std::uint64_t> argsort_on_cpu(std::span<const T> items, const Less& less, sort_engine engine,
                                          const sort_options& options) {
  if constexpr (sizeof(T) <= 8) {
    if (engine != sort_engine::merge) {
      constexpr bool reverse = is_descending<T, Less>;
      record_engine(options, "vqsort");
      if (sizeof(T) <= 4 && items.size() <= std::numeric_limits<std::uint32_t>::max())
        return argsort_packed<std::uint64_t>(items, reverse, options);
      return argsort_packed<uint128>(items, reverse, options);
    }
  } else if (engine == sort_engine::vqsort) {
    engine_does_not_apply(options.engine, small_numbers_only);
  }
  return argsort_by_merge(items, less, options);
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
    record_engine(options, "vqsort");
    vqsort_numbers(numbers, type.descending, options);
  });
}

std::vector<std::uint64_t> argsort_numbers(const void* items, std::uint64_t num_items,
                                           const number_type& type, const sort_options& options) {
  const sort_choice choice = choose_sort_engine(options, nullptr);
  check_stable(choice.id, true, options);
  std::vector<std::uint64_t> order;
  if (argsort_on_gpu(choice, items, num_items, type, order, options)) return order;
  with_number(type, [&](auto* null, const auto& less) {
    const std::span numbers(static_cast<const pointee<decltype(null)>*>(items), num_items);
    order = argsort_on_cpu(numbers, less, choice.id, options);
  });
  return order;
}

void top_k_numbers(const void* items, std::uint64_t num_items, const number_type& type, std::uint64_t k,
                   void* first, const sort_options& options) {
  const sort_choice choice = choose_sort_engine(options, nullptr);
  const bool all = is_full_sort_cheaper(k, num_items);
  if (k == 0) return;
  if ((all || choice.device.kind == device_kind::gpu) &&
      top_k_on_gpu(choice, items, num_items, type, first, k, options))
    return;
  sort_options cpu_options = options;
  cpu_options.device = {device_kind::cpu, 0};
  with_number(type, [&](auto* null, const auto& less) {
    using number = pointee<decltype(null)>;
    const std::span numbers(static_cast<const number*>(items), num_items);
    const std::vector<std::uint64_t> order = all ? argsort_numbers(items, num_items, type, cpu_options)
                                                 : top_k_positions(numbers, k, less, options.threads);
    for (std::uint64_t i = 0; i < k; ++i) static_cast<number*>(first)[i] = numbers[order[i]];
  });
}

void sort_number_segments(void* items, std::uint64_t num_items, std::span<const std::uint64_t> offsets,
                          const number_type& type, const sort_options& options) {
  for_each_segment(num_items, offsets, options,
                   [&](std::uint64_t begin, std::uint64_t end, const sort_options& segment_options) {
                     sort_numbers(static_cast<std::byte*>(items) + begin * type.bytes, end - begin, type,
                                  segment_options, true);
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
