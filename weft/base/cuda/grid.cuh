// Grid arithmetic: the number of blocks, and the index of a thread. Needs nvcc.
#pragma once

#include <cstdint>

namespace weft::gpu {

// Returns the number of blocks that cover all items, with `items_per_block` items in each.
constexpr unsigned blocks_for(std::uint64_t items, std::uint64_t items_per_block) {
  return static_cast<unsigned>((items + items_per_block - 1) / items_per_block);
}

// Returns the index of the calling thread in the grid.
__device__ inline std::uint64_t this_thread() {
  return static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

} // namespace weft::gpu
