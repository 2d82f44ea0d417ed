// The engines `nfa-array` and `shift-and`: they run one motif after another over the text, residue by residue
// (Sasakawa, Kaneta & Arimura, GPU Acceleration of Large-scale Parallel String Matching). Starts are found as
// the ends of the reversed motifs in the reversed text.
//
// nfa-array keeps the automaton in integer arrays (sets, skips, old and new states): O(positions) for each
// residue. shift-and keeps it in bits, 64 states in a word: O(positions / 64) for each residue; motifs may
// have any length.
#pragma once

#include <weft/scan/core/engine.hpp>

namespace weft::scan_detail {

void nfa_array(const motif_set::compiled& motifs, const sequences_view& sequences, std::uint64_t begin,
               std::uint64_t end, edge which, const occurrence_sink& sink);
void shift_and(const motif_set::compiled& motifs, const sequences_view& sequences, std::uint64_t begin,
               std::uint64_t end, edge which, const occurrence_sink& sink);

} // namespace weft::scan_detail
