// Grids: the number of blocks, the index of a thread, and the launch of kernels whose threads take items in
// turn, so that any number of threads can process any number of items. Needs nvcc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/base/cuda/device_memory.hpp>

namespace weft::gpu {

// Returns the number of blocks that cover all items, with `items_per_block` items in each.
constexpr unsigned blocks_for(std::uint64_t items, std::uint64_t items_per_block) {
  return static_cast<unsigned>((items + items_per_block - 1) / items_per_block);
}

// Returns the index of the calling thread in the grid.
__device__ inline std::uint64_t this_thread() {
  return static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

// The index of a thread's first item, and the distance to its next one.
__device__ inline std::uint64_t first_item() { return this_thread(); }
__device__ inline std::uint64_t all_threads() { return static_cast<std::uint64_t>(gridDim.x) * blockDim.x; }

// Enqueues a kernel whose threads take items in turn, with one thread per item, or fewer threads if there are
// very many items. Does nothing if there are no items. Throws device_error.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), std::uint64_t items, int threads, cudaStream_t stream,
            Arguments... arguments) {
  if (items == 0) return;
  constexpr std::uint64_t max_blocks = std::uint64_t{1} << 24;
  const std::uint64_t blocks =
      std::min((items + static_cast<unsigned>(threads) - 1) / static_cast<unsigned>(threads), max_blocks);
  kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), 0, stream>>>(arguments...);
  check(cudaGetLastError(), "start a kernel");
}

} // namespace weft::gpu
