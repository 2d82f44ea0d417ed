#include <weft/files/ranks/first_suffixes.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <numeric>
#include <string_view>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/core/fm_parts.hpp>
#include <weft/files/ranks/rank_bytes.hpp>

namespace weft::files {

namespace {

using bwt_detail::fm_parts;
using bwt_detail::fm_segment;

constexpr std::uint64_t bytes_of_candidate = 160; // with its first letters, while it is compared
constexpr std::uint64_t first_letters = 32;       // of each candidate that are compared at first

// Returns the position of the separator behind segment s.
std::uint64_t end_of_segment(const fm_parts& parts, std::uint64_t s) {
  return (s + 1 < parts.segments.size() ? parts.segments[s + 1].start : parts.num_rows) - 1;
}

// Returns the letter at a position of the text that is not a separator.
char letter_at(const fm_parts& parts, std::uint64_t position) {
  if (!parts.dna()) return parts.byte_text[position];
  return "ACGT"[parts.packed_text[position / 32] >> (2 * (position % 32)) & 3];
}

std::uint64_t number_of_segment(const fm_parts& parts, std::uint64_t position) {
  return static_cast<std::uint64_t>(&parts.segment_of(position) - parts.segments.data());
}

// Returns the position of the segment that contains a hit.
const fm_segment& segment_of_hit(const fm_parts& parts, const fm_hit& hit) {
  const auto behind = std::upper_bound(parts.segments.begin(), parts.segments.end(), hit,
                                       [](const fm_hit& at, const fm_segment& segment) {
                                         return at < fm_hit{segment.record, segment.begin};
                                       });
  return *std::prev(behind);
}

// Returns how many letters, with the ends of segments, are equal before two separators.
std::uint64_t common_letters(const fm_parts& parts, std::uint64_t s, std::uint64_t t) {
  std::uint64_t end = end_of_segment(parts, s), other_end = end_of_segment(parts, t), count = 0;
  for (;; --s, --t) {
    const std::uint64_t begin = parts.segments[s].start, other_begin = parts.segments[t].start;
    while (end > begin && other_end > other_begin &&
           letter_at(parts, end - 1) == letter_at(parts, other_end - 1)) {
      --end, --other_end;
      ++count;
    }
    if (end > begin || other_end > other_begin || s == 0) return count;
    --end, --other_end;
    ++count;
  }
}

} // namespace

first_suffixes::first_suffixes(multi::communicator& ranks, const fm_index& own, std::uint64_t first_record)
    : ranks_(ranks), index_(own), first_record_(first_record) {
  const std::uint64_t own_size = own.parts().segments.empty() ? 0 : own.parts().num_rows;
  begins_ = multi::all_gather_number(ranks, own_size);
  begins_.push_back(0);
  std::exclusive_scan(begins_.begin(), begins_.end(), begins_.begin(), std::uint64_t{0});
  tail_begin_ = own_size;
  multi::run_together(ranks, [&] { find_tail(); });
}

// The text of the last rank ends here, and is ordered right. A separator is equal to the last one over at
// max_in_tail as many letters as there are before it.
void first_suffixes::find_tail() {
  const fm_parts& parts = index_.parts();
  const auto self = static_cast<std::size_t>(ranks_.rank());
  if (begins_[self] == begins_[self + 1] || begins_[self + 1] == begins_.back()) return;
  std::uint64_t longest = 0;
  const std::uint64_t last = parts.segments.size() - 1;
  for (std::uint64_t s = last; s-- > 0 && end_of_segment(parts, s) > longest;)
    longest = std::max(longest, common_letters(parts, s, last));
  tail_begin_ = end_of_segment(parts, last) - longest;
  if (longest == 0) return;
  sequences segments;
  for (std::uint64_t s = number_of_segment(parts, tail_begin_); s <= last; ++s)
    segments.add(own_letters(std::max(tail_begin_, parts.segments[s].start), end_of_segment(parts, s)));
  fm_build_options options;
  options.alphabet = index_.alphabet();
  options.run.device = {device_kind::cpu};
  tail_ = fm_index::build(segments, options);
}

std::vector<std::vector<fm_hit>> first_suffixes::hits_in_tail(const sequences_view& patterns) const {
  std::vector<std::vector<fm_hit>> result(patterns.count());
  if (!tail_) return result;
  const fm_parts& parts = index_.parts();
  const std::uint64_t first = number_of_segment(parts, tail_begin_);
  const fm_hits found = tail_->locate(patterns);
  for (std::uint64_t p = 0; p < patterns.count(); ++p)
    for (std::uint64_t h = found.offsets[p]; h < found.offsets[p + 1]; ++h) {
      const fm_segment& segment = parts.segments[first + found.hits[h].record];
      const std::uint64_t begin = std::max(tail_begin_, segment.start) - segment.start;
      result[p].push_back({segment.record, segment.begin + begin + found.hits[h].begin});
    }
  return result;
}

std::vector<std::vector<first_suffixes::candidate>>
first_suffixes::own_candidates(const sequences_view& patterns, fm_search_options options) const {
  const std::vector<std::vector<fm_hit>> in_tail = hits_in_tail(patterns);
  std::uint64_t max_in_tail = 0;
  for (const std::vector<fm_hit>& of_pattern : in_tail)
    max_in_tail = std::max<std::uint64_t>(max_in_tail, of_pattern.size());
  options.max_hits += max_in_tail; // the first ones may be in the tail
  const fm_hits found = index_.locate(patterns, options);
  const fm_parts& parts = index_.parts();
  const std::uint64_t text_begin = begins_[static_cast<std::size_t>(ranks_.rank())];
  std::vector<std::vector<candidate>> result(patterns.count());
  std::vector<fm_hit> all;
  for (std::uint64_t p = 0; p < patterns.count(); ++p) {
    all.clear();
    const fm_hit* const hits = found.hits.data();
    std::set_union(hits + found.offsets[p], hits + found.offsets[p + 1], in_tail[p].begin(), in_tail[p].end(),
                   std::back_inserter(all));
    for (const fm_hit& hit : all) {
      const fm_segment& segment = segment_of_hit(parts, hit);
      result[p].push_back({{hit.record + first_record_, hit.begin},
                           text_begin + segment.start + hit.begin - segment.begin + patterns.size(p)});
    }
  }
  return result;
}

std::vector<std::vector<fm_hit>> first_suffixes::locate(const sequences_view& patterns,
                                                        std::span<const std::uint64_t> totals,
                                                        const fm_search_options& options,
                                                        std::uint64_t memory) {
  std::uint64_t max_in_tail = 0; // hits of a pattern in a tail
  multi::call_together(ranks_, [&] {
    for (const std::vector<fm_hit>& hits : hits_in_tail(patterns))
      max_in_tail = std::max<std::uint64_t>(max_in_tail, hits.size());
  });
  max_in_tail = multi::reduce_number(ranks_, max_in_tail, multi::reduction::max);
  const std::uint64_t max_candidates = memory / bytes_of_candidate,
                      of_ranks = static_cast<std::uint64_t>(ranks_.size()) *
                                 (std::min(options.max_hits, max_candidates + 1) + 2 * max_in_tail);
  std::vector<std::vector<fm_hit>> result;
  for (std::uint64_t first = 0, last = 0; first < patterns.count(); first = last) {
    std::uint64_t candidates = 0;
    for (; last < patterns.count(); ++last) {
      const std::uint64_t more = std::min(totals[last], of_ranks);
      if (more > max_candidates)
        throw multi::common_failure{
            {errc::out_of_memory,
             fmt::format(
                 "the first {} occurrences of '{}' do not fit in {} of memory, because finding them takes "
                 "{}: list fewer, or allow more memory",
                 options.max_hits, patterns[last].substr(0, 80), format_size(memory),
                 format_size(more * bytes_of_candidate)),
             0}};
      if (candidates + more > max_candidates) break;
      candidates += more;
    }
    std::vector<std::uint64_t> offsets(patterns.offsets.begin() + static_cast<std::ptrdiff_t>(first),
                                       patterns.offsets.begin() + static_cast<std::ptrdiff_t>(last) + 1);
    const std::uint64_t begin = offsets.front();
    for (std::uint64_t& offset : offsets) offset -= begin;
    locate_group({patterns.data.substr(begin, offsets.back()), offsets}, options, memory, result);
  }
  return result;
}

void first_suffixes::locate_group(const sequences_view& patterns, const fm_search_options& options,
                                  std::uint64_t memory, std::vector<std::vector<fm_hit>>& result) {
  std::vector<std::vector<candidate>> own;
  multi::call_together(ranks_, [&] { own = own_candidates(patterns, options); });
  std::vector<contest> contests = gather(own);
  order(contests, options.max_hits, memory);
  for (contest& of_pattern : contests) {
    std::vector<fm_hit>& hits = result.emplace_back();
    for (std::uint64_t i = 0; i < options.max_hits; ++i) hits.push_back(of_pattern.candidates[i].hit);
    std::sort(hits.begin(), hits.end());
  }
}

std::vector<first_suffixes::contest> first_suffixes::gather(const std::vector<std::vector<candidate>>& own) {
  std::vector<std::uint64_t> counts;
  std::vector<candidate> candidates;
  for (const std::vector<candidate>& of_pattern : own) {
    counts.push_back(of_pattern.size());
    candidates.insert(candidates.end(), of_pattern.begin(), of_pattern.end());
  }
  if (ranks_.rank() != 0) {
    send_items(ranks_, counts, 0);
    send_items(ranks_, candidates, 0);
    return {};
  }
  std::vector<contest> contests(own.size());
  for (int rank = 0; rank < ranks_.size(); ++rank) {
    if (rank > 0) {
      receive_items(ranks_, counts, rank);
      receive_items(ranks_, candidates, rank);
    }
    auto at = candidates.begin();
    for (std::size_t p = 0; p < contests.size(); ++p) {
      const auto end = at + static_cast<std::ptrdiff_t>(counts[p]);
      contests[p].candidates.insert(contests[p].candidates.end(), at, end);
      contests[p].high = contests[p].candidates.size();
      at = end;
    }
  }
  return contests;
}

// Each round sorts the candidates between `low` and `high` by their next letters. Those that are equal to the
// last one that is listed remain, unless this one is the last of them.
void first_suffixes::order(std::vector<contest>& contests, std::uint64_t max_hits, std::uint64_t memory) {
  constexpr std::uint64_t max_letters = std::uint64_t{1} << 20;
  std::vector<std::uint64_t> positions, numbers;
  std::vector<candidate> sorted;
  std::string letters;
  for (std::uint64_t known = 0, size = first_letters;; known += size) {
    positions.clear();
    for (const contest& open : contests)
      for (std::uint64_t i = open.low; max_hits > open.low && max_hits < open.high && i < open.high; ++i)
        positions.push_back(open.candidates[i].position + known);
    if (known > 0 && !positions.empty())
      size = std::clamp(memory / 4 / positions.size(), first_letters, max_letters);
    if (!letters_from(positions, size, letters)) return;
    const auto letters_of = [&](std::uint64_t i) { return std::string_view(letters).substr(i * size, size); };
    std::uint64_t next = 0; // index in positions
    for (contest& open : contests) {
      if (max_hits <= open.low || max_hits >= open.high) continue;
      const std::uint64_t count = open.high - open.low, low = open.low;
      numbers.resize(count);
      std::iota(numbers.begin(), numbers.end(), next);
      std::sort(numbers.begin(), numbers.end(),
                [&](std::uint64_t a, std::uint64_t b) { return letters_of(a) < letters_of(b); });
      sorted.clear();
      for (const std::uint64_t i : numbers) sorted.push_back(open.candidates[low + i - next]);
      std::copy(sorted.begin(), sorted.end(), open.candidates.begin() + static_cast<std::ptrdiff_t>(low));
      const auto [begin, end] =
          std::equal_range(numbers.begin(), numbers.end(), numbers[max_hits - low - 1],
                           [&](std::uint64_t a, std::uint64_t b) { return letters_of(a) < letters_of(b); });
      open.low = low + static_cast<std::uint64_t>(begin - numbers.begin());
      open.high = low + static_cast<std::uint64_t>(end - numbers.begin());
      next += count;
    }
  }
}

bool first_suffixes::letters_from(std::vector<std::uint64_t> positions, std::uint64_t size,
                                  std::string& letters) {
  ranks_.broadcast(std::as_writable_bytes(std::span(&size, 1)), 0);
  broadcast_items(ranks_, positions);
  if (positions.empty()) return false;
  // Calls each(i, begin, end) for the parts of the letters that a rank has.
  const auto visit = [&](int rank, const auto& each) {
    const std::uint64_t rank_begin = begins_[static_cast<std::size_t>(rank)],
                        rank_end = begins_[static_cast<std::size_t>(rank) + 1];
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const std::uint64_t begin = std::max(rank_begin, positions[i]),
                          end = std::min(rank_end, positions[i] + size);
      if (begin < end) each(i, begin, end);
    }
  };
  std::string own;
  const std::uint64_t own_begin = begins_[static_cast<std::size_t>(ranks_.rank())];
  visit(ranks_.rank(), [&](std::size_t, std::uint64_t begin, std::uint64_t end) {
    own += own_letters(begin - own_begin, end - own_begin);
  });
  if (ranks_.rank() != 0) {
    multi::send_text(ranks_, own, 0);
    return true;
  }
  letters.assign(positions.size() * size, '\0');
  for (int rank = 0; rank < ranks_.size(); ++rank) {
    if (rank > 0) own = multi::receive_text(ranks_, rank);
    std::uint64_t at = 0;
    visit(rank, [&](std::size_t i, std::uint64_t begin, std::uint64_t end) {
      own.copy(letters.data() + i * size + (begin - positions[i]), end - begin, at);
      at += end - begin;
    });
  }
  return true;
}

std::string first_suffixes::own_letters(std::uint64_t begin, std::uint64_t end) const {
  std::string letters;
  if (begin == end) return letters;
  const fm_parts& parts = index_.parts();
  letters.reserve(end - begin);
  std::uint64_t s = number_of_segment(parts, begin), segment_end = end_of_segment(parts, s);
  for (std::uint64_t i = begin; i < end; ++i) {
    if (i < segment_end) {
      letters += letter_at(parts, i);
    } else {
      letters += '\0';
      if (i + 1 < end) segment_end = end_of_segment(parts, ++s);
    }
  }
  return letters;
}

} // namespace weft::files
