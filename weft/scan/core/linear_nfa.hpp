// A motif as a linear automaton: state 0 is the start; state p > 0 is reached by consuming a residue of
// position p's set from state p - 1 (or from itself, if it repeats), and may be skipped if it is optional.
//
// A motif is expanded: an element with repeats (n,m) becomes n positions and m - n optional ones; an
// unbounded one becomes n positions and one optional one that repeats.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>
#include <weft/scan/motif.hpp>

namespace weft::scan_detail {

struct linear_nfa {
  struct position {
    const residue_set* accepts;
    bool optional, repeats;
    // [<G], [G>]: may be skipped before the first residue of the sequence, behind the last one; as all here,
    // in the direction of the scan.
    bool optional_first, optional_last;
  };
  std::vector<position> positions; // of states 1, 2, ...
  bool anchor_begin, anchor_end;

  // The automaton of the motif, or of the reversed motif (for scanning from right to left). `m` must outlive
  // it.
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

  // A repeating optional position behind its mandatory twins and one before them accept the same texts, and
  // so do optional positions of one set in any order: reversing is exact.
};

} // namespace weft::scan_detail
