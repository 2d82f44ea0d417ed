// The masks with which extended SHIFT-AND (shift_and.hpp) simulates one automaton. Bit p stands for state p.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>
#include <weft/scan/core/linear_nfa.hpp>

namespace weft::scan_detail {

// The masks of one automaton, each an array of `words` words.
struct nfa_masks {
  using mask = std::vector<std::uint64_t>;

  int words;
  mask accepts; // words of byte c begin at c * words
  mask before, last, repeats;
  // Positions that may take the first residue of a match: anywhere, and if it is the first of its sequence.
  mask entry, entry_first;
  // States that end a match: anywhere, and behind the last residue of the sequence.
  mask accept, accept_last;

  // Makes the masks of `nfa`. First and last are meant in the direction of the scan.
  explicit nfa_masks(const linear_nfa& nfa)
      : words(static_cast<int>(nfa.positions.size() / 64 + 1)),
        accepts(256 * static_cast<std::size_t>(words)) {
    for (mask* bits : {&before, &last, &repeats, &entry, &entry_first, &accept, &accept_last})
      bits->resize(static_cast<std::size_t>(words));
    const std::size_t count = nfa.positions.size();
    bool skip = true, skip_first = true; // whether all positions so far may be skipped
    for (std::size_t p = 1; p <= count; ++p) {
      const auto& position = nfa.positions[p - 1];
      if (skip) set(entry, p);
      if (skip_first) set(entry_first, p);
      for (unsigned c = 0; c < 256; ++c)
        if ((*position.accepts)[c])
          accepts[c * static_cast<std::size_t>(words) + p / 64] |= std::uint64_t{1} << (p % 64);
      if (position.repeats) set(repeats, p);
      if (position.optional) {
        set(before, p - 1);
        if (p == count || !nfa.positions[p].optional) set(last, p);
      }
      skip = skip && position.optional;
      skip_first = skip_first && (position.optional || position.optional_first);
    }
    set(accept_last, count);
    for (std::size_t p = count; p > 1; --p) {
      const auto& position = nfa.positions[p - 1];
      if (!position.optional && !position.optional_last) break;
      set(accept_last, p - 1);
    }
    if (nfa.anchor_begin) std::fill(entry.begin(), entry.end(), 0);
    if (!nfa.anchor_end) set(accept, count);
  }

private:
  static void set(mask& bits, std::size_t p) { bits[p / 64] |= std::uint64_t{1} << (p % 64); }
};

} // namespace weft::scan_detail
