// Computes LCP arrays in device memory.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/base/monitor.hpp>

namespace weft::bwt_cuda {

// Options of the LCP array. Callers keep the default limits; tests set smaller ones. A thread compares two
// suffixes up to `thread_limit` symbols, which takes some 10 us; then a block continues up to `block_limit`
// more, in 0.2 ms; then all blocks together.
struct lcp_options {
  std::uint64_t device_memory = 0; // bytes; 0: all free memory
  task_monitor* monitor = nullptr; // only asked for cancellation, not told of progress
  std::uint64_t thread_limit = 1024, block_limit = std::uint64_t{1} << 20;
};

// Returns the bytes of device memory that lcp_array() takes besides text and arrays; n > 0.
template <class Index> [[nodiscard]] std::uint64_t lcp_memory(std::uint64_t n, const lcp_options& options);

// Does what weft::gpu::lcp_array does; n > 0.
template <class Index>
void lcp_array(const unsigned char* d_text, std::uint64_t n, const Index* d_sa, Index* d_lcp,
               const lcp_options& options, cudaStream_t stream);

} // namespace weft::bwt_cuda
