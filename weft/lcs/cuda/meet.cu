// The length of an LCS by two tables of half the columns, at once.
//
//   left:  rows of a, columns of the first half of b:            F(i) = LCS of a[0, i) with that half
//   right: both texts from their ends, the second half of b:     G(k) = LCS of the last k symbols of a
//   length = max over i of F(i) + G(m - i)
//
// The cells are the same, but a warp passes half the columns, and the pipeline of strips fills in half the
// time, which is what short tables wait for. F and G are the sums of the vertical differences right of the
// last column; columns past the end match nothing, and no difference comes from above, so v stays as it is.
//
// No deadlock: strip s of either half is ticket 2 s or 2 s + 1, and waits for a ticket before it.
#include <weft/lcs/cuda/meet.hpp>
#include <weft/lcs/cuda/sweep.cuh>

namespace weft::lcs_cuda {

namespace {

using lcs_core::lcs_column;

template <int Words> struct meet_port : sweep_port<lcs_column, Words, sweep_step> {
  static constexpr bool keeps_last = true;
  std::uint32_t* to; // of this lane
  __device__ meet_port(const table_job& job, int strip, int lane, std::uint32_t* last)
      : sweep_port<lcs_column, Words, sweep_step>(job, strip, lane),
        to(last + (std::int64_t{strip} * warp_lanes + lane) * Words) {}
  __device__ void keep_last(const std::uint32_t (&v)[1][Words]) const {
#pragma unroll
    for (int w = 0; w < Words; ++w) to[w] = v[0][w];
  }
};

template <int Words, int Tables>
__global__ void __launch_bounds__(most_warps* warp_lanes, 1)
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

// A stretch of rows: what F + G grows by over it, and the most that it grows by up to one of its rows.
struct stretch {
  long long sum, best;
};
__device__ stretch joined(const stretch& first, const stretch& second) {
  return {first.sum + second.sum, max(first.best, first.sum + second.best)};
}

constexpr int meeting_threads = 1024;

// Differences at row i, from the first: a zero in F's word, less a zero in G's for the same symbol of a. Row
// `above` + i of F is row rows - 1 - i of G, both counted with the rows that do not exist, whose bits are
// ones.
__global__ void __launch_bounds__(meeting_threads)
    best_meeting_kernel(const std::uint32_t* last, std::int64_t words, std::int64_t above,
                        long long* length) {
  __shared__ stretch stretches[meeting_threads];
  __shared__ long long totals[meeting_threads]; // of G
  const std::uint32_t *const f = last, *const g = last + words;
  const std::int64_t rows = words * 32, real = rows - above;
  const std::int64_t each = (real + meeting_threads - 1) / meeting_threads;
  const std::int64_t begin = threadIdx.x * each, end = min(begin + each, real);
  stretch mine{0, 0};
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t in_f = above + i, in_g = rows - 1 - i;
    const int grows = (f[in_f / 32] >> (in_f % 32) & 1) == 0,
              shrinks = (g[in_g / 32] >> (in_g % 32) & 1) == 0;
    mine.sum += grows - shrinks;
    mine.best = max(mine.best, mine.sum);
  }
  long long zeros = 0;
  for (std::int64_t w = threadIdx.x; w < words; w += meeting_threads) zeros += 32 - __popc(g[w]);
  stretches[threadIdx.x] = mine;
  totals[threadIdx.x] = zeros;
  for (int step = 1; step < meeting_threads; step *= 2) {
    __syncthreads();
    const int first = threadIdx.x * 2 * step;
    if (first + step < meeting_threads) {
      stretches[first] = joined(stretches[first], stretches[first + step]);
      totals[first] += totals[first + step];
    }
  }
  if (threadIdx.x == 0) *length = totals[0] + stretches[0].best;
}

} // namespace

cudaError_t launch_meet(const kernel_shape& shape, const table_job& left, const table_job& right,
                        std::uint32_t* last, const launch_shape& launch, cudaStream_t stream) {
  const auto run = [&](auto* kernel) {
    const auto shared = static_cast<int>(launch.warps * shape.mask_bytes(left.sigma));
    if (const cudaError_t status = allow_shared_memory(reinterpret_cast<const void*>(kernel))) return status;
    kernel<<<launch.blocks, launch.warps * warp_lanes, shared, stream>>>(left, right, last);
    return cudaGetLastError();
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

cudaError_t launch_best_meeting(const std::uint32_t* last, std::int64_t words, std::int64_t above,
                                long long* length, cudaStream_t stream) {
  best_meeting_kernel<<<1, meeting_threads, 0, stream>>>(last, words, above, length);
  return cudaGetLastError();
}

} // namespace weft::lcs_cuda
