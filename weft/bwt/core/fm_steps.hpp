// Searching an FM-index for one pattern: its rows, and where a row's occurrence is.
//
// The plain version:
//     low = 0, high = rows
//     for i = size - 1 .. 0:  c = pattern[i], low = first_row[c] + rank(c, low),
//                             high = first_row[c] + rank(c, high)
//     for row in low .. high - 1:  steps = 0
//         while row is not marked: row = row of the suffix one longer, ++steps
//         position = sample of row + steps
// Departures. The last k symbols are looked up in a table. Once one row is left, or as many as there were
// three symbols before (copies stay copies), the rest of the pattern is compared with the text before each
// row's suffix, if that is less work than to go on. The rows of a pattern without its first symbols are in
// the order of the pattern's own: what is found, and in which order, does not depend on where narrowing ends.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/fm_letters.hpp>
#include <weft/bwt/core/fm_parts.hpp>

namespace weft::detail {

// The rows of the suffixes that begin with a pattern without its first `rest` symbols.
struct fm_interval {
  std::uint64_t low = 0, high = 0, rest = 0;
};

constexpr std::uint64_t no_position = ~std::uint64_t{0};    // no occurrence
constexpr std::uint64_t damaged_position = no_position - 1; // the index leads nowhere

// A pattern's way to its rows.
struct fm_narrowing {
  std::uint64_t low, high, rest;
  unsigned unchanged = 0; // steps that left the number of rows as it was

  // Symbols to compare that take the time of looking at one row.
  [[nodiscard]] WEFT_HOST_DEVICE static std::uint64_t row_cost(std::uint64_t sample_rate) {
    return sample_rate / 2 + 6;
  }
  [[nodiscard]] [[gnu::always_inline]] WEFT_HOST_DEVICE bool goes_on(std::uint64_t cost) const {
    const std::uint64_t rows = high - low;
    const bool few = (rows == 1 || unchanged >= 3) && rows * cost < rest;
    return rest > 0 && rows > 0 && !few;
  }
  // By the symbol before the rest, which has this code; not 0.
  template <bool Dna>
  [[gnu::always_inline]] WEFT_HOST_DEVICE void step(const fm_parts& index, unsigned code) {
    const std::uint64_t before = high - low;
    index.narrow<Dna>(code, low, high);
    --rest;
    unchanged = high - low == before ? unchanged + 1 : 0;
  }
};

// text[at, at + size) of letters as they were given.
struct fm_pattern {
  readable_letters text;
  std::uint64_t at = 0, size = 0;
};

// The codes of a pattern's symbols, 0 for what matches nothing (of bases, perhaps also for others of the
// pattern, which then occurs nowhere). To be asked for from the last to the first.
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
  std::uint64_t first_ = no_position, window_ = 0; // letters from first_ on, 32 at most
  bool valid_ = true;
};

// Narrows from all rows, or the table's, as far as it pays. The empty pattern has no rows.
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
  for (const std::uint64_t cost = fm_narrowing::row_cost(index.sample_rate); at.goes_on(cost);) {
    const unsigned code = codes.code(at.rest - 1);
    if (code == 0) return {};
    at.step<Dna>(index, code);
  }
  return {at.low, at.high, at.rest};
}

// Where a row's suffix begins in the text: by at most sample_rate steps back to a row that is kept, or to the
// first of its segment. Not below num_rows: the index is damaged.
template <bool Dna>
[[nodiscard]] WEFT_HOST_DEVICE std::uint64_t position_of(const fm_parts& index, std::uint64_t row) {
  for (std::uint64_t steps = 0;; ++steps) {
    if (steps >= index.sample_rate || row >= index.num_rows) return damaged_position;
    if (index.marked(row)) return index.samples[index.marks_before(row)] * index.sample_rate + steps;
    const std::uint64_t before = row;
    if (index.step_back<Dna>(row) == 0) return index.open_position(before) + steps;
  }
}

// Whether the text has the first `size` symbols of the pattern from `position` on.
template <bool Dna>
[[nodiscard]] WEFT_HOST_DEVICE bool begins_at(const fm_parts& index, const fm_pattern& pattern,
                                              std::uint64_t size, std::uint64_t position) {
  if constexpr (Dna) {
    const std::uint64_t* text = index.packed_text + position / 32;
    const std::uint64_t shift = 2 * (position % 32);
    for (std::uint64_t i = 0; i < size; i += 32, ++text) {
      const std::uint64_t count = size - i < 32 ? size - i : 32;
      const std::uint64_t there = shift == 0 ? text[0] : text[0] >> shift | text[1] << (64 - shift);
      bool valid = true;
      std::uint64_t differ = packed_letters(pattern.text, pattern.at + i, count, valid) ^ there;
      if (count < 32) differ &= (std::uint64_t{1} << (2 * count)) - 1;
      if (differ != 0 || !valid) return false;
    }
  } else {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(index.byte_text);
    const readable_letters text{bytes, bytes + index.num_rows};
    for (std::uint64_t i = 0; i < size; i += 8) {
      const std::uint64_t count = size - i < 8 ? size - i : 8;
      std::uint64_t here = 0, there = 0;
      each_eight<1>(pattern.text, pattern.at + i, count, 0, [&](unsigned, std::uint64_t x) { here = x; });
      each_eight<1>(text, position + i, count, 0, [&](unsigned, std::uint64_t x) { there = x; });
      if ((index.folds_case() ? upper_letters(here) : here) != there) return false;
    }
  }
  return true;
}

// Where the pattern begins that has so many symbols, the rest, before this row of its interval; no_position
// if it has others there, damaged_position.
template <bool Dna>
[[nodiscard]] WEFT_HOST_DEVICE std::uint64_t occurrence_at(const fm_parts& index, const fm_pattern& pattern,
                                                           std::uint64_t rest, std::uint64_t row) {
  const std::uint64_t position = position_of<Dna>(index, row);
  if (position >= index.num_rows) return damaged_position;
  if (rest == 0) return position;
  if (position < index.segment_of(position).start + rest) return no_position;
  return begins_at<Dna>(index, pattern, rest, position - rest) ? position - rest : no_position;
}

// Of a batch of patterns, whose rows to be looked at stand one behind the other.

// How many rows of a pattern are to be looked at, for at most max_hits occurrences.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t rows_to_look_at(const fm_interval& found,
                                                                    std::uint64_t max_hits) {
  const std::uint64_t rows = found.high - found.low;
  return found.rest == 0 && rows > max_hits ? max_hits : rows;
}
// The pattern in [first, last] that row c belongs to: the first whose rows end behind it.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t
pattern_of_row(const std::uint64_t* ends, std::uint64_t first, std::uint64_t last, std::uint64_t c) {
  return first + count_first(ends + first, last - first, [&](std::uint64_t end) { return end <= c; });
}
// A pattern's occurrences, of which so many are among the rows that were looked at.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t total_of(const fm_interval& interval,
                                                             std::uint64_t found) {
  return interval.rest == 0 ? interval.high - interval.low : found;
}

} // namespace weft::detail
