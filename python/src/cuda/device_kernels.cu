#include "device_kernels.cuh"

#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/cuda/grid.cuh>
#include <weft/sort/sort.cuh>

#include "../number_types.hpp"

namespace weft::python {

namespace {

constexpr int threads_per_block = 256;

// Sets d_keys[i] to the unsigned number that has the order of d_items[i]. d_keys may be d_items.
template <class T, class Key>
__global__ void to_keys_kernel(const T* d_items, Key* d_keys, std::uint64_t size, bool descending) {
  for (std::uint64_t i = gpu::first_item(); i < size; i += gpu::all_threads()) {
    const ordered_bits_t<T> bits = ordered_bits(d_items[i]);
    d_keys[i] = descending ? static_cast<ordered_bits_t<T>>(~bits) : bits;
  }
}

// The inverse of to_keys_kernel, in place.
template <class T>
__global__ void from_keys_kernel(ordered_bits_t<T>* d_keys, std::uint64_t size, bool descending) {
  for (std::uint64_t i = gpu::first_item(); i < size; i += gpu::all_threads()) {
    const ordered_bits_t<T> bits = descending ? static_cast<ordered_bits_t<T>>(~d_keys[i]) : d_keys[i];
    reinterpret_cast<T*>(d_keys)[i] = number_of_ordered_bits<T>(bits);
  }
}

__global__ void positions_kernel(std::uint64_t* d_positions, std::uint64_t size) {
  for (std::uint64_t i = gpu::first_item(); i < size; i += gpu::all_threads()) d_positions[i] = i;
}

template <class T>
__global__ void gather_kernel(const T* d_from, const std::uint64_t* d_order, T* d_to, std::uint64_t size) {
  for (std::uint64_t i = gpu::first_item(); i < size; i += gpu::all_threads()) d_to[i] = d_from[d_order[i]];
}

template <class T>
__global__ void count_disorder_kernel(const T* d_items, std::uint64_t size, bool descending,
                                      unsigned long long* d_count) {
  for (std::uint64_t i = gpu::first_item() + 1; i < size; i += gpu::all_threads()) {
    const ordered_bits_t<T> before = ordered_bits(d_items[i - 1]), item = ordered_bits(d_items[i]);
    if (descending ? before < item : item < before) atomicAdd(d_count, 1ULL);
  }
}

__global__ void count_wrong_offsets_kernel(gpu::sequences_view batch, unsigned long long* d_count) {
  for (std::uint64_t i = gpu::first_item(); i <= batch.count; i += gpu::all_threads()) {
    const std::uint64_t next = i < batch.count ? batch.d_offsets[i + 1] : batch.size;
    const bool is_last_wrong = i == batch.count && batch.d_offsets[i] != batch.size;
    if (batch.d_offsets[i] > next || is_last_wrong || (i == 0 && batch.d_offsets[0] != 0))
      atomicAdd(d_count, 1ULL);
  }
}

// Each thread moves the values of some rows of the lower triangle.
__global__ void arrange_pairs_kernel(const std::uint64_t* d_lower, const std::uint64_t* d_offsets,
                                     std::uint64_t count, bool condensed, bool sizes,
                                     std::uint64_t* d_result) {
  for (std::uint64_t cell = gpu::first_item(); cell < count * count; cell += gpu::all_threads()) {
    const std::uint64_t i = cell / count, j = cell % count;
    if (condensed) {
      // Before row j of the upper triangle are the values of rows 0 to j - 1.
      if (j < i) d_result[j * count - j * (j + 1) / 2 + (i - j - 1)] = d_lower[i * (i - 1) / 2 + j];
    } else {
      const std::uint64_t low = min(i, j), high = max(i, j);
      d_result[cell] = low < high ? d_lower[high * (high - 1) / 2 + low]
                       : sizes    ? d_offsets[i + 1] - d_offsets[i]
                                  : 0;
    }
  }
}

// Maps the numbers to unsigned keys in place, calls sort(d_keys), and maps them back.
template <class T, class Sort>
void sort_as_keys(T* d_items, std::uint64_t size, bool descending, cudaStream_t stream, Sort sort) {
  auto* const d_keys = reinterpret_cast<ordered_bits_t<T>*>(d_items);
  const bool is_mapped = descending || !std::is_unsigned_v<T>;
  if (is_mapped)
    gpu::launch(to_keys_kernel<T, ordered_bits_t<T>>, size, threads_per_block, stream, d_items, d_keys, size,
                descending);
  sort(d_keys);
  if (is_mapped) gpu::launch(from_keys_kernel<T>, size, threads_per_block, stream, d_keys, size, descending);
}

} // namespace

void sort_numbers(const device_numbers& numbers, bool descending, cudaStream_t stream) {
  with_number_type(numbers.type, [&](auto item) {
    using type = decltype(item);
    auto* const d_items = static_cast<type*>(numbers.d_items);
    // The library has sorts of these types in ascending order.
    if constexpr (sizeof(type) >= 4)
      if (!descending) return gpu::sort(d_items, numbers.size, ascending(), stream);
    sort_as_keys(d_items, numbers.size, descending, stream,
                 [&](auto* d_keys) { gpu::sort(d_keys, numbers.size, ascending(), stream); });
  });
}

void sort_segments(const device_numbers& numbers, const std::uint64_t* d_offsets, std::uint64_t num_segments,
                   bool descending, cudaStream_t stream) {
  with_number_type(numbers.type, [&](auto item) {
    using type = decltype(item);
    sort_as_keys(static_cast<type*>(numbers.d_items), numbers.size, descending, stream, [&](auto* d_keys) {
      gpu::segmented_sort(d_keys, numbers.size, d_offsets, num_segments, ascending(), stream);
    });
  });
}

void order_numbers(const device_numbers& numbers, bool descending, std::uint64_t* d_order,
                   cudaStream_t stream) {
  gpu::launch(positions_kernel, numbers.size, threads_per_block, stream, d_order, numbers.size);
  with_number_type(numbers.type, [&](auto item) {
    using type = decltype(item);
    using key = std::conditional_t<sizeof(type) == 8, std::uint64_t, std::uint32_t>;
    const gpu::device_buffer<key> keys(numbers.size, stream);
    gpu::launch(to_keys_kernel<type, key>, numbers.size, threads_per_block, stream,
                static_cast<const type*>(numbers.d_items), keys.data(), numbers.size, descending);
    gpu::stable_sort_by_key(keys.data(), d_order, numbers.size, ascending(), stream);
  });
}

void gather(const void* d_from, const std::uint64_t* d_order, void* d_to, std::uint64_t size,
            std::uint64_t item_bytes, cudaStream_t stream) {
  const auto gather_as = [&](auto item) {
    using type = decltype(item);
    gpu::launch(gather_kernel<type>, size, threads_per_block, stream, static_cast<const type*>(d_from),
                d_order, static_cast<type*>(d_to), size);
  };
  item_bytes == 1   ? gather_as(std::uint8_t{})
  : item_bytes == 2 ? gather_as(std::uint16_t{})
  : item_bytes == 4 ? gather_as(std::uint32_t{})
                    : gather_as(std::uint64_t{});
}

void count_disorder(const device_numbers& numbers, bool descending, std::uint64_t* d_count,
                    cudaStream_t stream) {
  with_number_type(numbers.type, [&](auto item) {
    using type = decltype(item);
    gpu::launch(count_disorder_kernel<type>, numbers.size, threads_per_block, stream,
                static_cast<const type*>(numbers.d_items), numbers.size, descending,
                reinterpret_cast<unsigned long long*>(d_count));
  });
}

void count_wrong_offsets(const gpu::sequences_view& batch, std::uint64_t* d_count, cudaStream_t stream) {
  gpu::launch(count_wrong_offsets_kernel, batch.count + 1, threads_per_block, stream, batch,
              reinterpret_cast<unsigned long long*>(d_count));
}

void arrange_pairs(const std::uint64_t* d_lower, const gpu::sequences_view& batch, bool condensed, bool sizes,
                   std::uint64_t* d_result, cudaStream_t stream) {
  gpu::launch(arrange_pairs_kernel, batch.count * batch.count, threads_per_block, stream, d_lower,
              batch.d_offsets, batch.count, condensed, sizes, d_result);
}

} // namespace weft::python
