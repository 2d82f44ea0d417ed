// The inner loop of engine bit-sliced: one strip of rows over blocks of 64 time steps.
//
// A strip has lanes * W rows: lane x (0 topmost), register w holds row x W + w. At time t lane x is at column
// t - x.
//
//   for t in [64 first, 64 last):
//     shift h by one lane: lane 0 takes column t of `in`, the last lane gives column t - lanes to `out`
//     for w in 0..W-1:
//       s = no plane of a[w] and of b differs              (all lanes at once)
//       v[w], h = cell(v[w], h, s)                         (core/bit_sliced_step.hpp)
//
// In a vector lane x is bit lanes - 1 - x, so that h, `in`, `out` and the window of b all move down by one
// bit. lanes is the vector's width: a multiple of 64, so the words of `in` and `out` are those of columns 64
// i.. .
#pragma once

#include <cstdint>
#include <weft/lcs/core/bit_sliced_step.hpp>

namespace weft::lcs_cpu {

struct strip_run {
  int planes;             // of a and b, at least 1
  const std::uint64_t* a; // a[(w * planes + p) * lanes / 64 ..]: plane p of register w; the last complemented
  const std::uint64_t* const*
      b; // b[p]: bit i is the plane's bit of column i - (lanes - 1); 0 outside of the text
  std::uint64_t first, last;  // blocks
  std::uint64_t* state;       // v of register 0, 1, .. W-1, then h; each of cell::words vectors
  const std::uint64_t* in[2]; // in[k][i]: block i
  std::uint64_t* out[2]; // out[k][i]: block i, which is columns 64 i - lanes ...; may be `in` - lanes / 64
  int tap;               // W = 1: out comes from lane lanes - 1 - tap; else 0
  std::uint64_t* trace;  // traced kernels: for each step, register and word of the cell, trace_words words
  int trace_word;        // ... of the vector, from this one on
};

using strip_kernel = void (*)(const strip_run&);

// A trace has what a path needs to know of the cells of a step: lcs: v after; edit: v+ after and v- before.
struct kernel_set {
  int lanes, trace_words;
  // registers: 1, 2, 4, 8 or 16; planes >= 1.
  strip_kernel (*find)(int registers, int planes, bool traced);
};

// For the best instructions of this processor (or those that Highway is told to use).
[[nodiscard]] kernel_set lcs_kernels();
[[nodiscard]] kernel_set edit_kernels();

} // namespace weft::lcs_cpu
