// Computes a longest common subsequence of sequences in GPU memory, on a stream.
// prints: LCS length 4, edit distance 5
// prints: 3D2=1I2=1I
#include <cstdio>
#include <weft/base/device.hpp>
// example-begin
#include <weft/lcs/lcs.cuh>

// d_a, d_b: m and n symbols below 4 in device memory. d_length: receives the length, in device memory.
cudaError_t enqueue(const std::uint8_t* d_a, std::uint64_t m, const std::uint8_t* d_b, std::uint64_t n,
                    std::uint64_t* d_length, cudaStream_t stream) {
  void* d_temp = nullptr;
  std::size_t bytes = 0; // of temporary storage
  cudaError_t status = weft::gpu::lcs_length_async(nullptr, bytes, d_a, m, d_b, n, 4, d_length, stream);
  if (status == cudaSuccess) status = cudaMallocAsync(&d_temp, bytes, stream);
  if (status == cudaSuccess)
    status = weft::gpu::lcs_length_async(d_temp, bytes, d_a, m, d_b, n, 4, d_length, stream);
  if (d_temp != nullptr) (void)cudaFreeAsync(d_temp, stream);
  return status; // the work is enqueued, perhaps not yet done
}

// The same, and more, by functions that allocate, wait and throw.
void compare(const std::uint8_t* d_a, std::uint64_t m, const std::uint8_t* d_b, std::uint64_t n,
             cudaStream_t stream) {
  const std::uint64_t length = weft::gpu::lcs_length(d_a, m, d_b, n, 4, stream);
  const std::uint64_t distance = weft::gpu::edit_distance(d_a, m, d_b, n, 4, stream);
  std::printf("LCS length %d, edit distance %d\n", static_cast<int>(length), static_cast<int>(distance));
  for (const weft::edit_run& run : weft::gpu::lcs(d_a, m, d_b, n, 4, {}, stream).runs)
    std::printf("%d%c", static_cast<int>(run.length), static_cast<char>(run.op));
  std::printf("\n");
}
// example-end

int main() {
  if (const weft::gpu_report& gpus = weft::known_gpus(); gpus.devices.empty()) {
    std::printf("no GPU: %s\n", gpus.unavailable.c_str());
    return 0;
  }
  const std::uint8_t a[] = {0, 1, 2, 1, 3, 0, 1}, b[] = {1, 3, 2, 0, 1, 0}; // ABCBDAB, BDCABA
  std::uint8_t* d_symbols = nullptr;
  std::uint64_t *d_length = nullptr, length = 0;
  cudaStream_t stream = nullptr;
  bool fine =
      cudaStreamCreate(&stream) == cudaSuccess &&
      cudaMallocAsync(reinterpret_cast<void**>(&d_symbols), sizeof a + sizeof b, stream) == cudaSuccess &&
      cudaMallocAsync(reinterpret_cast<void**>(&d_length), sizeof length, stream) == cudaSuccess;
  const auto copy = [&](void* to, const void* from, std::size_t bytes) {
    fine = fine && cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream) == cudaSuccess;
  };
  copy(d_symbols, a, sizeof a);
  copy(d_symbols + sizeof a, b, sizeof b);
  fine =
      fine && enqueue(d_symbols, sizeof a, d_symbols + sizeof a, sizeof b, d_length, stream) == cudaSuccess;
  copy(&length, d_length, sizeof length);
  if (!fine || cudaStreamSynchronize(stream) != cudaSuccess || length != 4) return 1;
  compare(d_symbols, sizeof a, d_symbols + sizeof a, sizeof b, stream);
  (void)cudaFreeAsync(d_symbols, stream);
  (void)cudaFreeAsync(d_length, stream);
  return cudaStreamDestroy(stream) == cudaSuccess ? 0 : 1;
}
