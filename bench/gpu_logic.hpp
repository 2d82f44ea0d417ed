#pragma once

#include <cuda_runtime_api.h>

namespace weft::bench {

// Starts a kernel on the current device that only computes with words in registers. It writes its results to
// `d_sink`, at least 1 MiB, so that the compiler cannot remove the computation. Returns the number of bits
// that all operations process.
[[nodiscard]] double enqueue_logic(unsigned* d_sink, cudaStream_t stream);

} // namespace weft::bench
