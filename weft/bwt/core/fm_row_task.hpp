// The part of building an FM-index that depends on the order of the suffixes: the coded text, and the
// sections to write. It runs on the CPU (cpu/fm_rows.cpp) or on a GPU (cuda/fm/fm_build.hpp).
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <weft/base/unwritten_allocator.hpp>
#include <weft/bwt/core/fm_build_steps.hpp>
#include <weft/bwt/fm_index.hpp>

namespace weft::bwt_detail {

// The coded text, and the sections to write. Index, the type of rows and positions, is uint32_t or uint64_t.
template <class Index> struct fm_row_task {
  // Codes; 0 is the separator, and also stands for code 256. An engine that needs the memory may free them
  // once it does not read them any more.
  unwritten_vector<unsigned char>& symbols;
  std::uint64_t num_rows; // as many as symbols
  std::span<const fm_segment> segments;
  std::span<const std::uint64_t> code_counts; // how often each code occurs in the text; empty for DNA
  unsigned num_codes;
  std::uint32_t kmer_size;         // 0: no table of k-mers
  const fm_build_options& options; // the sample rate has been chosen: it is not 0

  // The sections to write, which have their final sizes; see fm_section.
  std::span<std::uint64_t> first_row, open_rows, open_positions, marks, mark_counts;
  std::span<Index> samples;
  std::span<dna_block> blocks;          // DNA only
  std::span<std::uint64_t> words;       // other alphabets only: the words of the wavelet matrix
  std::span<std::uint64_t> supers;      // counts of superblocks, or of groups of words
  std::span<Index> kmers;               // DNA only
  std::span<std::uint64_t> packed_text; // DNA only
  std::span<std::uint64_t> contexts;    // of the rows; empty if the index has none. GPUs do not write them.

  [[nodiscard]] bool dna() const noexcept { return options.alphabet == fm_alphabet::dna; }
  [[nodiscard]] int levels() const noexcept { return std::bit_width(num_codes - 1); }
  // Writes first_row; counts[code] is the number of rows that begin with the code.
  void write_first_rows(std::span<const std::uint64_t> counts) const {
    first_row[0] = 0;
    for (std::size_t code = 0; code < counts.size(); ++code)
      first_row[code + 1] = first_row[code] + counts[code];
  }
  // Returns the parts of a DNA index that narrowing an interval reads: blocks, supers, first_row and
  // open_rows, which must have been written.
  [[nodiscard]] fm_parts parts() const {
    fm_parts parts;
    parts.num_rows = num_rows;
    parts.first_row = std::span<const std::uint64_t>(first_row);
    parts.open_rows = std::span<const std::uint64_t>(open_rows);
    parts.blocks = blocks.data();
    parts.supers = supers.data();
    return parts;
  }
};

} // namespace weft::bwt_detail
