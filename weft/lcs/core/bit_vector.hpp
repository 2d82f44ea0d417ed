// Computes one row of the table for 64 columns at once: the steps of the bit-vector methods.
//
// Bit j of a word stands for column j of its 64 columns; `match` has a one where the symbol of the row
// equals the symbol of the column. The words of a row are computed from left to right, and the carry that
// leaves one word enters the next.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>

namespace weft::lcs_detail {

using word = std::uint64_t;
inline constexpr int word_bits = 64;

// Returns x + y + carry, and sets carry to the bit that leaves.
WEFT_HOST_DEVICE inline word add_with_carry(word x, word y, word& carry) {
#if defined(__has_builtin) && !defined(__CUDACC__)
#if __has_builtin(__builtin_addcll)
  unsigned long long out = 0;
  const word clang_sum = __builtin_addcll(x, y, carry, &out);
  carry = out;
  return clang_sum;
#endif
#endif
  const word partial = x + y;
  const word sum = partial + carry;
  carry = static_cast<word>(partial < x) | static_cast<word>(sum < partial);
  return sum;
}

// Crochemore, Iliopoulos, Pinzon & Reid 2001. A zero in v says that the LCS of the rows so far grows by one
// at that column.
//     V = (V + (V & M)) | (V & ~M)
// Columns that do not exist (their match bits are 0) keep their ones, and let no carry through to columns
// that exist.
WEFT_HOST_DEVICE inline void lcs_step(word& v, word match, word& carry) {
  const word sum = add_with_carry(v, v & match, carry);
  v = sum | (v & ~match);
}

// Myers 1999 in the form of Hyyro 2003. A one in plus (or minus) says that the distance grows (or falls) by
// one at that column. The carry is the difference between the new row and the old row at the word's left
// edge: plus_carry for +1, minus_carry for -1.
struct edit_carry {
  word plus, minus;
};
WEFT_HOST_DEVICE inline void edit_step(word& plus, word& minus, word match, edit_carry& carry) {
  const word diagonal = match | minus;
  match |= carry.minus;
  const word zero = (((match & plus) + plus) ^ plus) | match;
  word down_plus = minus | ~(zero | plus);
  word down_minus = plus & zero;
  const edit_carry out{down_plus >> (word_bits - 1), down_minus >> (word_bits - 1)};
  down_plus = (down_plus << 1) | carry.plus;
  down_minus = (down_minus << 1) | carry.minus;
  plus = down_minus | ~(diagonal | down_plus);
  minus = down_plus & diagonal;
  carry = out;
}

} // namespace weft::lcs_detail
