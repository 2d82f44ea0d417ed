#include <bench/sort/gpu_pair_sorts.hpp>

#include <bench/sort/inputs.hpp>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <weft/sort/sort.cuh>

namespace weft::bench {

namespace {

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

// Sorts with two buffers, of which the second one is at the start of the temporary storage. `call` is a
// two-phase call of CUB that gets the storage behind it. `use_storage` sets the second buffer.
template <class Call, class Use>
cudaError_t sort_between(void* d_temp, std::size_t& bytes, std::size_t buffer_bytes, const Call& call,
                         const Use& use_storage) {
  std::size_t own_bytes = 0;
  if (const cudaError_t status = call(nullptr, own_bytes)) return status;
  const std::size_t needed = aligned(buffer_bytes) + own_bytes;
  if (d_temp == nullptr) {
    bytes = needed;
    return cudaSuccess;
  }
  if (bytes < needed) return cudaErrorInvalidValue;
  use_storage(static_cast<std::byte*>(d_temp));
  return call(static_cast<std::byte*>(d_temp) + aligned(buffer_bytes), own_bytes);
}

template <class Key, class Value>
cudaError_t sort_by_cub_radix(void* d_temp, std::size_t& bytes, device_pairs& at, cudaStream_t stream) {
  cub::DoubleBuffer<Key> keys(static_cast<Key*>(at.d_keys), nullptr);
  cub::DoubleBuffer<Value> values(static_cast<Value*>(at.d_values), nullptr);
  const std::size_t key_bytes = aligned(at.count * sizeof(Key));
  const cudaError_t status = sort_between(
      d_temp, bytes, key_bytes + at.count * sizeof(Value),
      [&](void* d_own, std::size_t& own_bytes) {
        return cub::DeviceRadixSort::SortPairs(d_own, own_bytes, keys, values,
                                               static_cast<std::uint32_t>(at.count), 0,
                                               static_cast<int>(8 * sizeof(Key)), stream);
      },
      [&](std::byte* d_storage) {
        keys = {keys.Current(), reinterpret_cast<Key*>(d_storage)};
        values = {values.Current(), reinterpret_cast<Value*>(d_storage + key_bytes)};
      });
  at.d_keys = keys.Current();
  at.d_values = values.Current();
  return status;
}

template <class Key, class Value>
cudaError_t sort_key_values(pair_sort how, void* d_temp, std::size_t& bytes, device_pairs& at,
                            cudaStream_t stream) {
  auto* const keys = static_cast<Key*>(at.d_keys);
  auto* const values = static_cast<Value*>(at.d_values);
  switch (how) {
  case pair_sort::weft:
    return gpu::sort_by_key_async(d_temp, bytes, keys, values, at.count, ascending(), stream);
  case pair_sort::weft_stable:
    return gpu::stable_sort_by_key_async(d_temp, bytes, keys, values, at.count, ascending(), stream);
  case pair_sort::cub_radix:
    return sort_by_cub_radix<Key, Value>(d_temp, bytes, at, stream);
  default:
    return cub::DeviceMergeSort::StableSortPairs(d_temp, bytes, keys, values,
                                                 static_cast<std::uint32_t>(at.count), ascending(), stream);
  }
}

cudaError_t sort_records(pair_sort how, void* d_temp, std::size_t& bytes, device_pairs& at,
                         cudaStream_t stream) {
  auto* const records = static_cast<record*>(at.d_keys);
  switch (how) {
  case pair_sort::weft:
    return gpu::sort_async(d_temp, bytes, records, at.count, by_key(), stream);
  case pair_sort::weft_stable:
    return gpu::stable_sort_async(d_temp, bytes, records, at.count, by_key(), stream);
  case pair_sort::cub_merge:
    return cub::DeviceMergeSort::StableSortKeys(d_temp, bytes, records, static_cast<std::uint32_t>(at.count),
                                                by_key(), stream);
  default:
    return cudaErrorNotSupported;
  }
}

// Keys and values that lie in arrays of their own (stride 1), or side by side in records (stride 2).
template <class Key, class Value> struct pair_view {
  Key* keys;
  Value* values;
  std::uint64_t stride;
  __device__ Key& key(std::uint64_t i) const { return keys[i * stride]; }
  __device__ Value& value(std::uint64_t i) const { return values[i * stride]; }
};

template <class Key, class Value>
__global__ void write_pairs_kernel(const Key* keys, pair_view<Key, Value> to, std::uint64_t n) {
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads) {
    to.key(i) = keys[i];
    to.value(i) = static_cast<Value>(i);
  }
}

template <class Key, class Value>
__global__ void check_pairs_kernel(const Key* input, pair_view<Key, Value> sorted, std::uint64_t n,
                                   bool stable, std::uint32_t* seen, unsigned long long* faults) {
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  unsigned long long own = 0;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads) {
    const Key key = sorted.key(i);
    const std::uint64_t position = sorted.value(i);
    if (position >= n || input[position] != key) {
      ++own;
      continue;
    }
    const std::uint32_t bit = std::uint32_t{1} << (position % 32);
    if ((atomicOr(&seen[position / 32], bit) & bit) != 0) ++own;
    if (i == 0) continue;
    const Key before = sorted.key(i - 1);
    if (key < before || (stable && key == before && position < sorted.value(i - 1))) ++own;
  }
  if (own != 0) atomicAdd(faults, own);
}

constexpr int num_blocks = 1056, threads_per_block = 256;

// Calls body(view) with a view of the pairs or records.
template <class Body> cudaError_t with_view(item_kind items, const device_pairs& at, const Body& body) {
  const auto of = [&](auto key, auto value) {
    using key_type = decltype(key);
    using value_type = decltype(value);
    body(pair_view<key_type, value_type>{static_cast<key_type*>(at.d_keys),
                                         static_cast<value_type*>(at.d_values), 1});
  };
  switch (items) {
  case item_kind::u32_u32:
    of(std::uint32_t{}, std::uint32_t{});
    break;
  case item_kind::u64_u32:
    of(std::uint64_t{}, std::uint32_t{});
    break;
  case item_kind::u64_u64:
    of(std::uint64_t{}, std::uint64_t{});
    break;
  case item_kind::record16: {
    auto* const words = static_cast<std::uint64_t*>(at.d_keys);
    body(pair_view<std::uint64_t, std::uint64_t>{words, words + 1, 2});
    break;
  }
  default:
    return cudaErrorInvalidValue;
  }
  return cudaGetLastError();
}

template <bool Radix>
cudaError_t sort_segments_by_cub(void* d_temp, std::size_t& bytes, device_segments& at, cudaStream_t stream) {
  cub::DoubleBuffer<std::uint64_t> buffers(at.d_items, nullptr);
  const auto n = static_cast<std::int64_t>(at.count), segments = static_cast<std::int64_t>(at.num_segments);
  const cudaError_t status = sort_between(
      d_temp, bytes, at.count * sizeof(std::uint64_t),
      [&](void* d_own, std::size_t& own_bytes) {
        if constexpr (Radix)
          return cub::DeviceSegmentedRadixSort::SortKeys(d_own, own_bytes, buffers, n, segments, at.d_offsets,
                                                         at.d_offsets + 1, 0, 64, stream);
        else
          return cub::DeviceSegmentedSort::SortKeys(d_own, own_bytes, buffers, n, segments, at.d_offsets,
                                                    at.d_offsets + 1, stream);
      },
      [&](std::byte* d_storage) {
        buffers = {buffers.Current(), reinterpret_cast<std::uint64_t*>(d_storage)};
      });
  at.d_items = buffers.Current();
  return status;
}

} // namespace

cudaError_t sort_pairs_by(pair_sort how, item_kind items, void* d_temp_storage,
                          std::size_t& temp_storage_bytes, device_pairs& at, cudaStream_t stream) noexcept {
  if (at.count >> 32 != 0) return cudaErrorInvalidValue;
  switch (items) {
  case item_kind::u32_u32:
    return sort_key_values<std::uint32_t, std::uint32_t>(how, d_temp_storage, temp_storage_bytes, at, stream);
  case item_kind::u64_u32:
    return sort_key_values<std::uint64_t, std::uint32_t>(how, d_temp_storage, temp_storage_bytes, at, stream);
  case item_kind::u64_u64:
    return sort_key_values<std::uint64_t, std::uint64_t>(how, d_temp_storage, temp_storage_bytes, at, stream);
  case item_kind::record16:
    return sort_records(how, d_temp_storage, temp_storage_bytes, at, stream);
  default:
    return cudaErrorInvalidValue;
  }
}

cudaError_t enqueue_pairs(item_kind items, const void* d_keys, const device_pairs& to,
                          cudaStream_t stream) noexcept {
  return with_view(items, to, [&]<class Key, class Value>(const pair_view<Key, Value>& view) {
    write_pairs_kernel<<<num_blocks, threads_per_block, 0, stream>>>(static_cast<const Key*>(d_keys), view,
                                                                     to.count);
  });
}

cudaError_t enqueue_check(item_kind items, const void* d_input_keys, const device_pairs& sorted, bool stable,
                          std::uint32_t* d_seen, unsigned long long* d_faults, cudaStream_t stream) noexcept {
  return with_view(items, sorted, [&]<class Key, class Value>(const pair_view<Key, Value>& view) {
    check_pairs_kernel<<<num_blocks, threads_per_block, 0, stream>>>(
        static_cast<const Key*>(d_input_keys), view, sorted.count, stable, d_seen, d_faults);
  });
}

cudaError_t sort_segments_by(segment_sort how, void* d_temp_storage, std::size_t& temp_storage_bytes,
                             device_segments& at, cudaStream_t stream) noexcept {
  switch (how) {
  case segment_sort::weft:
    return gpu::segmented_sort_async(d_temp_storage, temp_storage_bytes, at.d_items, at.count, at.d_offsets,
                                     at.num_segments, ascending(), stream);
  case segment_sort::cub_merge:
    return sort_segments_by_cub<false>(d_temp_storage, temp_storage_bytes, at, stream);
  default:
    return sort_segments_by_cub<true>(d_temp_storage, temp_storage_bytes, at, stream);
  }
}

} // namespace weft::bench
