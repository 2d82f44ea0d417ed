// Sorts items in device memory, on the caller's stream: any trivially copyable type, by any comparator. This
// header needs nvcc. For items in host memory see weft/sort/sort.hpp.
//
//   // d_words: n records in device memory; most_frequent_first: a function object that the device can call.
//   cudaError_t enqueue_sort(counted_word* d_words, std::uint64_t n, cudaStream_t stream) {
//     void* d_temp = nullptr;
//     std::size_t bytes = 0; // how much it needs
//     cudaError_t status =
//         weft::gpu::stable_sort_async(nullptr, bytes, d_words, n, most_frequent_first{}, stream);
//     if (status == cudaSuccess) status = cudaMallocAsync(&d_temp, bytes, stream);
//     if (status == cudaSuccess)
//       status = weft::gpu::stable_sort_async(d_temp, bytes, d_words, n, most_frequent_first{}, stream);
//     if (d_temp != nullptr) (void)cudaFreeAsync(d_temp, stream);
//     return status; // nothing has been waited for
//   }
//
// The tests run the whole program: examples/sort_gpu.cu.
//
// These rules hold for all functions here:
//   Device      The stream and all memory called d_... belong to the current device.
//   Items       Items, and values, are of trivially copyable, default constructible types of up to 64 bytes.
//   Less        A strict weak order (with any other order items may be lost, and the comparator may be
//               called with values that are no items). It is trivially copyable, and the device can call its
//               const operator() with two const T&. weft::ascending (the default) and weft::descending order
//               numbers (integers of 8 to 128 bits, float, double) as weft/sort/sort.hpp says, floats
//               totally. These two, and cuda::std::less and greater of integers, are natural orders, in which
//               numbers are sorted faster:
//                 by samples   numbers in segments; many numbers of 64 or 128 bits; some hundred thousand
//                              numbers of 32 bits; keys of 64 bits with values of at most 64 bits, if
//                              values of equal keys need not keep their order
//                 by radix     all other numbers, unless they are so few that a merge sort is faster
//               Items in any other order are merged or, if there are many of up to 16 bytes, sorted by
//               samples.
//   Sizes       0 <= n <= 2^48. A pointer to an empty array may be null. Arrays need only the alignment of
//               their type.
//   Aliasing    No two arrays of a call overlap.
//   Ordering    The work runs after all work that was enqueued in the stream before. Calls in several streams
//               or by several host threads may run at the same time, each with its own temporary storage.
//   Result      The functions named stable_..., and all functions for numbers in natural order, give the same
//               bytes as the CPU's stable_sort, on every device. In all other cases the order of equal items
//               may change from one call to the next.
//
// A call of a function named ..._async has two phases, as in CUB. If d_temp_storage is null, the function
// sets temp_storage_bytes to the bytes that it needs, and does nothing else (it does not look at the other
// pointers). Else it enqueues the work. Both phases need the same counts, types and device.
//
// Time          Numbers in natural order: O(n) per byte of the type by radix, and O(n log n) by samples (two
//               passes over up to 2^28 numbers) or by merging. All other items: O(n log n).
// Extra memory  temp_storage_bytes of device memory, at any alignment: the bytes of n items (and values), and
//               up to a tenth more or, with a comparator, 1.4 bytes per item more (2 bytes for a stable
//               sort), and some MB. The caller must not touch the storage until the work is done, and can use
//               it again then. The functions allocate no memory.
// Waiting       The functions never wait for the device. (The blocks of a sort of up to 1.32 M items wait for
//               each other: a kernel that occupies multiprocessors until such a sort has ended waits for
//               ever.) A call may be captured into a graph, which can be launched again for other items at
//               the same addresses, but only one launch at a time, because all share the temporary storage.
// Returns       cudaErrorInvalidValue, without having enqueued anything, if a count is out of range, if there
//               is too little temporary storage, or if a pointer to a non-empty array is null. Else the
//               result of the launches, which may be an earlier error that the host thread has not read. The
//               functions never throw. As always, a failure of the device itself appears in later calls.
//
// The function of the same name without _async takes no temporary storage: it allocates and frees it in
// stream order (weft::gpu::device_buffer), and waits for the stream only if memory is short. It throws
// std::invalid_argument (for cudaErrorInvalidValue), memory_error (of the device) or device_error. It may not
// be captured.
//
// Compiling     The library weft::sort contains the sorts of ascending std::uint8_t to std::uint64_t,
//               weft::uint128, std::int32_t, std::int64_t, float and double, of ascending std::uint32_t and
//               std::uint64_t with integer values of 32 or 64 bits, and of ascending weft::uint128 with
//               integer values of 32 bits, compiled for the GPUs that it was built for. A program that uses
//               only these sorts compiles no kernel. All other sorts are compiled with the program.
//
// Sources: CUB (https://github.com/NVIDIA/cccl), whose radix sort (Adinets & Merrill, Onesweep,
// arXiv:2206.01784) and merge sort are used where sorting by samples is not: see
// weft/sort/cuda/sample_sort.cuh.
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
    sizeof(T) <= sort_detail::max_item_bytes;

// A type of the positions that argsort writes.
template <class Index>
concept device_position = std::same_as<Index, std::uint32_t> || std::same_as<Index, std::uint64_t>;

} // namespace weft::gpu

namespace weft::sort_detail {

// Runs both phases of call(d_temp_storage, temp_storage_bytes), with temporary storage that it allocates and
// frees.
template <class Call> void call_with_storage(const char* function, cudaStream_t stream, Call call) {
  const std::string what = std::string("weft::gpu::") + function;
  gpu::in_two_phases(stream, what, [&](void* d_temp, std::size_t& bytes) {
    const cudaError_t status = call(d_temp, bytes);
    if (status == cudaErrorInvalidValue)
      throw std::invalid_argument(what +
                                  ": a count is out of range, or a pointer to a non-empty array is null");
    return status;
  });
}

} // namespace weft::sort_detail

namespace weft::gpu {

// Sorts in place. Equal items end in an unspecified order.
template <device_item T, class Less = ascending>
[[nodiscard]] cudaError_t sort_async(void* d_temp_storage, std::size_t& temp_storage_bytes, T* d_items,
                                     std::uint64_t num_items, Less less = {},
                                     cudaStream_t stream = nullptr) noexcept {
  return sort_detail::sort_device_items<sort_detail::device_engine::automatic_unstable>(
      d_temp_storage, temp_storage_bytes, d_items, num_items, less, stream);
}
template <device_item T, class Less = ascending>
void sort(T* d_items, std::uint64_t num_items, Less less = {}, cudaStream_t stream = nullptr) {
  sort_detail::call_with_storage("sort", stream, [&](void* d_temp, std::size_t& bytes) {
    return sort_async(d_temp, bytes, d_items, num_items, less, stream);
  });
}

// Sorts in place; equal items keep their order.
template <device_item T, class Less = ascending>
[[nodiscard]] cudaError_t stable_sort_async(void* d_temp_storage, std::size_t& temp_storage_bytes, T* d_items,
                                            std::uint64_t num_items, Less less = {},
                                            cudaStream_t stream = nullptr) noexcept {
  return sort_detail::sort_device_items<sort_detail::device_engine::automatic_stable>(
      d_temp_storage, temp_storage_bytes, d_items, num_items, less, stream);
}
template <device_item T, class Less = ascending>
void stable_sort(T* d_items, std::uint64_t num_items, Less less = {}, cudaStream_t stream = nullptr) {
  sort_detail::call_with_storage("stable_sort", stream, [&](void* d_temp, std::size_t& bytes) {
    return stable_sort_async(d_temp, bytes, d_items, num_items, less, stream);
  });
}

// Sorts the keys, and the values with them. Values whose keys are equal end in an unspecified order. Pairs
// with values of more than 16 bytes are merged, whatever the keys are.
template <device_item Key, device_item Value, class Less = ascending>
[[nodiscard]] cudaError_t sort_by_key_async(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                            Key* d_keys, Value* d_values, std::uint64_t num_items,
                                            Less less = {}, cudaStream_t stream = nullptr) noexcept {
  return sort_detail::sort_pairs<sort_detail::device_engine::automatic_unstable>(
      d_temp_storage, temp_storage_bytes, d_keys, d_values, num_items, less, stream);
}
template <device_item Key, device_item Value, class Less = ascending>
void sort_by_key(Key* d_keys, Value* d_values, std::uint64_t num_items, Less less = {},
                 cudaStream_t stream = nullptr) {
  sort_detail::call_with_storage("sort_by_key", stream, [&](void* d_temp, std::size_t& bytes) {
    return sort_by_key_async(d_temp, bytes, d_keys, d_values, num_items, less, stream);
  });
}

// Sorts the keys, and the values with them. Values whose keys are equal keep their order.
template <device_item Key, device_item Value, class Less = ascending>
[[nodiscard]] cudaError_t stable_sort_by_key_async(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                                   Key* d_keys, Value* d_values, std::uint64_t num_items,
                                                   Less less = {}, cudaStream_t stream = nullptr) noexcept {
  return sort_detail::sort_pairs<sort_detail::device_engine::automatic_stable>(
      d_temp_storage, temp_storage_bytes, d_keys, d_values, num_items, less, stream);
}
template <device_item Key, device_item Value, class Less = ascending>
void stable_sort_by_key(Key* d_keys, Value* d_values, std::uint64_t num_items, Less less = {},
                        cudaStream_t stream = nullptr) {
  sort_detail::call_with_storage("stable_sort_by_key", stream, [&](void* d_temp, std::size_t& bytes) {
    return stable_sort_by_key_async(d_temp, bytes, d_keys, d_values, num_items, less, stream);
  });
}

// Sets d_order[i] to the position, in [0, num_items), of the item that a stable sort would put at i. The
// items are only read. `Index` is std::uint32_t (num_items <= 2^32, else returns cudaErrorInvalidValue) or
// std::uint64_t. Extra memory: 2 n items and n positions.
template <device_item T, device_position Index, class Less = ascending>
[[nodiscard]] cudaError_t argsort_async(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                        const T* d_items, Index* d_order, std::uint64_t num_items,
                                        Less less = {}, cudaStream_t stream = nullptr) noexcept {
  return sort_detail::argsort<sort_detail::device_engine::automatic_stable>(
      d_temp_storage, temp_storage_bytes, d_items, d_order, num_items, less, stream);
}
template <device_item T, device_position Index, class Less = ascending>
void argsort(const T* d_items, Index* d_order, std::uint64_t num_items, Less less = {},
             cudaStream_t stream = nullptr) {
  sort_detail::call_with_storage("argsort", stream, [&](void* d_temp, std::size_t& bytes) {
    return argsort_async(d_temp, bytes, d_items, d_order, num_items, less, stream);
  });
}

// Sorts each segment d_items[d_offsets[i] .. d_offsets[i + 1] - 1], i < num_segments, by itself; stable. The
// caller promises that d_offsets[0 .. num_segments] ascend from 0 to num_items; if they do not, the items end
// in an unspecified order. Segments may be empty. num_segments may be 0 only if num_items is 0.
//
// Numbers in natural order: segments of up to some thousand items are read and written once, larger segments
// once more for each partition into 256 buckets. Extra memory: n items, 1.5 bytes per item and some MB. (If
// blocks have too little shared memory for a sort by samples, the time and memory are those of two radix
// sorts.) All other items: the time of a sort of n items with positions. Extra memory: 2 n items, each with a
// position of 4 bytes (8 bytes from n = 2^31 on).
template <device_item T, class Less = ascending>
[[nodiscard]] cudaError_t segmented_sort_async(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                               T* d_items, std::uint64_t num_items,
                                               const std::uint64_t* d_offsets, std::uint64_t num_segments,
                                               Less less = {}, cudaStream_t stream = nullptr) noexcept {
  return sort_detail::segmented_sort<sort_detail::device_engine::automatic_stable>(
      d_temp_storage, temp_storage_bytes, d_items, num_items, d_offsets, num_segments, less, stream);
}
template <device_item T, class Less = ascending>
void segmented_sort(T* d_items, std::uint64_t num_items, const std::uint64_t* d_offsets,
                    std::uint64_t num_segments, Less less = {}, cudaStream_t stream = nullptr) {
  sort_detail::call_with_storage("segmented_sort", stream, [&](void* d_temp, std::size_t& bytes) {
    return segmented_sort_async(d_temp, bytes, d_items, num_items, d_offsets, num_segments, less, stream);
  });
}

// Sets d_top[0 .. min(k, num_items) - 1] to the first items of the stable sort, in order. The items are only
// read. Takes the time of a sort of all items, and 2 n items of extra memory.
template <device_item T, class Less = ascending>
[[nodiscard]] cudaError_t top_k_async(void* d_temp_storage, std::size_t& temp_storage_bytes, const T* d_items,
                                      std::uint64_t num_items, std::uint64_t k, T* d_top, Less less = {},
                                      cudaStream_t stream = nullptr) noexcept {
  return sort_detail::top_k<sort_detail::device_engine::automatic_stable>(
      d_temp_storage, temp_storage_bytes, d_items, num_items, k, d_top, less, stream);
}
template <device_item T, class Less = ascending>
void top_k(const T* d_items, std::uint64_t num_items, std::uint64_t k, T* d_top, Less less = {},
           cudaStream_t stream = nullptr) {
  sort_detail::call_with_storage("top_k", stream, [&](void* d_temp, std::size_t& bytes) {
    return top_k_async(d_temp, bytes, d_items, num_items, k, d_top, less, stream);
  });
}

} // namespace weft::gpu
