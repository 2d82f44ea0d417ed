// A motif as a linear automaton. State 0 is the start. State p > 0 is reached from state p - 1 by consuming a
// residue that position p accepts; if position p repeats, also from state p itself. If position p is
// optional, state p is also reached from state p - 1 without a residue.
//
// The elements of a motif are expanded into positions: an element with repeats (n,m) becomes n positions and
// m - n optional ones; an element without an upper bound becomes n positions and one optional position that
// repeats.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>
#include <weft/scan/motif.hpp>

namespace weft::scan_detail {

// The automaton of one motif, as a list of positions.
struct linear_nfa {
  struct position {
    const residue_set* accepts;
    bool optional, repeats;
    // Set for [<G] and [G>]: the position may be skipped before the first residue of the sequence
    // (optional_first) or behind the last (optional_last). First and last are meant in the direction of the
    // scan.
    bool optional_first, optional_last;
  };
  std::vector<position> positions; // positions of the states 1, 2, ...
  bool anchor_begin, anchor_end;

  // Makes the automaton of the motif, or of the reversed motif for scanning from right to left. `m` must
  // outlive the automaton, which refers to its residue sets.
  linear_nfa(const motif& m, bool reversed)
      : anchor_begin(reversed ? m.anchor_c : m.anchor_n), anchor_end(reversed ? m.anchor_n : m.anchor_c) {
    for (const motif_element& element : m.elements) {
      const bool endless = element.max == motif_element::unbounded;
      const std::uint32_t count = endless ? element.min + 1 : element.max;
      for (std::uint32_t i = 0; i < count; ++i)
        positions.push_back({&element.accepts, i >= element.min, endless && i == element.min,
                             reversed ? element.or_sequence_end : element.or_sequence_start,
                             reversed ? element.or_sequence_start : element.or_sequence_end});
    }
    if (reversed) std::reverse(positions.begin(), positions.end());
  }

  // Reversing the order of positions is exact: a repeating optional position accepts the same texts before
  // and behind the mandatory positions of its element, and the order of optional positions with the same set
  // does not matter.
};

} // namespace weft::scan_detail
