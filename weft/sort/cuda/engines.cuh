// Dispatches from an engine, a type and a comparator to the code that sorts.
#pragma once

#include <cstdint>
#include <weft/sort/cuda/number_sorts.cuh>

namespace weft::sort_detail {

// The engines. Every engine sorts every type by every comparator, except `radix`, which only sorts numbers in
// their own order. An engine that does not support a type of values merges the pairs instead.
// `automatic_unstable` need not keep the order of equal items; `stable_sample_sort` is the sample sort that
// keeps it.
enum class device_engine { automatic, automatic_unstable, radix, merge, sample_sort, stable_sample_sort };

template <device_engine Engine, class T, class Less>
constexpr bool engine_sorts = Engine != device_engine::radix || radix_sorts<T, Less>;

template <device_engine Engine>
constexpr bool engine_is_stable =
    Engine == device_engine::automatic || Engine == device_engine::radix || Engine == device_engine::merge ||
    Engine == device_engine::stable_sample_sort;
template <device_engine Engine>
constexpr bool engine_samples =
    Engine == device_engine::sample_sort || Engine == device_engine::stable_sample_sort;

template <device_engine Engine>
constexpr bool engine_is_automatic =
    Engine == device_engine::automatic || Engine == device_engine::automatic_unstable;

// Whether `automatic` uses a sample sort for large inputs of `T`. It uses sort_numbers for numbers in their
// own order, and else a sample sort from samples_from items on; from that size on, no measured input was
// sorted at less than nine tenths of a merge sort's speed (bench/record/notes-sort.md).
template <device_engine Engine, class T, class Less>
constexpr bool may_sample = engine_is_automatic<Engine> && !radix_sorts<T, Less> && sizeof(T) <= 16 &&
                            (sizeof(T) > 8 || !engine_is_stable<Engine>);
template <device_engine Engine, class T>
inline constexpr std::uint64_t samples_from = std::uint64_t{1} << (sizeof(T) <= 8             ? 22
                                                                   : engine_is_stable<Engine> ? 20
                                                                                              : 15);

template <device_engine Engine, class T, class Less>
cudaError_t sort_items(void* d_temp, std::size_t& bytes, T* d_items, std::uint64_t n, Less less,
                       cudaStream_t stream) {
  static_assert(engine_sorts<Engine, T, Less>);
  if (!valid_arrays(d_temp, n, d_items)) return cudaErrorInvalidValue;
  if (n < 2) return need_nothing(d_temp, bytes);
  if constexpr (may_sample<Engine, T, Less>)
    if (n >= samples_from<Engine, T>) {
      const cudaError_t status =
          sample_sort<engine_is_stable<Engine>>(d_temp, bytes, d_items, n, less, stream);
      if (status != cudaErrorNotSupported) return status; // The device has too little shared memory.
    }
  if constexpr (engine_is_automatic<Engine> && radix_sorts<T, Less>)
    return sorts_of<T, Less>::sort(d_temp, bytes, sorted_keys(d_items), n, stream);
  else if constexpr (Engine == device_engine::radix)
    return sorts_of<T, Less>::radix_sort(d_temp, bytes, sorted_keys(d_items), n, stream);
  else if constexpr (engine_samples<Engine>)
    return sample_sort<engine_is_stable<Engine>>(d_temp, bytes, d_items, n, less, stream);
  else if constexpr (radix_sorts<T, Less>)
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
  constexpr bool numbers = radix_sorts<Key, Less> && radix_carries<Value>;
  if constexpr (numbers && Engine == device_engine::automatic_unstable)
    return pair_sorts_of<Key, Value, Less>::sort(d_temp, bytes, sorted_keys(d_keys), moved_values(d_values),
                                                 n, stream);
  else if constexpr (numbers && Engine == device_engine::automatic)
    return pair_sorts_of<Key, Value, Less>::stable_sort(d_temp, bytes, sorted_keys(d_keys),
                                                        moved_values(d_values), n, stream);
  else if constexpr (numbers && Engine == device_engine::radix)
    return pair_sorts_of<Key, Value, Less>::radix_sort(d_temp, bytes, sorted_keys(d_keys),
                                                       moved_values(d_values), n, stream);
  else if constexpr (engine_samples<Engine> && sample_sort_carries<Key, Value, Less>)
    return sample_sort_pairs<engine_is_stable<Engine>>(d_temp, bytes, d_keys, d_values, n, less, stream);
  else if constexpr (numbers)
    return pair_sorts_of<Key, Value, Less>::merge_sort(d_temp, bytes, sorted_keys(d_keys),
                                                       moved_values(d_values), n, stream);
  else
    return merge_sort_pairs(d_temp, bytes, d_keys, d_values, n, less, stream);
}

} // namespace weft::sort_detail
