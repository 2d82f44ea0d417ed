// Computes 32 * Words rows of an edit table in bit-sliced form, one column at a time. A lane of the GPU
// engine does this, and so does a test on the CPU.
//
// The rows are cut into 32 chunks of Words rows; bit k of word w stands for row k Words + w. Chunk k is one
// column behind chunk k - 1, so in the step of column c, bit k is at column c - k. The differences that
// leave word w enter word w + 1 in the same step; the differences that leave the last word enter word 0 in
// the next step, one bit higher. The cells of a word do not depend on each other, so there is no carry. A
// cell costs five three-input operations, and its match costs Planes operations more
// (core/bit_sliced_step.hpp).
//
// Rows above the first row of the text may exist: with v = -1 they let h = +1 pass, whatever their symbols
// are.
#pragma once

#include <cstdint>
#include <weft/lcs/core/bit_sliced_step.hpp>

namespace weft::lcs_detail {

// Returns the upper half of (high : low) << count, 0 < count < 32.
WEFT_HOST_DEVICE inline std::uint32_t funnel_left(std::uint32_t low, std::uint32_t high, int count) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_l(low, high, static_cast<unsigned>(count));
#else
  return high << count | low >> (32 - count);
#endif
}

// A checkpoint of a lane at column C, a multiple of 8. It holds v of all rows to the left of column C,
// except that the last steps are missing: chunk k is in its state to the left of column C - k % 8. The
// chunks 8 q to 8 q + 7 are in this state at the same time, when the lane comes to column C + 8 q. The
// alignment is that of stored checkpoints, which are copied 16 bytes at a time.
template <int Words> struct alignas(16) kept_lane {
  std::uint32_t v[Words][2], h[2]; // h: below the chunk's last row, from the column before
};

// The state of a lane: the symbols of its rows, and the differences at its present columns.
template <class Ops, int Words, int Planes> struct edit_lane {
  static constexpr int rows = 32 * Words;
  std::uint32_t code[Planes][Words]; // bit planes of the symbols of the rows
  std::uint32_t v[Words][2];
  std::uint32_t h[2]; // below the last word

  // Returns the rows of word w that come before row `missing`, as bits.
  WEFT_HOST_DEVICE static std::uint32_t missing_rows(std::int64_t missing, int w) {
    const std::int64_t chunks = (missing - w + Words - 1) / Words;
    return chunks <= 0 ? 0 : chunks >= 32 ? ~0U : ~(~0U << chunks);
  }

  // Starts a lane whose first `missing` rows do not exist. symbol(r) returns the symbol of row r.
  template <class Symbol> WEFT_HOST_DEVICE void start(std::int64_t missing, const Symbol& symbol) {
    h[0] = h[1] = 0;
    WEFT_UNROLL
    for (int w = 0; w < Words; ++w) {
      const std::uint32_t none = missing_rows(missing, w);
      v[w][0] = ~none, v[w][1] = none;
      for (int p = 0; p < Planes; ++p) code[p][w] = 0;
      for (int k = 0; k < 32; ++k) {
        const unsigned symbol_code = (none >> k & 1) != 0 ? 0 : symbol(k * Words + w);
        for (int p = 0; p < Planes; ++p) code[p][w] |= (symbol_code >> p & 1) << k;
      }
    }
  }

  // Copies the chunks whose bits are set in `chunks` to `kept`, in their present state.
  WEFT_HOST_DEVICE void keep(kept_lane<Words>& kept, std::uint32_t chunks) const {
    WEFT_UNROLL
    for (int x = 0; x < 2; ++x) {
      WEFT_UNROLL
      for (int w = 0; w < Words; ++w) kept.v[w][x] = (v[w][x] & chunks) | (kept.v[w][x] & ~chunks);
      kept.h[x] = (h[x] & chunks) | (kept.h[x] & ~chunks);
    }
  }

  // Sets v to the state of all rows to the left of column C, from the checkpoint of column C. `symbols` are
  // those of the columns C - 7 to C - 1.
  WEFT_HOST_DEVICE void resume(const kept_lane<Words>& kept, const unsigned (&symbols)[7]) {
    WEFT_UNROLL
    for (int x = 0; x < 2; ++x) {
      WEFT_UNROLL
      for (int w = 0; w < Words; ++w) v[w][x] = kept.v[w][x];
      h[x] = kept.h[x];
    }
    // In step i chunk k is at column C - k % 8 + i. It is computed as long as that column is before C.
    WEFT_UNROLL
    for (int i = 0; i < 7; ++i) {
      std::uint32_t columns[Planes] = {}, io[2] = {};
      WEFT_UNROLL
      for (int p = 0; p < Planes; ++p) {
        WEFT_UNROLL
        for (int k = i + 1; k < 8; ++k) columns[p] |= (symbols[7 - k + i] >> p & 1) << k;
        columns[p] *= 0x01010101U;
      }
      columns[Planes - 1] = ~columns[Planes - 1];
      step<true>(columns, io, ((0xffU << (i + 1)) & 0xffU) * 0x01010101U);
    }
  }

  // Returns vector x of v, for the rows [32 word, 32 word + 32).
  [[nodiscard]] WEFT_HOST_DEVICE std::uint32_t rows_of(int x, int word) const {
    std::uint32_t bits = 0;
    WEFT_UNROLL
    for (int bit = 0; bit < 32; ++bit) {
      const int row = word * 32 + bit;
      bits |= (v[row % Words][x] >> (row / Words) & 1) << bit;
    }
    return bits;
  }

  // Computes one step. Bit k of columns[p] is plane p of column c - k; the last plane is complemented. The
  // top bits of `io` enter row 0 at column c and are shifted out; the differences that have left the last
  // row, at column c - 32, are shifted in. If Starting, rows whose bits in `begun` are zero are still left
  // of the first column, and keep their v.
  template <bool Starting>
  WEFT_HOST_DEVICE void step(const std::uint32_t (&columns)[Planes], std::uint32_t (&io)[2],
                             std::uint32_t begun) {
    WEFT_UNROLL
    for (int x = 0; x < 2; ++x) {
      const std::uint32_t entering = funnel_left(io[x], h[x], 1);
      io[x] = funnel_left(h[x], io[x], 1);
      h[x] = entering;
    }
    WEFT_UNROLL
    for (int w = 0; w < Words; ++w) {
      std::uint32_t other = Ops::xor_(code[0][w], columns[0]);
      WEFT_UNROLL
      for (int p = 1; p < Planes - 1; ++p) other = Ops::or_xor(other, code[p][w], columns[p]);
      const std::uint32_t match = Ops::not_and_xor(other, code[Planes - 1][w], columns[Planes - 1]);
      if constexpr (Starting) {
        const std::uint32_t before[2] = {v[w][0], v[w][1]};
        short_edit_cell::step<Ops>(v[w], h, match);
        for (int x = 0; x < 2; ++x) v[w][x] = (v[w][x] & begun) | (before[x] & ~begun);
      } else {
        short_edit_cell::step<Ops>(v[w], h, match);
      }
    }
  }
};

} // namespace weft::lcs_detail
