// Computes one column of the table for 32 * Words rows: the bit-vector steps of the GPU engines.
//
// Bit r of word w stands for row 32 w + r; `match` has a one where the symbol of the row equals the symbol
// of the column. A step moves the vertical differences v one column to the right. It takes the difference
// at the upper edge from the top bit of `in`, which it shifts out, and shifts the difference at the lower
// edge into `out`. So 32 steps consume one word and produce one word; its top bit is the first column.
//
// lcs_column (Crochemore et al. 2001; one word for 32 rows). A zero in v says that the length grows by one
// at that row.
//     u = v & match;   v = (v + u) | (v & ~u)
// `in` and `out` are the carry of the sum, which is the horizontal difference. A word costs three
// operations. Rows that never match and have ones in v let the carry pass, so such rows may stand above the
// first row.
//
// edit_column (Myers 1999 in the form of Hyyro 2003; two words for 32 rows). A one in v[0] says that the
// distance grows by one at that row, a one in v[1] that it falls by one. `in`, `out` and h have the same
// two parts.
//     u = v[0] & match;   zero = ((v[0] + u) ^ v[0]) | match | v[1]           the diagonal difference is 0
//     h[0] = v[1] | ~(zero | v[0]);   h[1] = v[0] & zero;   shifted by a row, with `in` at the lowest bit
//     v[0] = h[1] | ~(zero | h[0]);   v[1] = h[0] & zero
// A word costs ten operations. Rows that never match and have v = 0 let a growing distance (+1) pass, so
// such rows may stand above the first row.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>

namespace weft::lcs_detail {

// Adds `addend` to `sum`, both numbers of 32 * Words bits. The carry that enters is the top bit of `in`,
// which is shifted out; the carry that leaves is shifted into `out`.
template <int Words>
WEFT_HOST_DEVICE inline void add_shifting(std::uint32_t (&sum)[Words], const std::uint32_t (&addend)[Words],
                                          std::uint32_t& in, std::uint32_t& out) {
#if defined(__CUDA_ARCH__)
  static_assert(Words == 1 || Words == 2 || Words == 4 || Words == 8 || Words == 16);
  if constexpr (Words == 1)
    asm("add.cc.u32 %0, %0, %0;\n\taddc.cc.u32 %2, %2, %3;\n\taddc.u32 %1, %1, %1;"
        : "+r"(in), "+r"(out), "+r"(sum[0])
        : "r"(addend[0]));
  else if constexpr (Words == 2)
    asm("add.cc.u32 %0, %0, %0;\n\taddc.cc.u32 %2, %2, %4;\n\taddc.cc.u32 %3, %3, %5;\n\t"
        "addc.u32 %1, %1, %1;"
        : "+r"(in), "+r"(out), "+r"(sum[0]), "+r"(sum[1])
        : "r"(addend[0]), "r"(addend[1]));
  else if constexpr (Words == 4)
    asm("add.cc.u32 %0, %0, %0;\n\taddc.cc.u32 %2, %2, %6;\n\taddc.cc.u32 %3, %3, %7;\n\t"
        "addc.cc.u32 %4, %4, %8;\n\taddc.cc.u32 %5, %5, %9;\n\taddc.u32 %1, %1, %1;"
        : "+r"(in), "+r"(out), "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
        : "r"(addend[0]), "r"(addend[1]), "r"(addend[2]), "r"(addend[3]));
  else if constexpr (Words == 16)
    asm("add.cc.u32 %0, %0, %0;\n\taddc.cc.u32 %2, %2, %18;\n\taddc.cc.u32 %3, %3, %19;\n\taddc.cc.u32 %4, "
        "%4, %20;\n\taddc.cc.u32 %5, %5, %21;\n\taddc.cc.u32 %6, %6, %22;\n\taddc.cc.u32 %7, %7, "
        "%23;\n\taddc.cc.u32 %8, %8, %24;\n\taddc.cc.u32 %9, %9, %25;\n\taddc.cc.u32 %10, %10, "
        "%26;\n\taddc.cc.u32 %11, %11, %27;\n\taddc.cc.u32 %12, %12, %28;\n\taddc.cc.u32 %13, %13, "
        "%29;\n\taddc.cc.u32 %14, %14, %30;\n\taddc.cc.u32 %15, %15, %31;\n\taddc.cc.u32 %16, %16, "
        "%32;\n\taddc.cc.u32 %17, %17, %33;\n\taddc.u32 %1, %1, %1;"
        : "+r"(in), "+r"(out), "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3]), "+r"(sum[4]),
          "+r"(sum[5]), "+r"(sum[6]), "+r"(sum[7]), "+r"(sum[8]), "+r"(sum[9]), "+r"(sum[10]), "+r"(sum[11]),
          "+r"(sum[12]), "+r"(sum[13]), "+r"(sum[14]), "+r"(sum[15])
        : "r"(addend[0]), "r"(addend[1]), "r"(addend[2]), "r"(addend[3]), "r"(addend[4]), "r"(addend[5]),
          "r"(addend[6]), "r"(addend[7]), "r"(addend[8]), "r"(addend[9]), "r"(addend[10]), "r"(addend[11]),
          "r"(addend[12]), "r"(addend[13]), "r"(addend[14]), "r"(addend[15]));
  else
    asm("add.cc.u32 %0, %0, %0;\n\taddc.cc.u32 %2, %2, %10;\n\taddc.cc.u32 %3, %3, %11;\n\t"
        "addc.cc.u32 %4, %4, %12;\n\taddc.cc.u32 %5, %5, %13;\n\taddc.cc.u32 %6, %6, %14;\n\t"
        "addc.cc.u32 %7, %7, %15;\n\taddc.cc.u32 %8, %8, %16;\n\taddc.cc.u32 %9, %9, %17;\n\t"
        "addc.u32 %1, %1, %1;"
        : "+r"(in), "+r"(out), "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3]), "+r"(sum[4]),
          "+r"(sum[5]), "+r"(sum[6]), "+r"(sum[7])
        : "r"(addend[0]), "r"(addend[1]), "r"(addend[2]), "r"(addend[3]), "r"(addend[4]), "r"(addend[5]),
          "r"(addend[6]), "r"(addend[7]));
#else
  std::uint64_t carry = in >> 31;
  in <<= 1;
  for (int w = 0; w < Words; ++w) {
    carry += std::uint64_t{sum[w]} + addend[w];
    sum[w] = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  out = out << 1 | static_cast<std::uint32_t>(carry);
#endif
}

// Adds `addend` to `sum`, both numbers of 32 * Words bits. The carry that leaves is lost.
template <int Words>
WEFT_HOST_DEVICE inline void add(std::uint32_t (&sum)[Words], const std::uint32_t (&addend)[Words]) {
#if defined(__CUDA_ARCH__)
  static_assert(Words == 1 || Words == 2 || Words == 4 || Words == 8);
  if constexpr (Words == 1)
    sum[0] += addend[0];
  else if constexpr (Words == 2)
    asm("add.cc.u32 %0, %0, %2;\n\taddc.u32 %1, %1, %3;"
        : "+r"(sum[0]), "+r"(sum[1])
        : "r"(addend[0]), "r"(addend[1]));
  else if constexpr (Words == 4)
    asm("add.cc.u32 %0, %0, %4;\n\taddc.cc.u32 %1, %1, %5;\n\taddc.cc.u32 %2, %2, %6;\n\t"
        "addc.u32 %3, %3, %7;"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
        : "r"(addend[0]), "r"(addend[1]), "r"(addend[2]), "r"(addend[3]));
  else
    asm("add.cc.u32 %0, %0, %8;\n\taddc.cc.u32 %1, %1, %9;\n\taddc.cc.u32 %2, %2, %10;\n\t"
        "addc.cc.u32 %3, %3, %11;\n\taddc.cc.u32 %4, %4, %12;\n\taddc.cc.u32 %5, %5, %13;\n\t"
        "addc.cc.u32 %6, %6, %14;\n\taddc.u32 %7, %7, %15;"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3]), "+r"(sum[4]), "+r"(sum[5]), "+r"(sum[6]),
          "+r"(sum[7])
        : "r"(addend[0]), "r"(addend[1]), "r"(addend[2]), "r"(addend[3]), "r"(addend[4]), "r"(addend[5]),
          "r"(addend[6]), "r"(addend[7]));
#else
  std::uint32_t none = 0, lost = 0;
  add_shifting(sum, addend, none, lost);
#endif
}

// Returns high << 1, with the top bit of `low` as its lowest bit.
WEFT_HOST_DEVICE inline std::uint32_t shift_in(std::uint32_t low, std::uint32_t high) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_l(low, high, 1);
#else
  return high << 1 | low >> 31;
#endif
}

// The column step for LCS lengths.
struct lcs_column {
  static constexpr int vectors = 1;
  // The differences above the first row, for 32 columns; and to the left of the first column, for 32 rows.
  // Rows whose bits are set in `rows` belong to a; the other rows stand above the first row of a.
  WEFT_HOST_DEVICE static constexpr std::uint32_t top(int) { return 0; }
  WEFT_HOST_DEVICE static constexpr std::uint32_t left(int, std::uint32_t) { return ~0U; }

  template <int Words>
  WEFT_HOST_DEVICE static void step(std::uint32_t (&v)[1][Words], const std::uint32_t (&match)[Words],
                                    std::uint32_t (&in)[1], std::uint32_t (&out)[1]) {
    std::uint32_t matching[Words], sum[Words];
    WEFT_UNROLL
    for (int w = 0; w < Words; ++w) matching[w] = v[0][w] & match[w], sum[w] = v[0][w];
    add_shifting(sum, matching, in[0], out[0]);
    WEFT_UNROLL
    for (int w = 0; w < Words; ++w) v[0][w] = sum[w] | (v[0][w] & ~matching[w]);
  }
};

// The column step for edit distances.
struct edit_column {
  static constexpr int vectors = 2;
  WEFT_HOST_DEVICE static constexpr std::uint32_t top(int vector) { return vector == 0 ? ~0U : 0; }
  WEFT_HOST_DEVICE static constexpr std::uint32_t left(int vector, std::uint32_t rows) {
    return vector == 0 ? rows : 0;
  }

  template <int Words>
  WEFT_HOST_DEVICE static void step(std::uint32_t (&v)[2][Words], const std::uint32_t (&match)[Words],
                                    std::uint32_t (&in)[2], std::uint32_t (&out)[2]) {
    std::uint32_t sum[Words], matching[Words], equal = match[0] | in[1] >> 31;
    WEFT_UNROLL
    for (int w = 0; w < Words; ++w) {
      matching[w] = v[0][w] & (w == 0 ? equal : match[w]);
      sum[w] = v[0][w];
    }
    add(sum, matching);
    std::uint32_t plus_below = in[0], minus_below = in[1];
    WEFT_UNROLL
    for (int w = 0; w < Words; ++w) {
      const std::uint32_t diagonal = (w == 0 ? equal : match[w]) | v[1][w];
      const std::uint32_t zero = (sum[w] ^ v[0][w]) | diagonal;
      const std::uint32_t plus = v[1][w] | ~(zero | v[0][w]), minus = v[0][w] & zero;
      const std::uint32_t down_plus = shift_in(plus_below, plus), down_minus = shift_in(minus_below, minus);
      plus_below = plus, minus_below = minus;
      v[0][w] = down_minus | ~(zero | down_plus);
      v[1][w] = down_plus & zero;
    }
    in[0] <<= 1, in[1] <<= 1;
    out[0] = shift_in(plus_below, out[0]), out[1] = shift_in(minus_below, out[1]);
  }
};

} // namespace weft::lcs_detail
