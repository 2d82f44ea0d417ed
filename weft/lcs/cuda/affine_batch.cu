#include <weft/lcs/cuda/affine_batch.hpp>

#include <algorithm>

namespace weft::lcs_detail {

namespace {

// The Lane of compute_affine_pairs().
struct affine_lane {
  const std::uint32_t* rows;    // the letters of the rows
  const std::uint32_t* columns; // of this lane, with a stride of 32
  affine_border* borders;       // of this lane, with a stride of 32
  int lengths[2];

  [[nodiscard]] __device__ std::uint32_t row_letter(int i) const { return __ldg(rows + i); }
  [[nodiscard]] __device__ std::uint32_t column_letters(int j) const {
    return __ldg(columns + std::int64_t{j} * 32);
  }
  [[nodiscard]] __device__ affine_border border(int i) const {
    const uint2 words = *reinterpret_cast<const uint2*>(borders + i * 32);
    return {words.x, words.y};
  }
  __device__ void keep(int i, const affine_border& border) {
    *reinterpret_cast<uint2*>(borders + i * 32) = {border.closed, border.inserting};
  }
  [[nodiscard]] __device__ int length(int half) const { return lengths[half]; }
};

// The tables of a lane, for with_stripe_columns().
template <letter_form Form> struct affine_tables {
  affine_lane& lane;
  int rows, stripes;
  const affine_pair_costs& costs;
  template <int Columns> [[nodiscard]] __device__ std::uint32_t run() const {
    return compute_affine_pairs<Columns, Form>(lane, rows, stripes, costs);
  }
};

// Returns the next task of the warp that has pairs, or a number past the last task if there is none or if the
// piece must end. The longest rows come first.
__device__ unsigned take_task(const affine_job& job, unsigned tasks) {
  unsigned task = 0;
  if (threadIdx.x % 32 == 0) {
    for (;;) {
      task = atomicAdd(job.ticket, 1U);
      if (task >= tasks) break;
      const int p = job.first + static_cast<int>(task / job.max_chunks);
      if (static_cast<int>(task % job.max_chunks) * affine_chunk_items >= p) continue;
      if (*job.stop != 0) task = tasks;
      break;
    }
  }
  return __shfl_sync(0xffffffffU, task, 0);
}

// Computes the tasks of a piece.
template <letter_form Form>
__global__ void __launch_bounds__(affine_threads, affine_blocks)
    affine_batch_kernel(const __grid_constant__ affine_job job) {
  const auto tasks = static_cast<unsigned>(job.last - job.first) * static_cast<unsigned>(job.max_chunks);
  const int thread = static_cast<int>(threadIdx.x), lane_index = thread % 32;
  const std::int64_t warp = std::int64_t{blockIdx.x} * affine_warps + thread / 32;
  for (;;) {
    const unsigned task = take_task(job, tasks);
    if (task >= tasks) return;
    const int p = job.first + static_cast<int>(task / job.max_chunks);
    const int k = static_cast<int>(task % job.max_chunks), q = k * affine_chunk_items + 2 * lane_index;
    const affine_item rows = job.items[p];
    const affine_chunk chunk = job.chunks[k];
    affine_lane lane{job.row_letters + rows.begin,
                     job.column_letters + chunk.begin + lane_index,
                     job.borders + warp * job.border_rows * 32 + lane_index,
                     {q < p ? job.items[q].length : 0, q + 1 < p ? job.items[q + 1].length : 0}};
    const std::uint32_t ends =
        with_stripe_columns(chunk.columns, affine_tables<Form>{lane, rows.length, chunk.stripes, job.costs});
    std::uint32_t* const values = job.values + (job.begins[p] - job.begins[job.first]);
    for (int half = 0; half < 2; ++half)
      if (q + half < p)
        values[q + half] =
            static_cast<std::uint32_t>(half_of(ends, half) + (rows.length + lane.lengths[half]) * job.extend);
  }
}

__global__ void affine_rows_kernel(const std::uint8_t* text, std::int64_t size,
                                   const __grid_constant__ affine_codes codes, std::uint32_t* row_letters) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i <= size; i += step)
    row_letters[i] = i < size ? codes.row[text[i]] : 0;
}

// Encodes a chunk in each block of threads.
__global__ void affine_columns_kernel(const std::uint8_t* text, const affine_item* items, int count,
                                      const affine_chunk* chunks, const __grid_constant__ affine_codes codes,
                                      std::uint32_t* column_letters) {
  const affine_chunk chunk = chunks[blockIdx.x];
  const int words = chunk.stripes * chunk.columns * 32;
  for (int i = static_cast<int>(threadIdx.x); i < words; i += static_cast<int>(blockDim.x)) {
    std::uint32_t letters = 0;
    for (int half = 0; half < 2; ++half) {
      const int q = static_cast<int>(blockIdx.x) * affine_chunk_items + i % 32 * 2 + half;
      if (q < count && i / 32 < items[q].length)
        letters |= codes.column[text[items[q].begin + i / 32]] << (half * codes.second_shift);
    }
    column_letters[chunk.begin + i] = letters;
  }
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
