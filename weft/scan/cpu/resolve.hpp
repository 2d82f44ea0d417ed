// From occurrences to matches: the end of each start (or the begin of each end), and the rule that says which
// are reported.
#pragma once

#include <optional>
#include <span>
#include <vector>
#include <weft/scan/core/walk.hpp>
#include <weft/scan/cpu/engine.hpp>
#include <weft/scan/cpu/nfa_engines.hpp>

namespace weft::scan_detail {

// What the rule knows of the matches of one motif in one sequence so far.
struct rule_state {
  bool any = false;             // a match has been reported
  std::uint64_t last_end = 0;   // of the last match reported
  std::uint64_t next_start = 0; // without overlap: matches before it are passed over
};

// Collects the matches of one range of text, block by block.
//
// The rule looks at the matches of one motif in one sequence from left to right and keeps little state: what
// ended last. That state lives here per motif, so that a sequence may span blocks. It may also span ranges,
// which other threads resolve: then all its candidates are kept, with what the rule needs to know, and
// apply_rule() runs over them when the ranges are put together.
class resolver {
public:
  struct candidate {
    scan_match match;
    bool too_many_unknown = false; // more X than max_x
  };

  // The range [begin, end) of the batch's residues.
  resolver(const motif_set::compiled& motifs, const sequence_batch& sequences, const scan_options& options,
           std::uint64_t begin, std::uint64_t end);

  void add(const occurrence_block& block);
  // Adds all matches of the motifs that engines are not asked of, in the sequences that begin in the range.
  void add_start_motifs();
  // Matches of whole sequences, ordered; candidates of sequences that reach out of the range are in `open`,
  // ordered alike.
  void finish(match_vector& matches, std::vector<candidate>& open);

private:
  struct motif_state {
    std::uint64_t sequence = ~std::uint64_t{0};
    rule_state rule;
  };

  std::uint64_t sequence_at(std::uint64_t position);
  void add_start(std::uint32_t motif, std::uint64_t position);
  void add_fixed(std::uint32_t motif, std::span<const std::uint64_t> starts);
  void add_end(std::uint32_t motif, std::uint64_t position);
  void keep(motif_state& state, const candidate& found);
  bool is_open(std::uint64_t sequence) const;

  const motif_set::compiled& motifs_;
  const sequence_batch& sequences_;
  const scan_options& options_;
  std::uint64_t begin_, end_, first_sequence_;
  walker walk_;
  bool has_unknown_; // some X in the range
  std::vector<motif_state> states_;
  std::vector<std::uint32_t> fixed_lengths_; // of each motif; 0: its matches differ in length
  std::vector<std::optional<backward_matcher>> backward_;
  std::vector<std::uint64_t> counts_;
  match_vector found_;
  std::vector<candidate> open_;
  std::vector<std::uint32_t> per_sequence_; // matches found of each sequence of the range
  std::vector<std::uint32_t> granules_;     // sequence at each 64th residue of the range
};

// Applies the rule to candidates of one motif in one sequence, in order, after those that `state` knows of.
// Appends the matches that are reported.
void apply_rule(const scan_options& options, std::span<const resolver::candidate> candidates,
                rule_state& state, match_vector& matches);

// X of the text in a match that a letter or a [..] accepted. `counts`: residues of each element.
[[nodiscard]] std::uint64_t unknown_residues(const motif& m, std::string_view match,
                                             const std::vector<std::uint64_t>& counts);

// Where scan_one() goes on: the next start that it tries, and the place that [<M] takes for the start of the
// sequence.
struct search_state {
  std::uint64_t start = 0, search = 0;
};

// Appends the matches of one motif in one sequence as ps_scan.pl finds them, one after another, from `state`
// on to starts before `last`: the definition that rules ps_scan and starts are held to, and their only path
// for motifs with [<M], whose "start of the sequence" is for ps_scan wherever the search goes on after a
// match.
void scan_one(const motif& m, std::string_view sequence, const scan_options& options, walker& walk,
              search_state& state, std::uint64_t last, std::vector<resolver::candidate>& candidates);

} // namespace weft::scan_detail
