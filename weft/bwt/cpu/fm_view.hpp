// An FM-index as the code that reads it sees it: pointers into its bytes; and how it is opened (fm_open.cpp).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>
#include <weft/bwt/core/fm_parts.hpp>
#include <weft/bwt/cpu/fm_kmers.hpp>
#include <weft/bwt/cpu/fm_sections.hpp>
#include <weft/bwt/fm_index.hpp>

namespace weft {

struct fm_index::view : bwt_detail::fm_parts {
  std::shared_ptr<const void> owner;
  std::span<const char> bytes;
  bwt_detail::fm_header header{};
  std::span<const char> names;
  std::span<const std::uint64_t> name_offsets, record_offsets;
  std::span<const bwt_detail::fm_run> other_letters;
  const std::uint64_t* contexts = nullptr; // of the rows (core/near_context.hpp); null: the index has none
  std::unique_ptr<bwt_detail::fm_long_kmers> long_kmers; // DNA only
  // For `matrix`: the zeros of each level, and where each code begins on the last level.
  std::vector<std::uint64_t> matrix_zeros, matrix_begins;

  template <bool Dna> void prefetch(std::uint64_t row) const {
    if constexpr (Dna)
      bwt_detail::prefetch_line(blocks + row / bwt_detail::dna_block_rows);
    else
      bwt_detail::prefetch_line(matrix.words + row / 64);
  }
};

} // namespace weft

namespace weft::bwt_detail {

// Returns a view of an index that points into `bytes`. Throws error(invalid_input) unless the bytes satisfy
// everything that reading relies on.
[[nodiscard]] std::shared_ptr<const fm_index::view> open_fm_index(std::span<const char> bytes,
                                                                  std::shared_ptr<const void> owner);
// Returns the same for the bytes of an index that this process has just built. Computes no checksums, and
// checks nothing that takes time in proportion to the text.
[[nodiscard]] std::shared_ptr<const fm_index::view> open_built_fm_index(std::span<const char> bytes,
                                                                        std::shared_ptr<const void> owner);

} // namespace weft::bwt_detail
