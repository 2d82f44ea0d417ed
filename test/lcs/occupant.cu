#include <test/lcs/occupant.hpp>

namespace weft_test {

namespace {

__global__ void occupant_kernel(int* started, const volatile int* released) {
  if (threadIdx.x != 0) return;
  *static_cast<volatile int*>(started + blockIdx.x) = 1;
  __threadfence_system();
  while (*released == 0) __nanosleep(1000);
}

} // namespace

cudaError_t launch_occupant(int blocks, int shared_memory, int* started, const volatile int* released,
                            cudaStream_t stream) {
  if (const cudaError_t status =
          cudaFuncSetAttribute(occupant_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_memory))
    return status;
  occupant_kernel<<<blocks, 32, static_cast<std::size_t>(shared_memory), stream>>>(started, released);
  return cudaGetLastError();
}

} // namespace weft_test
