// The functions that leave the caller's items as they are: argsort and top_k. Both sort a copy of the items.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cub/device/device_for.cuh>
#include <limits>
#include <weft/sort/cuda/engines.cuh>

namespace weft::sort_detail {

template <class Index> struct write_position {
  Index* to;
  template <class Count> __device__ void operator()(Count i) const { to[i] = static_cast<Index>(i); }
};

// Sorts a copy of the items by sort(d_temp, bytes, d_copy), and calls finish(d_copy). The storage holds the
// copy and the temporary storage of the sort. prepare() enqueues other work before the sort. The first phase
// only sets `bytes`.
template <class T, class Prepare, class Sort, class Finish>
cudaError_t sort_copy(void* d_temp, std::size_t& bytes, const T* d_items, std::uint64_t n,
                      cudaStream_t stream, Prepare prepare, Sort sort, Finish finish) {
  std::size_t sort_bytes = 0;
  if (const cudaError_t status = sort(nullptr, sort_bytes, static_cast<T*>(nullptr))) return status;
  void* parts[2] = {};
  const std::size_t sizes[] = {n * sizeof(T), sort_bytes};
  if (const cudaError_t status = cut_storage(d_temp, bytes, sizes, parts); status || d_temp == nullptr)
    return status;
  auto* const d_copy = static_cast<T*>(parts[0]);
  if (const cudaError_t status = copy_if_elsewhere(d_items, d_copy, n, stream)) return status;
  if (const cudaError_t status = prepare()) return status;
  if (const cudaError_t status = sort(parts[1], sort_bytes, d_copy)) return status;
  return finish(d_copy);
}

template <device_engine Engine, class T, class Index, class Less>
cudaError_t argsort(void* d_temp, std::size_t& bytes, const T* d_items, Index* d_order, std::uint64_t n,
                    Less less, cudaStream_t stream) {
  static_assert(engine_is_stable<Engine>);
  if (!valid_arrays(d_temp, n, d_items, d_order)) return cudaErrorInvalidValue;
  if (n != 0 && n - 1 > std::numeric_limits<Index>::max()) return cudaErrorInvalidValue;
  if (n == 0) return need_nothing(d_temp, bytes);
  return sort_copy(
      d_temp, bytes, d_items, n, stream,
      [&] { return cub::DeviceFor::Bulk(n, write_position<Index>{d_order}, stream); },
      [&](void* d_storage, std::size_t& size, T* d_keys) {
        return sort_pairs<Engine>(d_storage, size, d_keys, d_order, n, less, stream);
      },
      [](const T*) { return cudaSuccess; });
}

template <device_engine Engine, class T, class Less>
cudaError_t top_k(void* d_temp, std::size_t& bytes, const T* d_items, std::uint64_t n, std::uint64_t k,
                  T* d_top, Less less, cudaStream_t stream) {
  static_assert(engine_is_stable<Engine>);
  k = std::min(k, n);
  if (!valid_arrays(d_temp, k, d_items, d_top) || n > max_items) return cudaErrorInvalidValue;
  if (k == 0) return need_nothing(d_temp, bytes);
  return sort_copy(
      d_temp, bytes, d_items, n, stream, [] { return cudaSuccess; },
      [&](void* d_storage, std::size_t& size, T* d_copy) {
        return sort_device_items<Engine>(d_storage, size, d_copy, n, less, stream);
      },
      [&](const T* d_copy) { return copy_if_elsewhere(d_copy, d_top, k, stream); });
}

} // namespace weft::sort_detail
