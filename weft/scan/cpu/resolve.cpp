#include <weft/scan/cpu/resolve.hpp>

#include <algorithm>
#include <weft/scan/core/engine.hpp>
#include <weft/scan/core/pieces.hpp>

namespace weft::scan_detail {

namespace {

bool has_unknown(std::string_view text) {
  for (const char c : text)
    if (c == 'X' || c == 'x') return true;
  return false;
}

// Applies the rule to the next candidate of one motif in one sequence; returns whether it is reported.
bool passes(const scan_options& options, const resolver::candidate& found, rule_state& state) {
  if (options.rule != match_rule::ps_scan) return true;
  if (found.match.begin < state.next_start) return false;
  if (!options.overlap) state.next_start = found.match.end; // whether it is reported or not
  if (found.exceeds_max_x) return false;
  if (!options.included && state.has_reported && found.match.end <= state.last_end) return false;
  state.has_reported = true;
  state.last_end = found.match.end;
  return true;
}

} // namespace

void apply_rule(const scan_options& options, std::span<const resolver::candidate> candidates,
                rule_state& state, match_vector& matches) {
  for (const resolver::candidate& found : candidates)
    if (passes(options, found, state)) matches.push_back(found.match);
}

void add_optional_start_candidates(const motif_set::compiled& motifs, std::uint32_t motif,
                                   std::string_view sequence, const scan_options& options, host_walker& walk,
                                   stepwise_starts& starts, std::vector<resolver::candidate>& candidates) {
  const flat_motif& m = motifs.tables.motifs[motif];
  const unknown_limit limit = unknown_limit::of(options, motifs.syntax.alphabet);
  find_matches_stepwise(
      m, bytes_of(sequence), sequence.size(), options.rule, options.overlap, walk, starts,
      [&](std::uint64_t begin, std::uint64_t end) {
        candidates.push_back(
            {{0, motif, begin, end}, limit.applies_to_optional_starts && walk.unknown(m) > limit.max_x});
      });
}

resolver::resolver(const motif_set::compiled& motifs, const sequences_view& sequences,
                   const scan_options& options, std::uint64_t begin, std::uint64_t end, std::uint64_t* counts)
    : motifs_(motifs), sequences_(sequences), options_(options), begin_(begin), end_(end),
      match_counts_(counts), walk_(motifs.tables), limit_(unknown_limit::of(options, motifs.syntax.alphabet)),
      states_(motifs.motifs.size()) {
  const auto& offsets = sequences.offsets;
  first_sequence_ = static_cast<std::uint64_t>(std::upper_bound(offsets.begin(), offsets.end(), begin) -
                                               offsets.begin() - 1);
  has_crossing_ =
      offsets[first_sequence_] < begin || !std::binary_search(offsets.begin(), offsets.end(), end);
  const std::string_view text = sequences.data.substr(begin, end - begin);
  has_unknown_ = text.find('X') != text.npos || text.find('x') != text.npos;
  std::uint64_t sequence = first_sequence_;
  for (std::uint64_t position = begin; position < end; position += 64) {
    while (offsets[sequence + 1] <= position) ++sequence;
    granules_.push_back(static_cast<std::uint32_t>(sequence - first_sequence_));
  }
  if (match_counts_ != nullptr) return;
  while (sequence < sequences.count() && offsets[sequence] < end) ++sequence;
  found_ = found_matches(first_sequence_, sequence);
}

std::uint64_t resolver::sequence_at(std::uint64_t position) {
  std::uint64_t sequence = first_sequence_ + granules_[(position - begin_) / 64];
  while (sequences_.offsets[sequence + 1] <= position) ++sequence;
  return sequence;
}

bool resolver::crosses_boundary(std::uint64_t sequence) const {
  return sequences_.offsets[sequence] < begin_ || sequences_.offsets[sequence + 1] > end_;
}

void resolver::add(const occurrence_block& block) {
  const bool all_pass = options_.rule == match_rule::starts ||
                        (options_.rule == match_rule::ps_scan && options_.overlap && !has_unknown_);
  for (std::uint32_t motif = 0; motif < states_.size(); ++motif) {
    if (all_pass && motifs_.tables.motifs[motif].fixed_length != 0) {
      add_fixed(motif, std::span(block.positions)
                           .subspan(block.offsets[motif], block.offsets[motif + 1] - block.offsets[motif]));
      continue;
    }
    for (std::uint32_t i = block.offsets[motif]; i < block.offsets[motif + 1]; ++i)
      options_.rule == match_rule::ends ? add_end(motif, block.positions[i])
                                        : add_start(motif, block.positions[i]);
  }
}

// Adds the starts of a motif whose matches all have the same length, if no match is dropped for its X or for
// overlap. Each match ends after the previous one, so all are reported.
void resolver::add_fixed(std::uint32_t motif, std::span<const std::uint64_t> starts) {
  const std::uint64_t length = motifs_.tables.motifs[motif].fixed_length;
  if (match_counts_ != nullptr && !has_crossing_) {
    match_counts_[motif] += starts.size();
    return;
  }
  for (const std::uint64_t position : starts) {
    const std::uint64_t sequence = sequence_at(position);
    if (crosses_boundary(sequence)) { // the match may have an X outside the range
      add_start(motif, position);
      continue;
    }
    const std::uint64_t start = position - sequences_.offsets[sequence];
    report({static_cast<std::uint32_t>(sequence), motif, start, start + length});
  }
}

void resolver::add_start(std::uint32_t motif, std::uint64_t position) {
  const std::uint64_t sequence = sequence_at(position), origin = sequences_.offsets[sequence];
  motif_state& state = states_[motif];
  if (state.sequence != sequence) state = {sequence, {}};
  const std::uint64_t start = position - origin;
  if (start < state.rule.next_start) return;
  const std::string_view text = sequences_[sequence];
  const flat_motif& m = motifs_.tables.motifs[motif];
  const auto may_have_unknown = [text](std::uint64_t from, std::uint64_t to) {
    return has_unknown(text.substr(from, to - from));
  };
  // If the length is fixed, the engine has already decided that this is a match.
  const bool needs_walk =
      m.fixed_length == 0 || (limit_.applies && may_have_unknown(start, start + m.fixed_length));
  const start_match match =
      needs_walk ? match_at(m, bytes_of(text), text.size(), start, walk_, limit_, may_have_unknown)
                 : start_match{start + m.fixed_length, false};
  if (match.end == no_match || match.end == start) return;
  add_candidate(state,
                {{static_cast<std::uint32_t>(sequence), motif, start, match.end}, match.exceeds_max_x});
}

void resolver::add_end(std::uint32_t motif, std::uint64_t position) {
  const std::uint64_t sequence = sequence_at(position - 1), origin = sequences_.offsets[sequence];
  const std::string_view text = sequences_[sequence];
  const std::uint64_t end = position - origin;
  std::uint64_t length = motifs_.tables.motifs[motif].fixed_length;
  if (length == 0) {
    automata_.resize(states_.size());
    if (!automata_[motif]) automata_[motif].emplace(std::span(&motifs_.motifs[motif], 1));
    automaton_state_.resize(std::max<std::size_t>(automaton_state_.size(), automata_[motif]->max_words));
    length = shortest_before(automata_[motif]->view(), 0, automaton_state_.data(), bytes_of(text),
                             text.size(), end);
  }
  motif_state& state = states_[motif];
  if (state.sequence != sequence) state = {sequence, {}};
  add_candidate(state, {{static_cast<std::uint32_t>(sequence), motif, end - length, end}});
}

void resolver::add_candidate(motif_state& state, const candidate& found) {
  if (crosses_boundary(found.match.sequence))
    boundary_candidates_.push_back(found);
  else if (passes(options_, found, state.rule))
    report(found.match);
}

void resolver::report(const scan_match& match) {
  if (match_counts_ != nullptr)
    ++match_counts_[match.motif];
  else
    found_.add(match.sequence, match.motif, match.begin, match.end);
}

void resolver::add_optional_start_motifs() {
  std::vector<candidate> candidates;
  match_vector matches;
  if (edge_of(options_.rule) == edge::ends) return; // engines search the ends of all motifs
  for (const std::uint32_t motif : motifs_.tables.optional_start) {
    for (std::uint64_t s = first_sequence_; s < sequences_.count() && sequences_.offsets[s] < end_; ++s) {
      if (sequences_.offsets[s] < begin_) continue;
      candidates.clear();
      stepwise_starts starts{0, sequences_[s].size(), 0};
      add_optional_start_candidates(motifs_, motif, sequences_[s], options_, walk_, starts, candidates);
      for (candidate& found : candidates) found.match.sequence = static_cast<std::uint32_t>(s);
      rule_state rule;
      matches.clear();
      if (crosses_boundary(s))
        boundary_candidates_.insert(boundary_candidates_.end(), candidates.begin(), candidates.end());
      else
        apply_rule(options_, candidates, rule, matches);
      for (const scan_match& match : matches) report(match);
    }
  }
}

void resolver::finish(found_matches& found, std::vector<candidate>& boundary) {
  found = std::move(found_);
  const auto before = [](const candidate& a, const candidate& b) { return a.match < b.match; };
  if (!std::is_sorted(boundary_candidates_.begin(), boundary_candidates_.end(), before))
    std::sort(boundary_candidates_.begin(), boundary_candidates_.end(), before);
  boundary = std::move(boundary_candidates_);
}

// A stable counting sort by sequence:
//
//   for each match in the order of add(): append it to its sequence
//   for each sequence whose matches did not come in order: sort them
void found_matches::write(scan_match* to) {
  std::vector<scan_match*> ends(sequences_.size()); // the end of each sequence's matches so far
  scan_match* end = to;
  for (std::size_t s = 0; s < ends.size(); ++s) {
    ends[s] = end;
    end += sequences_[s].count;
  }
  for (const found_match& found : found_)
    *ends[found.sequence]++ = {static_cast<std::uint32_t>(first_sequence_ + found.sequence), found.motif,
                               found.begin, found.end};
  for (std::size_t s = 0; s < ends.size(); ++s)
    if (!sequences_[s].is_ordered) std::sort(ends[s] - sequences_[s].count, ends[s]);
}

} // namespace weft::scan_detail
