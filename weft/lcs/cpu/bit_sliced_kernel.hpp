// The inner loop of engine bit-sliced: computes one strip of rows over blocks of 64 time steps.
//
// A strip has lanes * W rows: lane x (0 is the topmost lane) holds row x W + w in register w. At time t
// lane x is at column t - x.
//
//   for t in [64 first, 64 last):
//     shift h by one lane: lane 0 takes column t of `in`, the last lane gives column t - lanes to `out`
//     for w in 0..W-1:
//       s = no plane of a[w] and of b differs              (all lanes at once)
//       v[w], h = cell(v[w], h, s)                         (core/bit_sliced_step.hpp)
//
// In a vector, lane x is bit lanes - 1 - x, so that h, `in`, `out` and the window of b all move down by one
// bit in a step. `lanes` is the width of the vector in bits, a multiple of 64, so a word of `in` or `out`
// holds the columns from 64 i on.
#pragma once

#include <cstdint>
#include <weft/lcs/core/bit_sliced_step.hpp>

namespace weft::lcs_detail {

// Describes the blocks of a strip that a kernel computes.
struct strip_run {
  int planes; // of a and b, at least 1
  // Plane p of register w is at a[(w * planes + p) * lanes / 64 ..]; the last plane is complemented.
  const std::uint64_t* a;
  // Bit i of b[p] is bit p of column i - (lanes - 1), or 0 outside of the text.
  const std::uint64_t* const* b;
  std::uint64_t first, last;  // blocks
  std::uint64_t* state;       // v of registers 0, 1, .., W-1, then h; each has cell::words vectors
  const std::uint64_t* in[2]; // in[k][i] is block i
  std::uint64_t* out[2]; // out[k][i] is block i, the columns from 64 i - lanes on; may be `in` - lanes / 64
  // Number of unused lanes in a last strip of one register; otherwise 0. The last row of such a strip is in
  // lane lanes - 1 - unused_lanes.
  int unused_lanes;
  std::uint64_t* trace; // for traced kernels: trace_words words for each step, register and word of the cell
  int trace_word;       // the first word of the vector that is traced
};

using strip_kernel = void (*)(const strip_run&);

// The kernels for one instruction set. A trace holds what a path needs to know of the cells of a step: v
// after the step for lcs; v+ after and v- before the step for edit.
struct kernel_set {
  int lanes, trace_words;
  // Returns the kernel for 1, 2, 4, 8 or 16 registers and planes >= 1.
  strip_kernel (*find)(int registers, int planes, bool traced);
};

// Return the kernels for the best instruction set of this processor (or for the one that Highway is told to
// use).
[[nodiscard]] kernel_set lcs_kernels();
[[nodiscard]] kernel_set edit_kernels();

} // namespace weft::lcs_detail
