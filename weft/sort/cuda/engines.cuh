// Dispatches from an engine, a type and a comparator to the code that sorts.
#pragma once

#include <cstdint>
#include <weft/sort/cuda/number_sorts.cuh>

namespace weft::sort_detail {

// The engines. Every engine sorts every type by every comparator, except `radix`, which sorts numbers in
// their natural order only. An engine that does not support a type of values merges the pairs instead.
// `automatic_unstable` and `sample_sort` need not keep the order of equal items; all other engines keep it.
enum class device_engine {
  automatic_stable,
  automatic_unstable,
  radix,
  merge,
  sample_sort,
  stable_sample_sort
};

template <device_engine Engine, class T, class Less>
constexpr bool engine_sorts = Engine != device_engine::radix || is_in_natural_order<T, Less>;

template <device_engine Engine>
constexpr bool engine_is_stable =
    Engine == device_engine::automatic_stable || Engine == device_engine::radix ||
    Engine == device_engine::merge || Engine == device_engine::stable_sample_sort;
template <device_engine Engine>
constexpr bool is_sample_sort_engine =
    Engine == device_engine::sample_sort || Engine == device_engine::stable_sample_sort;

template <device_engine Engine>
constexpr bool is_automatic_engine =
    Engine == device_engine::automatic_stable || Engine == device_engine::automatic_unstable;

// Whether an automatic engine may sort `T` by samples: from min_sample_sort_items items on, because from that
// size on no measured input was sorted at less than nine tenths of a merge sort's speed
// (bench/record/notes-sort.md). Numbers in their natural order are left to sort_numbers_automatically().
template <device_engine Engine, class T, class Less>
constexpr bool can_sample_sort = is_automatic_engine<Engine> && !is_in_natural_order<T, Less> &&
                                 sizeof(T) <= 16 && (sizeof(T) > 8 || !engine_is_stable<Engine>);
template <device_engine Engine, class T>
inline constexpr std::uint64_t min_sample_sort_items = std::uint64_t{1} << (sizeof(T) <= 8             ? 22
                                                                            : engine_is_stable<Engine> ? 20
                                                                                                       : 15);

template <device_engine Engine, class T, class Less>
cudaError_t sort_device_items(void* d_temp, std::size_t& bytes, T* d_items, std::uint64_t n, Less less,
                              cudaStream_t stream) {
  static_assert(engine_sorts<Engine, T, Less>);
  if (!valid_arrays(d_temp, n, d_items)) return cudaErrorInvalidValue;
  if (n < 2) return need_nothing(d_temp, bytes);
  if constexpr (can_sample_sort<Engine, T, Less>)
    if (n >= min_sample_sort_items<Engine, T>) {
      const cudaError_t status =
          sample_sort<engine_is_stable<Engine>>(d_temp, bytes, d_items, n, less, stream);
      if (status != cudaErrorNotSupported) return status; // The device has too little shared memory.
    }
  if constexpr (is_automatic_engine<Engine> && is_in_natural_order<T, Less>)
    return sorts_of<T, Less>::sort(d_temp, bytes, sorted_keys(d_items), n, stream);
  else if constexpr (Engine == device_engine::radix)
    return sorts_of<T, Less>::radix_sort(d_temp, bytes, sorted_keys(d_items), n, stream);
  else if constexpr (is_sample_sort_engine<Engine>)
    return sample_sort<engine_is_stable<Engine>>(d_temp, bytes, d_items, n, less, stream);
  else if constexpr (is_in_natural_order<T, Less>)
    return sorts_of<T, Less>::merge_sort(d_temp, bytes, sorted_keys(d_items), n, stream);
  else
    return merge_sort(d_temp, bytes, d_items, n, less, stream);
}

template <device_engine Engine, class Key, class Value, class Less>
cudaError_t sort_pairs(void* d_temp, std::size_t& bytes, Key* d_keys, Value* d_values, std::uint64_t n,
                       Less less, cudaStream_t stream) {
  static_assert(engine_sorts<Engine, Key, Less>);
  if (!valid_arrays(d_temp, n, d_keys, d_values)) return cudaErrorInvalidValue;
  if (n < 2) return need_nothing(d_temp, bytes);
  constexpr bool numbers = is_in_natural_order<Key, Less> && radix_carries<Value>;
  if constexpr (numbers && Engine == device_engine::automatic_unstable)
    return pair_sorts_of<Key, Value, Less>::sort(d_temp, bytes, sorted_keys(d_keys), moved_values(d_values),
                                                 n, stream);
  else if constexpr (numbers && Engine == device_engine::automatic_stable)
    return pair_sorts_of<Key, Value, Less>::stable_sort(d_temp, bytes, sorted_keys(d_keys),
                                                        moved_values(d_values), n, stream);
  else if constexpr (numbers && Engine == device_engine::radix)
    return pair_sorts_of<Key, Value, Less>::radix_sort(d_temp, bytes, sorted_keys(d_keys),
                                                       moved_values(d_values), n, stream);
  else if constexpr (is_sample_sort_engine<Engine> && sample_sort_carries<Key, Value, Less>)
    return sample_sort_pairs<engine_is_stable<Engine>>(d_temp, bytes, d_keys, d_values, n, less, stream);
  else if constexpr (numbers)
    return pair_sorts_of<Key, Value, Less>::merge_sort(d_temp, bytes, sorted_keys(d_keys),
                                                       moved_values(d_values), n, stream);
  else
    return merge_sort_pairs(d_temp, bytes, d_keys, d_values, n, less, stream);
}

} // namespace weft::sort_detail
