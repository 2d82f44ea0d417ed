// Launches of kernels one after another. From compute capability 9.0 on a kernel may be brought to the
// multiprocessors while the one before it still runs, and then waits: that hides most of what a launch costs
// (programmatic dependent launch).
//
//   launch        as <<< >>>
//   launch_early  where the launch before it in the stream is of a kernel that begins with
//                 wait_for_launch_before too, or is all that it needs; the kernel must begin so itself
//
// A kernel that waits ends after the one before it has ended and what that wrote can be seen; so does, in
// turn, all that was launched earlier.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/base/cuda/kernel_limits.hpp>

namespace weft::gpu::detail {

// Before any access to global memory.
__device__ inline void wait_for_launch_before() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion(); // the next one may come, and wait
  cudaGridDependencySynchronize();
#endif
}

// Whether a kernel's code, as it runs on the current device, waits as it must. All of a library's kernels are
// compiled alike.
template <class Kernel> cudaError_t can_launch_early(Kernel* kernel, bool& may) noexcept {
  cudaFuncAttributes attributes{};
  const cudaError_t status = cudaFuncGetAttributes(&attributes, kernel);
  may = status == cudaSuccess && attributes.ptxVersion >= 90;
  return status;
}

// How much of a block's shared memory is static in kernels here.
inline constexpr std::size_t max_static_bytes = 8U << 10;

// attribute: of the launch, or null.
template <class... Parameters, class... Arguments>
cudaError_t launch_with(cudaLaunchAttribute* attribute, void (*kernel)(Parameters...), std::uint64_t blocks,
                        int threads, std::size_t shared_bytes, cudaStream_t stream,
                        const Arguments&... arguments) noexcept {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = attribute;
  config.numAttrs = attribute != nullptr ? 1 : 0;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

template <class... Parameters, class... Arguments>
cudaError_t launch_early(bool early, void (*kernel)(Parameters...), std::uint64_t blocks, int threads,
                         std::size_t shared_bytes, cudaStream_t stream,
                         const Arguments&... arguments) noexcept {
  if (shared_bytes > unasked_shared_bytes - max_static_bytes)
    if (const cudaError_t status = allow_shared_memory(kernel, shared_bytes)) return status;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  return launch_with(early ? &attribute : nullptr, kernel, blocks, threads, shared_bytes, stream,
                     arguments...);
}

template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), std::uint64_t blocks, int threads, std::size_t shared_bytes,
                   cudaStream_t stream, const Arguments&... arguments) noexcept {
  return launch_early(false, kernel, blocks, threads, shared_bytes, stream, arguments...);
}

// How many blocks of the kernel the device runs at once, so that they can wait for each other; 0: none can.
template <class Kernel>
cudaError_t count_resident_blocks(Kernel* kernel, int threads, std::size_t shared_bytes,
                                  std::uint64_t& blocks) noexcept {
  blocks = 0;
  int device = 0, can = 0, multiprocessors = 0, of_each = 0;
  cudaError_t status = allow_shared_memory(kernel, shared_bytes);
  if (status == cudaErrorNotSupported) return cudaSuccess;
  if (status == cudaSuccess) status = cudaGetDevice(&device);
  if (status == cudaSuccess) status = cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, device);
  if (status == cudaSuccess) status = count_multiprocessors(multiprocessors);
  if (status == cudaSuccess)
    status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_each, kernel, threads, shared_bytes);
  if (status == cudaSuccess && can != 0)
    blocks = static_cast<std::uint64_t>(multiprocessors) * static_cast<std::uint64_t>(of_each);
  return status;
}

// At most count_resident_blocks.
template <class... Parameters, class... Arguments>
cudaError_t launch_cooperative(void (*kernel)(Parameters...), std::uint64_t blocks, int threads,
                               std::size_t shared_bytes, cudaStream_t stream,
                               const Arguments&... arguments) noexcept {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  return launch_with(&attribute, kernel, blocks, threads, shared_bytes, stream, arguments...);
}

} // namespace weft::gpu::detail
