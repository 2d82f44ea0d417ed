// Launches a kernel that keeps the GPU occupied.
#pragma once

#include <cuda_runtime_api.h>

namespace weft_test {

// Launches `blocks` blocks of one warp and `shared_memory` bytes of shared memory. Block i sets started[i] to
// 1 and then spins until *released is not zero. Both are in page-locked memory.
cudaError_t launch_occupant(int blocks, int shared_memory, int* started, const volatile int* released,
                            cudaStream_t stream);

} // namespace weft_test
