#include <weft/lcs/cuda/affine_batch.hpp>

#include <algorithm>

namespace weft::lcs_detail {

namespace {

// Returns the next task of the warp that has pairs, or a number past the last task if there is none or if the
// piece must end. The longest rows come first.
__device__ unsigned take_task(const affine_job& job) {
  const unsigned tasks = job.num_tasks();
  unsigned task = tasks;
  if (threadIdx.x % 32 == 0) {
    do task = atomicAdd(job.ticket, 1U);
    while (task < tasks && !job.has_pairs(task));
    if (task < tasks && *job.stop != 0) task = tasks;
  }
  return __shfl_sync(0xffffffffU, task, 0);
}

// Computes the tasks of a piece.
template <letter_form Form>
__global__ void __launch_bounds__(affine_threads, affine_blocks)
    affine_batch_kernel(const __grid_constant__ affine_job job) {
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t warp = std::int64_t{blockIdx.x} * affine_warps + thread / 32;
  for (;;) {
    const unsigned task = take_task(job);
    if (task >= job.num_tasks()) return;
    compute_affine_lane<Form>(job, task, warp, thread % 32);
  }
}

__global__ void affine_rows_kernel(const std::uint8_t* text, std::int64_t size,
                                   const __grid_constant__ affine_codes codes, std::uint32_t* row_letters) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i <= size; i += step)
    row_letters[i] = row_word(text, size, codes, i);
}

// Encodes a chunk in each block of threads.
__global__ void affine_columns_kernel(const std::uint8_t* text, const affine_item* items, int count,
                                      const affine_chunk* chunks, const __grid_constant__ affine_codes codes,
                                      std::uint32_t* column_letters) {
  const int number = static_cast<int>(blockIdx.x);
  const affine_chunk chunk = chunks[number];
  const int words = chunk.stripes * chunk.columns * affine_lanes_of_task;
  for (int i = static_cast<int>(threadIdx.x); i < words; i += static_cast<int>(blockDim.x))
    column_letters[chunk.begin + i] = column_word(text, items, count, number, codes, i);
}

auto* kernel_of(letter_form form) {
  return form == letter_form::four ? affine_batch_kernel<letter_form::four>
                                   : affine_batch_kernel<letter_form::any>;
}

} // namespace

cudaError_t affine_batch_occupancy(letter_form form, int* blocks) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel_of(form), affine_threads, 0);
}

cudaError_t launch_affine_batch(letter_form form, const affine_job& job, int blocks, cudaStream_t stream) {
  if (const cudaError_t status = cudaMemsetAsync(job.ticket, 0, sizeof(unsigned), stream)) return status;
  kernel_of(form)<<<blocks, affine_threads, 0, stream>>>(job);
  return cudaGetLastError();
}

cudaError_t launch_affine_rows(const std::uint8_t* text, std::int64_t size, const affine_codes& codes,
                               std::uint32_t* row_letters, cudaStream_t stream) {
  constexpr int threads = 256;
  const std::int64_t blocks = std::min<std::int64_t>(size / threads + 1, 4096);
  affine_rows_kernel<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(text, size, codes, row_letters);
  return cudaGetLastError();
}

cudaError_t launch_affine_columns(const std::uint8_t* text, const affine_item* items, int count,
                                  const affine_chunk* chunks, const affine_codes& codes,
                                  std::uint32_t* column_letters, cudaStream_t stream) {
  const int num_chunks = (count + affine_chunk_items - 1) / affine_chunk_items;
  affine_columns_kernel<<<num_chunks, 256, 0, stream>>>(text, items, count, chunks, codes, column_letters);
  return cudaGetLastError();
}

} // namespace weft::lcs_detail
