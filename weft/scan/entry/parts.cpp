// Short sequences are scanned together, as many as fit in a part. A longer sequence is scanned alone, part by
// part from its beginning; the state of the rule for each motif is passed from part to part.
#include <weft/scan/entry/ranges.hpp>

#include <algorithm>
#include <utility>
#include <weft/scan/core/engine.hpp>
#include <weft/scan/core/pieces.hpp>
#include <weft/scan/cpu/resolve.hpp>
#include <weft/scan/entry/strands.hpp>

namespace weft::scan_detail {

namespace {

// Scans a batch of one sequence, one part after another.
class sequence_scanner {
public:
  sequence_scanner(const motif_set::compiled& motifs, const sequences_view& sequence,
                   const scan_options& options, engine_function find)
      : motifs_(motifs), sequence_(sequence), options_(options), find_(find), walk_(motifs.tables),
        rules_(motifs.motifs.size()), starts_(motifs.motifs.size()) {}

  // Returns the matches of the part [begin, end), motif by motif. The part must begin where the last one
  // ended.
  match_vector scan(std::uint64_t begin, std::uint64_t end) {
    const std::vector<range_matches> ranges = scan_ranges(motifs_, sequence_, options_, find_, begin, end);
    std::vector<std::size_t> next(ranges.size());
    match_vector matches;
    for (std::uint32_t k = 0; k < rules_.size(); ++k) {
      for (std::size_t r = 0; r < ranges.size(); ++r) {
        const auto& boundary = ranges[r].boundary; // ordered by motif
        const std::size_t first = next[r];
        while (next[r] < boundary.size() && boundary[next[r]].match.motif == k) ++next[r];
        apply_rule(options_, std::span(boundary).subspan(first, next[r] - first), rules_[k], matches);
      }
      if (!is_searched_by_engines(motifs_.motifs[k], edge_of(options_.rule))) search(k, end, matches);
    }
    return matches;
  }

private:
  void search(std::uint32_t k, std::uint64_t end, match_vector& matches) {
    candidates_.clear();
    starts_[k].last = end;
    add_optional_start_candidates(motifs_, k, sequence_.data, options_, walk_, starts_[k], candidates_);
    apply_rule(options_, candidates_, rules_[k], matches);
  }

  const motif_set::compiled& motifs_;
  const sequences_view& sequence_;
  const scan_options& options_;
  engine_function find_;
  host_walker walk_;
  std::vector<rule_state> rules_; // one for each motif
  // One for each motif; only optional-start motifs use theirs.
  std::vector<stepwise_starts> starts_;
  std::vector<resolver::candidate> candidates_;
};

// Scans a batch part by part.
class part_scanner {
public:
  part_scanner(const scan_problem& problem, engine_function find)
      : motifs_(problem.motifs), options_(problem.options), find_(find), limits_(*problem.limits),
        longest_circular_(options_.circular ? longest_match(motifs_.motifs) : 0),
        // Some matches of circular sequences are dropped after they have been found.
        counts_(options_.circular ? nullptr : problem.counts), next_size_(*problem.part_residues),
        part_size_(counts_ != nullptr ? limits_.residues : std::min(limits_.residues, next_size_)),
        visit_(*problem.visit) {}

  // Returns the index after the last of the sequences that are scanned together with `first`.
  std::uint64_t batch_from(const sequences_view& sequences, std::uint64_t first) const {
    const auto& offsets = sequences.offsets;
    const auto past = std::upper_bound(offsets.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                                       offsets.end(), offsets[first] + part_size_);
    return std::max(first + 1, static_cast<std::uint64_t>(past - offsets.begin()) - 1);
  }

  // Scans one strand of a batch, the first sequence of which has the number `first`. `last_strand`: when the
  // call returns, the matches of the batch are complete.
  void scan_strand(const sequences_view& batch, std::uint64_t first, strand which, bool last_strand) {
    first_ = first;
    const strand_text text(batch, which, longest_circular_);
    const std::uint64_t size = text.batch().data.size();
    if (batch.count() > 1 || size <= part_size_) {
      if (counts_ != nullptr) {
        count_batch(motifs_, text.batch(), options_, find_, *counts_);
        return;
      }
      emit(join_ranges(options_, scan_ranges(motifs_, text.batch(), options_, find_, 0, size)), text,
           last_strand);
      return;
    }
    sequence_scanner scanner(motifs_, text.batch(), options_, find_);
    for (std::uint64_t begin = 0; begin < size;) {
      const std::uint64_t end = begin + std::min(part_size_, size - begin);
      emit(scanner.scan(begin, end), text, last_strand && end == size);
      begin = end;
    }
  }

private:
  static constexpr std::uint64_t min_size = std::uint64_t{1} << 12;

  // Passes a part to `visit_`. Halves the size of the next part if this one has too many matches, and doubles
  // it if this one has few.
  void emit(match_vector matches, const strand_text& text, bool complete) {
    if (matches.size() > limits_.matches)
      part_size_ = std::max(part_size_ / 2, std::min(part_size_, min_size));
    else if (4 * matches.size() < limits_.matches)
      part_size_ = std::min(2 * part_size_, limits_.residues);
    next_size_ = part_size_;
    text.to_sequences(matches);
    if (first_ != 0)
      for (scan_match& match : matches) match.sequence += static_cast<std::uint32_t>(first_);
    visit_({std::move(matches), complete});
  }

  const motif_set::compiled& motifs_;
  const scan_options& options_;
  engine_function find_;
  const part_limits& limits_;
  std::uint64_t longest_circular_;
  std::vector<std::uint64_t>* counts_; // null: all matches are emitted
  std::uint64_t& next_size_;           // for the next call, or the next batch
  std::uint64_t part_size_, first_ = 0;
  const scanner::visitor& visit_;
};

} // namespace

void visit_parts(const scan_problem& problem, engine_function find) {
  const strand_choice strands = problem.options.strands;
  part_scanner parts(problem, find);
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t first = 0, last = 0; first < problem.sequences.count(); first = last) {
    last = parts.batch_from(problem.sequences, first);
    const sequences_view batch = sequences_of(problem.sequences, {first, last}, offsets);
    if (batch.data.empty()) continue;
    // The reverse strand comes first, so that only the last call completes the part.
    if (strands != strand_choice::forward)
      parts.scan_strand(batch, first, strand::reverse, strands == strand_choice::reverse);
    if (strands != strand_choice::reverse) parts.scan_strand(batch, first, strand::forward, true);
  }
}

} // namespace weft::scan_detail
