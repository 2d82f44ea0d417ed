// LCP arrays in device memory.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/base/monitor.hpp>

namespace weft::bwt_cuda {

// The defaults are good ones; limits are there to test. Symbols that a thread compares of two suffixes before
// a block takes them over, and that a block does before all do: a thread takes some 10 us for its own, a
// block 0.2 ms.
struct lcp_options {
  std::uint64_t device_memory = 0; // bytes; 0: what there is
  task_monitor* monitor = nullptr; // is not told of work
  std::uint64_t thread_limit = 1024, block_limit = std::uint64_t{1} << 20;
};

// Bytes of the device that lcp_array() takes beside text and arrays; n > 0.
template <class Index> [[nodiscard]] std::uint64_t lcp_memory(std::uint64_t n, const lcp_options& options);

// As weft::gpu::lcp_array; n > 0.
template <class Index>
void lcp_array(const unsigned char* d_text, std::uint64_t n, const Index* d_sa, Index* d_lcp,
               const lcp_options& options, cudaStream_t stream);

} // namespace weft::bwt_cuda
