// Kernels that find maximal matches: one thread makes a seed or a window, one thread looks up a row, and a
// block extends a match that is longer than one thread should compare.
//
// Rows are distributed over all threads, because a few anchors have most of the rows. Rows of an anchor are
// neighbours, so reading the letters before them takes few memory sectors.
#include <weft/bwt/cuda/fm/fm_match_kernels.hpp>

#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/cuda/grid.cuh>
#include <weft/bwt/cuda/fm/fm_kernels.hpp>
#include <weft/sort/sort.cuh>

namespace weft::bwt_detail {

using gpu::blocks_for, gpu::this_thread;

namespace {

constexpr unsigned block_threads = 256;
constexpr unsigned tile_rows = 4 * block_threads;   // rows of a block
constexpr std::uint64_t letters_of_thread = 4 * 32; // that a thread of a block compares at a time

__global__ void __launch_bounds__(block_threads)
    make_seeds_kernel(const __grid_constant__ match_row_job job, std::uint64_t first, const anchor_list seeds,
                      std::uint64_t* windows) {
  const std::uint64_t a = this_thread();
  if (a > seeds.num_anchors) return;
  seed_tasks tasks{0, 0};
  if (a < seeds.num_anchors) {
    match_anchor seed;
    tasks = make_seed(job, (first + a) * job.plan.step, seed);
    seeds.anchors[a] = seed;
  }
  seeds.row_starts[a] = tasks.rows;
  windows[a] = tasks.windows;
}

__global__ void __launch_bounds__(block_threads)
    make_windows_kernel(const __grid_constant__ match_row_job job, const anchor_list seeds,
                        const std::uint64_t* window_starts, std::uint64_t first, const anchor_list windows) {
  const std::uint64_t a = this_thread();
  if (a > windows.num_anchors) return;
  std::uint64_t rows = 0;
  if (a < windows.num_anchors) {
    const std::uint64_t s = pattern_of_row(window_starts + 1, 0, seeds.num_anchors - 1, first + a);
    const match_anchor window = make_window(job, seeds.anchors[s], first + a - window_starts[s]);
    windows.anchors[a] = window;
    rows = window.high - window.low;
  }
  windows.row_starts[a] = rows;
}

__device__ void append(const match_buffers& matches, std::uint64_t key, std::uint64_t length,
                       bool unfinished) {
  const std::uint64_t slot = atomicAdd(&matches.counts->matches, 1ULL);
  if (slot >= matches.capacity) return;
  matches.keys[slot] = key;
  matches.lengths[slot] = length;
  if (unfinished) matches.unfinished[atomicAdd(&matches.counts->unfinished, 1ULL)] = slot;
}

__global__ void __launch_bounds__(block_threads)
    match_rows_kernel(const __grid_constant__ match_row_job job, const match_keys keys,
                      const anchor_list anchors, std::uint64_t first, std::uint64_t count,
                      const match_buffers matches) {
  const std::uint64_t begin = first + std::uint64_t{blockIdx.x} * tile_rows, end = first + count;
  for_each_in_tile(anchors.row_starts, anchors.num_anchors, begin,
                   begin + tile_rows < end ? begin + tile_rows : end, [&](std::uint64_t a, std::uint64_t r) {
                     const match_anchor anchor = anchors.anchors[a];
                     found_match match;
                     const row_outcome outcome =
                         match_at_row(job, anchor, anchor.low + (r - anchors.row_starts[a]), match);
                     if (outcome == row_outcome::damaged)
                       matches.counts->damaged = 1;
                     else if (outcome != row_outcome::no_match)
                       append(matches, keys.key_of(job.strand.reverse, match), match.length,
                              outcome == row_outcome::unfinished);
                   });
}

// A block compares block_threads * letters_of_thread letters at a time, up to the first that differ.
__global__ void __launch_bounds__(block_threads)
    extend_matches_kernel(const __grid_constant__ match_row_job job, const match_keys keys,
                          const match_buffers matches) {
  __shared__ unsigned long long equal; // letters
  const std::uint64_t slot = matches.unfinished[blockIdx.x];
  const record_match match = keys.match_of(matches.keys[slot], matches.lengths[slot]);
  const std::uint64_t limit = letters_behind(job, match), query = match.position + match.length,
                      text = match.text + match.length;
  std::uint64_t done = 0;
  if (threadIdx.x == 0) equal = limit;
  __syncthreads();
  while (done < limit) {
    const std::uint64_t from = done + threadIdx.x * letters_of_thread;
    if (from < limit) {
      const std::uint64_t max = limit - from < letters_of_thread ? limit - from : letters_of_thread;
      const std::uint64_t same =
          common_letters_from(job.index.packed_text, text + from, job.strand.words, query + from, max);
      if (same < max) atomicMin(&equal, static_cast<unsigned long long>(from + same));
    }
    __syncthreads();
    done += block_threads * letters_of_thread;
    const bool ends = equal < done;
    __syncthreads(); // before `equal` changes again
    if (ends) break;
  }
  if (threadIdx.x == 0) matches.lengths[slot] = match.length + equal;
}

__global__ void __launch_bounds__(block_threads)
    write_columns_kernel(const __grid_constant__ fm_parts index, const match_keys keys,
                         const std::uint64_t* d_keys, const std::uint64_t* lengths, std::uint64_t count,
                         const match_columns columns) {
  const std::uint64_t i = this_thread();
  if (i >= count) return;
  const record_match match = keys.match_of(d_keys[i], lengths[i]);
  const fm_segment& segment = index.segment_of(match.text);
  columns.query[i] = match.record;
  columns.query_begin[i] = match.begin;
  columns.record[i] = segment.record;
  columns.begin[i] = segment.begin + (match.text - segment.start);
  columns.length[i] = match.length;
  columns.reverse[i] = match.reverse ? 1 : 0;
}

} // namespace

void make_seeds(const match_row_job& job, std::uint64_t first, const anchor_list& seeds,
                std::uint64_t* d_windows, cudaStream_t stream) {
  make_seeds_kernel<<<blocks_for(seeds.num_anchors + 1, block_threads), block_threads, 0, stream>>>(
      job, first, seeds, d_windows);
  gpu::check(cudaGetLastError(), "find the rows of seeds");
}

void make_windows(const match_row_job& job, const anchor_list& seeds, const std::uint64_t* d_window_starts,
                  std::uint64_t first, const anchor_list& windows, cudaStream_t stream) {
  make_windows_kernel<<<blocks_for(windows.num_anchors + 1, block_threads), block_threads, 0, stream>>>(
      job, seeds, d_window_starts, first, windows);
  gpu::check(cudaGetLastError(), "find the rows of windows");
}

void match_rows(const match_row_job& job, const match_keys& keys, const anchor_list& anchors,
                std::uint64_t first, std::uint64_t count, const match_buffers& matches, cudaStream_t stream) {
  match_rows_kernel<<<blocks_for(count, tile_rows), block_threads, 0, stream>>>(job, keys, anchors, first,
                                                                                count, matches);
  gpu::check(cudaGetLastError(), "look up matches");
}

void extend_matches(const match_row_job& job, const match_keys& keys, const match_buffers& matches,
                    std::uint64_t count, cudaStream_t stream) {
  extend_matches_kernel<<<static_cast<unsigned>(count), block_threads, 0, stream>>>(job, keys, matches);
  gpu::check(cudaGetLastError(), "extend matches");
}

void write_columns(const fm_parts& index, const match_keys& keys, const std::uint64_t* d_keys,
                   const std::uint64_t* d_lengths, std::uint64_t count, const match_columns& columns,
                   cudaStream_t stream) {
  write_columns_kernel<<<blocks_for(count, block_threads), block_threads, 0, stream>>>(
      index, keys, d_keys, d_lengths, count, columns);
  gpu::check(cudaGetLastError(), "place matches");
}

cudaError_t sort_matches(void* d_temp, std::size_t& bytes, std::uint64_t* d_keys, std::uint64_t* d_lengths,
                         std::uint64_t n, cudaStream_t stream) {
  return gpu::sort_by_key_async(d_temp, bytes, d_keys, d_lengths, n, ascending{}, stream);
}

} // namespace weft::bwt_detail
