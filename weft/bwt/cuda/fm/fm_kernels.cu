// Kernels of a search in an FM-index: first one thread per pattern, then one thread per row.
// core/fm_steps.hpp has the work of a thread.
//
// Each step waits for memory, for about 700 ns, and about a hundred thousand threads run at once. The number
// of memory sectors read limits the speed, while it matters little that some threads wait for others of their
// warp. Therefore one thread narrows the rows of a whole pattern. Rows are distributed over all threads,
// because a few patterns have very many rows.
#include <weft/bwt/cuda/fm/fm_kernels.hpp>

#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/cuda/grid.cuh>
#include <weft/sort/sort.cuh>

namespace weft::bwt_detail {

using gpu::blocks_for, gpu::this_thread;

namespace {

constexpr unsigned block_threads = 256;
constexpr unsigned tile_patterns = 2 * block_threads;   // patterns whose rows a block distributes
constexpr unsigned tile_candidates = 4 * block_threads; // candidates of a block

__device__ fm_pattern pattern_of(const fm_job& job, std::uint64_t p) {
  const std::uint64_t begin = job.offsets[p], end = job.offsets[p + 1];
  return {job.text, begin - job.base, end - begin};
}

// Returns the occurrence at a row of a pattern's interval, or no_position. If the row leads to no position,
// also sets *damaged, unless `damaged` is null.
template <bool Dna>
__device__ std::uint64_t find_occurrence(const fm_job& job, const fm_interval& interval, std::uint64_t p,
                                         std::uint64_t row, std::uint32_t* damaged) {
  const std::uint64_t position = occurrence_at<Dna>(job.index, pattern_of(job, p), interval.unmatched, row);
  if (position != damaged_position) return position;
  if (damaged != nullptr) *damaged = 1;
  return no_position;
}

template <bool Dna>
__global__ void __launch_bounds__(block_threads)
    find_intervals_kernel(const __grid_constant__ fm_job job, fm_interval* intervals, std::uint64_t* totals) {
  const std::uint64_t p = this_thread();
  if (p >= job.patterns) return;
  const fm_interval found = find_interval<Dna>(job.index, pattern_of(job, p));
  intervals[p] = found;
  totals[p] = found.unmatched == 0 ? found.high - found.low : 0;
}

// All threads of the block reach the barriers; after them each thread works on its own.
template <bool Dna>
__global__ void __launch_bounds__(block_threads)
    count_by_comparing_kernel(const __grid_constant__ fm_job job, const fm_interval* intervals,
                              std::uint64_t* totals, std::uint32_t* damaged) {
  using scan = cub::BlockScan<std::uint64_t, block_threads>;
  __shared__ typename scan::TempStorage scratch;
  __shared__ std::uint64_t ends[tile_patterns]; // end of each pattern's rows, numbered consecutively
  const std::uint64_t first = std::uint64_t{blockIdx.x} * tile_patterns;
  std::uint64_t rows[2] = {0, 0}, all = 0;
  for (unsigned i = 0; i < 2; ++i) {
    const std::uint64_t p = first + 2 * threadIdx.x + i;
    if (p < job.patterns && intervals[p].unmatched > 0) rows[i] = intervals[p].high - intervals[p].low;
  }
  scan(scratch).InclusiveSum(rows, rows, all);
  for (unsigned i = 0; i < 2; ++i) ends[2 * threadIdx.x + i] = rows[i];
  __syncthreads();
  for (std::uint64_t c = threadIdx.x; c < all; c += block_threads) {
    const std::uint64_t slot = pattern_of_row(ends, 0, tile_patterns - 1, c);
    const std::uint64_t p = first + slot;
    const fm_interval interval = intervals[p];
    const std::uint64_t row = interval.low + (c - (slot > 0 ? ends[slot - 1] : 0));
    if (find_occurrence<Dna>(job, interval, p, row, damaged) != no_position)
      atomicAdd(reinterpret_cast<unsigned long long*>(totals + p), 1ULL);
  }
}

__global__ void __launch_bounds__(block_threads)
    count_candidates_kernel(const fm_interval* intervals, std::uint64_t patterns, std::uint64_t max_hits,
                            std::uint64_t* numbers) {
  const std::uint64_t p = this_thread();
  if (p > patterns) return;
  numbers[p] = p < patterns ? num_candidate_rows(intervals[p], max_hits) : 0;
}

// Calls each(pattern, candidate) for the candidates of the block.
template <class Each>
__device__ void for_each_candidate(const fm_candidates& candidates, std::uint64_t patterns,
                                   const Each& each) {
  const std::uint64_t first = std::uint64_t{blockIdx.x} * tile_candidates;
  const std::uint64_t behind =
      first + tile_candidates < candidates.count ? first + tile_candidates : candidates.count;
  for_each_in_tile(candidates.starts, patterns, first, behind, each);
}

template <bool Dna>
__global__ void __launch_bounds__(block_threads)
    find_positions_kernel(const __grid_constant__ fm_job job, const fm_candidates candidates,
                          std::uint64_t* occurrences, std::uint64_t* found, std::uint32_t* damaged) {
  if (this_thread() == 0) found[candidates.count] = 0;
  for_each_candidate(candidates, job.patterns, [&](std::uint64_t p, std::uint64_t c) {
    const fm_interval interval = candidates.intervals[p];
    const std::uint64_t position =
        find_occurrence<Dna>(job, interval, p, interval.low + (c - candidates.starts[p]), damaged);
    occurrences[c] = position;
    found[c] = position != no_position ? 1 : 0;
  });
}

__global__ void __launch_bounds__(block_threads)
    count_hits_kernel(const fm_candidates candidates, std::uint64_t patterns, const std::uint64_t* found,
                      std::uint64_t max_hits, std::uint64_t* totals, std::uint64_t* kept) {
  const std::uint64_t p = this_thread();
  if (p > patterns) return;
  std::uint64_t total = 0;
  if (p < patterns) {
    total = count_occurrences(candidates.intervals[p],
                              found[candidates.starts[p + 1]] - found[candidates.starts[p]]);
    totals[p] = total;
  }
  kept[p] = total < max_hits ? total : max_hits;
}

__global__ void __launch_bounds__(block_threads)
    gather_positions_kernel(const fm_candidates candidates, std::uint64_t patterns,
                            const std::uint64_t* occurrences, const std::uint64_t* found,
                            const std::uint64_t* offsets, std::uint64_t* positions) {
  for_each_candidate(candidates, patterns, [&](std::uint64_t p, std::uint64_t c) {
    const std::uint64_t index = offsets[p] + (found[c] - found[candidates.starts[p]]);
    if (occurrences[c] != no_position && index < offsets[p + 1]) positions[index] = occurrences[c];
  });
}

__global__ void __launch_bounds__(block_threads)
    write_hits_kernel(const __grid_constant__ fm_parts index, const std::uint64_t* positions, std::uint64_t n,
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
  const auto kernel = job.index.dna() ? find_intervals_kernel<true> : find_intervals_kernel<false>;
  kernel<<<blocks_for(job.patterns, block_threads), block_threads, 0, stream>>>(job, d_intervals, d_totals);
  gpu::check(cudaGetLastError(), "narrow the rows of patterns");
}

void count_by_comparing(const fm_job& job, const fm_interval* d_intervals, std::uint64_t* d_totals,
                        std::uint32_t* d_damaged, cudaStream_t stream) {
  const auto kernel = job.index.dna() ? count_by_comparing_kernel<true> : count_by_comparing_kernel<false>;
  kernel<<<blocks_for(job.patterns, tile_patterns), block_threads, 0, stream>>>(job, d_intervals, d_totals,
                                                                                d_damaged);
  gpu::check(cudaGetLastError(), "count occurrences");
}

void count_candidates(const fm_interval* d_intervals, std::uint64_t patterns, std::uint64_t max_hits,
                      std::uint64_t* d_numbers, cudaStream_t stream) {
  count_candidates_kernel<<<blocks_for(patterns + 1, block_threads), block_threads, 0, stream>>>(
      d_intervals, patterns, max_hits, d_numbers);
  gpu::check(cudaGetLastError(), "count rows");
}

void find_positions(const fm_job& job, const fm_candidates& candidates, std::uint64_t* d_occurrences,
                    std::uint64_t* d_found, std::uint32_t* d_damaged, cudaStream_t stream) {
  const auto kernel = job.index.dna() ? find_positions_kernel<true> : find_positions_kernel<false>;
  kernel<<<blocks_for(candidates.count, tile_candidates), block_threads, 0, stream>>>(
      job, candidates, d_occurrences, d_found, d_damaged);
  gpu::check(cudaGetLastError(), "look up positions");
}

void count_hits(const fm_candidates& candidates, std::uint64_t patterns, const std::uint64_t* d_found,
                std::uint64_t max_hits, std::uint64_t* d_totals, std::uint64_t* d_kept, cudaStream_t stream) {
  count_hits_kernel<<<blocks_for(patterns + 1, block_threads), block_threads, 0, stream>>>(
      candidates, patterns, d_found, max_hits, d_totals, d_kept);
  gpu::check(cudaGetLastError(), "count hits");
}

void gather_positions(const fm_candidates& candidates, std::uint64_t patterns,
                      const std::uint64_t* d_occurrences, const std::uint64_t* d_found,
                      const std::uint64_t* d_offsets, std::uint64_t* d_positions, cudaStream_t stream) {
  gather_positions_kernel<<<blocks_for(candidates.count, tile_candidates), block_threads, 0, stream>>>(
      candidates, patterns, d_occurrences, d_found, d_offsets, d_positions);
  gpu::check(cudaGetLastError(), "gather positions");
}

void write_hits(const fm_parts& index, const std::uint64_t* d_positions, std::uint64_t n, fm_hit* d_hits,
                cudaStream_t stream) {
  write_hits_kernel<<<blocks_for(n, block_threads), block_threads, 0, stream>>>(index, d_positions, n,
                                                                                d_hits);
  gpu::check(cudaGetLastError(), "place hits");
}

cudaError_t sum_before(void* d_temp, std::size_t& bytes, std::uint64_t* d_items, std::uint64_t n,
                       cudaStream_t stream) {
  return cub::DeviceScan::ExclusiveSum(d_temp, bytes, d_items, d_items, static_cast<std::int64_t>(n), stream);
}

cudaError_t sort_segments(void* d_temp, std::size_t& bytes, std::uint64_t* d_items, std::uint64_t n,
                          const std::uint64_t* d_offsets, std::uint64_t segments, cudaStream_t stream) {
  return gpu::segmented_sort_async(d_temp, bytes, d_items, n, d_offsets, segments, ascending{}, stream);
}

} // namespace weft::bwt_detail
