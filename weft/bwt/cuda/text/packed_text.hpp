// A text in device memory as a string of bits (core/bit_text.hpp), and the bytes that its codes stand for;
// and the positions of the parts of a text.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <span>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/bwt/core/bit_text.hpp>
#include <weft/bwt/core/part_rows.hpp>

namespace weft::bwt_detail {

class packed_text {
public:
  // Packs d_text[0 .. n-1], n >= 1. The distinct bytes of the text get codes in their order, of as few bits
  // as possible. O(n); waits for the stream, and reads d_text in stream order.
  packed_text(const unsigned char* d_text, std::uint64_t n, cudaStream_t stream);

  // Does the same for a text of symbols: uint16_t or uint32_t. Temporarily takes 9 bits for each 8 symbol
  // values up to the greatest symbol, 604 MB at most. Throws memory_error if this and the codes take more
  // than `memory` bytes (0: no limit), or more than is free.
  template <class Symbol>
  packed_text(const Symbol* d_text, std::uint64_t n, std::uint64_t memory, cudaStream_t stream);

  [[nodiscard]] bit_text view() const noexcept { return view_; }
  [[nodiscard]] std::uint64_t letters() const noexcept { return letters_; } // number of distinct symbols
  // The bytes of the codes, in device memory: 256 entries, even if fewer codes are used. Null for texts of
  // other symbols.
  [[nodiscard]] const unsigned char* bytes() const noexcept { return bytes_.data(); }
  [[nodiscard]] std::uint64_t memory() const noexcept { return words_.bytes() + bytes_.bytes(); }

private:
  gpu::device_buffer<std::uint64_t> words_;
  gpu::device_buffer<unsigned char> bytes_;
  bit_text view_{};
  std::uint64_t letters_ = 0;
};

class text_parts {
public:
  // Takes the positions of at most 2^32 - 1 parts of one symbol or more: begins ascend from 0, the last one
  // is the size of the whole text. O(size / 64 * log parts). Waits until `begins` has been read.
  text_parts(std::span<const std::uint64_t> begins, cudaStream_t stream);

  [[nodiscard]] part_layout layout() const noexcept { return {{blocks_.data()}, begins_.data()}; }
  [[nodiscard]] std::uint64_t count() const noexcept { return begins_.size() - 1; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint64_t memory() const noexcept { return begins_.bytes() + blocks_.bytes(); }

  // Returns a view of the text, whose size must be that of all parts, for a sort of its suffixes: in the
  // order of a batch, part by part, or of a collection.
  [[nodiscard]] part_text batch(const packed_text& text) const;
  [[nodiscard]] part_text collection(const packed_text& text) const;

private:
  std::uint64_t size_;
  gpu::device_buffer<std::uint64_t> begins_;
  gpu::device_buffer<part_block> blocks_;
};

} // namespace weft::bwt_detail
