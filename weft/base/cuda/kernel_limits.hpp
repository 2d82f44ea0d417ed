// What the current device has for kernels. Needs the CUDA runtime's headers, not nvcc.
#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>

namespace weft::gpu::detail {

// Bytes that a block can have on the current device.
inline cudaError_t shared_memory_limit(std::size_t& bytes) noexcept {
  int device = 0, limit = 0;
  cudaError_t status = cudaGetDevice(&device);
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  bytes = static_cast<std::size_t>(limit);
  return status;
}

// Of the current device.
inline cudaError_t count_multiprocessors(int& count) noexcept {
  int device = 0;
  const cudaError_t status = cudaGetDevice(&device);
  if (status != cudaSuccess) return status;
  return cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
}

// A block's shared memory, static and dynamic, that no kernel has to ask for.
inline constexpr std::size_t unasked_shared_bytes = 48U << 10;

// Lets the kernel's launches on the current device have so many bytes, and as many more as there are: never
// fewer than before, as another host thread may be about to launch it with more. What a launch takes, and
// with it how many blocks run at once, follows from its own bytes alone. cudaErrorNotSupported: there are not
// so many.
template <class Kernel> cudaError_t allow_shared_memory(Kernel* kernel, std::size_t bytes) noexcept {
  cudaFuncAttributes attributes{};
  std::size_t limit = 0;
  cudaError_t status = cudaFuncGetAttributes(&attributes, kernel);
  const auto allowed = static_cast<std::size_t>(attributes.maxDynamicSharedSizeBytes);
  const std::size_t in_all = attributes.sharedSizeBytes + bytes;
  if (status != cudaSuccess ||
      (allowed > unasked_shared_bytes ? bytes <= allowed : in_all <= unasked_shared_bytes))
    return status;
  status = shared_memory_limit(limit);
  if (status != cudaSuccess) return status;
  if (in_all > limit) return cudaErrorNotSupported;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              static_cast<int>(limit - attributes.sharedSizeBytes));
}

} // namespace weft::gpu::detail
