// A text in device memory as a string of bits (core/bit_text.hpp), and what its codes mean.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/bwt/core/bit_text.hpp>

namespace weft::bwt_cuda {

class packed_text {
public:
  // The bytes that stand in d_text[0 .. n-1], n >= 1, get codes of as few bits as these take, in their order.
  // O(n); waits for the stream, and reads d_text in its order.
  packed_text(const unsigned char* d_text, std::uint64_t n, cudaStream_t stream);

  // The same of symbols: uint16_t or uint32_t. For a while it takes 9 bits for each 8 symbols up to the
  // greatest that there is, 604 MB at most. Throws memory_error if that and the codes are more than `memory`
  // bytes, if it is not 0, or than there are.
  template <class Symbol>
  packed_text(const Symbol* d_text, std::uint64_t n, std::uint64_t memory, cudaStream_t stream);

  [[nodiscard]] bwt_core::bit_text view() const noexcept { return view_; }
  [[nodiscard]] std::uint64_t letters() const noexcept { return letters_; } // in use
  // In device memory: the bytes of 256 codes, which is more than there may be. Null for other symbols.
  [[nodiscard]] const unsigned char* bytes() const noexcept { return bytes_.data(); }
  [[nodiscard]] std::uint64_t memory() const noexcept { return words_.bytes() + bytes_.bytes(); }

private:
  gpu::device_buffer<std::uint64_t> words_;
  gpu::device_buffer<unsigned char> bytes_;
  bwt_core::bit_text view_{};
  std::uint64_t letters_ = 0;
};

} // namespace weft::bwt_cuda
