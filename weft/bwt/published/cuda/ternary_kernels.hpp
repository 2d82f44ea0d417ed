// The kernels of ternary_quicksort.cpp, and the host functions that launch them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/bwt/published/ternary_level.hpp>

namespace weft::bwt_detail {

inline constexpr std::uint64_t tile_rows = 2048; // rows that one block processes

// Numbers that kernels count. left: the maximal number of symbols between the depth of a segment and the
// limit; 0 if there is no segment.
struct level_numbers {
  unsigned long long segments, tiles, small, left; // of the next level
  unsigned long long tied_left;                    // like `left`, for tied rows
};

template <class Index> struct level_lists {
  open_segment<Index>* segments;
  Index* segment_of_tile;
};

// The data of a level that its kernels read and write; all pointers are to device memory.
template <class Index> struct level_state {
  row_text<Index> text;
  Index* ranks; // null: symbols are compared
  Index known;  // see published/ternary_level.hpp
  Index limit;  // rows that agree in this number of symbols are equal
  int small_rounds;
  Index *from, *to, *result;        // `from` or `to` is `result`, which has the rows that are done
  level_lists<Index> now, next;     // segments that are not small; only the first segment of all may be small
  row_segment<Index>* small;        // segments of few rows
  part_numbers<Index>* sums;        // sizes of the parts of tiles, then their prefix sums; tiles + 1
  std::uint32_t *tied, *other_tied; // bits: see published/ternary_level.hpp
  level_numbers* numbers;
};

// The host functions that launch the kernels. All enqueue, and throw device_error if they cannot. tiles,
// segments: the numbers of tiles and segments of state.now.
template <class Index> struct level_kernels {
  using state = level_state<Index>;

  // Sets from[i] = i, and `now` and `numbers` to a single segment of all rows.
  static void start(const state& level, cudaStream_t stream);
  static void choose_pivots(const state& level, std::uint64_t segments, cudaStream_t stream);
  // The paper's first kernel: sets `sums` to the sizes of the parts of the tiles of rows `from`.
  static void count(const state& level, std::uint64_t tiles, cudaStream_t stream);
  // Replaces sums[i], 0 <= i < count, by the sum of the entries before it. Two phases, as CUB's functions.
  [[nodiscard]] static cudaError_t sum_parts(void* d_temp, std::size_t& bytes, const state& level,
                                             std::uint64_t count, cudaStream_t stream);
  // The paper's second kernel: copies rows from `from` to `to`, grouped into parts.
  static void scatter(const state& level, std::uint64_t tiles, cudaStream_t stream);
  // Adds the parts to the lists `next` and `small`, and copies the rows of parts that are done from `to` to
  // `result`.
  static void make_next(const state& level, std::uint64_t tiles, cudaStream_t stream);
  // Sorts the small segments from `to` to `result`, and marks rows that remain tied. bound: upper bound of
  // the number of small segments.
  static void sort_small(const state& level, std::uint64_t bound, cudaStream_t stream);

  // Copies the rows of `now` from `from` to `result`.
  static void copy_open(const state& level, std::uint64_t tiles, cudaStream_t stream);
  // Sets the ranks of the rows in `result`. The rank of a row is 1 more than the index at which its segment
  // of `now`, or its group of tied rows, begins.
  static void take_ranks(const state& level, std::uint64_t tiles, cudaStream_t stream);
  // Sorts the groups of rows in `result` that other_tied marks as tied, by ranks; the rows of a group agree
  // in at least `depth` symbols. Marks the rows that remain tied in `tied`.
  static void sort_tied(const state& level, Index depth, cudaStream_t stream);
};

} // namespace weft::bwt_detail
