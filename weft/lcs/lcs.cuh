// LCS length, indel and Levenshtein distance, and the path, of sequences that are in device memory, on the
// caller's stream. Needs <cuda_runtime_api.h>, not nvcc. For sequences in host memory see weft/lcs/lcs.hpp,
// which also says what the metrics and the canonical path are.
//
//   // d_a, d_b: m and n symbols below 4 in device memory. d_length: where the length goes, there.
//   cudaError_t enqueue(const std::uint8_t* d_a, std::uint64_t m, const std::uint8_t* d_b, std::uint64_t n,
//                       std::uint64_t* d_length, cudaStream_t stream) {
//     void* d_temp = nullptr;
//     std::size_t bytes = 0; // how much it needs
//     cudaError_t status = weft::gpu::lcs_length(nullptr, bytes, d_a, m, d_b, n, 4, d_length, stream);
//     if (status == cudaSuccess) status = cudaMallocAsync(&d_temp, bytes, stream);
//     if (status == cudaSuccess)
//       status = weft::gpu::lcs_length(d_temp, bytes, d_a, m, d_b, n, 4, d_length, stream);
//     if (d_temp != nullptr) (void)cudaFreeAsync(d_temp, stream);
//     return status; // nothing has been waited for
//   }
//
// In full, and run by the tests: examples/lcs_gpu.cpp.
//
// For all functions here:
//   Device      the current one; the stream and all memory called d_... belong to it.
//   Symbols     bytes in [0, sigma), 1 <= sigma <= 256. That they are below sigma is the caller's promise,
//               and is not looked at: with others what happens is undefined. Only equality counts. Up to 32
//               symbols take one table of masks; more take two, and more time; edit is quickest up to 8.
//   Sizes       d_a[0 .. m-1] and d_b[0 .. n-1], 0 <= m, n <= 2^33; a pointer to nothing may be null. No
//               alignment is asked of texts; of 64-bit numbers that of their type.
//   Aliasing    texts are read only, and may overlap each other. What is written must not overlap them, nor
//               each other.
//   Order       after the work enqueued in the stream before. Calls in several streams or by several host
//               threads may run at once, each with temporary storage and a result of its own.
//
// Values take O(m n / 32) bit operations, by one persistent launch that asks for every multiprocessor and
// makes progress on any number of them, beside whatever else runs (the argument: weft/lcs/cuda/link.cuh).
//
// Sources: as weft/lcs/lcs.hpp names for engine systolic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/lcs/lcs.hpp>

namespace weft::gpu {

// *d_length = the length of an LCS.
//
// In two phases, as in CUB: with d_temp_storage null, temp_storage_bytes becomes the bytes needed, and
// nothing else happens (d_a, d_b and d_length are not looked at); else the work is enqueued. Both need the
// same m, n, sigma and device.
//
// Extra memory  temp_storage_bytes of the device, at any alignment: up to 4.25 bytes a column and 4 KiB, the
//               columns being m or n, whichever takes less time. Not to be touched until the work is done;
//               then it can be used again. Nothing is allocated.
// Waits         never for the device; may be captured into a graph, which can be launched again for other
//               texts at the same places (one launch at a time: they share the temporary storage).
// Returns       cudaErrorInvalidValue for sizes or a sigma out of range, too little temporary storage, or a
//               null pointer to something, and has then enqueued nothing; or what a launch returned (an error
//               that the host thread has left unread among them). Never throws. A failure of the device
//               itself shows in later calls, as always.
[[nodiscard]] cudaError_t lcs_length(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                     const std::uint8_t* d_a, std::uint64_t m, const std::uint8_t* d_b,
                                     std::uint64_t n, int sigma, std::uint64_t* d_length,
                                     cudaStream_t stream) noexcept;

// *d_value = the number that the metric names: LCS length, indel distance, or Levenshtein distance. All else
// as for lcs_length, and both phases need the same metric; edit takes two and a half to three times the time,
// and up to a quarter of a byte a column more.
[[nodiscard]] cudaError_t lcs_value(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                    const std::uint8_t* d_a, std::uint64_t m, const std::uint8_t* d_b,
                                    std::uint64_t n, int sigma, lcs_metric metric, std::uint64_t* d_value,
                                    cudaStream_t stream) noexcept;

// The same numbers, returned to the host.
//
// Extra memory  as above, allocated and freed in stream order (cudaMallocAsync).
// Waits         for all that is in the stream; may not be captured.
// Throws        std::invalid_argument (a size or sigma out of range, a null pointer to something),
//               memory_error (of the device), device_error.
[[nodiscard]] std::uint64_t lcs_length(const std::uint8_t* d_a, std::uint64_t m, const std::uint8_t* d_b,
                                       std::uint64_t n, int sigma, cudaStream_t stream);
[[nodiscard]] std::uint64_t lcs_value(const std::uint8_t* d_a, std::uint64_t m, const std::uint8_t* d_b,
                                      std::uint64_t n, int sigma, lcs_metric metric, cudaStream_t stream);

// Of lcs() and all_pairs().
struct lcs_device_options {
  lcs_metric metric = lcs_metric::lcs; // what is optimal
  std::uint64_t device_memory = 0;     // bytes that a call may take of it; 0: 9/10 of what is free
  task_monitor* monitor = nullptr;     // work unit: 2^20 cells of the table
};

// The canonical path from a to b, in host memory: the same as weft::lcs gives, byte for byte.
//
// Time          that of lcs_value, and a little for the path; with little device_memory up to twice that.
// Extra memory  of the device 2 (m + n) + 4.5 n bytes, for checkpoints m n / 8 (1/R + 1/2048) with strips of
//               R = 2048 to 16384 rows, and for traces up to 5 GB: less of both if device_memory is less
//               (kept afterwards for the next call). Of the host that of the path.
// Waits         for all that is in the stream, then until the path is found (its work is in a stream of the
//               calling thread's own); may not be captured.
// Throws        std::invalid_argument as above, memory_error (device_memory is too little: what() says how
//               much is needed), device_error, cancelled_error (by options.monitor).
[[nodiscard]] edit_script lcs(const std::uint8_t* d_a, std::uint64_t m, const std::uint8_t* d_b,
                              std::uint64_t n, int sigma, const lcs_device_options& options,
                              cudaStream_t stream);

// lcs_value of each pair of a batch: `count` sequences, sequence i being d_text[d_offsets[i] ..
// d_offsets[i + 1] - 1]. d_offsets[0 .. count] must not fall, need not begin with 0, and text outside is not
// read. d_values[i (i - 1) / 2 + j] is that of pair (i, j), j < i: the strictly lower triangle by rows, of
// count (count - 1) / 2 numbers.
//
// Time          O(1 / 32) of the cells of all pairs, as bit operations; thousands of pairs a launch.
// Extra memory  of the host that of text, offsets and values, all of which pass through it: the work is
//               planned there. Of the device the text again, encoded, and values, within
//               options.device_memory.
// Waits         as lcs above, and until d_values are written; may not be captured.
// Throws        as lcs above; std::invalid_argument for offsets that fall. Then d_values are undefined.
void all_pairs(const std::uint8_t* d_text, const std::uint64_t* d_offsets, std::uint64_t count, int sigma,
               std::uint64_t* d_values, const lcs_device_options& options, cudaStream_t stream);

} // namespace weft::gpu
