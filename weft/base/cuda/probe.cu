// Tests whether a GPU can run the code of this program. The driver may be too old, or the GPU may be older
// than every architecture that the program was compiled for; both show only when a kernel is launched.
#include <cuda_runtime_api.h>
#include <weft/base/block.hpp>

namespace weft::base_detail {

namespace {

// Sums 1 .. threads by a tree in shared memory; the result is shared[0].
template <class Block> __device__ void sum_body(const Block& block, int* shared) {
  block.phase([&](int t) { shared[t] = t + 1; });
  for (int step = block.threads / 2; step > 0; step /= 2)
    block.phase([&](int t) {
      if (t < step) shared[t] += shared[t + step];
    });
}

constexpr int probe_threads = 64;

__global__ void probe_kernel(int* result) {
  __shared__ int shared[probe_threads];
  sum_body(device_block{probe_threads}, shared);
  if (threadIdx.x == 0) *result = shared[0];
}

} // namespace

const char* probe_device(int index) {
  int* d_result = nullptr;
  int result = 0;
  cudaError_t status = cudaSetDevice(index);
  if (status == cudaSuccess) status = cudaMalloc(&d_result, sizeof(int));
  if (status == cudaSuccess) {
    probe_kernel<<<1, probe_threads>>>(d_result);
    status = cudaGetLastError();
  }
  if (status == cudaSuccess) status = cudaMemcpy(&result, d_result, sizeof(int), cudaMemcpyDeviceToHost);
  (void)cudaFree(d_result);
  (void)cudaGetLastError(); // `status` has the error, which must not show up in the caller's next call
  if (status != cudaSuccess) return cudaGetErrorString(status);
  return result == probe_threads * (probe_threads + 1) / 2 ? nullptr : "a test kernel gave a wrong result";
}

} // namespace weft::base_detail
