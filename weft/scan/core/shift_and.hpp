// Extended SHIFT-AND (Navarro & Raffinot, Flexible Pattern Matching in Strings, 4.3): the set S of active
// states of a linear automaton as bits; bit 0 is the start. One residue c takes two steps:
//
//   S = ((S << 1) | E | (S & R)) & B[c]      consume the residue
//   S = S | ((F - (S & I)) & ~F)             skip optional positions (see flood())
//
// E: positions that may take the first residue of a match; R: positions that repeat; B[c]: positions that
// accept c. For each run of optional positions p+1 .. q, I has the bits p .. q-1 and F has the bit q. A state
// takes as many words as it needs, and shift and borrow carry over from word to word. An array of words may
// be anything with an operator[]: a pointer, an array, or words at a stride.
#pragma once

#include <cstdint>
#include <type_traits>
#include <weft/base/host_device.hpp>

namespace weft::scan_detail {

// An array of words that are 0 at compile time.
struct no_bits {
  WEFT_HOST_DEVICE constexpr unsigned operator[](int) const { return 0; }
};

// Activates every optional position that follows an active state with only optional positions between them.
// Words are ordered from the lowest. Why it works: within one run, F - (S & I) equals F if no bit of the run
// is set in S & I. Otherwise let j be the lowest such bit: the difference has bit j, the bits between j and q
// that are not in S & I, and not bit q. So the bits in which the difference and F differ, together with S,
// are j .. q. No borrow leaves the run.
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

// Replaces the state by the state after one residue, without skipping optional positions.
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
