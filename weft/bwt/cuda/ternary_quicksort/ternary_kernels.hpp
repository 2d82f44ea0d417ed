// The kernels of ternary_quicksort.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/bwt/core/ternary_level.hpp>

namespace weft::bwt_cuda {

inline constexpr std::uint64_t tile_rows = 2048; // of a block of threads

// Counted by kernels. `left`: the most symbols between the depth of a segment and the limit; 0: no segment.
struct level_numbers {
  unsigned long long segments, tiles, few, left; // of the next level
  unsigned long long tied_left;                  // the same of tied rows
};

template <class Index> struct level_lists {
  bwt_core::open_segment<Index>* segments;
  Index* segment_of_tile;
};

// What the kernels of a level work on, all of it in device memory.
template <class Index> struct level_state {
  bwt_core::row_text<Index> text;
  Index* ranks; // null: symbols are compared
  Index known;  // see core/ternary_level.hpp
  Index limit;  // rows that agree in so many symbols are equal
  int few_rounds;
  Index *from, *to, *result;           // rows; `from` or `to` is `result`, where rows that are done stand
  level_lists<Index> now, next;        // segments of more than few rows, but for the first
  bwt_core::row_segment<Index>* few;   // segments of few rows
  bwt_core::part_numbers<Index>* sums; // of the parts of tiles, then of all tiles before; one more than tiles
  std::uint32_t *tied, *other_tied;    // bits: see core/ternary_level.hpp
  level_numbers* numbers;
};

// All enqueue, and throw device_error if they cannot. tiles, segments: of state.now.
template <class Index> struct level_kernels {
  using state = level_state<Index>;

  // from[i] = i; now and numbers: one segment of all rows.
  static void start(const state& of, cudaStream_t stream);
  static void choose_pivots(const state& of, std::uint64_t segments, cudaStream_t stream);
  // The paper's first kernel: sums become the parts of the tiles of rows `from`.
  static void count(const state& of, std::uint64_t tiles, cudaStream_t stream);
  // sums[i] becomes the sum of those before, 0 <= i < count. In two phases, as CUB's.
  [[nodiscard]] static cudaError_t add_up(void* d_temp, std::size_t& bytes, const state& of,
                                          std::uint64_t count, cudaStream_t stream);
  // The paper's second kernel: rows from `from` to `to`.
  static void scatter(const state& of, std::uint64_t tiles, cudaStream_t stream);
  // The parts to `next` and `few`; rows of those that are done from `to` to `result`.
  static void make_next(const state& of, std::uint64_t tiles, cudaStream_t stream);
  // Sorts `few` from `to` to `result`, and marks rows that remain tied. `few` has at most `bound`.
  static void sort_few(const state& of, std::uint64_t bound, cudaStream_t stream);

  // The rows of `now` from `from` to `result`.
  static void copy_open(const state& of, std::uint64_t tiles, cudaStream_t stream);
  // ranks of the rows `result`: where a row's segment of `now`, or its group of tied rows, begins, plus 1.
  static void take_ranks(const state& of, std::uint64_t tiles, cudaStream_t stream);
  // Sorts the groups of other_tied in `result` by ranks; they agree in `depth` symbols. Marks in `tied` what
  // remains so.
  static void sort_tied(const state& of, Index depth, cudaStream_t stream);
};

} // namespace weft::bwt_cuda
