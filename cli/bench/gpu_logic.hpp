#pragma once

#include <cuda_runtime_api.h>

namespace weft::cli::bench {

// Starts a kernel on the current device that does nothing but operations on words in registers; d_kept has
// room for what keeps them from being left out, 1 MiB or more. The bits of all operations.
[[nodiscard]] double enqueue_logic(unsigned* d_kept, cudaStream_t stream);

} // namespace weft::cli::bench
