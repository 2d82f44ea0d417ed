// Sections of an index that follow from the order of the suffixes: what the host and a GPU both write.
#pragma once

#include <cstdint>
#include <span>
#include <weft/bwt/core/fm_build_steps.hpp>
#include <weft/bwt/cpu/fm_code.hpp>
#include <weft/bwt/fm_index.hpp>

namespace weft::detail {

// The coded text and the sections to write: ranks, rank_supers, first_row, open_rows, open_positions, kmers,
// marks, mark_counts, samples, and of DNA the text.
struct fm_row_task {
  std::span<const unsigned char> symbols;
  const fm_extent& extent;
  const fm_build_options& options; // the sample rate is not 0
  std::uint32_t kmer_size;         // 0: no table
  const fm_writer& to;

  [[nodiscard]] bool dna() const noexcept { return options.alphabet == fm_alphabet::dna; }
  [[nodiscard]] int levels() const noexcept;
  // counts: rows that begin with each code.
  void write_first_rows(std::span<const std::uint64_t> counts) const;
  // With what has been written of DNA: enough to narrow rows.
  [[nodiscard]] fm_parts parts() const;
};

// By the suffix array, on the host's threads. Index: of rows and positions. Memory: an index a symbol; of
// other alphabets then two codes a symbol.
template <class Index> void write_rows(const fm_row_task& task);

} // namespace weft::detail
