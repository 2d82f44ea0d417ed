// Extended SHIFT-AND (Navarro & Raffinot, Flexible Pattern Matching in Strings, 4.3): the states of a linear
// automaton as bits, bit 0 the start. One residue c:
//
//   S = ((S << 1) | E | (S & R)) & B[c]                    consume (E: the positions that may take it as the
//                                                          match's first residue)
//   S = S | ((F - (S & I)) & ~F)                           skip optional positions
//
// For each run of optional positions p+1 .. q: I has the bits p .. q-1, F has the bit q. Here S takes as many
// words as it needs, so that shift and borrow carry over from word to word. Arrays of words are whatever has
// an operator[]: pointers, arrays, or words that lie apart.
#pragma once

#include <cstdint>
#include <type_traits>
#include <weft/base/host_device.hpp>

namespace weft::scan_detail {

// An array of words that are all 0, known when compiling.
struct no_bits {
  WEFT_HOST_DEVICE constexpr unsigned operator[](int) const { return 0; }
};

// S |= every optional position that follows a set state without a mandatory one between. Words lowest first.
// Within one run, F - (S & I) is F itself if no bit of the run is marked; else, with j the lowest marked bit,
// it has bit j, the unmarked bits between j and q, and not bit q. So its difference from F, together with S,
// is all of j .. q; no borrow leaves the run.
template <class State, class Before, class Last>
WEFT_HOST_DEVICE inline void flood(State&& state, const Before& before, const Last& last, int words) {
  using word = std::remove_cvref_t<decltype(state[0])>;
  word borrow = 0;
  WEFT_UNROLL
  for (int i = 0; i < words; ++i) {
    const word marked = state[i] & before[i];
    const word partial = last[i] - marked;
    const word difference = partial - borrow;
    borrow = static_cast<word>(last[i] < marked) | static_cast<word>(partial < borrow);
    state[i] |= difference ^ last[i];
  }
}

// One residue, without the skipping.
template <class State, class Entry, class Repeats, class Accepts>
WEFT_HOST_DEVICE inline void consume(State&& state, const Entry& entry, const Repeats& repeats,
                                     const Accepts& accepts, int words) {
  using word = std::remove_cvref_t<decltype(state[0])>;
  constexpr int top = sizeof(word) * 8 - 1;
  word carry = 0;
  WEFT_UNROLL
  for (int i = 0; i < words; ++i) {
    const word from = state[i];
    state[i] = ((from << 1) | carry | entry[i] | (from & repeats[i])) & accepts[i];
    carry = from >> top;
  }
}

} // namespace weft::scan_detail
