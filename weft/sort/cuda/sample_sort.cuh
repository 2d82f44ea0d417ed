// The engine `sample-sort`, for items and for keys with values.
#pragma once

#include <weft/sort/cuda/radix_sort.cuh>
#include <weft/sort/cuda/sample_sort_call.cuh>

namespace weft::sort_detail {

// The order `Order`, or the one that also keeps the order of equal items.
template <class Order, bool Stable>
using order_with_stability = std::conditional_t<Stable, with_stability<Order>, Order>;

// Sorts in place, in two phases; only enqueues work, and may be captured in a graph. Equal items end in an
// unspecified order unless `Order` is stable; equal numbers are indistinguishable. If `segments` are given,
// sorts each segment by itself (numbers only). n >= 2. Time O(n log n): up to 2^28 items, two passes over the
// items. Extra memory: n items, 1.4 n bytes (0.8 n for 8-byte numbers, 1.5 n with segments, 2 n for stable
// sorts) and some MB.
template <class Order>
cudaError_t run_sample_sort(void* d_temp, std::size_t& bytes, typename Order::array items, std::uint64_t n,
                            const Order& order, cudaStream_t stream, const sample_sort_options& options = {},
                            const caller_segments& segments = {}) {
  using shape = typename default_sample_sort_shapes<Order>::type;
  sample_sort_call<Order, shape> call(items, n, order, options, stream, segments);
  if (const cudaError_t status = call.set_memory(d_temp, bytes); status != cudaSuccess || d_temp == nullptr)
    return status;
  return call.run();
}

// Whether the engine sorts such pairs; larger pairs would not fit the kernels' registers.
template <class Key, class Value, class Less>
constexpr bool sample_sort_carries = is_in_natural_order<Key, Less> && sizeof(Value) <= sizeof(Key) &&
                                     sizeof(key_value<Key, Value>) <= 16;

// Sorts keys, and their values with them, like run_sample_sort. Without `Stable`, the order of values whose
// keys are equal is unspecified.
template <bool Stable = false, class Key, class Value, class Less>
cudaError_t sample_sort_pairs(void* d_temp, std::size_t& bytes, Key* d_keys, Value* d_values, std::uint64_t n,
                              Less, cudaStream_t stream, const sample_sort_options& options = {}) {
  using order = order_with_stability<pair_order<Key, Value, is_descending<Key, Less>>, Stable>;
  return run_sample_sort(d_temp, bytes, typename order::array(d_keys, d_values), n, order{}, stream, options,
                         {});
}

} // namespace weft::sort_detail
