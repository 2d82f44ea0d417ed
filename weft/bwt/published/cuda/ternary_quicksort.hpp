// The engine `ternary-quicksort` on a GPU: sorts suffixes or rotations by ternary quicksort, level by level,
// after Yamanaka, Ino & Hagihara. Needs the CUDA runtime's headers, not nvcc.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/base/monitor.hpp>

namespace weft::bwt_detail {

// Times of all levels together, measured by CUDA events. Figure 2 of the paper shows first / (first +
// second).
struct quicksort_times {
  double first = 0;  // ms: kernels that count, and the prefix sums over tiles
  double second = 0; // ms: kernels that scatter
  std::uint64_t levels = 0;
};

struct quicksort_options {
  task_monitor* monitor = nullptr;   // asked for cancellation at each level
  std::uint64_t device_memory = 0;   // bytes a call may take besides text and rows; 0: all free memory
  quicksort_times* times = nullptr;  // the call adds its times; null: not measured
  std::uint64_t symbol_levels = 512; // number of levels that compare symbols; later ones compare ranks
  int small_rounds = 64; // rounds, of seven symbols each, that compare small segments before ranks do
};

// Sorts the suffixes of d_text[0 .. n-1], or with `cyclic` its rotations, and writes their positions to
// d_rows[0 .. n-1]. The order of equal rotations is the same on every run. depth_limit: rows that agree in
// this number of symbols are considered equal (n, or the length of the shortest root of a cyclic text).
// Index: uint32_t for n < 2^31, or uint64_t for n < 2^36.
//
// Time          a level reads each row that is not yet in order twice, with a symbol of it, and writes it
//               once; a level takes at least some 40 us. Most texts take about two levels for each symbol in
//               which 33 rows agree. After symbol_levels levels, ranks are compared: the minimal number of
//               symbols in which tied rows agree at least doubles each time their groups have been split by
//               ranks, mostly in a round of 16 levels. Pivots are medians of three rows: at worst O(n)
//               levels, O(n^2) in all.
// Extra memory  on the device, released before the call returns: at most 1.8 n indexes and n / 4 bytes. If
//               ranks are needed (after symbol_levels, or if 7 * small_rounds symbols occur twice) n indexes
//               more.
// Alignment     d_rows needs that of its type. Aliasing: d_text and d_rows must not overlap.
// Waits         once per level, and for all earlier work on the stream; must not be captured into a graph.
// Throws        std::invalid_argument (null, n too large), memory_error (more than device_memory, or than is
//               free), device_error, cancelled_error.
template <class Index>
void ternary_quicksort(const unsigned char* d_text, std::uint64_t n, bool cyclic, std::uint64_t depth_limit,
                       Index* d_rows, const quicksort_options& options, cudaStream_t stream);

} // namespace weft::bwt_detail
