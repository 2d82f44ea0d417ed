// Limits of the current device for kernels. Needs the CUDA runtime's headers, but not nvcc.
#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>

namespace weft::base_detail {

// Sets `bytes` to the largest shared memory that a block can have on the current device.
inline cudaError_t shared_memory_limit(std::size_t& bytes) noexcept {
  int device = 0, limit = 0;
  cudaError_t status = cudaGetDevice(&device);
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  bytes = static_cast<std::size_t>(limit);
  return status;
}

// Sets `count` to the number of multiprocessors of the current device.
inline cudaError_t count_multiprocessors(int& count) noexcept {
  int device = 0;
  const cudaError_t status = cudaGetDevice(&device);
  if (status != cudaSuccess) return status;
  return cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
}

// The most shared memory of a block, static and dynamic together, that a kernel can use without
// allow_shared_memory().
inline constexpr std::size_t default_shared_bytes = 48U << 10;

// Allows launches of `kernel` on the current device to use at least `bytes` bytes of dynamic shared memory.
// Sets the limit to the device's maximum and never lowers it, because another host thread may be about to
// launch the kernel with more. The limit does not affect how many blocks run at once; only the bytes of a
// launch do. Returns cudaErrorNotSupported if the device does not have so many bytes.
template <class Kernel> cudaError_t allow_shared_memory(Kernel* kernel, std::size_t bytes) noexcept {
  cudaFuncAttributes attributes{};
  std::size_t limit = 0;
  cudaError_t status = cudaFuncGetAttributes(&attributes, kernel);
  const auto allowed = static_cast<std::size_t>(attributes.maxDynamicSharedSizeBytes);
  const std::size_t total_bytes = attributes.sharedSizeBytes + bytes;
  if (status != cudaSuccess ||
      (allowed > default_shared_bytes ? bytes <= allowed : total_bytes <= default_shared_bytes))
    return status;
  status = shared_memory_limit(limit);
  if (status != cudaSuccess) return status;
  if (total_bytes > limit) return cudaErrorNotSupported;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              static_cast<int>(limit - attributes.sharedSizeBytes));
}

} // namespace weft::base_detail
