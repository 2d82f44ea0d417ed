// The steps of finding exact matches between a packed query and the packed text of an FM-index of DNA.
//
// The plain version, for seeds of s letters and matches of at least L letters:
//     for each query position p that is a multiple of L - s + 1:
//         for each row of query[p, p + s):  i = position of the row
//             extend query[p, p + s) = text[i, i + s) to the left and to the right as far as the letters
//             agree report the match if it has L letters and contains no earlier seed
// Every match of L letters contains a seed, because a stretch of L letters contains the begins of L - s + 1
// stretches of s letters, and one of them is a multiple of L - s + 1. The first seed of a match reports it.
//
// A seed with many rows is replaced by windows: for each query position w whose matches this seed would
// report, the rows of query[w, w + L) that cannot be extended to the left. Each such row is a match.
//
// Both are anchors: stretches of the query whose rows are looked up, and a range of lengths by which a match
// that the anchor reports extends to its left.
#pragma once

#include <compare>
#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/bits.hpp>
#include <weft/bwt/core/fm_letters.hpp>
#include <weft/bwt/core/fm_parts.hpp>

namespace weft::bwt_detail {

// Returns the 32 letters from letter `at` on, 2 bits each, the first lowest. Reads the word of letter `at`
// and the word behind it.
[[nodiscard]] [[gnu::always_inline]] WEFT_HOST_DEVICE inline std::uint64_t
letters_from(const std::uint64_t* words, std::uint64_t at) {
  const std::uint64_t shift = 2 * (at % 32);
  words += at / 32;
  return shift == 0 ? words[0] : words[0] >> shift | words[1] << (64 - shift);
}

// Returns the 32 letters before letter `at`, the last of them highest. Letters before the first one are A.
[[nodiscard]] [[gnu::always_inline]] WEFT_HOST_DEVICE inline std::uint64_t
letters_before(const std::uint64_t* words, std::uint64_t at) {
  if (at >= 32) return letters_from(words, at - 32);
  return at == 0 ? 0 : words[0] << (64 - 2 * at);
}

// Returns how many letters from a[at_a] and b[at_b] on are equal, at most `limit`.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t
common_letters_from(const std::uint64_t* a, std::uint64_t at_a, const std::uint64_t* b, std::uint64_t at_b,
                    std::uint64_t limit) {
  for (std::uint64_t done = 0; done < limit; done += 32) {
    const std::uint64_t differ = letters_from(a, at_a + done) ^ letters_from(b, at_b + done);
    if (differ == 0) continue;
    const std::uint64_t equal = done + static_cast<std::uint64_t>(lowest_one(differ)) / 2;
    return equal < limit ? equal : limit;
  }
  return limit;
}

// Returns how many letters before a[at_a] and b[at_b] are equal, at most `limit`, which is at most at_a and
// at_b.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t
common_letters_before(const std::uint64_t* a, std::uint64_t at_a, const std::uint64_t* b, std::uint64_t at_b,
                      std::uint64_t limit) {
  for (std::uint64_t done = 0; done < limit; done += 32) {
    const std::uint64_t differ = letters_before(a, at_a - done) ^ letters_before(b, at_b - done);
    if (differ == 0) continue;
    const std::uint64_t equal = done + (63 - static_cast<std::uint64_t>(highest_one(differ))) / 2;
    return equal < limit ? equal : limit;
  }
  return limit;
}

// Returns the index in the table of k-mers of letters [at, at + k), the first letter in the highest bits; k
// in [1, 32].
[[nodiscard]] [[gnu::always_inline]] WEFT_HOST_DEVICE inline std::uint64_t
kmer_at(const std::uint64_t* words, std::uint64_t at, std::uint64_t k) {
  return reversed_pairs(letters_from(words, at)) >> (64 - 2 * k);
}

// Returns the code of letter `at` in an index of DNA.
[[nodiscard]] [[gnu::always_inline]] WEFT_HOST_DEVICE inline unsigned code_at(const std::uint64_t* words,
                                                                              std::uint64_t at) {
  return static_cast<unsigned>(words[at / 32] >> (2 * (at % 32)) & 3) + 1;
}

// A stretch of bases of one record: letters [begin, end) of a strand.
struct query_stretch {
  std::uint64_t begin, end;
};

// A strand of packed queries (entry/match_queries.hpp).
struct match_strand {
  const std::uint64_t* words = nullptr;         // of this strand
  const query_stretch* stretches = nullptr;     // of the forward strand, in ascending order
  std::uint64_t num_stretches = 0, letters = 0; // `letters` counts all letters of the strand
  bool reverse = false;

  // Returns stretch i of the strand. Stretches ascend.
  [[nodiscard]] WEFT_HOST_DEVICE query_stretch stretch(std::uint64_t i) const {
    if (!reverse) return stretches[i];
    const query_stretch& forward = stretches[num_stretches - 1 - i];
    return {letters - forward.end, letters - forward.begin};
  }
  // Returns the index of the first stretch that ends behind `position`.
  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t first_stretch(std::uint64_t position) const {
    std::uint64_t first = 0, count = num_stretches;
    while (count > 0) {
      const std::uint64_t half = count / 2;
      if (stretch(first + half).end <= position) {
        first += half + 1;
        count -= half + 1;
      } else {
        count = half;
      }
    }
    return first;
  }
};

// The matches that begin at letters [first, last) of a strand are to be found.
struct match_range {
  bool reverse;
  std::uint64_t first, last;
};

// A match: letters [query, query + length) of a strand of the queries equal letters [text, text + length) of
// the index's text.
struct found_match {
  std::uint64_t query, text, length;
  friend auto operator<=>(const found_match&, const found_match&) = default;
};

// An anchor reports the matches that contain query[begin, begin + length) and extend to its left by at least
// min_left and less than max_left letters. `low` and `high` are its rows.
struct match_anchor {
  std::uint64_t begin, length, min_left, max_left, low, high;
};

// The lengths of seeds, and the limits between the cases.
struct match_plan {
  std::uint64_t min_length, min_occurrences;
  std::uint64_t seed;     // letters of a seed
  std::uint64_t step;     // distance of the begins of two seeds
  std::uint64_t max_rows; // a seed with more rows is replaced by windows

  // Seeds have one letter more than are needed for one occurrence in a random text, so that most seeds which
  // belong to no match have no row, and at least half of min_length, so that few seeds have many rows.
  // Looking up a row takes as much time as narrowing by 8 letters.
  WEFT_HOST_DEVICE match_plan(std::uint64_t num_rows, std::uint64_t length, std::uint64_t occurrences,
                              bool super_maximal)
      : min_length(length), min_occurrences(occurrences) {
    const auto bits = num_rows == 0 ? 0 : static_cast<std::uint64_t>(highest_one(num_rows)) + 1;
    seed = bits / 2 + 1 > length / 2 ? bits / 2 + 1 : length / 2;
    if (seed > length) seed = length;
    if (seed == 0) seed = 1;
    step = length - seed + 1;
    max_rows = step * length / 8;
    if (max_rows < 32 || super_maximal) max_rows = 32;
    if (max_rows > 2048) max_rows = 2048;
  }

  // Returns whether windows replace a seed with these rows.
  [[nodiscard]] WEFT_HOST_DEVICE bool needs_windows(const match_anchor& seed_with_rows) const {
    return seed_with_rows.high - seed_with_rows.low > max_rows && seed_with_rows.min_left == 0;
  }
};

// Windows begin at letters [first, first + count).
struct match_windows {
  std::uint64_t first, count;
};

// Returns the windows that replace a seed: one for each position of the range whose matches the seed reports.
[[nodiscard]] WEFT_HOST_DEVICE inline match_windows windows_of(const match_plan& plan,
                                                               const match_anchor& seed,
                                                               const query_stretch& within,
                                                               const match_range& range) {
  std::uint64_t first = seed.begin + 1 > plan.step ? seed.begin + 1 - plan.step : 0, end = seed.begin + 1;
  if (first < range.first) first = range.first;
  if (first < within.begin) first = within.begin;
  if (end > range.last) end = range.last;
  if (within.end < first + plan.min_length) return {first, 0};
  if (end > within.end - plan.min_length + 1) end = within.end - plan.min_length + 1;
  return {first, end > first ? end - first : 0};
}

// Calls each(row) for the rows [low, high) that are preceded by another letter than `code`, or by none, in no
// particular order.
template <class Each>
WEFT_HOST_DEVICE void for_each_row_not_after(const fm_parts& index, unsigned code, std::uint64_t low,
                                             std::uint64_t high, const Each& each) {
  const unsigned base = code - 1;
  const std::uint64_t low_bits = (base & 1) != 0 ? 0 : ~std::uint64_t{0},
                      high_bits = (base & 2) != 0 ? 0 : ~std::uint64_t{0};
  while (low < high) {
    const dna_block& block = index.blocks[low / dna_block_rows];
    const std::uint64_t begin = low / dna_block_rows * dna_block_rows,
                        end = begin + dna_block_rows < high ? begin + dna_block_rows : high;
    for (unsigned w = 0; w < 3; ++w) {
      const std::uint64_t word_begin = begin + std::uint64_t{64} * w;
      if (word_begin >= end || word_begin + 64 <= low) continue;
      std::uint64_t others = ~((block.low[w] ^ low_bits) & (block.high[w] ^ high_bits));
      if (word_begin < low) others &= ~std::uint64_t{0} << (low - word_begin);
      if (end - word_begin < 64) others &= (std::uint64_t{1} << (end - word_begin)) - 1;
      for (; others != 0; others &= others - 1)
        each(word_begin + static_cast<std::uint64_t>(lowest_one(others)));
    }
    if ((block.counts[0] & dna_exception_flag) != 0 && base == 0) // open rows are stored as A
      for (std::uint64_t i = index.open_before(low); i < index.open_rows.size() && index.open_rows[i] < end;
           ++i)
        each(index.open_rows[i]);
    low = end;
  }
}

// Where an anchor's stretch of the query occurs in the text, and by how many letters the occurrence extends
// on both sides. Extensions to the left are counted up to max_left of the anchor only.
struct match_extent {
  std::uint64_t position, left, right;
  [[nodiscard]] WEFT_HOST_DEVICE bool reported_by(const match_anchor& anchor) const {
    return left >= anchor.min_left && left < anchor.max_left;
  }
};

// Returns the end of the segment of the text that contains `position`.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t segment_end_of(const fm_parts& index,
                                                                   std::uint64_t position) {
  const fm_segment* const segment = &index.segment_of(position);
  return (segment == &index.segments.back() ? index.num_rows : segment[1].start) - 1;
}

// Returns how far the occurrence of an anchor at `position` of the text extends to its left. `within` is the
// stretch of the strand that contains the anchor. The right extension is 0.
[[nodiscard]] WEFT_HOST_DEVICE inline match_extent
left_extent(const fm_parts& index, const std::uint64_t* words, const match_anchor& anchor,
            const query_stretch& within, std::uint64_t position) {
  std::uint64_t limit = position - index.segment_of(position).start;
  if (limit > anchor.begin - within.begin) limit = anchor.begin - within.begin;
  if (limit > anchor.max_left) limit = anchor.max_left;
  return {position, common_letters_before(index.packed_text, position, words, anchor.begin, limit), 0};
}

constexpr std::uint64_t damaged_extent = ~std::uint64_t{0}; // the index is damaged

// Returns by how many letters the occurrence extends to its right, at most max_right, or damaged_extent.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t
right_extent(const fm_parts& index, const std::uint64_t* words, const match_anchor& anchor,
             const query_stretch& within, std::uint64_t position, std::uint64_t max_right) {
  const std::uint64_t end = segment_end_of(index, position), text = position + anchor.length,
                      query = anchor.begin + anchor.length;
  if (text > end) return damaged_extent;
  std::uint64_t limit = end - text;
  if (limit > within.end - query) limit = within.end - query;
  if (limit > max_right) limit = max_right;
  return common_letters_from(index.packed_text, text, words, query, limit);
}

// Calls each(left, right) for each super-maximal stretch that the anchor reports: letters [begin - left,
// begin + length + right) of the query. `extents` has the extents of all rows of the anchor by descending
// `left`. O(count^2) for each row that the anchor reports.
template <class Each>
WEFT_HOST_DEVICE void for_each_super_maximal(const match_anchor& anchor, const match_extent* extents,
                                             std::uint64_t count, std::uint64_t min_occurrences,
                                             const Each& each) {
  // Returns how many of the first `of` rows extend to the right by at least `right` letters.
  const auto count_reaching = [extents](std::uint64_t of, std::uint64_t right) {
    std::uint64_t reaching = 0;
    for (std::uint64_t i = 0; i < of; ++i) reaching += extents[i].right >= right ? 1 : 0;
    return reaching;
  };
  std::uint64_t longer = 0; // rows [0, longer) extend to the left by more than those from `longer` on
  for (std::uint64_t last = 0; last < count; longer = last) {
    const std::uint64_t left = extents[longer].left;
    while (last < count && extents[last].left == left) ++last;
    if (!extents[longer].reported_by(anchor) || last < min_occurrences) continue;
    std::uint64_t right = 0; // the longest right extension of min_occurrences rows with this left extension
    for (std::uint64_t i = 0; i < last; ++i)
      if (extents[i].right > right && count_reaching(last, extents[i].right) >= min_occurrences)
        right = extents[i].right;
    if (count_reaching(longer, right) < min_occurrences) each(left, right);
  }
}

} // namespace weft::bwt_detail
