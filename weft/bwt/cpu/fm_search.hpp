// Searching an FM-index for batches of patterns.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>
#include <weft/bwt/cpu/fm_view.hpp>

namespace weft::detail {

// The rows of the suffixes that begin with a pattern without its first `rest` symbols.
struct fm_interval {
  std::uint64_t low = 0, high = 0, rest = 0;
};

// A row of a pattern's interval: its occurrence, if the `rest` symbols stand before it.
struct fm_candidate {
  std::uint64_t row, pattern;
};

constexpr std::uint64_t no_position = ~std::uint64_t{0};

// Patterns of a batch, as codes that are ready to compare: 2 bits a base, or bytes of the text's letters.
class fm_patterns {
public:
  fm_patterns(const fm_index::view& of, std::string_view text, std::span<const std::uint64_t> offsets);

  [[nodiscard]] std::uint64_t count() const noexcept { return sizes_.size(); }
  [[nodiscard]] std::uint64_t size(std::uint64_t p) const { return sizes_[p]; } // 0: occurs nowhere
  template <bool Dna> [[nodiscard]] unsigned code(std::uint64_t p, std::uint64_t i) const {
    if constexpr (Dna)
      return static_cast<unsigned>(words_[begins_[p] + i / 32] >> (2 * (i % 32)) & 3) + 1;
    else
      return code_of_byte_[static_cast<unsigned char>(letters_[begins_[p] + i])];
  }
  // Whether the text has the first `size` symbols of pattern p from `position` on.
  template <bool Dna>
  [[nodiscard]] bool at(const fm_index::view& index, std::uint64_t p, std::uint64_t size,
                        std::uint64_t position) const;

private:
  std::span<const std::uint16_t> code_of_byte_;
  std::vector<std::uint64_t> sizes_, begins_, words_;
  std::string letters_;
};

// Steps back through the patterns [0, patterns.count()), many at a time. If `whole`, until a pattern is used
// up; else also until so few rows are left that looking at them is less work.
template <bool Dna>
void find_intervals(const fm_index::view& index, const fm_patterns& patterns, bool whole,
                    std::span<fm_interval> intervals);

// Text positions where the candidates' patterns begin, or no_position. Throws error(invalid_input) if the
// index leads nowhere.
template <bool Dna>
void find_positions(const fm_index::view& index, const fm_patterns& patterns,
                    std::span<const fm_interval> intervals, std::span<const fm_candidate> candidates,
                    std::span<std::uint64_t> positions);

} // namespace weft::detail
