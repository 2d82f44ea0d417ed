#include <weft/scan/published/nfa_engines.hpp>

#include <algorithm>
#include <weft/scan/core/engine.hpp>
#include <weft/scan/core/linear_nfa.hpp>
#include <weft/scan/core/nfa_masks.hpp>
#include <weft/scan/core/shift_and.hpp>

namespace weft::scan_detail {

namespace {

constexpr std::uint64_t block_size = std::uint64_t{1} << 16;

// The automaton of shift-and: bits, 64 states in a word.
//
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

// The automaton of nfa-array: integer arrays.
class array_automaton {
public:
  explicit array_automaton(const linear_nfa& nfa) : nfa_(nfa) {
    states_.resize(nfa.positions.size() + 1);
    next_.resize(states_.size());
  }
  void reset() { std::fill(states_.begin(), states_.end(), 0); }

  bool step(unsigned char c, bool first, bool last) {
    std::fill(next_.begin(), next_.end(), 0);
    int reached = first || !nfa_.anchor_begin; // state p - 1 is reached, by residues or by entry
    int entered = reached;
    for (std::size_t p = 1; p < states_.size(); ++p) {
      const auto& position = nfa_.positions[p - 1];
      const int from = reached | (position.repeats ? states_[p] : 0);
      next_[p] = from && (*position.accepts)[c];
      entered = entered && (position.optional || (first && position.optional_first));
      reached = states_[p] | entered;
    }
    for (std::size_t p = 1; p < states_.size(); ++p) // skips, from states that have been reached by residues
      next_[p] |= p > 1 && nfa_.positions[p - 1].optional && next_[p - 1];
    states_.swap(next_);
    return accepted(last);
  }

private:
  bool accepted(bool last) const {
    if (nfa_.anchor_end && !last) return false;
    for (std::size_t p = states_.size() - 1; p > 0; --p) {
      if (states_[p]) return true;
      const auto& position = nfa_.positions[p - 1];
      if (!position.optional && !(last && position.optional_last)) return false;
    }
    return false;
  }

  const linear_nfa& nfa_;
  std::vector<int> states_, next_;
};

// Appends the occurrences of motif `m` in [begin, end) (positions of their last residues in the direction of
// the scan), ascending. Runs the automaton over the part of the sequence [first, last) that matters for these
// occurrences.
template <class Automaton>
void scan_sequence(Automaton& automaton, const motif& m, std::string_view text, std::uint64_t first,
                   std::uint64_t last, std::uint64_t begin, std::uint64_t end, edge which,
                   std::vector<std::uint64_t>& positions) {
  const std::uint64_t longest = m.max_length();
  const bool bounded = longest != motif_element::unbounded;
  begin = std::max(begin, first);
  end = std::min(end, last);
  automaton.reset();
  if (which == edge::ends) {
    const std::uint64_t from = bounded && begin - first >= longest ? begin - longest + 1 : first;
    for (std::uint64_t i = from; i < end; ++i)
      if (automaton.step(static_cast<unsigned char>(text[i]), i == first, i + 1 == last) && i >= begin)
        positions.push_back(i + 1);
    return;
  }
  const std::size_t before = positions.size();
  const std::uint64_t from = bounded && last - end >= longest ? end + longest - 1 : last;
  for (std::uint64_t i = from; i-- > begin;)
    if (automaton.step(static_cast<unsigned char>(text[i]), i + 1 == last, i == first) && i < end)
      positions.push_back(i);
  std::reverse(positions.begin() + static_cast<std::ptrdiff_t>(before), positions.end());
}

template <class Automaton>
void scan_blocks(const motif_set::compiled& motifs, const sequences_view& sequences, std::uint64_t begin,
                 std::uint64_t end, edge which, const occurrence_sink& sink) {
  std::vector<linear_nfa> nfas;
  for (const motif& m : motifs.motifs) nfas.emplace_back(m, which == edge::starts);
  std::vector<Automaton> automata;
  for (const linear_nfa& nfa : nfas) automata.emplace_back(nfa);
  const auto& offsets = sequences.offsets;
  occurrence_block block;
  for (block.begin = begin; block.begin < end; block.begin = block.end) {
    block.end = std::min(end, block.begin + block_size);
    block.positions.clear();
    block.offsets.assign(1, 0);
    const auto first = static_cast<std::size_t>(
        std::upper_bound(offsets.begin(), offsets.end(), block.begin) - offsets.begin() - 1);
    for (std::size_t k = 0; k < automata.size(); ++k) {
      if (is_searched_by_engines(motifs.motifs[k], which))
        for (std::size_t s = first; s + 1 < offsets.size() && offsets[s] < block.end; ++s)
          if (offsets[s] < offsets[s + 1])
            scan_sequence(automata[k], motifs.motifs[k], sequences.data, offsets[s], offsets[s + 1],
                          block.begin, block.end, which, block.positions);
      block.offsets.push_back(static_cast<std::uint32_t>(block.positions.size()));
    }
    sink(block);
  }
}

} // namespace

void nfa_array(const motif_set::compiled& motifs, const sequences_view& sequences, std::uint64_t begin,
               std::uint64_t end, edge which, const occurrence_sink& sink) {
  scan_blocks<array_automaton>(motifs, sequences, begin, end, which, sink);
}

void shift_and(const motif_set::compiled& motifs, const sequences_view& sequences, std::uint64_t begin,
               std::uint64_t end, edge which, const occurrence_sink& sink) {
  scan_blocks<bit_automaton>(motifs, sequences, begin, end, which, sink);
}

} // namespace weft::scan_detail
