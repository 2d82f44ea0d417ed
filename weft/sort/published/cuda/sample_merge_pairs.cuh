// The sample-merge sort of keys with values: joins keys and values into pairs, sorts these by the key, and
// splits them again.
#pragma once

#include <cstdint>
#include <cub/device/device_for.cuh>
#include <weft/sort/published/cuda/sample_merge.cuh>

namespace weft::sort_detail {

// Orders pairs by their keys.
template <class Less> struct key_less {
  Less less;
  template <class Pair> __device__ bool operator()(const Pair& a, const Pair& b) const {
    return less(a.key, b.key);
  }
};
template <class Key, class Value> struct join_pair {
  const Key* keys;
  const Value* values;
  key_value<Key, Value>* to;
  __device__ void operator()(std::uint64_t i) const { to[i] = {keys[i], values[i]}; }
};
template <class Key, class Value> struct split_pair {
  const key_value<Key, Value>* from;
  Key* keys;
  Value* values;
  __device__ void operator()(std::uint64_t i) const {
    keys[i] = from[i].key;
    values[i] = from[i].value;
  }
};

// Whether the engine sorts such pairs; larger pairs would not fit the registers.
template <class Key, class Value>
constexpr bool sample_merge_carries = sizeof(key_value<Key, Value>) <= max_item_bytes;

// Sorts the keys, and the values with them; not stable. Extra memory: 2 n pairs.
template <class Key, class Value, class Less>
cudaError_t sample_merge_sort_pairs(void* d_temp, std::size_t& bytes, Key* d_keys, Value* d_values,
                                    std::uint64_t n, Less less, cudaStream_t stream) {
  if (n < 2) return need_nothing(d_temp, bytes);
  using pair = key_value<Key, Value>;
  const key_less<Less> order{less};
  std::size_t sort_bytes = 0;
  if (const cudaError_t status =
          gpu::sample_merge_sort(nullptr, sort_bytes, static_cast<pair*>(nullptr), n, order, stream))
    return status;
  void* parts[2] = {};
  const std::size_t sizes[] = {n * sizeof(pair), sort_bytes};
  if (const cudaError_t status = cut_storage(d_temp, bytes, sizes, parts); status || d_temp == nullptr)
    return status;
  auto* const d_pairs = static_cast<pair*>(parts[0]);
  if (const cudaError_t status =
          cub::DeviceFor::Bulk(n, join_pair<Key, Value>{d_keys, d_values, d_pairs}, stream))
    return status;
  if (const cudaError_t status = gpu::sample_merge_sort(parts[1], sort_bytes, d_pairs, n, order, stream))
    return status;
  return cub::DeviceFor::Bulk(n, split_pair<Key, Value>{d_pairs, d_keys, d_values}, stream);
}

} // namespace weft::sort_detail
