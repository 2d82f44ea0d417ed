// Launch of kernels whose threads take items in turn, so that any number of threads can process any number of
// items.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/cuda/grid.cuh>

namespace weft::bwt_cuda {

// The index of a thread's first item, and the distance to its next one.
__device__ inline std::uint64_t first_item() { return gpu::this_thread(); }
__device__ inline std::uint64_t all_threads() { return static_cast<std::uint64_t>(gridDim.x) * blockDim.x; }

// Enqueues a kernel with one thread per item, or fewer threads if there are very many items. Does nothing if
// there are no items. Throws device_error.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), std::uint64_t items, int threads, cudaStream_t stream,
            Arguments... arguments) {
  if (items == 0) return;
  constexpr std::uint64_t max_blocks = std::uint64_t{1} << 24;
  const std::uint64_t blocks =
      std::min((items + static_cast<unsigned>(threads) - 1) / static_cast<unsigned>(threads), max_blocks);
  kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), 0, stream>>>(arguments...);
  gpu::check(cudaGetLastError(), "start a kernel");
}

} // namespace weft::bwt_cuda
