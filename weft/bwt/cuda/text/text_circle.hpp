// The shortest root and the least rotation of a text in device memory (core/rotation_steps.hpp).
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/bwt/core/rotation_steps.hpp>

namespace weft::bwt_cuda {

// A copy of a text whose end is followed by its beginning.
class text_circle {
public:
  // Of d_text[0 .. n-1], n >= 1, which may go once the stream is done with it.
  text_circle(const unsigned char* d_text, std::uint64_t n, cudaStream_t stream);

  // The length of the shortest u such that the text is u^k. O(n) for each prime factor that is taken off, and
  // for most texts that is none; waits for the stream.
  [[nodiscard]] std::uint64_t shortest_root() const;
  // Where the least rotation of the text's first symbols begins, `root` being what shortest_root() says.
  // O(n log n), for most texts O(n); 0.19 bytes a symbol; waits for the stream.
  [[nodiscard]] std::uint64_t min_rotation(std::uint64_t root) const;

  // Bytes that a text of n takes with its least rotation.
  [[nodiscard]] static std::uint64_t memory(std::uint64_t n) noexcept;

private:
  cudaStream_t stream_;
  std::uint64_t size_;
  gpu::device_buffer<std::uint64_t> words_;
};

} // namespace weft::bwt_cuda
