#include <weft/bwt/fm_index.hpp>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <weft/base/parallel.hpp>
#include <weft/bwt/cpu/fm_build.hpp>
#include <weft/bwt/cpu/fm_open.hpp>
#include <weft/bwt/cpu/fm_search.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/entry/gpu_find.hpp>
#include <weft/sort/sort.hpp>

namespace weft {

namespace {

constexpr std::uint64_t batch = 1024; // patterns that a thread takes at a time

} // namespace

fm_index fm_index::build(const fm_references& references, const fm_build_options& options) {
  detail::check_offsets(references.text.size(), references.offsets, "fm_index::build");
  if (references.names.size() + 1 != references.offsets.size())
    throw std::invalid_argument("fm_index::build: as many names as records");
  if (options.sa_sample_rate > 1024)
    throw std::invalid_argument("fm_index::build: sa_sample_rate is 1024 at most");
  const detail::fm_writer::block block = detail::build_fm_index(references, options);
  return from_bytes(block.bytes, block.owner);
}

fm_index fm_index::from_bytes(std::span<const char> bytes, std::shared_ptr<const void> owner) {
  return {detail::open_fm_index(bytes, std::move(owner)), detail::make_fm_device_copies()};
}

const detail::fm_parts& fm_index::parts() const noexcept { return *view_; }

std::span<const char> fm_index::bytes() const noexcept { return view_->bytes; }
fm_alphabet fm_index::alphabet() const noexcept { return static_cast<fm_alphabet>(view_->header.alphabet); }
std::uint64_t fm_index::num_records() const noexcept { return view_->header.num_records; }
std::uint64_t fm_index::num_symbols() const noexcept { return view_->record_offsets.back(); }

std::uint32_t fm_index::sa_sample_rate() const noexcept { return view_->header.sample_rate; }

std::string_view fm_index::name(std::uint64_t record) const {
  if (record >= num_records()) throw std::invalid_argument("fm_index::name: there is no such record");
  const std::uint64_t begin = view_->name_offsets[record];
  return {view_->names.data() + begin, view_->name_offsets[record + 1] - begin};
}

std::uint64_t fm_index::length(std::uint64_t record) const {
  if (record >= num_records()) throw std::invalid_argument("fm_index::length: there is no such record");
  return view_->record_offsets[record + 1] - view_->record_offsets[record];
}

namespace {

using positions = std::vector<std::uint64_t>;

// The patterns of a batch, and their intervals.
struct batch_search {
  batch_search(const fm_index::view& index, std::string_view text, std::span<const std::uint64_t> offsets)
      : patterns(index, text, offsets), intervals(patterns.count()) {
    detail::find_intervals(index, patterns, intervals);
  }
  detail::fm_patterns patterns;
  std::vector<detail::fm_interval> intervals;
};

// Sets totals[p] for patterns whose interval is complete, and counts the occurrences of the other patterns,
// of which some symbols must still be compared with the text before each row.
void count_rest(const fm_index::view& index, const batch_search& of, std::span<std::uint64_t> totals) {
  std::vector<detail::fm_candidate> candidates;
  for (std::uint64_t p = 0; p < totals.size(); ++p) {
    const detail::fm_interval& found = of.intervals[p];
    if (found.rest == 0) totals[p] = found.high - found.low;
    for (std::uint64_t row = found.low; found.rest > 0 && row < found.high; ++row)
      candidates.push_back({row, p});
  }
  positions where(candidates.size());
  detail::find_positions(index, of.patterns, of.intervals, candidates, where);
  for (std::uint64_t c = 0; c < candidates.size(); ++c)
    if (where[c] != detail::no_position) ++totals[candidates[c].pattern];
}

void advance(const fm_search_options& options, std::uint64_t patterns) {
  if (options.monitor == nullptr) return;
  options.monitor->add(patterns);
  options.monitor->check();
}

// Locates a batch of patterns: finds their intervals first, then the positions of candidate rows. Threads
// take pieces of the candidates of any batch, so a pattern with many occurrences is work for all threads.
class located_batch {
public:
  located_batch(const fm_index::view& index, std::string_view text, std::span<const std::uint64_t> offsets,
                std::uint64_t max_hits)
      : index_(index), search_(index, text, offsets), max_hits_(max_hits), starts_{0} {
    for (const detail::fm_interval& found : search_.intervals) {
      const std::uint64_t rows = found.high - found.low;
      starts_.push_back(starts_.back() + (found.rest > 0 ? rows : std::min(rows, max_hits)));
    }
    positions_.resize(starts_.back());
  }
  [[nodiscard]] std::uint64_t num_candidates() const noexcept { return starts_.back(); }
  [[nodiscard]] std::uint64_t num_candidates(std::uint64_t p) const { return starts_[p + 1] - starts_[p]; }
  [[nodiscard]] std::uint64_t num_patterns() const noexcept { return starts_.size() - 1; }

  // Finds the positions of candidates [first, last).
  void find(std::uint64_t first, std::uint64_t last) {
    std::vector<detail::fm_candidate> candidates;
    candidates.reserve(last - first);
    auto p = static_cast<std::uint64_t>(std::upper_bound(starts_.begin(), starts_.end(), first) -
                                        starts_.begin() - 1);
    for (std::uint64_t c = first; c < last; ++c) {
      while (c == starts_[p + 1]) ++p;
      candidates.push_back({search_.intervals[p].low + (c - starts_[p]), p});
    }
    detail::find_positions(index_, search_.patterns, search_.intervals, candidates,
                           std::span(positions_).subspan(first, last - first));
  }

  // Returns the positions of at most max_hits occurrences of a pattern, the first ones by rows, in the order
  // of the text, and how often it occurs in all.
  [[nodiscard]] std::pair<std::span<std::uint64_t>, std::uint64_t> hits(std::uint64_t p, int threads) {
    const detail::fm_interval& found = search_.intervals[p];
    std::span<std::uint64_t> all = std::span(positions_).subspan(starts_[p], starts_[p + 1] - starts_[p]);
    std::uint64_t total = found.high - found.low;
    if (found.rest > 0) {
      total =
          static_cast<std::uint64_t>(std::remove(all.begin(), all.end(), detail::no_position) - all.begin());
      all = all.first(std::min(total, max_hits_));
    }
    if (all.size() > 1) weft::sort(all, ascending(), {.device = {device_kind::cpu}, .threads = threads});
    return {all, total};
  }

private:
  const fm_index::view& index_;
  batch_search search_;
  std::uint64_t max_hits_;
  std::vector<std::uint64_t> starts_; // where each pattern's candidates begin
  positions positions_;
};

// Converts ascending text positions to records and positions in them.
void convert_to_hits(const fm_index::view& index, std::span<const std::uint64_t> where,
                     std::span<fm_hit> hits) {
  const detail::fm_segment* segment = nullptr;
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

} // namespace

std::vector<std::uint64_t> fm_index::count(std::string_view patterns, std::span<const std::uint64_t> offsets,
                                           const fm_search_options& options) const {
  detail::check_offsets(patterns.size(), offsets, "fm_index::count");
  const auto on_gpu = [&](int gpu) {
    return detail::count_on_gpu(*this, *copies_, gpu, patterns, offsets, options);
  };
  if (auto counts = detail::try_gpu(*this, copies_.get(), offsets.size() - 1, options, on_gpu))
    return std::move(*counts);
  std::vector<std::uint64_t> totals(offsets.size() - 1);
  parallel_for(0, totals.size(), batch, options.threads, [&](std::uint64_t first, std::uint64_t last) {
    const batch_search found(*view_, patterns, offsets.subspan(first, last - first + 1));
    count_rest(*view_, found, std::span(totals).subspan(first, last - first));
    advance(options, last - first);
  });
  return totals;
}

fm_hits fm_index::locate(std::string_view patterns, std::span<const std::uint64_t> offsets,
                         const fm_search_options& options) const {
  constexpr std::uint64_t piece = 1 << 12; // candidates a piece
  detail::check_offsets(patterns.size(), offsets, "fm_index::locate");
  const auto on_gpu = [&](int gpu) {
    return detail::locate_on_gpu(*this, *copies_, gpu, patterns, offsets, options);
  };
  if (auto hits = detail::try_gpu(*this, copies_.get(), offsets.size() - 1, options, on_gpu))
    return std::move(*hits);
  const std::uint64_t count = offsets.size() - 1;
  const std::uint64_t grain = std::clamp<std::uint64_t>(
      count / (4 * static_cast<std::uint64_t>(thread_count(options.threads))), 1, batch);
  std::vector<std::unique_ptr<located_batch>> batches((count + grain - 1) / grain);
  parallel_for(0, count, grain, options.threads, [&](std::uint64_t first, std::uint64_t last) {
    batches[first / grain] = std::make_unique<located_batch>(
        *view_, patterns, offsets.subspan(first, last - first + 1), options.max_hits);
    advance(options, last - first);
  });
  std::vector<std::pair<located_batch*, std::uint64_t>> pieces; // batches and first candidates
  for (const auto& each : batches)
    for (std::uint64_t c = 0; c < each->num_candidates(); c += piece) pieces.emplace_back(each.get(), c);
  parallel_for(0, pieces.size(), 1, options.threads, [&](std::uint64_t i, std::uint64_t) {
    const auto& [of, first] = pieces[i];
    of->find(first, std::min(of->num_candidates(), first + piece));
    advance(options, 0);
  });
  return gather_hits(*view_, batches, grain, options.threads);
}

std::string fm_index::extract(std::uint64_t record, std::uint64_t begin, std::uint64_t end) const {
  const view& v = *view_;
  if (record >= num_records() || begin > end || end > length(record))
    throw std::invalid_argument("fm_index::extract: there are no such symbols");
  const std::uint64_t first = v.record_offsets[record] + begin, last = v.record_offsets[record] + end;
  std::string result(last - first, 'N');
  // Finds the segments of the record that overlap [begin, end), from the last one that begins at or before
  // `begin` on.
  auto segment = std::upper_bound(
      v.segments.begin(), v.segments.end(), std::pair(record, begin),
      [](const auto& at, const detail::fm_segment& s) { return at < std::pair(s.record, s.begin); });
  if (segment != v.segments.begin()) --segment;
  for (; segment != v.segments.end() && segment->record <= record; ++segment) {
    if (segment->record < record) continue;
    const std::uint64_t size =
        (segment + 1 != v.segments.end() ? (segment + 1)->start : v.header.num_rows) - 1 - segment->start;
    for (std::uint64_t i = std::max(begin, segment->begin); i < std::min(end, segment->begin + size); ++i) {
      const std::uint64_t at = segment->start + (i - segment->begin);
      result[i - begin] = v.dna() ? "ACGT"[v.packed_text[at / 32] >> (2 * (at % 32)) & 3] : v.byte_text[at];
    }
    if (segment->begin >= end) break;
  }
  auto run =
      std::upper_bound(v.other_letters.begin(), v.other_letters.end(), first,
                       [](std::uint64_t at, const detail::fm_run& r) { return at < r.position + r.length; });
  for (; run != v.other_letters.end() && run->position < last; ++run)
    for (std::uint64_t i = std::max(first, run->position); i < std::min(last, run->position + run->length);
         ++i)
      result[i - first] = static_cast<char>(run->letter);
  return result;
}

} // namespace weft
