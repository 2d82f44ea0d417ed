#include <weft/scan/entry/ranges.hpp>

#include <algorithm>
#include <mutex>
#include <utility>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/scan/core/engine.hpp>

namespace weft::scan_detail {

namespace {

// Resolves the occurrences of the range [begin, end): feed(resolver) adds them. If `with_optional_starts`,
// also finds the matches of optional-start motifs. If `counts` is not null, matches are added to it.
template <class Feed>
range_matches resolve_range(const motif_set::compiled& motifs, const sequences_view& sequences,
                            const scan_options& options, std::uint64_t begin, std::uint64_t end,
                            bool with_optional_starts, std::uint64_t* counts, const Feed& feed) {
  base_detail::check_cancelled(options.run);
  range_matches range;
  resolver resolve(motifs, sequences, options, begin, end, counts);
  feed(resolve);
  if (with_optional_starts) resolve.add_optional_start_motifs();
  resolve.finish(range.found, range.boundary);
  base_detail::add_work(options.run, end - begin);
  return range;
}

// The codes of the occurrences that a searcher has found in a text that begins at `origin` of the batch.
class code_list {
public:
  // `codes` ascends.
  code_list(std::span<const std::uint64_t> codes, std::size_t motifs, std::uint64_t origin, edge which)
      : motifs_(motifs), origin_(origin), position_shift_(which == edge::ends ? 1 : 0) {
    motif_begins_.push_back(codes.begin());
    for (std::uint64_t motif = 1; motif <= motifs; ++motif)
      motif_begins_.push_back(
          motif == motifs ? codes.end()
                          : std::lower_bound(motif_begins_.back(), codes.end(), motif << position_bits));
  }

  // Adds the occurrences of the range [begin, end) of the batch to a resolver, in one block, or in several if
  // there are many.
  void add(resolver& to, std::uint64_t begin, std::uint64_t end) const {
    constexpr std::uint64_t max_block_size = std::uint64_t{1} << 24;
    std::vector<iterator> bounds(2 * motifs_);
    std::uint64_t count = 0;
    for (std::uint64_t motif = 0; motif < motifs_; ++motif) {
      bounds[2 * motif] = first_not_before(motif, begin);
      bounds[2 * motif + 1] = first_not_before(motif, end);
      count += static_cast<std::uint64_t>(bounds[2 * motif + 1] - bounds[2 * motif]);
    }
    if (count > max_block_size && end - begin > 1) {
      add(to, begin, begin + (end - begin) / 2);
      return add(to, begin + (end - begin) / 2, end);
    }
    occurrence_block block{begin, end, {0}, {}};
    block.offsets.reserve(motifs_ + 1);
    block.positions.reserve(count);
    for (std::uint64_t motif = 0; motif < motifs_; ++motif) {
      for (iterator each = bounds[2 * motif]; each < bounds[2 * motif + 1]; ++each)
        block.positions.push_back((*each & position_mask) + origin_);
      block.offsets.push_back(static_cast<std::uint32_t>(block.positions.size()));
    }
    to.add(block);
  }

private:
  using iterator = std::span<const std::uint64_t>::iterator;
  static constexpr std::uint64_t position_mask = (std::uint64_t{1} << position_bits) - 1;

  // Returns the motif's first occurrence that does not lie before the range that begins at `position`.
  [[nodiscard]] iterator first_not_before(std::uint64_t motif, std::uint64_t position) const {
    return std::lower_bound(motif_begins_[motif], motif_begins_[motif + 1],
                            (motif << position_bits) + (position - origin_ + position_shift_));
  }

  std::size_t motifs_;
  std::uint64_t origin_, position_shift_;
  std::vector<iterator> motif_begins_; // first occurrence of each motif; motifs + 1 entries
};

// Applies the rule to the boundary candidates of all ranges, and returns the matches.
match_vector resolve_boundary(const scan_options& options, const std::vector<range_matches>& ranges) {
  std::vector<resolver::candidate> candidates;
  for (const range_matches& range : ranges)
    candidates.insert(candidates.end(), range.boundary.begin(), range.boundary.end());
  const auto before = [](const auto& a, const auto& b) { return a.match < b.match; };
  if (!std::is_sorted(candidates.begin(), candidates.end(), before))
    std::sort(candidates.begin(), candidates.end(), before);
  match_vector matches;
  for (std::size_t first = 0, last = 0; first < candidates.size(); first = last) {
    const scan_match& match = candidates[first].match;
    while (last < candidates.size() && candidates[last].match.sequence == match.sequence &&
           candidates[last].match.motif == match.motif)
      ++last;
    rule_state state;
    apply_rule(options, std::span(candidates).subspan(first, last - first), state, matches);
  }
  return matches;
}

} // namespace

// Ranges of four tiles are short enough that the threads finish together, and long enough that the tables of
// a range take a hundredth of its time. One thread takes longer ranges, because the matches of a sequence
// that is cut take longer.
std::uint64_t range_size(std::uint64_t residues, int threads) {
  const auto members = static_cast<std::uint64_t>(thread_count(threads));
  if (members == 1) return std::uint64_t{1} << 23;
  constexpr std::uint64_t max_size = std::uint64_t{1} << 17, min_size = std::uint64_t{1} << 15;
  return std::clamp(residues / (4 * members), min_size, max_size);
}

std::vector<std::uint64_t> cut_ranges(const sequences_view& sequences, std::uint64_t begin, std::uint64_t end,
                                      std::uint64_t size) {
  std::vector<std::uint64_t> cuts{begin};
  const auto& offsets = sequences.offsets;
  std::uint64_t stop = begin; // the last end of a sequence so far
  for (auto each = std::upper_bound(offsets.begin(), offsets.end(), begin); stop != end; ++each) {
    const std::uint64_t before = std::exchange(stop, std::min(*each, end));
    if (stop - cuts.back() > size && before - cuts.back() > size / 2) cuts.push_back(before);
    while (stop - cuts.back() > 2 * size) cuts.push_back(cuts.back() + size);
    if (stop - cuts.back() >= size) cuts.push_back(stop);
  }
  if (cuts.back() != end) cuts.push_back(end);
  return cuts;
}

std::vector<range_matches> scan_ranges(const motif_set::compiled& motifs, const sequences_view& sequences,
                                       const scan_options& options, engine_function find,
                                       std::uint64_t text_begin, std::uint64_t text_end,
                                       std::vector<std::uint64_t>* counts) {
  const bool whole = text_begin == 0 && text_end == sequences.data.size();
  const std::vector<std::uint64_t> cuts =
      cut_ranges(sequences, text_begin, text_end, range_size(text_end - text_begin, options.run.threads));
  std::vector<range_matches> ranges(cuts.size() - 1);
  std::mutex mutex; // guards *counts
  parallel_for(0, ranges.size(), 1, options.run.threads, [&](std::uint64_t r, std::uint64_t) {
    const std::uint64_t begin = cuts[r], end = cuts[r + 1];
    std::vector<std::uint64_t> found(counts != nullptr ? counts->size() : 0);
    ranges[r] = resolve_range(motifs, sequences, options, begin, end, whole,
                              counts != nullptr ? found.data() : nullptr, [&](resolver& resolve) {
                                find(motifs, sequences, begin, end, edge_of(options.rule),
                                     [&](const occurrence_block& block) {
                                       base_detail::check_cancelled(options.run);
                                       resolve.add(block);
                                     });
                              });
    if (counts == nullptr) return;
    const std::lock_guard lock(mutex);
    for (std::size_t motif = 0; motif < found.size(); ++motif) (*counts)[motif] += found[motif];
  });
  return ranges;
}

std::vector<range_matches> scan_pieces(const motif_set::compiled& motifs, const sequences_view& sequences,
                                       const scan_options& options, const std::vector<text_piece>& pieces,
                                       piece_searcher& search, std::uint64_t size) {
  std::vector<range_matches> ranges;
  std::vector<std::uint64_t> offsets;
  for (const text_piece& piece : pieces) {
    base_detail::check_cancelled(options.run);
    search.load(text_of(sequences, piece, offsets));
    for (std::uint64_t begin = piece.begin; begin < piece.end;) {
      base_detail::check_cancelled(options.run);
      const piece_searcher::part part = search.find(begin - piece.text_begin, piece.end - piece.text_begin);
      const std::uint64_t end = part.end + piece.text_begin;
      const code_list found(part.codes, motifs.motifs.size(), piece.text_begin, edge_of(options.rule));
      const std::vector<std::uint64_t> cuts = cut_ranges(sequences, begin, end, size);
      const std::size_t before = ranges.size();
      ranges.resize(before + cuts.size() - 1);
      parallel_for(0, cuts.size() - 1, 1, options.run.threads, [&](std::uint64_t first, std::uint64_t last) {
        for (; first < last; ++first)
          ranges[before + first] =
              resolve_range(motifs, sequences, options, cuts[first], cuts[first + 1], true, nullptr,
                            [&](resolver& resolve) { found.add(resolve, cuts[first], cuts[first + 1]); });
      });
      begin = end;
    }
  }
  return ranges;
}

match_vector scan_with_host_rules(const motif_set::compiled& motifs, const sequences_view& sequences,
                                  const scan_options& options, const piece_limits& limits,
                                  piece_searcher& search) {
  const std::vector<text_piece> pieces =
      cut_pieces(sequences, reach_of(motifs.motifs, edge_of(options.rule)), limits);
  return join_ranges(options, scan_pieces(motifs, sequences, options, pieces, search,
                                          range_size(sequences.data.size(), options.run.threads)));
}

match_vector join_ranges(const scan_options& options, std::vector<range_matches> ranges) {
  const match_vector boundary = resolve_boundary(options, ranges);
  std::vector<std::size_t> range_offsets{0};
  for (const range_matches& range : ranges)
    range_offsets.push_back(range_offsets.back() + range.found.size());
  match_vector all;
  all.reserve(range_offsets.back() + boundary.size());
  prefer_large_pages(all.data(), all.capacity() * sizeof(scan_match));
  all.resize(range_offsets.back());
  parallel_for(0, ranges.size(), 1, options.run.threads, [&](std::uint64_t r, std::uint64_t) {
    ranges[r].found.write(all.data() + range_offsets[r]);
    ranges[r] = {}; // frees its memory
  });
  all.insert(all.end(), boundary.begin(), boundary.end());
  if (!boundary.empty())
    std::inplace_merge(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(range_offsets.back()),
                       all.end());
  return all;
}

void count_batch(const motif_set::compiled& motifs, const sequences_view& sequences,
                 const scan_options& options, engine_function find, std::vector<std::uint64_t>& counts) {
  const std::vector<range_matches> ranges =
      scan_ranges(motifs, sequences, options, find, 0, sequences.data.size(), &counts);
  for (const scan_match& match : resolve_boundary(options, ranges)) ++counts[match.motif];
}

} // namespace weft::scan_detail
