// Finds the shortest root and the least rotation of a text in device memory (core/rotation_steps.hpp).
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/bwt/core/rotation_steps.hpp>

namespace weft::bwt_cuda {

// A circular text: a copy of a text in device memory whose end is followed by its beginning.
class text_circle {
public:
  // Copies d_text[0 .. n-1], n >= 1, in stream order.
  text_circle(const unsigned char* d_text, std::uint64_t n, cudaStream_t stream);

  // Returns the length of the shortest u for which the text is u^k. Takes O(n) for each prime factor of k;
  // for most texts k is 1, and each prime factor of n is ruled out early. Waits for the stream.
  [[nodiscard]] std::uint64_t shortest_root() const;
  // Returns where the least rotation of the first `root` symbols of the text begins. root: the result of
  // shortest_root(). O(n log n), for most texts O(n). Takes 0.19 bytes per symbol; waits for the stream.
  [[nodiscard]] std::uint64_t min_rotation(std::uint64_t root) const;

  // Returns the bytes that this object and min_rotation() take for a text of n symbols.
  [[nodiscard]] static std::uint64_t memory(std::uint64_t n) noexcept;

private:
  cudaStream_t stream_;
  std::uint64_t size_;
  gpu::device_buffer<std::uint64_t> words_;
};

} // namespace weft::bwt_cuda
