#include <bench/gpu_logic.hpp>

#include <weft/base/cuda/device_memory.hpp>

namespace weft::bench {

namespace {

constexpr int threads_per_block = 256, blocks = 1024, steps = 16'384;

// Computes eight interleaved chains of additions and exclusive ors in registers.
__global__ void logic_kernel(unsigned seed, unsigned* sink) {
  unsigned chain[8];
  for (unsigned k = 0; k < 8; ++k) chain[k] = seed + k * threadIdx.x + blockIdx.x;
#pragma unroll 4
  for (int step = 0; step < steps; ++step)
#pragma unroll
    for (int k = 0; k < 8; ++k)
      chain[k] = k % 2 == 0 ? chain[k] + chain[(k + 1) % 8] : chain[k] ^ chain[(k + 1) % 8];
  unsigned all = 0;
  for (const unsigned each : chain) all ^= each;
  sink[blockIdx.x * blockDim.x + threadIdx.x] = all;
}

} // namespace

double enqueue_logic(unsigned* d_sink, cudaStream_t stream) {
  logic_kernel<<<blocks, threads_per_block, 0, stream>>>(1, d_sink);
  gpu::check(cudaGetLastError(), "measure logic");
  return 8.0 * 32.0 * steps * threads_per_block * blocks;
}

} // namespace weft::bench
