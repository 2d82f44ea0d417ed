// Reads the suffixes of a text row by row, for the sections of an FM-index that follow from it: which
// rows are marked, the samples, the open rows, and for DNA the blocks of ranks.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>
#include <weft/bwt/core/fm_build_steps.hpp>

namespace weft::bwt_detail {

// Divides by a number that is not 0, for dividends that it divides, by one multiplication.
//
// With d = 2^s * e, e odd: the inverse of e modulo 2^bits maps the multiples of e to their quotients, and a
// rotation by s does the same for 2^s. Both are bijections of all numbers, and the quotients are the numbers
// up to max / d, so any other dividend is mapped to a larger number. (Granlund & Montgomery, PLDI 1994, 9.)
template <class Index> class exact_divisor {
public:
  explicit exact_divisor(Index divisor)
      : shift_(std::countr_zero(divisor)), largest_(std::numeric_limits<Index>::max() / divisor) {
    const Index odd = static_cast<Index>(divisor >> shift_);
    for (int bits = 1; bits < std::numeric_limits<Index>::digits; bits *= 2) inverse_ *= 2 - odd * inverse_;
  }
  // Returns x / divisor if x is a multiple of the divisor, and otherwise a number for which is_quotient() is
  // false.
  [[nodiscard]] [[gnu::always_inline]] Index divide(Index x) const { return std::rotr(x * inverse_, shift_); }
  [[nodiscard]] [[gnu::always_inline]] bool is_quotient(Index x) const { return x <= largest_; }

private:
  int shift_;
  Index largest_, inverse_ = 1;
};

// The set of positions at which segments begin. A bit for each stretch of 2^shift positions, about a thousand
// for each segment, says whether a segment begins there.
class segment_starts {
public:
  segment_starts(std::span<const fm_segment> segments, std::uint64_t num_symbols) : segments_(segments) {
    constexpr std::uint64_t stretches_of_segment = 1024;
    const std::uint64_t stretches = std::max<std::uint64_t>(segments.size() * stretches_of_segment, 1);
    shift_ = std::bit_width(num_symbols / stretches);
    bits_.resize((num_symbols >> shift_) / 64 + 1);
    for (const fm_segment& segment : segments)
      bits_[segment.start >> shift_ >> 6] |= std::uint64_t{1} << (segment.start >> shift_ & 63);
  }
  // Returns a number whose lowest bit is set if a segment begins in the stretch of the position.
  [[nodiscard]] [[gnu::always_inline]] std::uint64_t may_contain(std::uint64_t position) const {
    return bits_.data()[position >> shift_ >> 6] >> (position >> shift_ & 63);
  }
  // O(log segments).
  [[nodiscard]] bool contains(std::uint64_t position) const {
    const auto at =
        std::lower_bound(segments_.begin(), segments_.end(), position,
                         [](const fm_segment& segment, std::uint64_t p) { return segment.start < p; });
    return at != segments_.end() && at->start == position;
  }

private:
  std::span<const fm_segment> segments_;
  int shift_;
  std::vector<std::uint64_t> bits_;
};

// Rows that are scanned at a time: a multiple of the rows of a block (192) and of a group of marks (512).
constexpr std::uint64_t scan_chunk = std::uint64_t{1536} * 64;

// Rows of a text, one after another from first_row on, and where to write what follows from them.
template <class Index> struct row_scan {
  std::span<const Index> suffixes; // of these rows
  exact_divisor<Index> rate;
  const segment_starts& starts;
  std::span<std::uint64_t> marks, mark_counts;
  std::span<Index> samples;
  const std::uint64_t* packed_text; // DNA only; 32 bases a word, A for a separator
  std::span<dna_block> blocks;      // DNA only
  std::uint64_t first_row = 0;      // a multiple of scan_chunk

  // Returns the end of the rows.
  [[nodiscard]] std::uint64_t end() const { return first_row + suffixes.size(); }
  // Returns the position of the suffix of a row.
  [[nodiscard]] std::uint64_t position(std::uint64_t row) const { return suffixes[row - first_row]; }

  // Writes the marks of groups [first, last) of 512 rows, and to mark_counts the number of marks of each of
  // these groups. Rows behind the last one have no marks.
  void mark_groups(std::uint64_t first, std::uint64_t last) const;

  // The result of the scan of a chunk: its open rows, and for DNA how many of its rows each base precedes.
  struct chunk_result {
    std::vector<std::uint64_t> open_rows, open_positions; // rows, and positions of their suffixes
    base_counts counts;
  };
  // Scans the rows [first, last), where first is a multiple of scan_chunk: writes their samples, for which
  // mark_counts must have the number of marks before each group, and for DNA their blocks, each with the
  // counts of its own rows. The last block may have fewer rows than others, or none.
  [[nodiscard]] chunk_result scan(std::uint64_t first, std::uint64_t last) const;
};

// Packs codes of DNA into words of 32 bases; a separator becomes A, as in the bits after the last code. The
// words [first, last) are written.
void pack_codes(std::span<const unsigned char> codes, std::span<std::uint64_t> words, std::uint64_t first,
                std::uint64_t last);

} // namespace weft::bwt_detail
