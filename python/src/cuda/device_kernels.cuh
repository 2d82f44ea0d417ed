// The kernels of the Python package. Arrays are sorted by the number types that the library has compiled:
// other types and descending orders are mapped to unsigned numbers of the same order and back.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/base/sequences.hpp>
#include <weft/io/npy.hpp>

namespace weft::python {

// An array of numbers in device memory.
struct device_numbers {
  io::element_type type;
  void* d_items;
  std::uint64_t size;
};

// Sort in place, in the order of the stream. All throw memory_error and device_error.
void sort_numbers(const device_numbers& numbers, bool descending, cudaStream_t stream);
void sort_segments(const device_numbers& numbers, const std::uint64_t* d_offsets, std::uint64_t num_segments,
                   bool descending, cudaStream_t stream);

// Writes the stable order to d_order[0, size). The numbers are only read.
void order_numbers(const device_numbers& numbers, bool descending, std::uint64_t* d_order,
                   cudaStream_t stream);

// Sets d_to[i] to the item d_order[i] of d_from, for items of 1, 2, 4 or 8 bytes.
void gather(const void* d_from, const std::uint64_t* d_order, void* d_to, std::uint64_t size,
            std::uint64_t item_bytes, cudaStream_t stream);

// Adds the number of items that come before the item in front of them to *d_count.
void count_disorder(const device_numbers& numbers, bool descending, std::uint64_t* d_count,
                    cudaStream_t stream);

// Adds the number of offsets that do not ascend from 0 to batch.size to *d_count.
void count_wrong_offsets(const gpu::sequences_view& batch, std::uint64_t* d_count, cudaStream_t stream);

// Arranges the values of all pairs, which are the strictly lower triangle by rows: as the strictly upper
// triangle by rows or, if not `condensed`, as a symmetric matrix. In its diagonal are the sizes of the
// sequences, if `sizes`, or zeros.
void arrange_pairs(const std::uint64_t* d_lower, const gpu::sequences_view& batch, bool condensed, bool sizes,
                   std::uint64_t* d_result, cudaStream_t stream);

} // namespace weft::python
