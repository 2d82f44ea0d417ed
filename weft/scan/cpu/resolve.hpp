// Turns occurrences into matches on the CPU: finds the end of each start (or the begin of each end), and
// applies the rule that decides which matches are reported.
#pragma once

#include <optional>
#include <span>
#include <vector>
#include <weft/scan/core/engine.hpp>
#include <weft/scan/core/flat_motifs.hpp>
#include <weft/scan/core/resolve_steps.hpp>
#include <weft/scan/cpu/found_matches.hpp>
#include <weft/scan/cpu/host_walker.hpp>

namespace weft::scan_detail {

// The state of the rule for one motif in one sequence, after the matches so far.
struct rule_state {
  bool has_reported = false;    // whether a match has been reported
  std::uint64_t last_end = 0;   // end of the last reported match
  std::uint64_t next_start = 0; // without overlap: matches that begin before it are skipped
};

// Collects the matches of one range of text, block by block.
//
// The rule examines the matches of one motif in one sequence from left to right and remembers little: mainly
// the end of the last match. The resolver keeps this state for each motif, so a sequence may span several
// blocks. A sequence may also begin before or end after the range; other threads resolve the rest of it. Its
// candidates are then kept as boundary candidates, and apply_rule() runs over them when the ranges are
// joined.
class resolver {
public:
  // A match to which the rule has not been applied yet.
  struct candidate {
    scan_match match;
    bool exceeds_max_x = false; // has more X than max_x
  };

  // Resolves the range [begin, end) of the batch's residues. If `counts` is not null, adds the matches of
  // each motif to counts[motif] instead of keeping them.
  resolver(const motif_set::compiled& motifs, const sequences_view& sequences, const scan_options& options,
           std::uint64_t begin, std::uint64_t end, std::uint64_t* counts = nullptr);

  void add(const occurrence_block& block);
  // Adds the matches of all optional-start motifs in the sequences that begin in the range.
  void add_optional_start_motifs();
  // Sets `found` to the matches of the sequences within the range, and `boundary` to the candidates of the
  // sequences that begin before or end after the range, in the order of scan().
  void finish(found_matches& found, std::vector<candidate>& boundary);

private:
  struct motif_state {
    std::uint64_t sequence = ~std::uint64_t{0};
    rule_state rule;
  };

  std::uint64_t sequence_at(std::uint64_t position);
  void add_start(std::uint32_t motif, std::uint64_t position);
  void add_fixed(std::uint32_t motif, std::span<const std::uint64_t> starts);
  void add_end(std::uint32_t motif, std::uint64_t position);
  void add_candidate(motif_state& state, const candidate& found);
  void report(const scan_match& match);
  bool crosses_boundary(std::uint64_t sequence) const;

  const motif_set::compiled& motifs_;
  const sequences_view& sequences_;
  const scan_options& options_;
  std::uint64_t begin_, end_, first_sequence_;
  std::uint64_t* match_counts_; // may be null
  bool has_crossing_;           // whether a sequence begins before or ends after the range
  host_walker walk_;
  unknown_limit limit_;
  bool has_unknown_; // whether there is an X in the range
  std::vector<motif_state> states_;
  // For rule `ends`: the automaton of each motif, made for its first occurrence, and the state of one of
  // them.
  std::vector<std::optional<flat_automaton_tables>> automata_;
  std::vector<std::uint64_t> automaton_state_;
  found_matches found_;
  std::vector<candidate> boundary_candidates_;
  std::vector<std::uint32_t> granules_; // index of the sequence at each 64th residue of the range
};

// Applies the rule to candidates of one motif in one sequence, in order. `state` covers the earlier
// candidates of the motif in the sequence. Appends the reported matches.
void apply_rule(const scan_options& options, std::span<const resolver::candidate> candidates,
                rule_state& state, match_vector& matches);

// Appends the matches of an optional-start motif of a set in one sequence as candidates, for the starts
// `starts` (find_matches_stepwise()).
void add_optional_start_candidates(const motif_set::compiled& motifs, std::uint32_t motif,
                                   std::string_view sequence, const scan_options& options, host_walker& walk,
                                   stepwise_starts& starts, std::vector<resolver::candidate>& candidates);

} // namespace weft::scan_detail
