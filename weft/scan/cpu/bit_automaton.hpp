// The automaton of one motif in bits, 64 states in a word, and a matcher that runs it from the end of a
// match.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>
#include <weft/scan/core/nfa_masks.hpp>
#include <weft/scan/core/shift_and.hpp>
#include <weft/scan/motif.hpp>

namespace weft::scan_detail {

// Both automata have the same interface: step(c, first, last) consumes the residue c, which is the first or
// last of its sequence in the direction of the scan if the flags say so, and returns whether a match ends
// with c. Entry states are the states that count as reached before the first residue of a match: state 0 and
// the states after it that can be skipped to.
class bit_automaton {
public:
  explicit bit_automaton(const linear_nfa& nfa) : masks_(nfa) {
    state_.resize(static_cast<std::size_t>(masks_.words));
    no_entry_.resize(state_.size());
  }
  void reset() { std::fill(state_.begin(), state_.end(), 0); }

  bool step(unsigned char c, bool first, bool last, bool enter = true) {
    const auto& entry = !enter ? no_entry_ : first ? masks_.entry_first : masks_.entry;
    consume(state_.data(), entry.data(), masks_.repeats.data(), &masks_.accepts[c * state_.size()],
            masks_.words);
    flood(state_.data(), masks_.before.data(), masks_.last.data(), masks_.words);
    const auto& accept = last ? masks_.accept_last : masks_.accept;
    std::uint64_t hit = 0;
    for (std::size_t i = 0; i < state_.size(); ++i) hit |= state_[i] & accept[i];
    return hit != 0;
  }

private:
  nfa_masks masks_;
  nfa_masks::mask state_, no_entry_;
};

// Finds the largest start of a match of one motif from the match's end.
class backward_matcher {
public:
  explicit backward_matcher(const motif& m);
  ~backward_matcher();
  backward_matcher(backward_matcher&&) noexcept;
  // Returns the number of residues of the shortest match that ends where `text` ends, or 0 if there is none.
  // `text` is the beginning of a sequence, or the whole sequence if `whole`.
  [[nodiscard]] std::uint64_t operator()(std::string_view text, bool whole);

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace weft::scan_detail
