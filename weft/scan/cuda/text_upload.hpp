// Texts of host memory on the device.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/scan/cuda/gpu_engine.hpp>
#include <weft/scan/scan.hpp>

namespace weft::scan_cuda {

// A batch in device memory, for what is enqueued on the stream from now on.
class uploaded_text {
public:
  uploaded_text(const sequence_batch& text, cudaStream_t stream);
  [[nodiscard]] device_text view() const noexcept;

private:
  std::uint64_t size_, sequences_;
  gpu::device_buffer<unsigned char> residues_;
  gpu::device_buffer<std::uint64_t> offsets_;
  gpu::device_buffer<std::uint32_t> starts_;
};

} // namespace weft::scan_cuda
