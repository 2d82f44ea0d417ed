// Measures how much device memory calls of this library take.
#pragma once

#include <cstdint>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <weft/base/cuda/device_memory.hpp>

namespace weft_test {

// Reports the bytes that this process has taken from the library's device memory pool: now, and at most since
// reset().
class device_memory_taken {
public:
  device_memory_taken() {
    using ask = CUresult (*)(void*, CUpointer_attribute, CUdeviceptr);
    void* function = nullptr;
    cudaDriverEntryPointQueryResult query{};
    weft::gpu::check(cudaGetDriverEntryPointByVersion("cuPointerGetAttribute", &function, 12000,
                                                      cudaEnableDefault, &query),
                     "ask the driver");
    const weft::gpu::stream work;
    const weft::gpu::device_buffer<char> some(1, work.get());
    if (query != cudaDriverEntryPointSuccess ||
        reinterpret_cast<ask>(function)(&pool_, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
                                        reinterpret_cast<CUdeviceptr>(some.data())) != CUDA_SUCCESS)
      pool_ = nullptr;
  }
  [[nodiscard]] bool known() const { return pool_ != nullptr; }
  [[nodiscard]] std::uint64_t now() const { return read(cudaMemPoolAttrUsedMemCurrent); }
  [[nodiscard]] std::uint64_t peak_bytes() const { return read(cudaMemPoolAttrUsedMemHigh); }
  void reset() const {
    std::uint64_t none = 0;
    weft::gpu::check(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrUsedMemHigh, &none), "reset");
  }

private:
  [[nodiscard]] std::uint64_t read(cudaMemPoolAttr what) const {
    std::uint64_t bytes = 0;
    weft::gpu::check(cudaMemPoolGetAttribute(pool_, what, &bytes), "read the memory pool");
    return bytes;
  }
  cudaMemPool_t pool_ = nullptr;
};

} // namespace weft_test
