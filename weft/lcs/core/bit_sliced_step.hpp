// Computes cells of the table as functions of words: every bit of a word is a separate cell.
//
// v, the vertical difference at a cell's left edge, and h, the horizontal difference at its upper edge,
// enter the cell; v' leaves it at its right edge, and h' at its lower edge. s says that the cell's symbols
// match. With d the difference along the diagonal, v' = d - h and h' = d - v:
//   lcs   v, h in {0, 1}        d = max(s, v, h)             (Crochemore et al. 2001; Hyyro 2004)
//         v' = ~h & (v | s)     h' = ~v & (h | s)
//   edit  v, h in {-1, 0, 1}    d = 0 if s or v = -1 or h = -1, else 1          (Myers 1999)
//         each has two words, plus (= 1) and minus (= -1); z = s | v- | h-
//         v+' = h- | ~(z | h+)  v-' = (s | v-) & h+    h+' = v- | ~(z | v+)  h-' = (s | h-) & v+
//         because no cell has both h+ and h-, or both v+ and v-
//
// Beyond the table's left edge (columns j < 0) the values (v, h) = (0, 1) for lcs and (1, -1) for edit stay
// as they are for every s, so lanes may run there before they enter the table.
//
// The template parameter Ops provides the logical operations on Word: integer_ops for integers; the kernels
// for a GPU (cuda/sliced.cu) and for vectors have their own, with one instruction for each function where
// the processor has three-input instructions.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>

namespace weft::lcs_detail {

// The logical operations on integers.
template <class Word> struct integer_ops {
  using word = Word;
  WEFT_HOST_DEVICE static word xor_(word a, word b) { return a ^ b; }
  WEFT_HOST_DEVICE static word or_xor(word x, word a, word b) { return x | (a ^ b); }
  WEFT_HOST_DEVICE static word not_and_xor(word x, word a, word b) { return ~x & (a ^ b); }
  WEFT_HOST_DEVICE static word or_(word a, word b) { return a | b; }
  WEFT_HOST_DEVICE static word or3(word a, word b, word c) { return a | b | c; }
  WEFT_HOST_DEVICE static word and_not(word a, word b) { return a & ~b; }
  WEFT_HOST_DEVICE static word and_not_or(word a, word b, word c) { return (a & ~b) | c; }
  WEFT_HOST_DEVICE static word or_and(word a, word b, word c) { return (a | b) & c; }
  WEFT_HOST_DEVICE static word or_and_not(word a, word b, word c) { return (a | b) & ~c; }
  WEFT_HOST_DEVICE static word or_nor(word a, word b, word c) { return a | ~(b | c); }
};
using word_ops = integer_ops<std::uint64_t>;

#include <weft/lcs/core/bit_sliced_step-inl.hpp>

// The differences that enter cells without a neighbour: v and h to the left of the table, h above the
// table.
struct edge_words {
  std::uint64_t left_v, left_h, top_h;
};
inline constexpr std::uint64_t all_ones = ~std::uint64_t{0};
inline constexpr edge_words lcs_edges[1] = {{0, all_ones, 0}};
inline constexpr edge_words edit_edges[2] = {{all_ones, 0, all_ones}, {0, all_ones, 0}};

} // namespace weft::lcs_detail
