// The sorts of numbers in their natural order. For the types listed at the end they are compiled once, in the
// library (weft/sort/CMakeLists.txt): a program that sorts such numbers includes these declarations and
// compiles no kernel. For all other types the sorts are instantiated where they are called.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <weft/sort/cuda/automatic_numbers.cuh>
#include <weft/sort/cuda/number_segments.cuh>

namespace weft::sort_detail {

// Sorts of keys, for `Less` ascending or descending: the unit that is compiled for a type. All have the two
// phases of the functions in sort.cuh, and need n >= 2.
template <class Key, class Less> struct number_sorts {
  // The automatic engines, radix and merge.
  static cudaError_t sort(void* d_temp, std::size_t& bytes, Key* d_keys, std::uint64_t n,
                          cudaStream_t stream);
  static cudaError_t radix_sort(void* d_temp, std::size_t& bytes, Key* d_keys, std::uint64_t n,
                                cudaStream_t stream);
  static cudaError_t merge_sort(void* d_temp, std::size_t& bytes, Key* d_keys, std::uint64_t n,
                                cudaStream_t stream);
  // With segments, sorts each segment by itself. Returns cudaErrorNotSupported if the device's blocks have
  // too little shared memory.
  static cudaError_t sample_sort(void* d_temp, std::size_t& bytes, Key* d_keys, std::uint64_t n,
                                 cudaStream_t stream, const sample_sort_options& options,
                                 const caller_segments& segments);
  // Sorts each segment by itself, by the engine radix.
  static cudaError_t radix_sort_segments(void* d_temp, std::size_t& bytes, Key* d_keys, std::uint64_t n,
                                         cudaStream_t stream, const caller_segments& segments);
};

// Sorts of keys with values of at most 16 bytes, in the same way. `sort` and `stable_sort` are the
// automatic engines; only `sort` may change the order of values whose keys are equal.
template <class Key, class Value, class Less> struct pair_sorts {
  static cudaError_t sort(void* d_temp, std::size_t& bytes, Key* d_keys, Value* d_values, std::uint64_t n,
                          cudaStream_t stream);
  static cudaError_t stable_sort(void* d_temp, std::size_t& bytes, Key* d_keys, Value* d_values,
                                 std::uint64_t n, cudaStream_t stream);
  static cudaError_t radix_sort(void* d_temp, std::size_t& bytes, Key* d_keys, Value* d_values,
                                std::uint64_t n, cudaStream_t stream);
  static cudaError_t merge_sort(void* d_temp, std::size_t& bytes, Key* d_keys, Value* d_values,
                                std::uint64_t n, cudaStream_t stream);
};

template <class Key, class Less>
cudaError_t number_sorts<Key, Less>::sort(void* d_temp, std::size_t& bytes, Key* d_keys, std::uint64_t n,
                                          cudaStream_t stream) {
  return sort_numbers_automatically<false>(d_temp, bytes, d_keys, static_cast<no_value*>(nullptr), n, Less(),
                                           stream);
}

template <class Key, class Less>
cudaError_t number_sorts<Key, Less>::radix_sort(void* d_temp, std::size_t& bytes, Key* d_keys,
                                                std::uint64_t n, cudaStream_t stream) {
  return sort_detail::radix_sort(d_temp, bytes, d_keys, static_cast<no_value*>(nullptr), n, Less(), stream);
}

template <class Key, class Less>
cudaError_t number_sorts<Key, Less>::merge_sort(void* d_temp, std::size_t& bytes, Key* d_keys,
                                                std::uint64_t n, cudaStream_t stream) {
  return sort_detail::merge_sort(d_temp, bytes, d_keys, n, Less(), stream);
}

template <class Key, class Less>
cudaError_t number_sorts<Key, Less>::sample_sort(void* d_temp, std::size_t& bytes, Key* d_keys,
                                                 std::uint64_t n, cudaStream_t stream,
                                                 const sample_sort_options& options,
                                                 const caller_segments& segments) {
  return run_sample_sort(d_temp, bytes, d_keys, n, number_order<Key, is_descending<Key, Less>>{}, stream,
                         options, segments);
}

template <class Key, class Less>
cudaError_t number_sorts<Key, Less>::radix_sort_segments(void* d_temp, std::size_t& bytes, Key* d_keys,
                                                         std::uint64_t n, cudaStream_t stream,
                                                         const caller_segments& segments) {
  return with_count_type(n, [&](auto count) {
    using count_type = decltype(count);
    const segment_starts<count_type> starts{segments.d_offsets, segments.count};
    return radix_sort_in_segments(d_temp, bytes, d_keys, static_cast<count_type>(n), starts, Less(), stream);
  });
}

template <class Key, class Value, class Less>
cudaError_t pair_sorts<Key, Value, Less>::sort(void* d_temp, std::size_t& bytes, Key* d_keys, Value* d_values,
                                               std::uint64_t n, cudaStream_t stream) {
  return sort_numbers_automatically<false>(d_temp, bytes, d_keys, d_values, n, Less(), stream);
}

template <class Key, class Value, class Less>
cudaError_t pair_sorts<Key, Value, Less>::stable_sort(void* d_temp, std::size_t& bytes, Key* d_keys,
                                                      Value* d_values, std::uint64_t n, cudaStream_t stream) {
  return sort_numbers_automatically<true>(d_temp, bytes, d_keys, d_values, n, Less(), stream);
}

template <class Key, class Value, class Less>
cudaError_t pair_sorts<Key, Value, Less>::radix_sort(void* d_temp, std::size_t& bytes, Key* d_keys,
                                                     Value* d_values, std::uint64_t n, cudaStream_t stream) {
  return sort_detail::radix_sort(d_temp, bytes, d_keys, d_values, n, Less(), stream);
}

template <class Key, class Value, class Less>
cudaError_t pair_sorts<Key, Value, Less>::merge_sort(void* d_temp, std::size_t& bytes, Key* d_keys,
                                                     Value* d_values, std::uint64_t n, cudaStream_t stream) {
  return merge_sort_pairs(d_temp, bytes, d_keys, d_values, n, Less(), stream);
}

// The functions that sort keys of T, and pairs of them with values, if `Less` is a natural order of T.
template <class T, class Less>
using sorts_of = number_sorts<typename sorted_key<T>::type, natural_less<T, Less>>;
template <class Key, class Value, class Less>
using pair_sorts_of =
    pair_sorts<typename sorted_key<Key>::type, typename moved_value<Value>::type, natural_less<Key, Less>>;

// Sorts by samples: numbers in their natural order, or any items by a comparator (see run_sample_sort).
template <bool Stable = false, class T, class Less>
cudaError_t sample_sort(void* d_temp, std::size_t& bytes, T* d_items, std::uint64_t n, Less less,
                        cudaStream_t stream, const sample_sort_options& options = {}) {
  if constexpr (is_in_natural_order<T, Less>)
    return sorts_of<T, Less>::sample_sort(d_temp, bytes, sorted_keys(d_items), n, stream, options, {});
  else
    return run_sample_sort(d_temp, bytes, d_items, n,
                           order_with_stability<comparator_order<T, Less>, Stable>(less), stream, options);
}

// The library contains these sorts, compiled.
extern template struct number_sorts<std::uint8_t, ascending>;
extern template struct number_sorts<std::uint16_t, ascending>;
extern template struct number_sorts<std::uint32_t, ascending>;
extern template struct number_sorts<std::uint64_t, ascending>;
extern template struct number_sorts<uint128, ascending>;
extern template struct number_sorts<std::int32_t, ascending>;
extern template struct number_sorts<std::int64_t, ascending>;
extern template struct number_sorts<float, ascending>;
extern template struct number_sorts<double, ascending>;
extern template struct pair_sorts<std::uint32_t, std::uint32_t, ascending>;
extern template struct pair_sorts<std::uint32_t, std::uint64_t, ascending>;
extern template struct pair_sorts<std::uint64_t, std::uint32_t, ascending>;
extern template struct pair_sorts<std::uint64_t, std::uint64_t, ascending>;
extern template struct pair_sorts<uint128, std::uint32_t, ascending>;

} // namespace weft::sort_detail
