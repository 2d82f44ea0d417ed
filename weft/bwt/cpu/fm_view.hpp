// An FM-index as reading code sees it: pointers into its bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>
#include <weft/bwt/core/dna_rank.hpp>
#include <weft/bwt/core/wavelet_matrix.hpp>
#include <weft/bwt/cpu/fm_sections.hpp>
#include <weft/bwt/fm_index.hpp>

namespace weft::detail {

// Numbers of 32 or 64 bits.
struct index_array {
  const void* data = nullptr;
  bool wide = false;
  [[nodiscard]] std::uint64_t operator[](std::uint64_t i) const {
    return wide ? static_cast<const std::uint64_t*>(data)[i] : static_cast<const std::uint32_t*>(data)[i];
  }
  void prefetch(std::uint64_t i) const {
    __builtin_prefetch(static_cast<const char*>(data) + i * (wide ? 8 : 4));
  }
};

} // namespace weft::detail

namespace weft {

struct fm_index::view {
  std::shared_ptr<const void> owner;
  std::span<const char> bytes;
  detail::fm_header header{};
  std::span<const char> names;
  std::span<const std::uint64_t> name_offsets, record_offsets, first_row, open_rows, open_positions;
  std::span<const detail::fm_segment> segments;
  std::span<const detail::fm_run> other_letters;
  std::span<const std::uint16_t> code_of_byte;
  const detail::dna_block* blocks = nullptr;           // dna
  const std::uint64_t* supers = nullptr;               // dna
  detail::wavelet_matrix matrix;                       // others
  std::vector<std::uint64_t> matrix_zeros, code_begin; // of levels; of codes on the last level
  detail::index_array kmers, samples;
  const std::uint64_t *marks = nullptr, *mark_counts = nullptr;
  const std::uint64_t* packed_text = nullptr; // dna
  const char* byte_text = nullptr;            // others

  [[nodiscard]] bool dna() const noexcept { return header.alphabet == 0; }

  // How many of the rows [0, i) are before `code` (not the separator) in the transform.
  template <bool Dna>
  [[nodiscard, gnu::always_inline]] std::uint64_t rank(unsigned code, std::uint64_t i) const {
    if constexpr (Dna) {
      const std::uint64_t b = i / detail::dna_block_rows;
      const auto rows = static_cast<unsigned>(i % detail::dna_block_rows);
      const detail::dna_block& block = blocks[b];
      const unsigned base = code - 1;
      std::uint64_t count = supers[(b >> detail::dna_superblock_shift) * 4 + base] +
                            (block.counts[base] & ~detail::dna_exception_flag) +
                            count_in_block(block, base, rows);
      if ((block.counts[0] & detail::dna_exception_flag) != 0 && base == 0) [[unlikely]]
        count -= open_in(i - rows, i);
      return count;
    } else {
      return matrix.end_of(code, i) - code_begin[code];
    }
  }
  // The code before a row's suffix (0: none), and the row of the suffix that begins with it.
  template <bool Dna> [[nodiscard, gnu::always_inline]] unsigned step_back(std::uint64_t& row) const {
    if constexpr (Dna) {
      const std::uint64_t b = row / detail::dna_block_rows;
      const unsigned base = base_in_block(blocks[b], static_cast<unsigned>(row % detail::dna_block_rows));
      if ((blocks[b].counts[0] & detail::dna_exception_flag) != 0 && base == 0 && open_in(row, row + 1) != 0)
          [[unlikely]]
        return 0;
      row = first_row[base + 1] + rank<true>(base + 1, row);
      return base + 1;
    } else {
      std::uint64_t place = row;
      const unsigned code = matrix.access(place);
      if (code != 0) row = first_row[code] + place - code_begin[code];
      return code;
    }
  }
  [[nodiscard]] std::uint64_t open_in(std::uint64_t first, std::uint64_t last) const {
    auto at = std::lower_bound(open_rows.begin(), open_rows.end(), first);
    std::uint64_t count = 0;
    for (; at != open_rows.end() && *at < last; ++at) ++count;
    return count;
  }
  [[nodiscard]] std::uint64_t open_position(std::uint64_t row) const {
    return open_positions[static_cast<std::uint64_t>(
        std::lower_bound(open_rows.begin(), open_rows.end(), row) - open_rows.begin())];
  }
  [[nodiscard, gnu::always_inline]] bool marked(std::uint64_t row) const {
    return (marks[row / 64] >> (row % 64) & 1) != 0;
  }
  [[nodiscard, gnu::always_inline]] std::uint64_t marks_before(std::uint64_t row) const {
    std::uint64_t count = mark_counts[row / 512];
    for (std::uint64_t w = row / 512 * 8; w < row / 64; ++w)
      count += static_cast<std::uint64_t>(detail::count_ones(marks[w]));
    return count + static_cast<std::uint64_t>(
                       detail::count_ones(marks[row / 64] & ((std::uint64_t{1} << (row % 64)) - 1)));
  }
  template <bool Dna> void prefetch(std::uint64_t row) const {
    if constexpr (Dna)
      __builtin_prefetch(blocks + row / detail::dna_block_rows);
    else
      __builtin_prefetch(matrix.words + row / 64);
  }
  // The segment that text[position] stands in.
  [[nodiscard]] const detail::fm_segment& segment_of(std::uint64_t position) const {
    return *(std::upper_bound(segments.begin(), segments.end(), position,
                              [](std::uint64_t p, const detail::fm_segment& s) { return p < s.start; }) -
             1);
  }
};

} // namespace weft
