// A text that is copied from host memory to device memory.
#pragma once

#include <weft/base/cuda/device_memory.hpp>
#include <weft/scan/cuda/gpu_engine.hpp>

namespace weft::scan_cuda {

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

} // namespace weft::scan_cuda
