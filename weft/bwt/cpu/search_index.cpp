// Searches an FM-index on the CPU, a batch of patterns at a time on each thread.
#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>
#include <weft/base/parallel.hpp>
#include <weft/bwt/cpu/fm_search.hpp>
#include <weft/bwt/entry/solve.hpp>
#include <weft/sort/sort.hpp>

namespace weft::bwt_detail {

namespace {

constexpr std::uint64_t batch = 1024; // patterns that a thread takes at a time

using positions = std::vector<std::uint64_t>;

// The patterns of a batch, and their intervals.
struct batch_intervals {
  batch_intervals(const fm_index::view& index, const fm_kmers& kmers, std::string_view text,
                  std::span<const std::uint64_t> offsets)
      : patterns(index, text, offsets), intervals(patterns.count()) {
    find_intervals(index, patterns, intervals, kmers);
  }
  fm_patterns patterns;
  std::vector<fm_interval> intervals;
};

// Sets totals[p] for patterns whose interval is complete, and counts the occurrences of the other patterns,
// whose unmatched symbols must still be compared with the text before each row's suffix.
void count_batch(const fm_index::view& index, const batch_intervals& searched,
                 std::span<std::uint64_t> totals) {
  std::vector<fm_candidate> candidates;
  for (std::uint64_t p = 0; p < totals.size(); ++p) {
    const fm_interval& found = searched.intervals[p];
    if (found.unmatched == 0) totals[p] = found.high - found.low;
    for (std::uint64_t row = found.low; found.unmatched > 0 && row < found.high; ++row)
      candidates.push_back({row, p});
  }
  positions found_at(candidates.size());
  find_positions(index, searched.patterns, searched.intervals, candidates, found_at);
  for (std::uint64_t c = 0; c < candidates.size(); ++c)
    if (found_at[c] != no_position) ++totals[candidates[c].pattern];
}

void advance(const run_options& run, std::uint64_t patterns) {
  base_detail::add_work(run, patterns);
  base_detail::check_cancelled(run);
}

// Locates a batch of patterns: finds their intervals first, then the positions of candidate rows. If a batch
// has many candidates, all threads take pieces of them, so that a pattern with many occurrences is work for
// all threads.
class located_batch {
public:
  located_batch(const fm_index::view& index, const fm_kmers& kmers, std::string_view text,
                std::span<const std::uint64_t> offsets, std::uint64_t max_hits)
      : index_(index), batch_(index, kmers, text, offsets), max_hits_(max_hits), starts_{0} {
    for (const fm_interval& found : batch_.intervals)
      starts_.push_back(starts_.back() + num_candidate_rows(found, max_hits));
    positions_.resize(starts_.back());
  }
  [[nodiscard]] std::uint64_t num_candidates() const noexcept { return starts_.back(); }
  [[nodiscard]] std::uint64_t num_candidates(std::uint64_t p) const { return starts_[p + 1] - starts_[p]; }
  [[nodiscard]] std::uint64_t num_patterns() const noexcept { return starts_.size() - 1; }

  // Finds the positions of candidates [first, last).
  void find(std::uint64_t first, std::uint64_t last) {
    std::vector<fm_candidate> candidates;
    candidates.reserve(last - first);
    auto p = static_cast<std::uint64_t>(std::upper_bound(starts_.begin(), starts_.end(), first) -
                                        starts_.begin() - 1);
    for (std::uint64_t c = first; c < last; ++c) {
      while (c == starts_[p + 1]) ++p;
      candidates.push_back({batch_.intervals[p].low + (c - starts_[p]), p});
    }
    find_positions(index_, batch_.patterns, batch_.intervals, candidates,
                   std::span(positions_).subspan(first, last - first));
  }

  // Finds the positions of all candidates, and frees the patterns, which are then no longer needed.
  void find_all() {
    find(0, num_candidates());
    batch_.patterns = fm_patterns();
  }

  // Returns the positions of at most max_hits occurrences of a pattern, the first ones by rows, in the order
  // of the text, and how often it occurs in all.
  [[nodiscard]] std::pair<std::span<std::uint64_t>, std::uint64_t> hits(std::uint64_t p, int threads) {
    const fm_interval& found = batch_.intervals[p];
    std::span<std::uint64_t> all = std::span(positions_).subspan(starts_[p], starts_[p + 1] - starts_[p]);
    std::uint64_t total = found.high - found.low;
    if (found.unmatched > 0) {
      total = static_cast<std::uint64_t>(std::remove(all.begin(), all.end(), no_position) - all.begin());
      all = all.first(std::min(total, max_hits_));
    }
    constexpr std::size_t max_sorted_hits = 64; // sorted without looking for an engine
    if (all.size() <= max_sorted_hits)
      std::sort(all.begin(), all.end());
    else
      weft::sort(all, ascending(), {.run = {.device = {device_kind::cpu}, .threads = threads}});
    return {all, total};
  }

private:
  const fm_index::view& index_;
  batch_intervals batch_;
  std::uint64_t max_hits_;
  std::vector<std::uint64_t> starts_; // where each pattern's candidates begin
  positions positions_;
};

// Converts ascending text positions to records and positions in them.
void convert_to_hits(const fm_index::view& index, std::span<const std::uint64_t> where,
                     std::span<fm_hit> hits) {
  const fm_segment* segment = nullptr;
  for (std::size_t i = 0; i < where.size(); ++i) {
    const bool same =
        segment != nullptr && (segment == &index.segments.back() || where[i] < segment[1].start);
    if (!same) segment = &index.segment_of(where[i]);
    hits[i] = {segment->record, segment->begin + (where[i] - segment->start)};
  }
}

// Returns the hits of all patterns, end to end. The hits of a pattern with many candidates are sorted by all
// threads, one such pattern after another.
fm_hits gather_hits(const fm_index::view& index, std::span<const std::unique_ptr<located_batch>> batches,
                    std::uint64_t grain, int threads) {
  constexpr std::uint64_t large_pattern = 1 << 16;
  std::vector<std::span<std::uint64_t>> found;
  for (const auto& each : batches) found.resize(found.size() + each->num_patterns());
  fm_hits result;
  result.totals.resize(found.size());
  const auto sort = [&](std::uint64_t b, bool large) {
    for (std::uint64_t p = 0; p < batches[b]->num_patterns(); ++p)
      if ((batches[b]->num_candidates(p) >= large_pattern) == large)
        std::tie(found[b * grain + p], result.totals[b * grain + p]) =
            batches[b]->hits(p, large ? threads : 1);
  };
  parallel_for(0, batches.size(), 1, threads, [&](std::uint64_t b, std::uint64_t) { sort(b, false); });
  for (std::uint64_t b = 0; b < batches.size(); ++b)
    if (batches[b]->num_candidates() >= large_pattern) sort(b, true);
  result.offsets.reserve(found.size() + 1);
  for (const auto& each : found) result.offsets.push_back(result.offsets.back() + each.size());
  result.hits.resize(result.offsets.back());
  parallel_for(0, found.size(), grain, threads, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t p = first; p < last; ++p)
      convert_to_hits(index, found[p], std::span(result.hits).subspan(result.offsets[p], found[p].size()));
  });
  return result;
}

const fm_index::view& view_of(const fm_index& index) {
  return static_cast<const fm_index::view&>(index.parts()); // parts() returns the base of the view
}

fm_kmers kmers_for(const fm_index::view& index, std::uint64_t num_patterns, const run_options& run) {
  return index.dna() ? index.long_kmers->table_for(index, num_patterns, run) : fm_kmers();
}

void count_patterns(const fm_index::view& index, const sequences_view& patterns, const run_options& run,
                    std::span<std::uint64_t> totals) {
  const fm_kmers kmers = kmers_for(index, totals.size(), run);
  parallel_for(0, totals.size(), batch, run.threads, [&](std::uint64_t first, std::uint64_t last) {
    const batch_intervals found(index, kmers, patterns.data,
                                patterns.offsets.subspan(first, last - first + 1));
    count_batch(index, found, totals.subspan(first, last - first));
    advance(run, last - first);
  });
}

fm_hits locate_patterns(const fm_index::view& index, const sequences_view& patterns, std::uint64_t max_hits,
                        const run_options& run) {
  constexpr std::uint64_t piece = 1 << 12;                       // candidates a piece
  constexpr std::uint64_t max_candidates_of_thread = 16 * batch; // of a batch, for one thread
  const std::uint64_t count = patterns.count();
  const fm_kmers kmers = kmers_for(index, count, run);
  const std::uint64_t grain = std::clamp<std::uint64_t>(
      count / (4 * static_cast<std::uint64_t>(thread_count(run.threads))), 1, batch);
  std::vector<std::unique_ptr<located_batch>> batches((count + grain - 1) / grain);
  parallel_for(0, count, grain, run.threads, [&](std::uint64_t first, std::uint64_t last) {
    auto& located = batches[first / grain];
    located = std::make_unique<located_batch>(index, kmers, patterns.data,
                                              patterns.offsets.subspan(first, last - first + 1), max_hits);
    if (located->num_candidates() <= max_candidates_of_thread) located->find_all();
    advance(run, last - first);
  });
  std::vector<std::pair<located_batch*, std::uint64_t>> pieces; // batches and first candidates
  for (const auto& each : batches)
    for (std::uint64_t c = 0; each->num_candidates() > max_candidates_of_thread && c < each->num_candidates();
         c += piece)
      pieces.emplace_back(each.get(), c);
  parallel_for(0, pieces.size(), 1, run, [&](std::uint64_t i, std::uint64_t) {
    const auto& [in_batch, first] = pieces[i];
    in_batch->find(first, std::min(in_batch->num_candidates(), first + piece));
  });
  return gather_hits(index, batches, grain, run.threads);
}

} // namespace

void search_on_cpu(fm_search_problem& problem) {
  const fm_index::view& index = view_of(problem.index);
  const run_options& run = problem.options.run;
  if (problem.counts != nullptr) {
    problem.counts->assign(problem.patterns.count(), 0);
    count_patterns(index, problem.patterns, run, *problem.counts);
  } else {
    *problem.hits = locate_patterns(index, problem.patterns, problem.options.max_hits, run);
  }
}

} // namespace weft::bwt_detail
