// Cells of the table as word functions: every bit of a word is a cell of its own.
//
// A cell is entered by v, the vertical difference at its left edge, and h, the horizontal difference at its
// upper edge, and is left by v' at its right and h' at its lower edge. s: the symbols match. With d the
// difference along the diagonal, v' = d - h and h' = d - v:
//
//   lcs   v, h in {0, 1}        d = max(s, v, h)             (Crochemore et al. 2001; Hyyro 2004)
//         v' = ~h & (v | s)     h' = ~v & (h | s)
//   edit  v, h in {-1, 0, 1}    d = 0 if s or v = -1 or h = -1, else 1          (Myers 1999)
//         two words each, plus (= 1) and minus (= -1); z = s | v- | h-
//         v+' = h- | ~(z | h+)  v-' = (s | v-) & h+    h+' = v- | ~(z | v+)  h-' = (s | h-) & v+
//         as no cell has both h+ and h-, or both v+ and v-
//
// Beyond the table's left edge (columns j < 0) cells keep lcs (v, h) = (0, 1) and edit (1, -1) whatever s is,
// so lanes may run there before they enter the table.
//
// Ops gives the logic of Word: integer_ops, and for a GPU (cuda/sliced.cu) and for vectors the kernels' own,
// one instruction each where there is a three-input one.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>

namespace weft::lcs_core {

template <class Word> struct integer_ops {
  using word = Word;
  WEFT_HOST_DEVICE static word differ(word a, word b) { return a ^ b; }
  WEFT_HOST_DEVICE static word or_differ(word x, word a, word b) { return x | (a ^ b); }
  WEFT_HOST_DEVICE static word but_differ(word x, word a, word b) { return ~x & (a ^ b); }
  WEFT_HOST_DEVICE static word or_(word a, word b) { return a | b; }
  WEFT_HOST_DEVICE static word or3(word a, word b, word c) { return a | b | c; }
  WEFT_HOST_DEVICE static word but(word a, word b) { return a & ~b; }
  WEFT_HOST_DEVICE static word but_or(word a, word b, word c) { return (a & ~b) | c; }
  WEFT_HOST_DEVICE static word or_and(word a, word b, word c) { return (a | b) & c; }
  WEFT_HOST_DEVICE static word or_but(word a, word b, word c) { return (a | b) & ~c; }
  WEFT_HOST_DEVICE static word or_neither(word a, word b, word c) { return a | ~(b | c); }
};
using word_ops = integer_ops<std::uint64_t>;

#include <weft/lcs/core/bit_sliced_step-inl.hpp>

// What cells get that have no neighbour: v and h left of the table, h above it.
struct edge_words {
  std::uint64_t left_v, left_h, top_h;
};
inline constexpr std::uint64_t all_ones = ~std::uint64_t{0};
inline constexpr edge_words lcs_edges[1] = {{0, all_ones, 0}};
inline constexpr edge_words edit_edges[2] = {{all_ones, 0, all_ones}, {0, all_ones, 0}};

} // namespace weft::lcs_core
