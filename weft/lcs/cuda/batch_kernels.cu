#include <weft/lcs/cuda/batch_kernels.hpp>

#include <algorithm>
#include <weft/lcs/cuda/batch.cuh>

namespace weft::lcs_cuda {

namespace {

using batch_function = void (*)(batch_job);

template <class Pair, bool Linked> batch_function kernel_of(int words) {
  switch (words) {
  case 4:
    return batch_kernel<Pair, Linked, 4>;
  case 8:
    return batch_kernel<Pair, Linked, 8>;
  case 16:
    return batch_kernel<Pair, Linked, 16>;
  case 24:
    return batch_kernel<Pair, Linked, 24>;
  default:
    return batch_kernel<Pair, Linked, 32>;
  }
}

// The kernel for a shape, its shared memory, and that it may have it.
cudaError_t prepare(const batch_shape& shape, int sigma, batch_function& kernel, int& shared) {
  kernel = shape.edit     ? kernel_of<lcs_core::edit_pair, true>(shape.words)
           : shape.linked ? kernel_of<lcs_core::lcs_pair, true>(shape.words)
                          : kernel_of<lcs_core::lcs_pair, false>(shape.words);
  shared = static_cast<int>(batch_row_size(shape.words)) * (sigma + 1);
  if (const cudaError_t status =
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared))
    return status;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                              cudaSharedmemCarveoutMaxShared);
}

__global__ void columns_kernel(const batch_item* items, const std::uint8_t* symbols, int sigma,
                               uint4* columns) {
  const batch_item item = items[blockIdx.x];
  const std::int64_t blocks = (item.length + lcs_core::block_columns - 1) / lcs_core::block_columns;
  for (std::int64_t k = threadIdx.x; k <= blocks; k += blockDim.x) {
    std::uint32_t pairs[4] = {};
    for (int c = 0; c < lcs_core::block_columns; ++c) {
      const std::int64_t j = k * lcs_core::block_columns + c;
      const std::uint32_t symbol =
          j < item.length ? symbols[item.symbols + j] : static_cast<std::uint32_t>(sigma);
      pairs[c / 2] |= symbol << c % 2 * 16;
    }
    columns[item.columns + k] = {pairs[0], pairs[1], pairs[2], pairs[3]};
  }
}

} // namespace

std::uint32_t batch_row_size(int words) { return static_cast<std::uint32_t>((words / 4 | 1) * 16); }

cudaError_t batch_occupancy(const batch_shape& shape, int sigma, int* blocks) {
  batch_function kernel = nullptr;
  int shared = 0;
  if (const cudaError_t status = prepare(shape, sigma, kernel, shared)) return status;
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, batch_threads,
                                                       static_cast<std::size_t>(shared));
}

cudaError_t launch_batch(const batch_shape& shape, const batch_job& job, int blocks, cudaStream_t stream) {
  batch_function kernel = nullptr;
  int shared = 0;
  if (const cudaError_t status = prepare(shape, job.sigma, kernel, shared)) return status;
  if (const cudaError_t status = cudaMemsetAsync(job.ticket, 0, sizeof(unsigned), stream)) return status;
  kernel<<<blocks, batch_threads, shared, stream>>>(job);
  return cudaGetLastError();
}

cudaError_t launch_batch_columns(const batch_item* items, int count, const std::uint8_t* symbols, int sigma,
                                 void* columns, cudaStream_t stream) {
  columns_kernel<<<count, 128, 0, stream>>>(items, symbols, sigma, static_cast<uint4*>(columns));
  return cudaGetLastError();
}

} // namespace weft::lcs_cuda
