// The engine `ternary-quicksort` on a GPU: suffixes or rotations by ternary quicksort, level by level, as
// Yamanaka, Ino & Hagihara have it. Needs the CUDA runtime's headers, not nvcc.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/base/monitor.hpp>

namespace weft::bwt_cuda {

// Of all levels together, by events. The paper's Figure 2 is first / (first + second).
struct quicksort_times {
  double first = 0;  // ms: kernels that count, and the sums over tiles that say where '=' begins
  double second = 0; // ms: kernels that scatter
  std::uint64_t levels = 0;
};

struct quicksort_options {
  task_monitor* monitor = nullptr;   // asked at each level
  std::uint64_t device_memory = 0;   // bytes that the call may take beside text and rows; 0: what there is
  quicksort_times* times = nullptr;  // what the call took is added; null: not measured
  std::uint64_t symbol_levels = 512; // so many levels compare symbols, those after them ranks
  int few_rounds = 64;               // seven symbols each, by which few rows are compared before ranks are
};

// d_rows[0 .. n-1] becomes the positions [0, n) in the order of the suffixes of d_text[0 .. n-1] that begin
// there; cyclic: of the rotations, equal ones in an order that is the same on every run. depth_limit: rows
// that agree in so many symbols are equal (n, or the shortest root of a cyclic text). Index: uint32_t for
// n < 2^31, or uint64_t for n < 2^36.
//
// Time          a level reads each row that is not yet in order twice, with a symbol of it, and writes it
//               once; it takes at least some 40 us. Most texts have some two levels for each symbol that
//               33 rows agree in. After symbol_levels of these ranks are compared: what rows agree in at
//               least doubles once their groups have been split by them, mostly in a round of 16 levels.
//               Pivots are medians of three rows: at worst O(n) levels, O(n^2) in all.
// Extra memory  on the device, given back at the end: at most 1.8 n indexes and n / 4 bytes; if ranks are
//               needed (after symbol_levels, or where 7 * few_rounds symbols occur twice) n indexes more.
// Alignment     of d_rows that of its type. Aliasing: d_text and d_rows do not overlap.
// Waits         once a level, and for all that is in the stream before; may not be captured.
// Throws        std::invalid_argument (null, n too large), memory_error (more than device_memory, or than
//               there is), device_error, cancelled_error.
template <class Index>
void ternary_quicksort(const unsigned char* d_text, std::uint64_t n, bool cyclic, std::uint64_t depth_limit,
                       Index* d_rows, const quicksort_options& options, cudaStream_t stream);

} // namespace weft::bwt_cuda
