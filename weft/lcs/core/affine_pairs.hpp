// Computes the penalties with affine gaps of two pairs at once (Gotoh): the values of the two tables are the
// 16-bit halves of a word. Both pairs have the same text as rows, and each has another text as columns. A
// lane (a thread) computes stripes of Columns columns, one after the other, each from the first row to the
// last:
//
//   letters[c], closed[c], deleting[c]     in registers: the letters of column c, H and D above the next row
//   closed and inserting                   pass from column to column, and through memory to the next stripe
//
// The values are H(i, j) - (i + j) gap_extend, and likewise for D and I, so that gap_extend vanishes from the
// recursion of Gotoh, and a gap costs gap_open alone:
//
//   D(i, j) = min(D(i-1, j), open + H(i-1, j))         I(i, j) = min(I(i, j-1), open + H(i, j-1))
//   H(i, j) = min(D(i, j), I(i, j), H(i-1, j-1) + (symbols match ? 0 : mismatch) - 2 extend)
//
// where D and I count gap_open. The first row and the first column, without their corner, are `open`, and D
// of the first row and I of the first column are 2 open. A cell takes four instructions for both halves, and
// one or two for its score (affine_letters.hpp):
//
//   x = min(corner + score, deleting)
//   closed = min(x, inserting)
//   inserting = min(x + open, inserting)               because open + inserting is no less than inserting
//   deleting = min(closed + open, deleting)
//
// so only one of them waits for the cell to the left. Columns after the last one of a text have any letter;
// nothing before them depends on them.
//
// Values are from -2 extend (rows), as H is at least 0, to 2 open, as D and I never grow from 2 open on. Sums
// are at most 3 open or 2 open + mismatch. affine_pair_length() has the lengths at which all fit 16 bits.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/lcs/core/affine_letters.hpp>

namespace weft::lcs_detail {

// The values left of a stripe in a row: H, and I of the stripe's first column.
struct alignas(8) affine_border {
  std::uint32_t closed, inserting;
};

// The columns of a stripe.
template <int Columns, letter_form Form> struct affine_stripe {
  std::uint32_t letters[Columns], closed[Columns], deleting[Columns];

  // Sets the values above the first row.
  WEFT_HOST_DEVICE void start(const affine_pair_costs& costs) {
    WEFT_UNROLL
    for (int c = 0; c < Columns; ++c) closed[c] = costs.open, deleting[c] = costs.twice_open;
  }

  // Computes a row. `corner` is H of the row above, left of the stripe. Returns the border of the next
  // stripe.
  [[nodiscard]] WEFT_HOST_DEVICE affine_border compute_row(std::uint32_t letter, std::uint32_t corner,
                                                           std::uint32_t inserting,
                                                           const affine_pair_costs& costs) {
    // x of a column is computed before H of the column before is replaced, which saves a register.
    std::uint32_t next_x = straight(0, letter, corner, costs);
    WEFT_UNROLL
    for (int c = 0; c < Columns; ++c) {
      const std::uint32_t x = next_x;
      if (c + 1 < Columns) next_x = straight(c + 1, letter, closed[c], costs);
      closed[c] = min_halves(x, inserting);
      inserting = add_min_halves(x, costs.open, inserting);
      deleting[c] = add_min_halves(closed[c], costs.open, deleting[c]);
    }
    return {closed[Columns - 1], inserting};
  }

  // Returns x of column c.
  [[nodiscard]] WEFT_HOST_DEVICE std::uint32_t straight(int c, std::uint32_t letter, std::uint32_t corner,
                                                        const affine_pair_costs& costs) const {
    return add_min_halves(corner, scores_of<Form>(letter, letters[c], costs), deleting[c]);
  }
};

// Computes the rows of a stripe. Lane: row_letter(i), the word of the letter of row i; border(i), what
// keep(i, border) has stored; both can be called for i = rows, too.
template <int Columns, letter_form Form, class Lane>
WEFT_HOST_DEVICE void compute_rows(affine_stripe<Columns, Form>& stripe, Lane& lane, int rows, bool is_first,
                                   bool is_last, const affine_pair_costs& costs) {
  stripe.start(costs);
  std::uint32_t corner = is_first ? 0 : costs.open, next_letter = lane.row_letter(0);
  affine_border next_left{costs.open, costs.twice_open};
  if (!is_first) next_left = lane.border(0);
  WEFT_ROLL
  for (int i = 0; i < rows; ++i) { // loads what the next row needs before it computes a row
    const affine_border left = next_left;
    const std::uint32_t letter = next_letter;
    next_letter = lane.row_letter(i + 1);
    if (!is_first) next_left = lane.border(i + 1);
    const affine_border right = stripe.compute_row(letter, corner, left.inserting, costs);
    corner = left.closed;
    if (!is_last) lane.keep(i, right);
  }
}

// Computes the tables of `rows` rows and stripes * Columns columns, and returns H of the last row in the last
// column of each text, or 0 for a text without columns. Lane, also: column_letters(j), the words of the
// letters of column j; length(half), the columns of a text.
template <int Columns, letter_form Form, class Lane>
[[nodiscard]] WEFT_HOST_DEVICE std::uint32_t compute_affine_pairs(Lane& lane, int rows, int stripes,
                                                                  const affine_pair_costs& costs) {
  std::uint32_t result = 0;
  WEFT_ROLL
  for (int k = 0; k < stripes; ++k) {
    affine_stripe<Columns, Form> stripe;
    WEFT_UNROLL
    for (int c = 0; c < Columns; ++c) stripe.letters[c] = lane.column_letters(k * Columns + c);
    compute_rows(stripe, lane, rows, k == 0, k == stripes - 1, costs);
    const int low_last = lane.length(0) - 1 - k * Columns, high_last = lane.length(1) - 1 - k * Columns;
    WEFT_UNROLL
    for (int c = 0; c < Columns; ++c) {
      if (c == low_last) result = (result & 0xffff0000U) | (stripe.closed[c] & 0xffffU);
      if (c == high_last) result = (result & 0xffffU) | (stripe.closed[c] & 0xffff0000U);
    }
  }
  return result;
}

// The numbers of columns of a stripe for which kernels are compiled, ascending.
inline constexpr int affine_stripe_columns[] = {16, 20, 24, 28, 30};

// Returns use.run<Columns>() for a number of affine_stripe_columns.
template <class Use> WEFT_HOST_DEVICE std::uint32_t with_stripe_columns(int columns, const Use& use) {
  switch (columns) {
  case 16:
    return use.template run<16>();
  case 20:
    return use.template run<20>();
  case 24:
    return use.template run<24>();
  case 28:
    return use.template run<28>();
  default:
    return use.template run<30>();
  }
}

} // namespace weft::lcs_detail
