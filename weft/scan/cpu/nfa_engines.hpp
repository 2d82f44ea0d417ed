// The engines `nfa-array` and `shift-and`: one motif after another over the text, residue by residue
// (Sasakawa, Kaneta & Arimura, GPU Acceleration of Large-scale Parallel String Matching). Starts are the ends
// of the reversed motifs in the reversed text.
//
// nfa-array: the automaton in integer arrays (sets, skips, old and new states): O(positions) a residue.
// shift-and: the automaton in bits, 64 states a word: O(positions / 64) a residue; motifs of any length.
#pragma once

#include <memory>
#include <string_view>
#include <weft/scan/cpu/engine.hpp>

namespace weft::scan_detail {

void nfa_array(const motif_set::compiled& motifs, const sequence_batch& sequences, std::uint64_t begin,
               std::uint64_t end, edge which, const occurrence_sink& sink);
void shift_and(const motif_set::compiled& motifs, const sequence_batch& sequences, std::uint64_t begin,
               std::uint64_t end, edge which, const occurrence_sink& sink);

// Finds, from a match's end, its largest start.
class backward_matcher {
public:
  explicit backward_matcher(const motif& m);
  ~backward_matcher();
  backward_matcher(backward_matcher&&) noexcept;
  // Residues of the shortest match that ends with `text`, which is the beginning of a sequence (`whole`: all
  // of it); 0: there is none.
  [[nodiscard]] std::uint64_t operator()(std::string_view text, bool whole);

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace weft::scan_detail
