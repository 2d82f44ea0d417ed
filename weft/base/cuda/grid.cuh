// Grids of blocks of threads: how many blocks there are, and which thread one is. Needs nvcc.
#pragma once

#include <cstdint>

namespace weft::gpu {

// Blocks for all items, of_block in each.
constexpr unsigned blocks_for(std::uint64_t items, std::uint64_t of_block) {
  return static_cast<unsigned>((items + of_block - 1) / of_block);
}

// The thread's number in the grid.
__device__ inline std::uint64_t this_thread() {
  return static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

} // namespace weft::gpu
