// Texts in device memory, in the form that engines and the resolution of matches need: one that the caller
// has there, and one that is copied from host memory (text_upload.cu).
#pragma once

#include <weft/base/cuda/device_memory.hpp>
#include <weft/scan/core/match_keys.hpp>
#include <weft/scan/cuda/gpu_searcher.hpp>
#include <weft/scan/scan.cuh>

namespace weft::scan_detail {

// A copy of a text that is in device memory, with marks of the sequences and of granules that contain an X.
// The text is copied, also if weft has uploaded it itself, because engines need residues that are aligned to
// 16 bytes and padded with zeros and, for the reverse strand, the complement.
class resident_text {
public:
  // Enqueues the check of the offsets and the marking of sequence starts. The text must have at least one
  // sequence. The memory is freed in the stream's order. Throws memory_error, device_error.
  resident_text(const gpu::sequences_view& from, cudaStream_t stream);

  // The result of checking the offsets.
  struct offset_check {
    std::uint64_t longest; // residues of the longest sequence
    // Whether the offsets ascend from 0 to the size. If not, nothing else of this object may be used.
    bool valid;
  };
  [[nodiscard]] offset_check read_offset_check() const; // waits for the stream

  // Enqueues the copy that text() and unknown() describe from now on: the text itself, which must not be
  // empty, or the reverse complement of each sequence, in which no X is noted.
  void load(bool reverse);

  [[nodiscard]] device_text text() const {
    return {residues_.data(), from_.size, from_.d_offsets, from_.count, starts_.data()};
  }
  [[nodiscard]] sequence_index sequences() const { return {from_.d_offsets, marks_.data()}; }
  [[nodiscard]] const std::uint32_t* unknown() const { return unknown_.data(); } // one bit for each granule
  [[nodiscard]] const std::uint32_t* has_unknown() const { return &flags_.data()->unknown; }

  // Returns the bytes of device memory for a text of `residues` residues.
  [[nodiscard]] static std::uint64_t bytes(std::uint64_t residues);

  // Results that kernels write to device memory.
  struct flags {
    unsigned long long longest;
    std::uint32_t invalid, unknown;
  };

private:
  gpu::sequences_view from_;
  cudaStream_t stream_;
  gpu::device_buffer<flags> flags_;
  gpu::device_buffer<unsigned char> residues_;
  gpu::device_buffer<std::uint32_t> starts_, marks_, unknown_;
};

// The uploaded text. Owns its device memory.
class uploaded_text {
public:
  // Enqueues copies from pageable memory and the kernel that marks sequence starts; `sequences` may be
  // destroyed as soon as the constructor returns. The memory is freed in the stream's order, so the stream
  // must outlive this object. O(residues). Throws memory_error, device_error.
  uploaded_text(const sequences_view& sequences, cudaStream_t stream);
  [[nodiscard]] device_text text() const noexcept {
    return {residues_.data(), size_, offsets_.data(), sequences_, starts_.data()};
  }

private:
  std::uint64_t size_, sequences_;
  gpu::device_buffer<unsigned char> residues_;
  gpu::device_buffer<std::uint64_t> offsets_;
  gpu::device_buffer<std::uint32_t> starts_;
};

} // namespace weft::scan_detail
