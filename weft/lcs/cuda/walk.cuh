// The canonical path through traced tiles of the table of the reversed texts.
//
//   x rows and y columns are left; while x > 0 and y > 0:
//     lcs:  v = 0: delete;   else symbols equal: match;   else insert
//     edit: v = 1: delete;   else symbols equal: match;   else v of the cell to the left = -1: insert;
//                                                         else substitute
// (weft/lcs/cpu/bit_sliced_path.cpp says why.) Deletions go a word of 32 rows at a time.
//
// A step waits for the one before, some 50 ns, so one walk would take longer than the table. Therefore many
// walk at once, a slab of columns each. Where they begin is found by scouts: in every slab of the window one
// walk from each scout_spacing-th row of the band that is traced. A path is a function of its cell, and two
// paths cannot cross without meeting, after which they are one: if the scouts above and below the true path
// leave the slab in the same row, so does the path. Only where they do not it is walked.
#pragma once

#include <weft/lcs/cuda/systolic_kernels.hpp>

namespace weft::lcs_cuda {

struct no_runs {
  __device__ void add(unsigned, std::int64_t) {}
};

// Neighbouring runs of one op are joined.
struct run_list {
  std::uint32_t* to;
  std::uint32_t count = 0, op = 0, length = 0;
  __device__ void add(unsigned the_op, std::int64_t more) {
    if (more == 0) return;
    if (the_op != op) flush(), op = the_op;
    length += static_cast<std::uint32_t>(more);
  }
  __device__ void flush() {
    if (length > 0) to[count++] = length << 2 | op;
    length = 0;
  }
};

__device__ inline void prefetch(const std::uint32_t* word) {
  asm volatile("prefetch.global.L1 [%0];" : : "l"(word));
}

// Walks in a slab of the window until `left` columns are left or the band ends (false).
template <bool Edit, class Runs>
__device__ bool walk(const walk_job& job, int window_slab, std::int64_t left, std::int64_t& x,
                     std::int64_t& y, Runs& runs) {
  constexpr unsigned match = 0, substitute = 1, insert = 2, remove = 3;
  constexpr int vectors = Edit ? 2 : 1;
  const slab_band band = job.bands[window_slab];
  const int slab = job.first_slab + window_slab, lane_shift = job.words_shift + 5;
  const std::int64_t slab_columns = std::int64_t{32} << job.slab_shift, first_column = slab * slab_columns;
  const std::int64_t plane = 256LL << job.words_shift; // of eight columns: a strip's v, one vector
  const std::int64_t first_lane = static_cast<std::int64_t>(job.first_strip) * 32;
  while (y > left && x > 0) {
    std::uint8_t symbol = job.rows[x - 1]; // asked for before it is known that there is nothing to delete
    const std::uint8_t other = job.columns[y - 1];
    const std::int64_t row = x - 1 + job.above, lane = (row >> lane_shift) - first_lane;
    if (lane < band.first || lane >= band.last) return false;
    const std::int64_t word = row >> 5 & ((1 << job.words_shift) - 1), column = y - 1 - first_column;
    const std::int64_t tile = band.tile + (lane >> 5) - (band.first >> 5);
    const std::uint32_t* const at = job.traces +
                                    (tile * (slab_columns >> 3) + (column >> 3)) * vectors * plane +
                                    word * 256 + (lane & 31) * 8 + (column & 7);
    const unsigned bit = row & 31;
    if ((column & 7) == 7 && column > 23) { // where the walk should be after 16 columns, by then in the cache
      const std::uint32_t* const later = at - 2 * vectors * plane;
      prefetch(later);
      if (word > 0) prefetch(later - 256);
      if constexpr (Edit) {
        prefetch(later + plane);
        if (word > 0) prefetch(later + plane - 256);
      }
    }
    // A one in v says delete: to lcs that no match is lost, to edit that the distance falls.
    const std::uint32_t kept = ~*at & ((2U << bit) - 1U);
    if (kept == 0) { // deletions, to the next word or the first row
      const std::int64_t down = min(static_cast<std::int64_t>(bit) + 1, x);
      runs.add(remove, down);
      x -= down;
      continue;
    }
    const unsigned down = bit - (31 - __clz(kept));
    if (down > 0) {
      runs.add(remove, down);
      x -= down;
      if (x <= 0) break;
      symbol = job.rows[x - 1];
    }
    if (symbol == other) {
      runs.add(match, 1);
      --x, --y;
      continue;
    }
    if constexpr (Edit) {
      bool falls = false; // v of the cell to the left
      const unsigned its_bit = bit - down;
      if (column > 0) {
        const std::uint32_t* const before = at + plane - ((column & 7) > 0 ? 1 : vectors * plane - 7);
        falls = (*before >> its_bit & 1) != 0;
      } else if (slab > 0) {
        const std::uint32_t* const state =
            job.states + ((slab - 1) * std::int64_t{job.strips} * 32 + lane) * (2LL << job.words_shift);
        falls = (state[(1 << job.words_shift) + word] >> its_bit & 1) != 0;
      }
      if (!falls) {
        runs.add(substitute, 1);
        --x, --y;
        continue;
      }
    }
    runs.add(insert, 1);
    --y;
  }
  if (x == 0) {
    runs.add(insert, y - left);
    y = left;
  }
  return true;
}

struct slab_ends { // columns left at the right and the left end of a slab of the window
  std::int64_t right, left;
};
__device__ inline slab_ends ends_of(const walk_job& job, int window_slab) {
  const std::int64_t columns = std::int64_t{32} << job.slab_shift;
  const std::int64_t left = (job.first_slab + window_slab) * columns;
  return {min(left + columns, job.y), left};
}

// The lowest x in a band.
__device__ inline std::int64_t lowest(const walk_job& job, slab_band band) {
  const std::int64_t lane = static_cast<std::int64_t>(job.first_strip) * 32 + band.first;
  const std::int64_t row = (lane << (job.words_shift + 5)) - job.above;
  return max(row, std::int64_t{0});
}

template <bool Edit>
__global__ void scout_kernel(const __grid_constant__ walk_job job, int scouts, std::int64_t* ends) {
  const int scout = blockIdx.x * blockDim.x + threadIdx.x, slab = blockIdx.y;
  if (scout >= scouts) return;
  const slab_ends edges = ends_of(job, slab);
  std::int64_t x = lowest(job, job.bands[slab]) + std::int64_t{scout} * scout_spacing, y = edges.right;
  no_runs none;
  const bool there = walk<Edit>(job, slab, edges.left, x, y, none);
  ends[std::int64_t{slab} * scouts + scout] = there ? x : -1;
}

template <bool Edit>
__global__ void compose_kernel(const __grid_constant__ walk_job job, int scouts, const std::int64_t* ends,
                               std::int64_t* entries, std::int64_t* first_run, walk_end* end) {
  std::int64_t x = job.x, y = job.y, run = 0;
  int walked = 0;
  bool more = true;
  slab_band next = job.bands[job.slabs - 1];
  for (int slab = job.slabs - 1; slab >= 0 && more && x > 0; --slab, ++walked) {
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
      more = walk<Edit>(job, slab, edges.left, x, y, none);
    }
    run += before - x + edges.right - edges.left + 1;
  }
  *end = {x, y, walked};
}

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

} // namespace weft::lcs_cuda
