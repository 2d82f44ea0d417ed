#include <weft/lcs/cuda/batch_kernels.hpp>
#include <weft/lcs/cuda/systolic_kernels.hpp>

#include <algorithm>
#include <weft/base/cuda/kernel_limits.hpp>
#include <weft/lcs/cuda/batch.cuh>

namespace weft::lcs_detail {

namespace {

// A kernel, the size of a row of its masks, and its shared memory.
struct batch_kernel_choice {
  void (*function)(batch_job) = nullptr;
  int row_size = 0, shared = 0; // in bytes
};

// Returns the kernel with spread masks if they fit, and otherwise with compact masks.
template <class Pair, bool Linked, int Words> batch_kernel_choice choose_kernel(int sigma, int max_shared) {
  using spread = batch_masks<Words, true>;
  using compact = batch_masks<Words, false>;
  if ((sigma + 1) * spread::row_bytes <= max_shared)
    return {batch_kernel<Pair, Linked, Words, true>, spread::row_bytes, (sigma + 1) * spread::row_bytes};
  return {batch_kernel<Pair, Linked, Words, false>, compact::row_bytes, (sigma + 1) * compact::row_bytes};
}

template <class Pair, bool Linked>
batch_kernel_choice choose_kernel_of_words(int words, int sigma, int max_shared) {
  switch (words) {
  case 4:
    return choose_kernel<Pair, Linked, 4>(sigma, max_shared);
  case 8:
    return choose_kernel<Pair, Linked, 8>(sigma, max_shared);
  case 16:
    return choose_kernel<Pair, Linked, 16>(sigma, max_shared);
  case 24:
    return choose_kernel<Pair, Linked, 24>(sigma, max_shared);
  default:
    return choose_kernel<Pair, Linked, 32>(sigma, max_shared);
  }
}

// Chooses the kernel for a shape, and lets it use the shared memory that it needs.
cudaError_t prepare_kernel(const batch_shape& shape, int sigma, batch_kernel_choice& chosen) {
  int device = 0, shared = 0;
  if (const cudaError_t status = cudaGetDevice(&device)) return status;
  if (const cudaError_t status =
          cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device))
    return status;
  const int max_shared = shared / batch_blocks - 1280; // a block's share, without other uses
  chosen = shape.edit     ? choose_kernel_of_words<edit_pair, true>(shape.words, sigma, max_shared)
           : shape.linked ? choose_kernel_of_words<lcs_pair, true>(shape.words, sigma, max_shared)
                          : choose_kernel_of_words<lcs_pair, false>(shape.words, sigma, max_shared);
  if (const cudaError_t status =
          base_detail::allow_shared_memory(chosen.function, static_cast<std::size_t>(chosen.shared)))
    return status;
  return cudaFuncSetAttribute(chosen.function, cudaFuncAttributePreferredSharedMemoryCarveout,
                              cudaSharedmemCarveoutMaxShared);
}

// Encodes the columns of one item in each block of threads.
__global__ void columns_kernel(const batch_item* items, const std::uint8_t* symbols, int sigma,
                               uint4* columns) {
  const batch_item item = items[blockIdx.x];
  const std::int64_t blocks = (item.length + block_columns - 1) / block_columns;
  for (std::int64_t k = threadIdx.x; k <= blocks; k += blockDim.x) {
    std::uint32_t pairs[4] = {};
    for (int c = 0; c < block_columns; ++c) {
      const std::int64_t j = k * block_columns + c;
      const std::uint32_t symbol =
          j < item.length ? symbols[item.symbols + j] : static_cast<std::uint32_t>(sigma);
      pairs[c / 2] |= symbol << c % 2 * 16;
    }
    columns[item.columns + k] = {pairs[0], pairs[1], pairs[2], pairs[3]};
  }
}

// Stores the values of the items of a piece in turn: a block stores 256 values of one item at a time.
__global__ void store_values_kernel(const __grid_constant__ batch_store job) {
  for (int p = job.first + static_cast<int>(blockIdx.y); p < job.last; p += static_cast<int>(gridDim.y)) {
    const int q = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (q >= job.cuts[p]) continue;
    std::uint64_t value = job.from[job.begins[p] - job.begins[job.first] + q];
    if (job.lengths)
      value = (static_cast<std::uint64_t>(job.items[p].length + job.items[q].length) - value) / 2;
    job.to[pair_index(job.order[p], job.order[q])] = value;
  }
}

} // namespace

cudaError_t batch_occupancy(const batch_shape& shape, int sigma, int* blocks) {
  batch_kernel_choice chosen;
  if (const cudaError_t status = prepare_kernel(shape, sigma, chosen)) return status;
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, chosen.function, batch_threads,
                                                       static_cast<std::size_t>(chosen.shared));
}

cudaError_t launch_batch(const batch_shape& shape, const batch_job& job, int blocks, cudaStream_t stream) {
  batch_kernel_choice chosen;
  if (const cudaError_t status = prepare_kernel(shape, job.sigma, chosen)) return status;
  if (const cudaError_t status = cudaMemsetAsync(job.ticket, 0, sizeof(unsigned), stream)) return status;
  batch_job sized_job = job;
  sized_job.row_size = static_cast<std::uint32_t>(chosen.row_size);
  chosen.function<<<blocks, batch_threads, chosen.shared, stream>>>(sized_job);
  return cudaGetLastError();
}

cudaError_t launch_batch_columns(const batch_item* items, int count, const std::uint8_t* symbols, int sigma,
                                 void* columns, cudaStream_t stream) {
  columns_kernel<<<count, 128, 0, stream>>>(items, symbols, sigma, static_cast<uint4*>(columns));
  return cudaGetLastError();
}

cudaError_t launch_batch_store(const batch_store& job, int max_cut, cudaStream_t stream) {
  constexpr int threads = 256, max_grid_rows = 65535;
  const dim3 grid(static_cast<unsigned>((max_cut + threads - 1) / threads),
                  static_cast<unsigned>(std::min(job.last - job.first, max_grid_rows)));
  store_values_kernel<<<grid, threads, 0, stream>>>(job);
  return cudaGetLastError();
}

} // namespace weft::lcs_detail
