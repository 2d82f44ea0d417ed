// Positions of the parts of a text, in device memory.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <span>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/bwt/core/part_rows.hpp>
#include <weft/bwt/cuda/text/packed_text.hpp>

namespace weft::bwt_cuda {

class text_parts {
public:
  // Takes the positions of at most 2^32 - 1 parts of one symbol or more: begins ascend from 0, the last one
  // is the size of the whole text. O(size / 64 * log parts). Waits until `begins` has been read.
  text_parts(std::span<const std::uint64_t> begins, cudaStream_t stream);

  [[nodiscard]] bwt_core::part_layout layout() const noexcept { return {{blocks_.data()}, begins_.data()}; }
  [[nodiscard]] std::uint64_t count() const noexcept { return begins_.size() - 1; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint64_t memory() const noexcept { return begins_.bytes() + blocks_.bytes(); }

  // Returns a view of the text, whose size must be that of all parts, for a sort of its suffixes: in the
  // order of a batch, part by part, or of a collection.
  [[nodiscard]] bwt_core::part_text batch(const packed_text& text) const;
  [[nodiscard]] bwt_core::part_text collection(const packed_text& text) const;

private:
  std::uint64_t size_;
  gpu::device_buffer<std::uint64_t> begins_;
  gpu::device_buffer<bwt_core::part_block> blocks_;
};

} // namespace weft::bwt_cuda
