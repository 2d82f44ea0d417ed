// Extended SHIFT-AND (Navarro & Raffinot, Flexible Pattern Matching in Strings, 4.3): the states of a linear
// automaton as bits, bit 0 the start. One residue c:
//
//   S = (((S | E) << 1) | (S & R)) & B[c]                 consume (E: the states reached without a residue)
//   S = S | ((F - (S & I)) & ~F)                           skip optional positions
//
// For each run of optional positions p+1 .. q: I has the bits p .. q-1, F has the bit q. Here S takes as many
// words as it needs, so that shift and borrow carry over from word to word.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>

namespace weft::scan_detail {

// S |= every optional position that follows a set state without a mandatory one between. Words lowest first.
// Within one run, F - (S & I) is F itself if no bit of the run is marked; else, with j the lowest marked bit,
// it has bit j, the unmarked bits between j and q, and not bit q. So its difference from F, together with S,
// is all of j .. q; no borrow leaves the run.
WEFT_HOST_DEVICE inline void flood(std::uint64_t* state, const std::uint64_t* before,
                                   const std::uint64_t* last, int words) {
  std::uint64_t borrow = 0;
  for (int i = 0; i < words; ++i) {
    const std::uint64_t marked = state[i] & before[i];
    const std::uint64_t partial = last[i] - marked;
    const std::uint64_t difference = partial - borrow;
    borrow = static_cast<std::uint64_t>(last[i] < marked) | static_cast<std::uint64_t>(partial < borrow);
    state[i] |= difference ^ last[i];
  }
}

// One residue, without the skipping.
WEFT_HOST_DEVICE inline void consume(std::uint64_t* state, const std::uint64_t* entry,
                                     const std::uint64_t* repeats, const std::uint64_t* accepts, int words) {
  std::uint64_t carry = 0;
  for (int i = 0; i < words; ++i) {
    const std::uint64_t from = state[i] | (entry != nullptr ? entry[i] : 0);
    const std::uint64_t next = (from << 1) | carry;
    carry = from >> 63;
    state[i] = (next | (state[i] & repeats[i])) & accepts[i];
  }
}

} // namespace weft::scan_detail
