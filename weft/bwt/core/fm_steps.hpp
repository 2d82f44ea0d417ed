// Searching an FM-index for one pattern: finding its rows, and the position of each row's occurrence.
//
// The plain version:
//     low = 0, high = rows
//     for i = size - 1 .. 0:  c = pattern[i], low = first_row[c] + rank(c, low),
//                             high = first_row[c] + rank(c, high)
//     for row in low .. high - 1:  steps = 0
//         while row is not marked: row = row of the suffix one longer, ++steps
//         position = sample of row + steps
// Differences from the plain version: the rows of the last k symbols come from a table. When one row is left,
// or the number of rows has been the same for three steps (the rows then usually belong to one repeat of the
// text), the remaining prefix of the pattern is compared with the text before each row's suffix, if that is
// cheaper than further steps. The rows of a pattern without its first symbols have the order of the pattern's
// own rows, so the occurrences, and their order, do not depend on where narrowing ends.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/fm_letters.hpp>
#include <weft/bwt/core/fm_parts.hpp>

namespace weft::bwt_detail {

// The rows [low, high) of the suffixes that begin with a pattern without its first `unmatched` symbols. These
// symbols must still be compared with the text before each suffix.
struct fm_interval {
  std::uint64_t low = 0, high = 0, unmatched = 0;
};

constexpr std::uint64_t no_position = ~std::uint64_t{0};    // the pattern does not occur here
constexpr std::uint64_t damaged_position = no_position - 1; // the index is damaged

// The state of narrowing: the rows [low, high) found so far, and `unmatched`, the length of the pattern's
// prefix that has not been used yet.
struct fm_narrowing {
  std::uint64_t low, high, unmatched;
  unsigned unchanged = 0; // steps in sequence that did not change the number of rows

  // Returns how many symbols of narrowing take as much time as finding the position of one row.
  [[nodiscard]] WEFT_HOST_DEVICE static std::uint64_t row_cost(std::uint64_t sample_rate) {
    return sample_rate / 2 + 6;
  }
  // The cost of a row with which comparing is never cheaper.
  static constexpr std::uint64_t never_compare = ~std::uint64_t{0};
  [[nodiscard]] [[gnu::always_inline]] WEFT_HOST_DEVICE bool should_narrow(std::uint64_t cost) const {
    const std::uint64_t rows = high - low;
    const bool comparing_is_cheaper = (rows == 1 || unchanged >= 3) && rows * cost < unmatched;
    return unmatched > 0 && rows > 0 && !comparing_is_cheaper;
  }
  // Narrows by the next symbol of the pattern, the one before those already used; `code` is its code, not 0.
  template <bool Dna>
  [[gnu::always_inline]] WEFT_HOST_DEVICE void step(const fm_parts& index, unsigned code) {
    const std::uint64_t before = high - low;
    index.narrow<Dna>(code, low, high);
    --unmatched;
    unchanged = high - low == before ? unchanged + 1 : 0;
  }
};

// A pattern: letters text[at, at + size), as the caller gave them.
struct fm_pattern {
  readable_letters text;
  std::uint64_t at = 0, size = 0;
};

// The codes of a pattern's symbols; 0 for a symbol that matches nothing. In a DNA pattern with such a symbol,
// other symbols may have code 0 as well, because the pattern does not occur anyway. Codes must be requested
// from the last symbol to the first.
template <bool Dna> class fm_codes {
public:
  WEFT_HOST_DEVICE fm_codes(const fm_parts& index, const fm_pattern& of) : index_(index), of_(of) {}

  [[nodiscard]] WEFT_HOST_DEVICE unsigned code(std::uint64_t i) {
    if constexpr (Dna) {
      if (i < first_) {
        first_ = i >= 31 ? i - 31 : 0;
        window_ = packed_letters(of_.text, of_.at + first_, i + 1 - first_, valid_);
      }
      return valid_ ? static_cast<unsigned>(window_ >> (2 * (i - first_)) & 3) + 1 : 0;
    } else {
      return index_.code_of_byte[of_.text.begin[of_.at + i]];
    }
  }

private:
  const fm_parts& index_;
  const fm_pattern& of_;
  std::uint64_t first_ = no_position, window_ = 0; // up to 32 letters from first_ on
  bool valid_ = true;
};

// Returns the rows of a pattern, narrowed as far as it pays, beginning with all rows or with the rows of the
// last k-mer. The empty pattern has no rows.
template <bool Dna>
[[nodiscard]] WEFT_HOST_DEVICE fm_interval find_interval(const fm_parts& index, const fm_pattern& pattern) {
  if (pattern.size == 0) return {};
  fm_codes<Dna> codes(index, pattern);
  fm_narrowing at{0, index.num_rows, pattern.size};
  if (const std::uint64_t k = index.kmer_size; k > 0 && pattern.size >= k) {
    std::uint64_t kmer = 0;
    for (std::uint64_t i = 0; i < k; ++i) { // the last symbol is the lowest digit
      const unsigned code = codes.code(pattern.size - 1 - i);
      if (code == 0) return {};
      kmer |= static_cast<std::uint64_t>(code - 1) << (2 * i);
    }
    at = {index.kmers[2 * kmer], index.kmers[2 * kmer + 1], pattern.size - k};
  }
  for (const std::uint64_t cost = fm_narrowing::row_cost(index.sample_rate); at.should_narrow(cost);) {
    const unsigned code = codes.code(at.unmatched - 1);
    if (code == 0) return {};
    at.step<Dna>(index, code);
  }
  return {at.low, at.high, at.unmatched};
}

// Returns the text position where a row's suffix begins: takes fewer than sample_rate steps back, to a row
// whose position is stored or to the first row of its segment. A result of num_rows or more means that the
// index is damaged.
template <bool Dna>
[[nodiscard]] WEFT_HOST_DEVICE std::uint64_t position_of(const fm_parts& index, std::uint64_t row) {
  for (std::uint64_t steps = 0;; ++steps) {
    if (steps >= index.sample_rate || row >= index.num_rows) return damaged_position;
    if (index.marked(row)) return index.samples[index.marks_before(row)] * index.sample_rate + steps;
    const std::uint64_t before = row;
    if (index.step_back<Dna>(row) == 0) return index.open_position(before) + steps;
  }
}

// Returns whether the text has the first `size` symbols of the pattern at `position`.
// fm_patterns::begins_at() (cpu/fm_search.hpp) does the same for patterns that are packed already.
template <bool Dna>
[[nodiscard]] WEFT_HOST_DEVICE bool begins_at(const fm_parts& index, const fm_pattern& pattern,
                                              std::uint64_t size, std::uint64_t position) {
  if constexpr (Dna) {
    const std::uint64_t* text = index.packed_text + position / 32;
    const std::uint64_t shift = 2 * (position % 32);
    for (std::uint64_t i = 0; i < size; i += 32, ++text) {
      const std::uint64_t count = size - i < 32 ? size - i : 32;
      const std::uint64_t text_letters = shift == 0 ? text[0] : text[0] >> shift | text[1] << (64 - shift);
      bool valid = true;
      std::uint64_t differ = packed_letters(pattern.text, pattern.at + i, count, valid) ^ text_letters;
      if (count < 32) differ &= (std::uint64_t{1} << (2 * count)) - 1;
      if (differ != 0 || !valid) return false;
    }
  } else {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(index.byte_text);
    const readable_letters text{bytes, bytes + index.num_rows};
    for (std::uint64_t i = 0; i < size; i += 8) {
      const std::uint64_t count = size - i < 8 ? size - i : 8;
      std::uint64_t pattern_letters = 0, text_letters = 0;
      for_each_eight<1>(pattern.text, pattern.at + i, count, 0,
                        [&](unsigned, std::uint64_t x) { pattern_letters = x; });
      for_each_eight<1>(text, position + i, count, 0, [&](unsigned, std::uint64_t x) { text_letters = x; });
      if ((index.folds_case() ? upper_letters(pattern_letters) : pattern_letters) != text_letters)
        return false;
    }
  }
  return true;
}

// Returns the position of the occurrence that belongs to a row of the pattern's interval: the row's suffix,
// with the first `unmatched` symbols of the pattern before it. Returns no_position if other symbols precede
// the suffix, and damaged_position if the index is damaged.
template <bool Dna>
[[nodiscard]] WEFT_HOST_DEVICE std::uint64_t occurrence_at(const fm_parts& index, const fm_pattern& pattern,
                                                           std::uint64_t unmatched, std::uint64_t row) {
  const std::uint64_t position = position_of<Dna>(index, row);
  if (position >= index.num_rows) return damaged_position;
  if (unmatched == 0) return position;
  if (position < index.segment_of(position).start + unmatched) return no_position;
  return begins_at<Dna>(index, pattern, unmatched, position - unmatched) ? position - unmatched : no_position;
}

// The following functions are for a batch of patterns whose candidate rows are stored one pattern after
// another.

// Returns how many rows of a pattern must be examined to find at most max_hits occurrences.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t num_candidate_rows(const fm_interval& found,
                                                                       std::uint64_t max_hits) {
  const std::uint64_t rows = found.high - found.low;
  return found.unmatched == 0 && rows > max_hits ? max_hits : rows;
}
// Returns the pattern in [first, last] to which candidate row c belongs: the first pattern p with ends[p] >
// c.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t
pattern_of_row(const std::uint64_t* ends, std::uint64_t first, std::uint64_t last, std::uint64_t c) {
  return first + count_leading(ends + first, last - first, [&](std::uint64_t end) { return end <= c; });
}
// Returns the number of occurrences of a pattern; `found` of them are among the rows that were examined.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t count_occurrences(const fm_interval& interval,
                                                                      std::uint64_t found) {
  return interval.unmatched == 0 ? interval.high - interval.low : found;
}

} // namespace weft::bwt_detail
