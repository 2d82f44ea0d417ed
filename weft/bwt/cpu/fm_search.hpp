// Searches an FM-index for batches of patterns.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>
#include <weft/bwt/core/fm_steps.hpp>
#include <weft/bwt/cpu/fm_kmers.hpp>
#include <weft/bwt/cpu/fm_view.hpp>

namespace weft::bwt_detail {

// A row of a pattern's interval. It is an occurrence of the pattern if the interval's unmatched symbols
// precede the row's suffix.
struct fm_candidate {
  std::uint64_t row, pattern;
};

// The patterns of a batch, as codes that can be compared directly: 2 bits a base, or bytes of the text's
// letters.
class fm_patterns {
public:
  fm_patterns() = default; // no patterns
  fm_patterns(const fm_index::view& index, std::string_view text, std::span<const std::uint64_t> offsets);

  [[nodiscard]] std::uint64_t count() const noexcept { return sizes_.size(); }
  [[nodiscard]] std::uint64_t size(std::uint64_t p) const { return sizes_[p]; } // 0: no occurrence
  template <bool Dna> [[nodiscard]] unsigned code(std::uint64_t p, std::uint64_t i) const {
    if constexpr (Dna)
      return static_cast<unsigned>(words_[begins_[p] + i / 32] >> (2 * (i % 32)) & 3) + 1;
    else
      return code_of_byte_[static_cast<unsigned char>(letters_[begins_[p] + i])];
  }
  // Returns the bases of pattern p of DNA, 32 a word, the first lowest.
  [[nodiscard]] const std::uint64_t* words(std::uint64_t p) const { return words_.data() + begins_[p]; }
  // Returns the last k bases of pattern p as one number, the first base in the highest bits; k in [1, 31], at
  // most the pattern's size.
  [[nodiscard]] std::uint64_t last_letters(std::uint64_t p, std::uint64_t k) const {
    const std::uint64_t first = sizes_[p] - k, shift = 2 * (first % 32);
    const std::uint64_t* word = words_.data() + begins_[p] + first / 32;
    std::uint64_t pairs = word[0] >> shift;
    if (shift + 2 * k > 64) pairs |= word[1] << (64 - shift);
    return reversed_pairs(pairs) >> (64 - 2 * k);
  }
  // Returns whether the text has the first `size` symbols of pattern p at `position`. begins_at() of
  // core/fm_steps.hpp does the same for patterns as the caller gave them; this one reads packed patterns.
  template <bool Dna>
  [[nodiscard]] bool begins_at(const fm_index::view& index, std::uint64_t p, std::uint64_t size,
                               std::uint64_t position) const {
    if constexpr (!Dna) {
      return std::memcmp(index.byte_text + position, letters_.data() + begins_[p], size) == 0;
    } else {
      const std::uint64_t *text = index.packed_text + position / 32, *pattern = words_.data() + begins_[p];
      const std::uint64_t shift = 2 * (position % 32);
      for (std::uint64_t i = 0; i < size; i += 32, ++text, ++pattern) {
        std::uint64_t differ = *pattern ^ (shift == 0 ? *text : *text >> shift | text[1] << (64 - shift));
        if (size - i < 32) differ &= (std::uint64_t{1} << (2 * (size - i))) - 1;
        if (differ != 0) return false;
      }
      return true;
    }
  }

private:
  std::span<const std::uint16_t> code_of_byte_;
  std::vector<std::uint64_t> sizes_, begins_, words_;
  std::string letters_;
};

// Finds the interval of each pattern, several patterns at a time: narrows it until the pattern is used up, or
// until comparing the unmatched symbols at each row is cheaper than further steps. `kmers` is a table of
// longer k-mers than that of the index, or none; the result does not depend on it, except in how many symbols
// are left unmatched.
void find_intervals(const fm_index::view& index, const fm_patterns& patterns,
                    std::span<fm_interval> intervals, const fm_kmers& kmers = {});

// Finds the rows of each pattern by backward search alone: takes every step from the last symbol to the
// first, as long as there are rows, beginning with all rows. So no symbols are left unmatched. Takes ten
// times as long as find_intervals() for patterns of 150 bases; benchmarks and tests compare the two.
void take_every_step(const fm_index::view& index, const fm_patterns& patterns,
                     std::span<fm_interval> intervals);

// Sets positions[c] to the text position of the occurrence of candidate c, or to no_position. Throws
// error(invalid_input) if the index is damaged.
void find_positions(const fm_index::view& index, const fm_patterns& patterns,
                    std::span<const fm_interval> intervals, std::span<const fm_candidate> candidates,
                    std::span<std::uint64_t> positions);

// Sets positions[i] to the text position of the suffix of rows[i]. Throws error(invalid_input) if the index
// is damaged.
void find_positions_of_rows(const fm_index::view& index, std::span<const std::uint64_t> rows,
                            std::span<std::uint64_t> positions);

} // namespace weft::bwt_detail
