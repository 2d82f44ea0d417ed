// A thread a pattern, then a thread a row: what a thread does stands in core/fm_steps.hpp.
//
// A step waits for memory, some 700 ns, and there are about a hundred thousand threads: it is sectors of
// memory that are to be saved, and threads that wait for others of their warp matter little. So a pattern's
// rows are narrowed by one thread. Rows are shared out: few patterns have many.
#include <weft/bwt/cuda/fm/fm_kernels.hpp>

#include <cub/block/block_scan.cuh>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/cuda/grid.cuh>

namespace weft::bwt_cuda {

using namespace detail;
using gpu::blocks_for, gpu::this_thread;

namespace {

constexpr unsigned block_threads = 256;
constexpr unsigned tile_patterns = 2 * block_threads;   // whose rows a block shares out
constexpr unsigned tile_candidates = 4 * block_threads; // of a block

__device__ fm_pattern pattern_of(const fm_job& job, std::uint64_t p) {
  const std::uint64_t begin = job.offsets[p], end = job.offsets[p + 1];
  return {job.text, begin - job.base, end - begin};
}

// The occurrence at a row of a pattern's interval; 0 and a word if the index leads nowhere.
template <bool Dna>
__device__ std::uint64_t look_at(const fm_job& job, const fm_interval& interval, std::uint64_t p,
                                 std::uint64_t row, std::uint32_t* damaged) {
  const std::uint64_t position = occurrence_at<Dna>(job.index, pattern_of(job, p), interval.rest, row);
  if (position != damaged_position) return position;
  if (damaged != nullptr) *damaged = 1;
  return no_position;
}

template <bool Dna>
__global__ void __launch_bounds__(block_threads)
    intervals_kernel(const __grid_constant__ fm_job job, fm_interval* intervals, std::uint64_t* totals) {
  const std::uint64_t p = this_thread();
  if (p >= job.patterns) return;
  const fm_interval found = find_interval<Dna>(job.index, pattern_of(job, p));
  intervals[p] = found;
  totals[p] = found.rest == 0 ? found.high - found.low : 0;
}

// All threads of the block come to the barriers; what is behind them is a thread's own.
template <bool Dna>
__global__ void __launch_bounds__(block_threads)
    count_rest_kernel(const __grid_constant__ fm_job job, const fm_interval* intervals, std::uint64_t* totals,
                      std::uint32_t* damaged) {
  using scan = cub::BlockScan<std::uint64_t, block_threads>;
  __shared__ typename scan::TempStorage scratch;
  __shared__ std::uint64_t ends[tile_patterns]; // of the patterns' rows, one behind the other
  const std::uint64_t first = std::uint64_t{blockIdx.x} * tile_patterns;
  std::uint64_t rows[2] = {0, 0}, all = 0;
  for (unsigned i = 0; i < 2; ++i) {
    const std::uint64_t p = first + 2 * threadIdx.x + i;
    if (p < job.patterns && intervals[p].rest > 0) rows[i] = intervals[p].high - intervals[p].low;
  }
  scan(scratch).InclusiveSum(rows, rows, all);
  for (unsigned i = 0; i < 2; ++i) ends[2 * threadIdx.x + i] = rows[i];
  __syncthreads();
  for (std::uint64_t c = threadIdx.x; c < all; c += block_threads) {
    const std::uint64_t slot = pattern_of_row(ends, 0, tile_patterns - 1, c);
    const std::uint64_t p = first + slot;
    const fm_interval interval = intervals[p];
    const std::uint64_t row = interval.low + (c - (slot > 0 ? ends[slot - 1] : 0));
    if (look_at<Dna>(job, interval, p, row, damaged) != no_position)
      atomicAdd(reinterpret_cast<unsigned long long*>(totals + p), 1ULL);
  }
}

__global__ void __launch_bounds__(block_threads)
    candidates_kernel(const fm_interval* intervals, std::uint64_t patterns, std::uint64_t max_hits,
                      std::uint64_t* numbers) {
  const std::uint64_t p = this_thread();
  if (p > patterns) return;
  numbers[p] = p < patterns ? num_candidate_rows(intervals[p], max_hits) : 0;
}

// Calls each(pattern, candidate) for the block's candidates. The patterns of the first and the last are
// looked for among all, the others' between these two.
template <class Each>
__device__ void each_candidate(const fm_candidates& of, std::uint64_t patterns, const Each& each) {
  __shared__ std::uint64_t bounds[2];
  const std::uint64_t first = std::uint64_t{blockIdx.x} * tile_candidates;
  const std::uint64_t behind = first + tile_candidates < of.count ? first + tile_candidates : of.count;
  const std::uint64_t* const ends = of.starts + 1;
  if (threadIdx.x < 2) {
    const std::uint64_t c = threadIdx.x == 0 ? first : behind - 1;
    bounds[threadIdx.x] = pattern_of_row(ends, 0, patterns - 1, c);
  }
  __syncthreads();
  for (std::uint64_t c = first + threadIdx.x; c < behind; c += block_threads)
    each(pattern_of_row(ends, bounds[0], bounds[1], c), c);
}

template <bool Dna>
__global__ void __launch_bounds__(block_threads)
    positions_kernel(const __grid_constant__ fm_job job, const fm_candidates of, std::uint64_t* where,
                     std::uint64_t* found, std::uint32_t* damaged) {
  if (this_thread() == 0) found[of.count] = 0;
  each_candidate(of, job.patterns, [&](std::uint64_t p, std::uint64_t c) {
    const fm_interval interval = of.intervals[p];
    const std::uint64_t position = look_at<Dna>(job, interval, p, interval.low + (c - of.starts[p]), damaged);
    where[c] = position;
    found[c] = position != no_position ? 1 : 0;
  });
}

__global__ void __launch_bounds__(block_threads)
    hits_kernel(const fm_candidates of, std::uint64_t patterns, const std::uint64_t* found,
                std::uint64_t max_hits, std::uint64_t* totals, std::uint64_t* kept) {
  const std::uint64_t p = this_thread();
  if (p > patterns) return;
  std::uint64_t total = 0;
  if (p < patterns) {
    total = count_occurrences(of.intervals[p], found[of.starts[p + 1]] - found[of.starts[p]]);
    totals[p] = total;
  }
  kept[p] = total < max_hits ? total : max_hits;
}

__global__ void __launch_bounds__(block_threads)
    gather_kernel(const fm_candidates of, std::uint64_t patterns, const std::uint64_t* where,
                  const std::uint64_t* found, const std::uint64_t* offsets, std::uint64_t* positions) {
  each_candidate(of, patterns, [&](std::uint64_t p, std::uint64_t c) {
    const std::uint64_t place = offsets[p] + (found[c] - found[of.starts[p]]);
    if (where[c] != no_position && place < offsets[p + 1]) positions[place] = where[c];
  });
}

__global__ void __launch_bounds__(block_threads)
    place_kernel(const __grid_constant__ fm_parts index, const std::uint64_t* positions, std::uint64_t n,
                 fm_hit* hits) {
  const std::uint64_t i = this_thread();
  if (i >= n) return;
  const fm_segment& segment = index.segment_of(positions[i]);
  hits[i].record = segment.record;
  hits[i].begin = segment.begin + (positions[i] - segment.start);
}

} // namespace

void find_intervals(const fm_job& job, fm_interval* d_intervals, std::uint64_t* d_totals,
                    cudaStream_t stream) {
  const auto kernel = job.index.dna() ? intervals_kernel<true> : intervals_kernel<false>;
  kernel<<<blocks_for(job.patterns, block_threads), block_threads, 0, stream>>>(job, d_intervals, d_totals);
  gpu::check(cudaGetLastError(), "narrow the rows of patterns");
}

void count_rest(const fm_job& job, const fm_interval* d_intervals, std::uint64_t* d_totals,
                std::uint32_t* d_damaged, cudaStream_t stream) {
  const auto kernel = job.index.dna() ? count_rest_kernel<true> : count_rest_kernel<false>;
  kernel<<<blocks_for(job.patterns, tile_patterns), block_threads, 0, stream>>>(job, d_intervals, d_totals,
                                                                                d_damaged);
  gpu::check(cudaGetLastError(), "count occurrences");
}

void count_candidates(const fm_interval* d_intervals, std::uint64_t patterns, std::uint64_t max_hits,
                      std::uint64_t* d_numbers, cudaStream_t stream) {
  candidates_kernel<<<blocks_for(patterns + 1, block_threads), block_threads, 0, stream>>>(
      d_intervals, patterns, max_hits, d_numbers);
  gpu::check(cudaGetLastError(), "count rows");
}

void find_positions(const fm_job& job, const fm_candidates& of, std::uint64_t* d_where,
                    std::uint64_t* d_found, std::uint32_t* d_damaged, cudaStream_t stream) {
  const auto kernel = job.index.dna() ? positions_kernel<true> : positions_kernel<false>;
  kernel<<<blocks_for(of.count, tile_candidates), block_threads, 0, stream>>>(job, of, d_where, d_found,
                                                                              d_damaged);
  gpu::check(cudaGetLastError(), "look up positions");
}

void count_hits(const fm_candidates& of, std::uint64_t patterns, const std::uint64_t* d_found,
                std::uint64_t max_hits, std::uint64_t* d_totals, std::uint64_t* d_kept, cudaStream_t stream) {
  hits_kernel<<<blocks_for(patterns + 1, block_threads), block_threads, 0, stream>>>(
      of, patterns, d_found, max_hits, d_totals, d_kept);
  gpu::check(cudaGetLastError(), "count hits");
}

void gather_positions(const fm_candidates& of, std::uint64_t patterns, const std::uint64_t* d_where,
                      const std::uint64_t* d_found, const std::uint64_t* d_offsets,
                      std::uint64_t* d_positions, cudaStream_t stream) {
  gather_kernel<<<blocks_for(of.count, tile_candidates), block_threads, 0, stream>>>(
      of, patterns, d_where, d_found, d_offsets, d_positions);
  gpu::check(cudaGetLastError(), "gather positions");
}

void place_hits(const fm_parts& index, const std::uint64_t* d_positions, std::uint64_t n, fm_hit* d_hits,
                cudaStream_t stream) {
  place_kernel<<<blocks_for(n, block_threads), block_threads, 0, stream>>>(index, d_positions, n, d_hits);
  gpu::check(cudaGetLastError(), "place hits");
}

} // namespace weft::bwt_cuda
