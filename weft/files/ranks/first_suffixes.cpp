#include <weft/files/ranks/first_suffixes.hpp>

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <iterator>
#include <numeric>
#include <string_view>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/run.hpp>
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

// Returns the segment that contains a hit.
const fm_segment& segment_of_hit(const fm_parts& parts, const fm_hit& hit) {
  const auto behind = std::upper_bound(parts.segments.begin(), parts.segments.end(), hit,
                                       [](const fm_hit& at, const fm_segment& segment) {
                                         return at < fm_hit{segment.record, segment.begin};
                                       });
  return *std::prev(behind);
}

// Reads a text from its last separator back to its begin.
class backward_reader {
public:
  explicit backward_reader(const fm_parts& parts)
      : parts_(parts), left_(parts.num_rows), segment_(parts.segments.size()) {}

  // Returns the symbol before those that were read; a separator is a zero byte.
  char next() {
    if (segment_ < parts_.segments.size() && left_ > parts_.segments[segment_].start)
      return letter_at(parts_, --left_);
    --segment_, --left_;
    return '\0';
  }
  // Skips the letters before the separator that was read last.
  void skip_letters() { left_ = parts_.segments[segment_].start; }
  [[nodiscard]] bool at_begin() const { return left_ == 0; }

private:
  const fm_parts& parts_;
  std::uint64_t left_, segment_; // symbols that were not read, and the segment of the last one that was
};

// A string, and for each prefix of it the size of its longest proper prefix that is also its end.
class bordered_string {
public:
  explicit bordered_string(char first) : letters_(1, first), borders_(1, 0) {}

  // Returns the size of the longest prefix that ends in `next`, after the prefix of size `matched`.
  [[nodiscard]] std::uint64_t advance(std::uint64_t matched, char next) const {
    while (matched > 0 && letters_[matched] != next) matched = borders_[matched - 1];
    return matched + (letters_[matched] == next ? 1 : 0);
  }
  void append(char next) {
    borders_.push_back(advance(borders_.back(), next));
    letters_ += next;
  }
  [[nodiscard]] std::uint64_t size() const { return borders_.size(); }

private:
  std::string letters_;
  std::deque<std::uint64_t> borders_;
};

// Returns how many letters, with separators, the longest end of the text has that occurs once more before
// another separator. In the text from its end on, this is the longest prefix that occurs once more, which the
// algorithm of Knuth, Morris and Pratt (SIAM J. Comput. 6 (1977) 323-350) finds in O(n) time. The prefix is
// stored only as far as it occurred once more.
std::uint64_t size_of_tail(const fm_parts& parts, const run_options& run) {
  constexpr std::uint64_t bytes_of_letter = 10, symbols_between_checks = std::uint64_t{1} << 20;
  const std::uint64_t max_size = memory_limit(run.memory) / bytes_of_letter;
  backward_reader text(parts), end(parts);
  bordered_string prefix(end.next());
  std::uint64_t matched = 0;
  (void)text.next();
  for (std::uint64_t step = 0;; ++step) {
    if (step % symbols_between_checks == 0) base_detail::check_cancelled(run);
    if (matched == 0) text.skip_letters();
    if (text.at_begin()) return std::max<std::uint64_t>(prefix.size(), 2) - 2;
    matched = prefix.advance(matched, text.next());
    if (matched < prefix.size()) continue;
    prefix.append(end.next());
    if (prefix.size() > max_size)
      throw memory_error(
          fmt::format("finding the first occurrences of a pattern takes more than {} of memory, "
                      "because the records repeat themselves: list all occurrences, or allow "
                      "more memory",
                      format_size(memory_limit(run.memory))));
  }
}

// Returns the options of a search in a tail, which lists all hits.
fm_search_options options_in_tail(const fm_search_options& options) {
  fm_search_options result;
  result.run.device = {device_kind::cpu};
  result.run.threads = options.run.threads;
  result.run.memory = options.run.memory;
  result.run.monitor = options.run.monitor;
  return result;
}

} // namespace

first_suffixes::first_suffixes(multi::communicator& ranks, const fm_index& own, std::uint64_t first_record)
    : ranks_(ranks), index_(own), first_record_(first_record) {
  const std::uint64_t own_size = own.parts().segments.empty() ? 0 : own.parts().num_rows;
  begins_ = multi::all_gather_number(ranks, own_size);
  begins_.push_back(0);
  std::exclusive_scan(begins_.begin(), begins_.end(), begins_.begin(), std::uint64_t{0});
}

// The text of the last rank ends here, and is ordered right. A separator is equal to the last one over at
// most as many letters as there are before it.
void first_suffixes::find_tail(const run_options& run) {
  const fm_parts& parts = index_.parts();
  const auto self = static_cast<std::size_t>(ranks_.rank());
  if (tail_ || begins_[self] == begins_[self + 1] || begins_[self + 1] == begins_.back()) return;
  const std::uint64_t longest = size_of_tail(parts, run), last = parts.segments.size() - 1;
  if (longest == 0) return;
  tail_begin_ = end_of_segment(parts, last) - longest;
  sequences segments;
  for (std::uint64_t s = number_of_segment(parts, tail_begin_); s <= last; ++s)
    segments.add(own_letters(std::max(tail_begin_, parts.segments[s].start), end_of_segment(parts, s)));
  fm_build_options options;
  options.alphabet = index_.alphabet();
  options.run.device = {device_kind::cpu};
  options.run.threads = run.threads;
  options.run.memory = memory_left(run.memory, longest);
  options.run.monitor = run.monitor;
  tail_ = fm_index::build(segments, options);
}

std::vector<std::uint64_t> first_suffixes::max_in_tails(const sequences_view& patterns,
                                                        const fm_search_options& options) {
  std::vector<std::uint64_t> counts(patterns.count());
  multi::call_together(ranks_, [&] {
    if (tail_) counts = tail_->count(patterns, options_in_tail(options));
  });
  ranks_.all_reduce(counts, multi::reduction::max);
  return counts;
}

std::vector<std::vector<fm_hit>> first_suffixes::hits_in_tail(const sequences_view& patterns,
                                                              const fm_search_options& options) const {
  std::vector<std::vector<fm_hit>> result(patterns.count());
  if (!tail_) return result;
  const fm_parts& parts = index_.parts();
  const std::uint64_t first = number_of_segment(parts, tail_begin_);
  const fm_hits found = tail_->locate(patterns, options_in_tail(options));
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
  const std::vector<std::vector<fm_hit>> in_tail = hits_in_tail(patterns, options);
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
  if (!knows_tail_) multi::call_together(ranks_, [&] { find_tail(options.run); });
  knows_tail_ = true;
  const std::uint64_t bytes_of_tail =
      multi::reduce_number(ranks_, tail_ ? tail_->bytes().size() : 0, multi::reduction::max);
  memory = std::min(memory, memory_left(2 * memory, bytes_of_tail));
  const std::vector<std::uint64_t> in_tails = max_in_tails(patterns, options);
  const std::uint64_t max_candidates = memory / bytes_of_candidate,
                      max_hits = std::min(options.max_hits, max_candidates + 1);
  std::vector<std::vector<fm_hit>> result;
  for (std::uint64_t first = 0, last = 0; first < patterns.count(); first = last) {
    std::uint64_t each = 0; // candidates of a pattern, if all have as many hits in tails
    for (; last < patterns.count(); ++last) {
      const std::uint64_t more =
          std::min(totals[last], static_cast<std::uint64_t>(ranks_.size()) * (max_hits + 2 * in_tails[last]));
      if (more > max_candidates)
        throw multi::common_failure{
            {errc::out_of_memory,
             fmt::format(
                 "the first {} occurrences of '{}' do not fit in {} of memory, because finding them takes "
                 "{}: list fewer, or allow more memory",
                 options.max_hits, patterns[last].substr(0, 80), format_size(memory),
                 format_size(more * bytes_of_candidate)),
             0}};
      if (std::max(each, more) * (last - first + 1) > max_candidates) break;
      each = std::max(each, more);
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
// last one that is listed remain, unless this one is the last of them. The known letters double in each round
// if the memory allows it, so that at most twice the letters are compared that tell candidates apart.
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
      size = std::clamp(std::min(known, memory / 4 / positions.size()), first_letters, max_letters);
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
