// Finds the canonical path in traced tiles of the table of the reversed texts.
//
//   x rows and y columns are left; while x > 0 and y > 0:
//     lcs:  v = 0: delete;   else symbols equal: match;   else insert
//     edit: v = 1: delete;   else symbols equal: match;   else v of the cell to the left = -1: insert;
//                                                         else substitute
// (weft/lcs/cpu/bit_sliced_path.cpp explains why.) Deletions in the same word of 32 rows are one step.
//
// A step takes about 50 ns, because it waits for the step before, so a single walk would take longer than the
// table. Therefore many walks run at once, one for each slab of columns. Scouts find out where these walks
// begin: in every slab of the window, one scout walks from each scout_spacing-th row of the traced band. A
// path depends only on its cell, and two paths cannot cross without meeting, after which they are the same.
// So if the scouts above and below the true path leave the slab in the same row, the true path does so, too.
// Only if they do not, the slab is walked to find the row.
#pragma once

#include <weft/lcs/cuda/systolic_kernels.hpp>

namespace weft::lcs_detail {

// Ignores runs.
struct no_runs {
  __device__ void add(unsigned, std::int64_t) {}
};

// Collects runs. Adjacent runs of the same op are joined.
struct run_list {
  std::uint32_t* to;
  std::uint32_t count = 0, op = 0, length = 0;
  __device__ void add(unsigned the_op, std::int64_t num_steps) {
    if (num_steps == 0) return;
    if (the_op != op) flush(), op = the_op;
    length += static_cast<std::uint32_t>(num_steps);
  }
  __device__ void flush() {
    if (length > 0) to[count++] = length << 2 | op;
    length = 0;
  }
};

__device__ inline void prefetch(const std::uint32_t* word) {
  asm volatile("prefetch.global.L1 [%0];" : : "l"(word));
}

// A slab of the window, in the coordinates of its band.
struct band_view {
  // Row 0 of the band as a row of the table; negative if the band contains rows above the first.
  std::int64_t first_row;
  std::int64_t first_column;
  int rows, first_lane, lane_shift, words_mask; // first_lane: within its strip
  std::int64_t block_words, tile_size;          // words of four columns of a tile, and of a whole tile
  const std::uint32_t* traces;                  // of the band's first tile

  __device__ band_view(const walk_job& job, int window_slab, int vectors) {
    const slab_band band = job.bands[window_slab];
    lane_shift = job.words_shift + 5;
    const std::int64_t lane = static_cast<std::int64_t>(job.first_strip) * warp_lanes + band.first;
    first_row = (lane << lane_shift) - job.missing_rows;
    first_column = (job.first_slab + window_slab) * (std::int64_t{32} << job.slab_shift);
    rows = (band.last - band.first) << lane_shift;
    first_lane = band.first % warp_lanes;
    words_mask = (1 << job.words_shift) - 1;
    block_words = static_cast<std::int64_t>(vectors) * (128 << job.words_shift);
    tile_size = tile_words(vectors, 1 << job.words_shift, job.slab_shift);
    traces = job.traces + band.tile * tile_size;
  }
};

// Walks in a slab of the window until `left` columns are left (returns true) or the band ends (returns
// false). All lanes of a warp run the same instructions: an iteration goes down, to the next row that is
// not deleted or to the next word of 32 rows; in the first case it also goes one column to the left.
template <bool Edit, class Runs>
__device__ bool walk(const walk_job& job, int window_slab, std::int64_t left, std::int64_t& x,
                     std::int64_t& y, Runs& runs) {
  constexpr unsigned match = 0, substitute = 1, insert = 2, remove = 3;
  constexpr int vectors = Edit ? 2 : 1;
  const band_view band(job, window_slab, vectors);
  const int plane = 128 << job.words_shift; // words between the two vectors of v, for four columns of a strip
  const std::uint8_t* const rows = job.rows + band.first_row;
  const std::uint8_t* const columns = job.columns + band.first_column;
  if (x - 1 - band.first_row >= band.rows) return false;
  int row = static_cast<int>(x - 1 - band.first_row); // the last row that is left
  int column = static_cast<int>(y - 1 - band.first_column);
  const int last_column = static_cast<int>(left - band.first_column);
  const int lowest_row = static_cast<int>(max(-band.first_row, std::int64_t{0}));
  while (column >= last_column && row >= lowest_row) {
    const int lane = band.first_lane + (row >> band.lane_shift), word = row >> 5 & band.words_mask;
    const std::uint32_t* const at =
        band.traces + (lane / warp_lanes) * band.tile_size +
        ((column >> 2) + lane % warp_lanes + first_trace(vectors)) * band.block_words +
        (word * 128 + lane % warp_lanes * 4 + (column & 3));
    const std::uint32_t value = *at;
    const std::uint8_t other = columns[column];
    if ((column & 3) == 3 && column > 15) { // prefetches where the walk should be after 12 columns
      prefetch(at - 3 * band.block_words);
      prefetch(at - 3 * band.block_words - (word > 0 ? 128 : 0));
    }
    // A one in the traced v says delete. For lcs it means a difference of 0, so no match is lost; for edit it
    // means a difference of 1, so the distance falls.
    const int bit = row & 31;
    const std::uint32_t kept = ~value & ((2U << bit) - 1U);
    const int down =
        min(kept != 0 ? bit - (31 - __clz(static_cast<int>(kept))) : bit + 1, row + 1 - lowest_row);
    runs.add(remove, down);
    row -= down;
    if (kept == 0 || row < lowest_row) continue;
    const bool equal = rows[row] == other;
    bool diagonal = equal;
    if constexpr (Edit) {
      const bool falls = // v of the cell to the left
          (*(at + plane - ((column & 3) > 0 ? 1 : band.block_words - 3)) >> (bit - down) & 1) != 0;
      diagonal = equal || !falls;
    }
    runs.add(equal ? match : diagonal ? substitute : insert, 1);
    row -= diagonal;
    --column;
  }
  x = row + 1 + band.first_row;
  y = column + 1 + band.first_column;
  if (x <= 0) { // all symbols that are left in the slab are inserted
    runs.add(insert, y - left);
    x = 0, y = left;
  }
  return y == left;
}

struct slab_ends { // columns that are left at the right and at the left end of a slab
  std::int64_t right, left;
};
__device__ inline slab_ends ends_of(const walk_job& job, int window_slab) {
  const std::int64_t columns = std::int64_t{32} << job.slab_shift;
  const std::int64_t left = (job.first_slab + window_slab) * columns;
  return {min(left + columns, job.y), left};
}

// Returns the lowest x in a band.
__device__ inline std::int64_t lowest(const walk_job& job, slab_band band) {
  const std::int64_t lane = static_cast<std::int64_t>(job.first_strip) * 32 + band.first;
  const std::int64_t row = (lane << (job.words_shift + 5)) - job.missing_rows;
  return max(row, std::int64_t{0});
}

// Scouts of a warp that meet are the same from then on: of the scouts that are in the same row after a
// stretch of columns, the first one walks for all. Blocks consist of whole warps.
template <bool Edit>
__global__ void scout_kernel(const __grid_constant__ walk_job job, int scouts, std::int64_t* ends) {
  constexpr unsigned all = 0xFFFFFFFFU;
  constexpr int stretches = 8;
  const int scout = blockIdx.x * blockDim.x + threadIdx.x, slab = blockIdx.y;
  const int lane = static_cast<int>(threadIdx.x % warp_lanes);
  const slab_ends edges = ends_of(job, slab);
  std::int64_t x = lowest(job, job.bands[slab]) + std::int64_t{scout} * scout_spacing, y = edges.right;
  bool in_band = scout < scouts;
  int leader = lane;
  for (int stretches_left = stretches - 1; stretches_left >= 0; --stretches_left) {
    const std::int64_t left = edges.left + (edges.right - edges.left) * stretches_left / stretches;
    no_runs none;
    if (leader == lane && in_band) in_band = walk<Edit>(job, slab, left, x, y, none);
    x = __shfl_sync(all, x, leader);
    in_band = __shfl_sync(all, in_band, leader);
    y = left;
    // Outside of conditions, because every lane must take part.
    const std::int64_t x_before = __shfl_up_sync(all, x, 1);
    const bool in_band_before = __shfl_up_sync(all, in_band, 1);
    const bool met = lane > 0 && x == x_before && in_band == in_band_before;
    const unsigned leaders = __ballot_sync(all, !met);
    leader = 31 - __clz(static_cast<int>(leaders & ((2U << lane) - 1U)));
  }
  if (scout < scouts) ends[std::int64_t{slab} * scouts + scout] = in_band ? x : -1;
}

// Follows the path through all slabs, by one thread.
template <bool Edit>
__global__ void compose_kernel(const __grid_constant__ walk_job job, int scouts, const std::int64_t* ends,
                               std::int64_t* entries, std::int64_t* first_run, walk_end* end) {
  std::int64_t x = job.x, y = job.y, run = 0;
  int walked = 0;
  bool in_band = true;
  slab_band next = job.bands[job.slabs - 1];
  for (int slab = job.slabs - 1; slab >= 0 && in_band && x > 0; --slab, ++walked) {
    const slab_ends edges = ends_of(job, slab);
    const slab_band band = next;
    next = job.bands[max(slab - 1, 0)];
    entries[walked] = x;
    first_run[walked] = run;
    const std::int64_t before = x;
    std::int64_t found = -1;
    if (ends != nullptr) {
      const std::int64_t from_lowest = x - lowest(job, band), at = from_lowest / scout_spacing;
      if (from_lowest >= 0 && at + 1 < scouts) {
        const std::int64_t lower = ends[std::int64_t{slab} * scouts + at];
        const std::int64_t upper = ends[std::int64_t{slab} * scouts + at + 1];
        if (lower == upper) found = lower;
      }
    }
    if (found >= 0) {
      x = found, y = edges.left;
    } else {
      no_runs none;
      in_band = walk<Edit>(job, slab, edges.left, x, y, none);
    }
    run += before - x + edges.right - edges.left + 1;
  }
  *end = {x, y, walked};
}

// Walks through a slab in each block, and writes its runs.
template <bool Edit>
__global__ void run_kernel(const __grid_constant__ walk_job job, const std::int64_t* entries,
                           const std::int64_t* first_run, const walk_end* end, std::uint32_t* runs,
                           std::uint32_t* counts) {
  const int walked = blockIdx.x, slab = job.slabs - 1 - walked;
  if (walked >= end->slabs) return;
  const slab_ends edges = ends_of(job, slab);
  std::int64_t x = entries[walked], y = edges.right;
  run_list list{runs + first_run[walked]};
  walk<Edit>(job, slab, edges.left, x, y, list);
  list.flush();
  counts[walked] = list.count;
}

} // namespace weft::lcs_detail
