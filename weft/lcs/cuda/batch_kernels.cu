#include <weft/lcs/cuda/batch_kernels.hpp>
#include <weft/lcs/cuda/systolic_kernels.hpp>

#include <algorithm>
#include <weft/lcs/cuda/batch.cuh>

namespace weft::lcs_cuda {

namespace {

struct batch_kernel_choice {
  void (*function)(batch_job) = nullptr;
  int row_size = 0, shared = 0; // bytes
};

template <class Pair, bool Linked, int Words> batch_kernel_choice choice_of(int sigma, int max_shared) {
  using spread = batch_masks<Words, true>;
  using compact = batch_masks<Words, false>;
  if ((sigma + 1) * spread::row_bytes <= max_shared)
    return {batch_kernel<Pair, Linked, Words, true>, spread::row_bytes, (sigma + 1) * spread::row_bytes};
  return {batch_kernel<Pair, Linked, Words, false>, compact::row_bytes, (sigma + 1) * compact::row_bytes};
}

template <class Pair, bool Linked> batch_kernel_choice choice_of_words(int words, int sigma, int max_shared) {
  switch (words) {
  case 4:
    return choice_of<Pair, Linked, 4>(sigma, max_shared);
  case 8:
    return choice_of<Pair, Linked, 8>(sigma, max_shared);
  case 16:
    return choice_of<Pair, Linked, 16>(sigma, max_shared);
  case 24:
    return choice_of<Pair, Linked, 24>(sigma, max_shared);
  default:
    return choice_of<Pair, Linked, 32>(sigma, max_shared);
  }
}

// The kernel for a shape, with the shared memory that it needs.
cudaError_t prepare(const batch_shape& shape, int sigma, batch_kernel_choice& chosen) {
  int device = 0, shared = 0;
  if (const cudaError_t status = cudaGetDevice(&device)) return status;
  if (const cudaError_t status =
          cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device))
    return status;
  const int most = shared / batch_blocks - 1280; // a block's share, less what it takes besides
  chosen = shape.edit     ? choice_of_words<lcs_core::edit_pair, true>(shape.words, sigma, most)
           : shape.linked ? choice_of_words<lcs_core::lcs_pair, true>(shape.words, sigma, most)
                          : choice_of_words<lcs_core::lcs_pair, false>(shape.words, sigma, most);
  if (const cudaError_t status = allow_shared_memory(reinterpret_cast<const void*>(chosen.function)))
    return status;
  return cudaFuncSetAttribute(chosen.function, cudaFuncAttributePreferredSharedMemoryCarveout,
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

cudaError_t batch_occupancy(const batch_shape& shape, int sigma, int* blocks) {
  batch_kernel_choice chosen;
  if (const cudaError_t status = prepare(shape, sigma, chosen)) return status;
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, chosen.function, batch_threads,
                                                       static_cast<std::size_t>(chosen.shared));
}

cudaError_t launch_batch(const batch_shape& shape, const batch_job& job, int blocks, cudaStream_t stream) {
  batch_kernel_choice chosen;
  if (const cudaError_t status = prepare(shape, job.sigma, chosen)) return status;
  if (const cudaError_t status = cudaMemsetAsync(job.ticket, 0, sizeof(unsigned), stream)) return status;
  batch_job sized = job;
  sized.row_size = static_cast<std::uint32_t>(chosen.row_size);
  chosen.function<<<blocks, batch_threads, chosen.shared, stream>>>(sized);
  return cudaGetLastError();
}

cudaError_t launch_batch_columns(const batch_item* items, int count, const std::uint8_t* symbols, int sigma,
                                 void* columns, cudaStream_t stream) {
  columns_kernel<<<count, 128, 0, stream>>>(items, symbols, sigma, static_cast<uint4*>(columns));
  return cudaGetLastError();
}

} // namespace weft::lcs_cuda
