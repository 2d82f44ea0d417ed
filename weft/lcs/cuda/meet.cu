// Computes the length of an LCS from two tables with half of the columns each, at the same time.
//
//   left:  rows of a, columns of the first half of b:            F(i) = LCS of a[0, i) with that half
//   right: both texts from their ends, the second half of b:     G(k) = LCS of the last k symbols of a
//                                                                with that half
//   length = max over i of F(i) + G(m - i)
//
// The number of cells is the same, but a warp passes through half of the columns, and the pipeline of
// strips fills in half of the time, on which the time of short tables depends. F and G are the sums of the
// vertical differences to the right of the last column. Columns past the end match nothing, and no
// difference comes from above them, so v stays as it is.
//
// There is no deadlock: strip s of either half has ticket 2 s or 2 s + 1, and waits for an earlier ticket.
//
// Two GPUs sweep a half each (half_kernel). Then one of them has the differences of both halves and joins
// them.
#include <weft/base/cuda/kernel_limits.hpp>
#include <weft/lcs/cuda/sweep.cuh>
#include <weft/lcs/cuda/systolic_kernels.hpp>

namespace weft::lcs_detail {

namespace {

// The Port of a half table: it also stores v to the right of the last column.
template <int Words> struct meet_port : sweep_port<lcs_column, Words, sweep_step> {
  static constexpr bool keeps_last = true;
  std::uint32_t* to; // for this lane
  __device__ meet_port(const table_job& job, int strip, int lane, std::uint32_t* last)
      : sweep_port<lcs_column, Words, sweep_step>(job, strip, lane),
        to(last + (std::int64_t{strip} * warp_lanes + lane) * Words) {}
  __device__ void keep_last(const std::uint32_t (&v)[1][Words]) const {
#pragma unroll
    for (int w = 0; w < Words; ++w) to[w] = v[0][w];
  }
};

// Sweeps the strips of both halves, one warp for each strip at a time.
template <int Words, int Tables>
__global__ void __launch_bounds__(max_warps* warp_lanes, 1)
    meet_kernel(const __grid_constant__ table_job left, const __grid_constant__ table_job right,
                std::uint32_t* last) {
  extern __shared__ uint4 shared[];
  const int lane = threadIdx.x % warp_lanes;
  char* const mine = reinterpret_cast<char*>(shared) +
                     threadIdx.x / warp_lanes * mask_layout<Words, Tables>::bytes(left.sigma);
  for (;;) {
    const int ticket = take_ticket(left.ticket, lane), strip = ticket / 2;
    if (strip >= left.strips || (left.stop != nullptr && *left.stop != 0)) return;
    const table_job job = ticket % 2 == 0 ? left : right;
    const std::uint32_t masks = strip_masks<Words, Tables>(job, mine, strip, lane);
    meet_port<Words> port(job, strip, lane,
                          last + (ticket % 2) * std::int64_t{left.strips} * warp_lanes * Words);
    run_strip<lcs_column, Words, Tables, sweep_step>(port, masks, job.row_size, job.columns,
                                                     job.words + sweep_step, lane);
  }
}

// Sweeps the strips of one half, one warp for each strip at a time.
template <int Words, int Tables>
__global__ void __launch_bounds__(max_warps* warp_lanes, 1)
    half_kernel(const __grid_constant__ table_job job, std::uint32_t* last) {
  sweep_strips<lcs_column, Words, Tables>(
      job, [&](int strip, int lane) { return meet_port<Words>(job, strip, lane, last); });
}

constexpr int meeting_threads = 256;

// Joins two stretches of rows, the second directly after the first.
__device__ meeting_stretch joined(const meeting_stretch& first, const meeting_stretch& second) {
  return {first.sum + second.sum, max(first.best, first.sum + second.best), first.right + second.right};
}

// Joins the stretches of a block's threads in their order. Thread 0 has the result.
__device__ meeting_stretch joined_block(const meeting_stretch& mine) {
  __shared__ meeting_stretch stretches[meeting_threads];
  stretches[threadIdx.x] = mine;
  for (int step = 1; step < meeting_threads; step *= 2) {
    __syncthreads();
    const int first = threadIdx.x * 2 * step;
    if (first + step < meeting_threads) stretches[first] = joined(stretches[first], stretches[first + step]);
  }
  return stretches[0];
}

// Returns 32 bits of a bit string, from bit `at` on; bits outside of the string are ones.
__device__ std::uint32_t bits_at(const std::uint32_t* string, std::int64_t words, std::int64_t at) {
  const std::int64_t w = at >> 5; // rounded down, for negative numbers too
  const std::uint32_t low = w >= 0 && w < words ? string[w] : ~0U;
  const std::uint32_t high = w + 1 >= 0 && w + 1 < words ? string[w + 1] : ~0U;
  return __funnelshift_r(low, high, static_cast<unsigned>(at & 31));
}

// Computes the differences at each row i, from the first row on: a zero in F's word adds one, and a zero in
// G's word for the same symbol of a subtracts one. Row `above` + i of F is row rows - 1 - i of G. Both are
// counted with the rows that do not exist, whose bits are ones. Each thread takes the next `each` words of
// F.
__global__ void __launch_bounds__(meeting_threads)
    stretch_kernel(const std::uint32_t* last, std::int64_t words, std::int64_t missing_rows,
                   std::int64_t each, meeting_stretch* stretches) {
  const std::uint32_t *const f = last, *const g = last + words;
  const std::int64_t begin = (std::int64_t{blockIdx.x} * meeting_threads + threadIdx.x) * each;
  meeting_stretch mine{};
  for (std::int64_t w = begin; w < min(begin + each, words); ++w) {
    const std::uint32_t grows = ~f[w],
                        shrinks = ~__brev(bits_at(g, words, words * 32 + missing_rows - (w + 1) * 32));
    mine.right += __popc(shrinks);
    for (int bit = 0; bit < 32; ++bit) {
      mine.sum += static_cast<int>(grows >> bit & 1) - static_cast<int>(shrinks >> bit & 1);
      mine.best = max(mine.best, mine.sum);
    }
  }
  const meeting_stretch all = joined_block(mine);
  if (threadIdx.x == 0) stretches[blockIdx.x] = all;
}

__global__ void __launch_bounds__(meeting_threads)
    length_kernel(const meeting_stretch* stretches, long long* length) {
  const meeting_stretch all = joined_block(stretches[threadIdx.x]);
  if (threadIdx.x == 0) *length = all.right + all.best;
}

// Launches a kernel whose warps need `warp_bytes` bytes of shared memory each.
template <class Kernel, class... Arguments>
cudaError_t launch_strips(Kernel* kernel, std::int64_t warp_bytes, const launch_shape& launch,
                          cudaStream_t stream, const Arguments&... arguments) {
  const auto shared = static_cast<int>(launch.warps * warp_bytes);
  if (const cudaError_t status = base_detail::allow_shared_memory(kernel, static_cast<std::size_t>(shared)))
    return status;
  kernel<<<launch.blocks, launch.warps * warp_lanes, shared, stream>>>(arguments...);
  return cudaGetLastError();
}

} // namespace

cudaError_t launch_meet(const kernel_shape& shape, const table_job& left, const table_job& right,
                        std::uint32_t* last, const launch_shape& launch, cudaStream_t stream) {
  const auto run = [&](auto* kernel) {
    return launch_strips(kernel, shape.mask_bytes(left.sigma), launch, stream, left, right, last);
  };
  switch (shape.words * 4 + shape.tables) {
  case 2 * 4 + 1:
    return run(meet_kernel<2, 1>);
  case 4 * 4 + 1:
    return run(meet_kernel<4, 1>);
  case 8 * 4 + 1:
    return run(meet_kernel<8, 1>);
  case 2 * 4 + 2:
    return run(meet_kernel<2, 2>);
  case 4 * 4 + 2:
    return run(meet_kernel<4, 2>);
  case 8 * 4 + 2:
    return run(meet_kernel<8, 2>);
  default:
    return cudaErrorInvalidValue;
  }
}

cudaError_t launch_half(const kernel_shape& shape, const table_job& job, std::uint32_t* last,
                        const launch_shape& launch, cudaStream_t stream) {
  const auto run = [&](auto* kernel) {
    return launch_strips(kernel, shape.mask_bytes(job.sigma), launch, stream, job, last);
  };
  switch (shape.words * 4 + shape.tables) {
  case 2 * 4 + 1:
    return run(half_kernel<2, 1>);
  case 4 * 4 + 1:
    return run(half_kernel<4, 1>);
  case 8 * 4 + 1:
    return run(half_kernel<8, 1>);
  case 16 * 4 + 1:
    return run(half_kernel<16, 1>);
  case 2 * 4 + 2:
    return run(half_kernel<2, 2>);
  case 4 * 4 + 2:
    return run(half_kernel<4, 2>);
  case 8 * 4 + 2:
    return run(half_kernel<8, 2>);
  default:
    return cudaErrorInvalidValue;
  }
}

cudaError_t launch_best_meeting(const std::uint32_t* last, std::int64_t words, std::int64_t missing_rows,
                                meeting_stretch* stretches, long long* length, cudaStream_t stream) {
  constexpr std::int64_t threads = std::int64_t{max_stretches} * meeting_threads;
  static_assert(max_stretches == meeting_threads);
  stretch_kernel<<<max_stretches, meeting_threads, 0, stream>>>(last, words, missing_rows,
                                                                (words + threads - 1) / threads, stretches);
  if (const cudaError_t status = cudaGetLastError()) return status;
  length_kernel<<<1, meeting_threads, 0, stream>>>(stretches, length);
  return cudaGetLastError();
}

} // namespace weft::lcs_detail
