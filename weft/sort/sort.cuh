// Sorting in device memory, on the caller's stream: any trivially copyable type, any comparator. Needs nvcc.
// For items in host memory see weft/sort/sort.hpp.
//
//   // d_words: n records in device memory; most_frequent_first: a function object that the device can call.
//   cudaError_t enqueue_sort(counted_word* d_words, std::uint64_t n, cudaStream_t stream) {
//     void* d_temp = nullptr;
//     std::size_t bytes = 0; // how much it needs
//     cudaError_t status = weft::gpu::stable_sort(nullptr, bytes, d_words, n, most_frequent_first{}, stream);
//     if (status == cudaSuccess) status = cudaMallocAsync(&d_temp, bytes, stream);
//     if (status == cudaSuccess)
//       status = weft::gpu::stable_sort(d_temp, bytes, d_words, n, most_frequent_first{}, stream);
//     if (d_temp != nullptr) (void)cudaFreeAsync(d_temp, stream);
//     return status; // nothing has been waited for
//   }
//
// In full, and run by the tests: examples/sort_gpu.cu.
//
// For all functions here:
//   Device      the current one; the stream and all memory called d_... belong to it.
//   Items       trivially copyable, default constructible types of up to 64 bytes, and so values.
//   Less        a strict weak order (by another one items may be lost, and what is no item compared),
//               trivially copyable, whose const operator() the device can call with two const T&.
//               weft::ascending (the default) and weft::descending order numbers (integers of 8 to 128 bits,
//               float, double) as weft/sort/sort.hpp says, floats totally; these, and cuda::std::less and
//               greater of integers, are known, and sorted by radix or, in segments or if they have 64 or
//               128 bits and are many, or 32 and some hundred thousand, by samples, and so are keys of 64
//               bits with values of no more.
//               Anything else is merged, or (many items of up to 16 bytes) sorted by samples.
//   Sizes       0 <= n <= 2^48. A pointer to nothing may be null. Of alignment that of the type is asked.
//   Aliasing    no two arrays of a call overlap.
//   Order       after the work enqueued in the stream before. Calls in several streams or by several host
//               threads may run at once, each with temporary storage of its own.
//   Result      where stable_ stands, and of all numbers in a known order, the same bytes as the CPU's
//               stable_sort gives, on every device. Else which of equal items comes first may change from one
//               call to the next.
//
// In two phases, as in CUB: with d_temp_storage null, temp_storage_bytes becomes the bytes needed, and
// nothing else happens (other pointers are not looked at); else the work is enqueued. Both need the same
// counts, types and device.
//
// Time          numbers in a known order: O(n) a byte of the type; else O(n log n).
// Extra memory  temp_storage_bytes of the device, at any alignment: those of n items (and values), up to a
//               tenth more or, by a comparator, 1.4 bytes an item more (of a stable sort 2), and some MB.
//               Not to be touched until the work is done; then it can be used again. Nothing is allocated.
// Waits         never for the device (but blocks of a sort of up to 1.32 M items for each other: a kernel
//               that keeps multiprocessors until such a sort has ended waits for ever); may be captured into
//               a graph, which can be launched again for other items at the same places (one launch at a
//               time: they share the temporary storage).
// Returns       cudaErrorInvalidValue for a count out of range, too little temporary storage, or a null
//               pointer to something, and has then enqueued nothing; or what a launch returned (an error that
//               the host thread has left unread among them). Never throws. A failure of the device itself
//               shows in later calls, as always.
//
// Each function has a second form without the two first arguments, which allocates and frees the temporary
// storage in stream order (weft::gpu::device_buffer), and waits for the stream only if memory is short. It
// throws std::invalid_argument (for cudaErrorInvalidValue), memory_error (of the device), device_error. May
// not be captured.
//
// Sources: CUB (https://github.com/NVIDIA/cccl), whose radix sort (Adinets & Merrill, Onesweep,
// arXiv:2206.01784) and merge sort do the work where samples do not: see weft/sort/cuda/sample_sort.cuh.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <weft/base/cuda/two_phases.hpp>
#include <weft/sort/core/ordered_bits.hpp>
#include <weft/sort/cuda/engines.cuh>
#include <weft/sort/cuda/segmented_sort.cuh>
#include <weft/sort/cuda/selections.cuh>

namespace weft::gpu {

template <class T>
concept device_item =
    std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T> && !std::is_const_v<T> &&
    sizeof(T) <= detail::max_item_bytes;

// What argsort writes.
template <class Index>
concept device_position = std::same_as<Index, std::uint32_t> || std::same_as<Index, std::uint64_t>;

namespace detail {

// Both phases of call(d_temp_storage, temp_storage_bytes), with storage of its own.
template <class Call> void call_with_storage(const char* function, cudaStream_t stream, Call call) {
  const std::string what = std::string("weft::gpu::") + function;
  in_two_phases(stream, what, [&](void* d_temp, std::size_t& bytes) {
    const cudaError_t status = call(d_temp, bytes);
    if (status == cudaErrorInvalidValue)
      throw std::invalid_argument(what + ": a count is out of range, or a pointer to something null");
    return status;
  });
}

} // namespace detail

// Sorts in place. Equal items end in no stated order.
template <device_item T, class Less = ascending>
[[nodiscard]] cudaError_t sort(void* d_temp_storage, std::size_t& temp_storage_bytes, T* d_items,
                               std::uint64_t num_items, Less less = {},
                               cudaStream_t stream = nullptr) noexcept {
  return detail::sort_items<detail::device_engine::automatic_unstable>(d_temp_storage, temp_storage_bytes,
                                                                       d_items, num_items, less, stream);
}
template <device_item T, class Less = ascending>
void sort(T* d_items, std::uint64_t num_items, Less less = {}, cudaStream_t stream = nullptr) {
  detail::call_with_storage("sort", stream, [&](void* d_temp, std::size_t& bytes) {
    return sort(d_temp, bytes, d_items, num_items, less, stream);
  });
}

// The same; equal items keep their order.
template <device_item T, class Less = ascending>
[[nodiscard]] cudaError_t stable_sort(void* d_temp_storage, std::size_t& temp_storage_bytes, T* d_items,
                                      std::uint64_t num_items, Less less = {},
                                      cudaStream_t stream = nullptr) noexcept {
  return detail::sort_items<detail::device_engine::automatic>(d_temp_storage, temp_storage_bytes, d_items,
                                                              num_items, less, stream);
}
template <device_item T, class Less = ascending>
void stable_sort(T* d_items, std::uint64_t num_items, Less less = {}, cudaStream_t stream = nullptr) {
  detail::call_with_storage("stable_sort", stream, [&](void* d_temp, std::size_t& bytes) {
    return stable_sort(d_temp, bytes, d_items, num_items, less, stream);
  });
}

// Sorts the keys, and the values with them. Values of pairs whose keys are equal end in no stated order.
// Values of more than 16 bytes are merged, whatever the keys.
template <device_item Key, device_item Value, class Less = ascending>
[[nodiscard]] cudaError_t sort_by_key(void* d_temp_storage, std::size_t& temp_storage_bytes, Key* d_keys,
                                      Value* d_values, std::uint64_t num_items, Less less = {},
                                      cudaStream_t stream = nullptr) noexcept {
  return detail::sort_pairs<detail::device_engine::automatic_unstable>(
      d_temp_storage, temp_storage_bytes, d_keys, d_values, num_items, less, stream);
}
template <device_item Key, device_item Value, class Less = ascending>
void sort_by_key(Key* d_keys, Value* d_values, std::uint64_t num_items, Less less = {},
                 cudaStream_t stream = nullptr) {
  detail::call_with_storage("sort_by_key", stream, [&](void* d_temp, std::size_t& bytes) {
    return sort_by_key(d_temp, bytes, d_keys, d_values, num_items, less, stream);
  });
}

// The same; values of pairs whose keys are equal keep their order.
template <device_item Key, device_item Value, class Less = ascending>
[[nodiscard]] cudaError_t stable_sort_by_key(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                             Key* d_keys, Value* d_values, std::uint64_t num_items,
                                             Less less = {}, cudaStream_t stream = nullptr) noexcept {
  return detail::sort_pairs<detail::device_engine::automatic>(d_temp_storage, temp_storage_bytes, d_keys,
                                                              d_values, num_items, less, stream);
}
template <device_item Key, device_item Value, class Less = ascending>
void stable_sort_by_key(Key* d_keys, Value* d_values, std::uint64_t num_items, Less less = {},
                        cudaStream_t stream = nullptr) {
  detail::call_with_storage("stable_sort_by_key", stream, [&](void* d_temp, std::size_t& bytes) {
    return stable_sort_by_key(d_temp, bytes, d_keys, d_values, num_items, less, stream);
  });
}

// d_order[i] = the position, in [0, n), of the item that a stable sort would put at i. Items are read only.
// Index: std::uint32_t (n <= 2^32, else cudaErrorInvalidValue) or std::uint64_t. Extra memory: 2 n items and
// n positions.
template <device_item T, device_position Index, class Less = ascending>
[[nodiscard]] cudaError_t argsort(void* d_temp_storage, std::size_t& temp_storage_bytes, const T* d_items,
                                  Index* d_order, std::uint64_t num_items, Less less = {},
                                  cudaStream_t stream = nullptr) noexcept {
  return detail::argsort<detail::device_engine::automatic>(d_temp_storage, temp_storage_bytes, d_items,
                                                           d_order, num_items, less, stream);
}
template <device_item T, device_position Index, class Less = ascending>
void argsort(const T* d_items, Index* d_order, std::uint64_t num_items, Less less = {},
             cudaStream_t stream = nullptr) {
  detail::call_with_storage("argsort", stream, [&](void* d_temp, std::size_t& bytes) {
    return argsort(d_temp, bytes, d_items, d_order, num_items, less, stream);
  });
}

// Sorts each segment d_items[d_offsets[i] .. d_offsets[i + 1] - 1] by itself, i < num_segments; stable.
// d_offsets[0 .. num_segments] ascend from 0 to n: the caller's promise; without it items end in no stated
// order. Segments may be empty; num_segments = 0 only if n = 0.
// Numbers in a known order: segments of up to some thousand items are read and written once, larger ones once
// more for each partition into 256. Extra memory: n items, 1.5 bytes an item and some MB. (Where blocks have
// too little shared memory for a sort by samples, as two radix sorts.)
// Else the time of a sort of n items with positions. Extra memory: 2 n items with a position of 4 bytes (8
// from n = 2^31).
template <device_item T, class Less = ascending>
[[nodiscard]] cudaError_t segmented_sort(void* d_temp_storage, std::size_t& temp_storage_bytes, T* d_items,
                                         std::uint64_t num_items, const std::uint64_t* d_offsets,
                                         std::uint64_t num_segments, Less less = {},
                                         cudaStream_t stream = nullptr) noexcept {
  return detail::segmented_sort<detail::device_engine::automatic>(
      d_temp_storage, temp_storage_bytes, d_items, num_items, d_offsets, num_segments, less, stream);
}
template <device_item T, class Less = ascending>
void segmented_sort(T* d_items, std::uint64_t num_items, const std::uint64_t* d_offsets,
                    std::uint64_t num_segments, Less less = {}, cudaStream_t stream = nullptr) {
  detail::call_with_storage("segmented_sort", stream, [&](void* d_temp, std::size_t& bytes) {
    return segmented_sort(d_temp, bytes, d_items, num_items, d_offsets, num_segments, less, stream);
  });
}

// d_top[0 .. min(k, n) - 1] = the first items of the stable sort, in order. Items are read only. Takes the
// time of a sort of all, and 2 n items of extra memory.
template <device_item T, class Less = ascending>
[[nodiscard]] cudaError_t top_k(void* d_temp_storage, std::size_t& temp_storage_bytes, const T* d_items,
                                std::uint64_t num_items, std::uint64_t k, T* d_top, Less less = {},
                                cudaStream_t stream = nullptr) noexcept {
  return detail::top_k<detail::device_engine::automatic>(d_temp_storage, temp_storage_bytes, d_items,
                                                         num_items, k, d_top, less, stream);
}
template <device_item T, class Less = ascending>
void top_k(const T* d_items, std::uint64_t num_items, std::uint64_t k, T* d_top, Less less = {},
           cudaStream_t stream = nullptr) {
  detail::call_with_storage("top_k", stream, [&](void* d_temp, std::size_t& bytes) {
    return top_k(d_temp, bytes, d_items, num_items, k, d_top, less, stream);
  });
}

} // namespace weft::gpu
