// Computes the LCS length, the indel or Levenshtein distance, and the path, of sequences that are in device
// memory, on the caller's stream. Needs <cuda_runtime_api.h>, but not nvcc. For sequences in host memory
// see weft/lcs/lcs.hpp, which also explains the metrics and the canonical path.
//
//   // d_a, d_b: m and n symbols below 4 in device memory. d_length: receives the length, in device memory.
//   cudaError_t enqueue(const std::uint8_t* d_a, std::uint64_t m, const std::uint8_t* d_b, std::uint64_t n,
//                       std::uint64_t* d_length, cudaStream_t stream) {
//     void* d_temp = nullptr;
//     std::size_t bytes = 0; // of temporary storage
//     cudaError_t status = weft::gpu::lcs_length_async(nullptr, bytes, d_a, m, d_b, n, 4, d_length, stream);
//     if (status == cudaSuccess) status = cudaMallocAsync(&d_temp, bytes, stream);
//     if (status == cudaSuccess)
//       status = weft::gpu::lcs_length_async(d_temp, bytes, d_a, m, d_b, n, 4, d_length, stream);
//     if (d_temp != nullptr) (void)cudaFreeAsync(d_temp, stream);
//     return status; // the work is enqueued, perhaps not yet done
//   }
//
// The tests run the whole program: examples/lcs_gpu.cpp.
//
// For all functions in this header:
//   Device      The current device. The stream and all pointers d_... belong to it.
//   Symbols     Bytes in [0, sigma), 1 <= sigma <= 256. The caller promises that symbols are below sigma;
//               this is not checked, and the behaviour is undefined for other symbols. Only equality
//               counts. Up to 32 symbols need one table of match masks; more symbols need two tables, and
//               more time. Metric edit is fastest for up to 8 symbols.
//   Sizes       d_a[0 .. m-1] and d_b[0 .. n-1], 0 <= m, n <= 2^33. The pointer to an empty text may be
//               null. Texts need no alignment; 64-bit numbers need the alignment of their type.
//   Aliasing    Texts are only read, and may overlap each other. Outputs must not overlap texts or each
//               other.
//   Order       The work runs after the work that was enqueued in the stream before. Calls in several
//               streams or by several host threads may run at once, each with its own temporary storage and
//               result.
//
// Values take O(m n / 32) bit operations. They are computed by one persistent launch that asks for every
// multiprocessor, but makes progress on any number of them, whatever else runs on the device
// (weft/lcs/cuda/link.cuh explains why).
//
// Sources: those of engine systolic in weft/lcs/lcs.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/lcs/lcs.hpp>

namespace weft::gpu {

// Writes the length of an LCS to *d_length, in stream order.
//
// Works in two phases, as in CUB. If d_temp_storage is null, the function only sets temp_storage_bytes to
// the number of bytes needed, and does not look at d_a, d_b and d_length. Otherwise it enqueues the work.
// Both phases need the same m, n, sigma and device.
//
// Extra memory  temp_storage_bytes of the device, at any alignment: up to 4.25 bytes for each column and 4
//               KiB, where the columns are m or n, whichever takes less time. The caller must not touch the
//               storage until the work is done, and can use it again afterwards. The function allocates
//               nothing.
// Waits         Never waits for the device. May be captured into a graph, which can be launched again for
//               other texts at the same addresses (one launch at a time, because launches share the
//               temporary storage).
// Returns       cudaErrorInvalidValue if a size or sigma is out of range, if there is too little temporary
//               storage, or if a needed pointer is null; nothing is enqueued then. Otherwise returns the
//               status of the launches (which may be an error that the host thread has left unread). Never
//               throws. A failure of the device itself shows in later calls, as always.
[[nodiscard]] cudaError_t lcs_length_async(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                           const std::uint8_t* d_a, std::uint64_t m, const std::uint8_t* d_b,
                                           std::uint64_t n, int sigma, std::uint64_t* d_length,
                                           cudaStream_t stream) noexcept;

// Write the indel distance and the Levenshtein distance to *d_distance. Everything else is as for
// lcs_length_async. edit_distance_async takes two and a half to three times as long, and up to a quarter of a
// byte more for each column. Both phases must be those of one function.
[[nodiscard]] cudaError_t indel_distance_async(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                               const std::uint8_t* d_a, std::uint64_t m,
                                               const std::uint8_t* d_b, std::uint64_t n, int sigma,
                                               std::uint64_t* d_distance, cudaStream_t stream) noexcept;
[[nodiscard]] cudaError_t edit_distance_async(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                              const std::uint8_t* d_a, std::uint64_t m,
                                              const std::uint8_t* d_b, std::uint64_t n, int sigma,
                                              std::uint64_t* d_distance, cudaStream_t stream) noexcept;

// Return the same numbers to the host.
//
// Extra memory  The same as above, allocated and freed in stream order (cudaMallocAsync).
// Waits         Wait for everything in the stream; may not be captured.
// Throws        std::invalid_argument (a size or sigma is out of range, or a needed pointer is null),
//               memory_error (of the device), device_error.
[[nodiscard]] std::uint64_t lcs_length(const std::uint8_t* d_a, std::uint64_t m, const std::uint8_t* d_b,
                                       std::uint64_t n, int sigma, cudaStream_t stream);
[[nodiscard]] std::uint64_t indel_distance(const std::uint8_t* d_a, std::uint64_t m, const std::uint8_t* d_b,
                                           std::uint64_t n, int sigma, cudaStream_t stream);
[[nodiscard]] std::uint64_t edit_distance(const std::uint8_t* d_a, std::uint64_t m, const std::uint8_t* d_b,
                                          std::uint64_t n, int sigma, cudaStream_t stream);

// The options of lcs() and lcs_all_pairs(). What run_options leaves to these functions:
//   run.engine         auto or systolic, which are the same here
//   run.device         automatic, or the current device
//   run.threads        of the host, for a path
//   run.memory         bytes of the host for a path
//   run.device_memory  bytes of device memory; 0: 9/10 of what is free
//   run.monitor        work unit: 2^20 cells of the table
//   run.info           work: the cells of the table, or of all tables
struct lcs_device_options {
  lcs_metric metric = lcs_metric::lcs; // what is optimal: lcs, indel or edit
  run_options run = {};                // how the call runs
};

// Returns the canonical path from a to b, in host memory: the same path as weft::lcs returns, byte for
// byte.
//
// Time          The time of lcs_length or edit_distance, and a little more for the path; up to twice that
//               with little run.device_memory.
// Extra memory  On the device: 2 (m + n) + 4.5 n bytes; m n / 8 (1/R + 1/2048) bytes for checkpoints, with
//               strips of R = 2048 to 16384 rows; and up to 5 GB for traces. Checkpoints and traces shrink
//               if run.device_memory is less. This memory is kept for the next call. On the host: the path.
// Waits         Waits for everything in the stream, then until the path is found. The work runs in a stream
//               that belongs to the calling thread. May not be captured.
// Throws        std::invalid_argument as above and for another run.device, error (another run.engine, or
//               metric affine), memory_error (run.device_memory or run.memory is too small; what() says how
//               much is needed), device_error, cancelled_error (by run.monitor).
[[nodiscard]] edit_script lcs(const std::uint8_t* d_a, std::uint64_t m, const std::uint8_t* d_b,
                              std::uint64_t n, int sigma, const lcs_device_options& options,
                              cudaStream_t stream);

// Writes the number that options.metric names for each pair of a batch to d_values, which has room for
// count (count - 1) / 2 numbers. The value of pair (i, j) with j < i is d_values[i (i - 1) / 2 + j]: the
// strictly lower triangle by rows.
//
// Time          O(1 / 32) bit operations for each cell of all pairs; one launch computes thousands of
//               pairs.
// Extra memory  On the host: the offsets and some 40 bytes for each sequence, because the lengths decide how
//               the pairs are divided among launches. On the device: another copy of the text, encoded, and
//               the values of some launches, within run.device_memory.
// Waits         Waits like lcs above, and until d_values are written; may not be captured.
// Throws        The same as lcs above, and std::invalid_argument for offsets that do not ascend from 0 to
//               batch.size. After an exception d_values are undefined.
void lcs_all_pairs(const sequences_view& batch, int sigma, std::uint64_t* d_values,
                   const lcs_device_options& options, cudaStream_t stream);

} // namespace weft::gpu
