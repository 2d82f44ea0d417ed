#include <weft/files/ranks/first_suffixes.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>

namespace weft::files {

namespace {

constexpr std::uint64_t bytes_of_candidate = 192; // with its first letters, while it is compared

} // namespace

first_suffixes::first_suffixes(multi::communicator& ranks, const fm_index& own, std::uint64_t first_record)
    : ranks_(ranks), text_(own), first_record_(first_record), letters_(ranks, text_) {}

std::uint64_t first_suffixes::common_letters(const own_hit& a, const own_hit& b) const {
  return text_.common_prefix(
      a.behind, b.behind, std::min(text_.end_of(a.segment) - a.behind, text_.end_of(b.segment) - b.behind));
}

bool first_suffixes::is_before(const own_hit& a, const own_hit& b) const {
  const std::uint64_t equal = common_letters(a, b);
  const bool a_ends = a.behind + equal == text_.end_of(a.segment),
             b_ends = b.behind + equal == text_.end_of(b.segment);
  if (a_ends && b_ends) return segments_->rank_behind(a.segment) < segments_->rank_behind(b.segment);
  if (a_ends || b_ends) return a_ends;
  return static_cast<unsigned char>(text_.letter(a.behind + equal)) <
         static_cast<unsigned char>(text_.letter(b.behind + equal));
}

void first_suffixes::replace_last(std::vector<own_hit>& hits, std::uint64_t pattern_size) const {
  const own_hit last = hits.back();
  const std::uint64_t size = text_.end_of(last.segment) - last.behind;
  const auto is_other = [&](const own_hit& hit) {
    return text_.end_of(hit.segment) - hit.behind != size || common_letters(hit, last) != size;
  };
  const auto first_equal = std::partition_point(hits.begin(), hits.end(), is_other);
  const auto count = static_cast<std::uint64_t>(hits.end() - first_equal);
  auto to = first_equal;
  for (const std::uint64_t s : segments_->first_with_end(last.segment, size + pattern_size, count))
    *to++ = {s, text_.end_of(s) - size};
}

std::vector<std::vector<first_suffixes::candidate>>
first_suffixes::own_candidates(const sequences_view& patterns, const fm_hits& own, std::uint64_t first,
                               std::uint64_t last, std::uint64_t max_hits, const run_options& run) const {
  std::vector<std::vector<candidate>> result(last - first);
  parallel_for(first, last, 1, run, [&](std::uint64_t p, std::uint64_t) {
    const std::uint64_t pattern_size = patterns.size(p);
    std::vector<own_hit> hits;
    for (std::uint64_t h = own.offsets[p]; h < own.offsets[p + 1]; ++h) {
      const std::uint64_t s = text_.segment_of(own.hits[h]);
      hits.push_back({s, text_.begin_of(s) + own.hits[h].begin - text_.segment(s).begin + pattern_size});
    }
    std::sort(hits.begin(), hits.end(),
              [this](const own_hit& a, const own_hit& b) { return is_before(a, b); });
    if (!hits.empty() && hits.size() == max_hits) replace_last(hits, pattern_size);
    for (std::size_t i = 0; i < hits.size(); ++i) {
      const auto [s, behind] = hits[i];
      const bwt_detail::fm_segment& segment = text_.segment(s);
      result[p - first].push_back(
          {{segment.record + first_record_, segment.begin + behind - pattern_size - segment.start},
           {letters_.own_begin() + behind, i == 0 ? 0 : common_letters(hits[i - 1], hits[i]),
            segments_->name_of(s), text_.end_of(s) - behind},
           segments_->rank_behind(s)});
    }
  });
  return result;
}

std::vector<std::vector<fm_hit>> first_suffixes::locate(const sequences_view& patterns, const fm_hits& own,
                                                        std::span<const std::uint64_t> totals,
                                                        std::uint64_t max_hits, const run_options& run,
                                                        std::uint64_t memory, int asker) {
  if (!segments_) segments_.emplace(ranks_, letters_, text_, run);
  const std::uint64_t max_candidates = memory / bytes_of_candidate,
                      max_of_rank = std::min(max_hits, max_candidates + 1);
  std::vector<std::vector<fm_hit>> result;
  for (std::uint64_t first = 0, last = 0; first < patterns.count(); first = last) {
    for (std::uint64_t candidates = 0; last < patterns.count(); ++last) {
      const std::uint64_t more =
          std::min(totals[last], static_cast<std::uint64_t>(ranks_.size()) * max_of_rank);
      if (more > max_candidates)
        throw multi::common_failure{
            {errc::out_of_memory,
             fmt::format(
                 "the first {} occurrences of '{}' do not fit in {} of memory, because finding them takes "
                 "{}: list fewer, or allow more memory",
                 max_hits, patterns[last].substr(0, 80), format_size(memory),
                 format_size(more * bytes_of_candidate)),
             0}};
      candidates += more;
      if (candidates > max_candidates) break;
    }
    std::vector<std::vector<candidate>> candidates;
    multi::call_together(ranks_,
                         [&] { candidates = own_candidates(patterns, own, first, last, max_hits, run); });
    merge(candidates, max_hits, memory, asker, result);
  }
  return result;
}

void first_suffixes::merge(const std::vector<std::vector<candidate>>& own, std::uint64_t max_hits,
                           std::uint64_t memory, int asker, std::vector<std::vector<fm_hit>>& result) {
  std::vector<std::uint64_t> counts;
  std::vector<candidate> candidates;
  for (const std::vector<candidate>& of_pattern : own) {
    counts.push_back(of_pattern.size());
    candidates.insert(candidates.end(), of_pattern.begin(), of_pattern.end());
  }
  if (ranks_.rank() != asker) {
    multi::send_items(ranks_, counts, asker);
    multi::send_items(ranks_, candidates, asker);
    letters_.help(asker);
    return;
  }
  std::vector<std::vector<candidate>> all = own;
  for (int rank = 0; rank < ranks_.size(); ++rank) {
    if (rank == asker) continue;
    multi::receive_items(ranks_, counts, rank);
    multi::receive_items(ranks_, candidates, rank);
    auto at = candidates.begin();
    for (std::size_t p = 0; p < all.size(); ++p) {
      const auto end = at + static_cast<std::ptrdiff_t>(counts[p]);
      all[p].insert(all[p].end(), at, end);
      at = end;
    }
  }
  candidates.clear();
  std::vector<text_stretch> stretches;
  std::vector<stretch_range> ranges;
  for (const std::vector<candidate>& of_pattern : all) {
    const std::uint64_t begin = candidates.size();
    candidates.insert(candidates.end(), of_pattern.begin(), of_pattern.end());
    ranges.push_back({begin, candidates.size(), begin + max_hits});
  }
  for (const candidate& each : candidates) stretches.push_back(each.behind);
  stretch_order order = letters_.sort(stretches, ranges, false, memory / 4);
  for (const stretch_range& equal : order.equal)
    std::sort(order.numbers.begin() + static_cast<std::ptrdiff_t>(equal.begin),
              order.numbers.begin() + static_cast<std::ptrdiff_t>(equal.end),
              [&](std::uint64_t a, std::uint64_t b) {
                return candidates[a].rank_behind < candidates[b].rank_behind;
              });
  for (const stretch_range& range : ranges) {
    std::vector<fm_hit>& hits = result.emplace_back();
    for (std::uint64_t i = range.begin; i < range.wanted; ++i)
      hits.push_back(candidates[order.numbers[i]].hit);
    std::sort(hits.begin(), hits.end());
  }
}

} // namespace weft::files
