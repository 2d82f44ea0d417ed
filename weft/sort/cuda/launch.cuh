// Launches of kernels that follow each other. From compute capability 9.0 on, a kernel can be brought to the
// multiprocessors while the kernel before it still runs, and then waits for it: that hides most of the cost
// of a launch (programmatic dependent launch).
//
//   launch        launches like <<< >>>
//   launch_early  launches early. The kernel must begin with wait_for_launch_before. So must the kernel
//                 before it in the stream, unless that kernel is all that the new one depends on.
//
// A waiting kernel ends after the kernel before it has ended and its writes are visible. By induction this
// holds for all earlier launches too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/base/cuda/kernel_limits.hpp>

namespace weft::sort_detail {

// Waits for the end of the kernel that was launched before. A kernel calls this function before it accesses
// global memory.
__device__ inline void wait_for_launch_before() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion(); // the next kernel may start, and will wait here
  cudaGridDependencySynchronize();
#endif
}

// Sets `supported` to whether `kernel` was compiled for compute capability 9.0 or later for the current
// device, and so contains the wait. It is enough to ask for one kernel, because all kernels of a library are
// compiled for the same architectures.
template <class Kernel> cudaError_t check_early_launch(Kernel* kernel, bool& supported) noexcept {
  cudaFuncAttributes attributes{};
  const cudaError_t status = cudaFuncGetAttributes(&attributes, kernel);
  supported = status == cudaSuccess && attributes.ptxVersion >= 90;
  return status;
}

// The most static shared memory, in bytes, that a block of any kernel here uses.
inline constexpr std::size_t max_static_bytes = 8U << 10;

// Launches a kernel with one launch attribute, or with none if `attribute` is null.
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
  if (shared_bytes > base_detail::default_shared_bytes - max_static_bytes)
    if (const cudaError_t status = base_detail::allow_shared_memory(kernel, shared_bytes)) return status;
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

// Sets `blocks` to the number of blocks of the kernel that the device can run at the same time, so that they
// can wait for each other; 0 if it cannot run such kernels.
template <class Kernel>
cudaError_t count_resident_blocks(Kernel* kernel, int threads, std::size_t shared_bytes,
                                  std::uint64_t& blocks) noexcept {
  blocks = 0;
  int device = 0, is_supported = 0, multiprocessors = 0, blocks_per_multiprocessor = 0;
  cudaError_t status = base_detail::allow_shared_memory(kernel, shared_bytes);
  if (status == cudaErrorNotSupported) return cudaSuccess;
  if (status == cudaSuccess) status = cudaGetDevice(&device);
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute(&is_supported, cudaDevAttrCooperativeLaunch, device);
  if (status == cudaSuccess) status = base_detail::count_multiprocessors(multiprocessors);
  if (status == cudaSuccess)
    status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_multiprocessor, kernel, threads,
                                                           shared_bytes);
  if (status == cudaSuccess && is_supported != 0)
    blocks =
        static_cast<std::uint64_t>(multiprocessors) * static_cast<std::uint64_t>(blocks_per_multiprocessor);
  return status;
}

// Launches a kernel whose blocks wait for each other. `blocks` is at most what count_resident_blocks returns.
template <class... Parameters, class... Arguments>
cudaError_t launch_cooperative(void (*kernel)(Parameters...), std::uint64_t blocks, int threads,
                               std::size_t shared_bytes, cudaStream_t stream,
                               const Arguments&... arguments) noexcept {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  return launch_with(&attribute, kernel, blocks, threads, shared_bytes, stream, arguments...);
}

} // namespace weft::sort_detail
