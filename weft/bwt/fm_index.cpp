#include <weft/bwt/fm_index.hpp>

#include <algorithm>
#include <stdexcept>
#include <weft/base/parallel.hpp>
#include <weft/bwt/cpu/fm_build.hpp>
#include <weft/bwt/cpu/fm_open.hpp>
#include <weft/bwt/cpu/fm_search.hpp>

namespace weft {

namespace {

constexpr std::uint64_t batch = 1024; // patterns a thread takes at a time

void check_offsets(std::string_view text, std::span<const std::uint64_t> offsets, const char* what) {
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != text.size() ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    throw std::invalid_argument(std::string(what) + ": offsets ascend from 0 to the size of the text");
}

} // namespace

fm_index fm_index::build(const fm_references& references, const fm_build_options& options) {
  check_offsets(references.text, references.offsets, "fm_index::build");
  if (references.names.size() + 1 != references.offsets.size())
    throw std::invalid_argument("fm_index::build: as many names as records");
  if (options.sa_sample_rate > 1024)
    throw std::invalid_argument("fm_index::build: sa_sample_rate is 1024 at most");
  const detail::fm_writer::block block = detail::build_fm_index(references, options);
  return from_bytes(block.bytes, block.owner);
}

fm_index fm_index::from_bytes(std::span<const char> bytes, std::shared_ptr<const void> owner) {
  return fm_index(detail::open_fm_index(bytes, std::move(owner)));
}

std::span<const char> fm_index::bytes() const noexcept { return view_->bytes; }
fm_alphabet fm_index::alphabet() const noexcept { return static_cast<fm_alphabet>(view_->header.alphabet); }
std::uint64_t fm_index::num_records() const noexcept { return view_->header.num_records; }
std::uint64_t fm_index::num_symbols() const noexcept { return view_->record_offsets.back(); }

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

// The occurrences of a batch of patterns: how many, and if `positions` is given, where in the text (pattern
// by pattern, in the order of rows, at most `most` each).
template <class View>
void search(const View& index, const detail::fm_patterns& patterns, std::span<std::uint64_t> totals,
            std::vector<std::vector<std::uint64_t>>* positions, std::uint64_t most) {
  std::vector<detail::fm_interval> intervals(patterns.count());
  detail::find_intervals(index, patterns, intervals);
  std::vector<detail::fm_candidate> candidates;
  for (std::uint64_t p = 0; p < patterns.count(); ++p) {
    const detail::fm_interval& found = intervals[p];
    const std::uint64_t rows = found.high - found.low;
    if (found.rest == 0) totals[p] = rows;
    const std::uint64_t wanted = found.rest > 0 ? rows : positions != nullptr ? std::min(rows, most) : 0;
    for (std::uint64_t row = found.low; row < found.low + wanted; ++row) candidates.push_back({row, p});
  }
  std::vector<std::uint64_t> where(candidates.size());
  detail::find_positions(index, patterns, intervals, candidates, where);
  for (std::uint64_t c = 0; c < candidates.size(); ++c) {
    const std::uint64_t p = candidates[c].pattern;
    if (where[c] == detail::no_position) continue;
    if (intervals[p].rest > 0) ++totals[p];
    if (positions != nullptr && (*positions)[p].size() < most) (*positions)[p].push_back(where[c]);
  }
}

} // namespace

std::vector<std::uint64_t> fm_index::count(std::string_view patterns, std::span<const std::uint64_t> offsets,
                                           const fm_search_options& options) const {
  check_offsets(patterns, offsets, "fm_index::count");
  std::vector<std::uint64_t> totals(offsets.size() - 1);
  parallel_for(0, totals.size(), batch, options.threads, [&](std::uint64_t first, std::uint64_t last) {
    search(*view_, detail::fm_patterns(*view_, patterns, offsets.subspan(first, last - first + 1)),
           std::span(totals).subspan(first, last - first), nullptr, 0);
    if (options.monitor != nullptr) {
      options.monitor->add(last - first);
      options.monitor->check();
    }
  });
  return totals;
}

fm_hits fm_index::locate(std::string_view patterns, std::span<const std::uint64_t> offsets,
                         const fm_search_options& options) const {
  check_offsets(patterns, offsets, "fm_index::locate");
  const std::uint64_t count = offsets.size() - 1;
  fm_hits result;
  result.totals.resize(count);
  std::vector<std::vector<fm_hit>> hits(count);
  const std::uint64_t grain = std::clamp<std::uint64_t>(
      count / (4 * static_cast<std::uint64_t>(thread_count(options.threads))), 1, batch);
  parallel_for(0, count, grain, options.threads, [&](std::uint64_t first, std::uint64_t last) {
    std::vector<std::vector<std::uint64_t>> positions(last - first);
    search(*view_, detail::fm_patterns(*view_, patterns, offsets.subspan(first, last - first + 1)),
           std::span(result.totals).subspan(first, last - first), &positions, options.max_hits);
    for (std::uint64_t p = first; p < last; ++p) {
      for (const std::uint64_t position : positions[p - first]) {
        const detail::fm_segment& segment = view_->segment_of(position);
        hits[p].push_back({segment.record, segment.begin + (position - segment.start)});
      }
      std::sort(hits[p].begin(), hits[p].end());
    }
    if (options.monitor != nullptr) {
      options.monitor->add(last - first);
      options.monitor->check();
    }
  });
  for (const std::vector<fm_hit>& each : hits) {
    result.hits.insert(result.hits.end(), each.begin(), each.end());
    result.offsets.push_back(result.hits.size());
  }
  return result;
}

std::string fm_index::extract(std::uint64_t record, std::uint64_t begin, std::uint64_t end) const {
  const view& v = *view_;
  if (record >= num_records() || begin > end || end > length(record))
    throw std::invalid_argument("fm_index::extract: there are no such symbols");
  const std::uint64_t first = v.record_offsets[record] + begin, last = v.record_offsets[record] + end;
  std::string result(last - first, 'N');
  // Segments of the record that meet [begin, end): from the last one that begins at or before `begin` on.
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
