// The steps of building an FM-index on the CPU. fm_code.cpp converts references to the text that the index
// sorts, which consists of codes and separators; fm_order.cpp sorts the suffixes of the text, and fm_rows.cpp
// writes the sections that follow from their order. entry/build_index.cpp joins them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>
#include <weft/base/unwritten_allocator.hpp>
#include <weft/bwt/core/fm_row_task.hpp>
#include <weft/bwt/cpu/fm_sections.hpp>
#include <weft/bwt/fm_index.hpp>

namespace weft::bwt_detail {

// The messages about too little memory begin with these words, and say how much is needed.
inline constexpr std::string_view building_the_index = "building the index, beside the references,";

// Writes, on the CPU, the sections that follow from the order of the suffixes, on the host's threads. Sorts
// the suffixes to a suffix array if task.options.run.memory allows it, otherwise range by range. Frees the
// symbols of DNA.
template <class Index> void write_rows(const fm_row_task<Index>& task);

// Bytes of memory that write_rows() takes: with a suffix array, and at least if the suffixes are sorted range
// by range. Texts of more than 256 codes are always sorted by ranges.
struct fm_row_memory {
  std::uint64_t with_array, by_ranges;
  [[nodiscard]] std::uint64_t min_bytes() const { return std::min(with_array, by_ranges); }
};
template <class Index>
[[nodiscard]] fm_row_memory memory_for_rows(std::uint64_t num_rows, unsigned num_codes, bool dna,
                                            std::uint64_t num_segments);

// Rows one after another, and whether no rows follow. first_row is a multiple of scan_chunk.
template <class Index> struct fm_row_batch {
  std::uint64_t first_row;
  std::span<const Index> suffixes;
  bool is_last;
};
// Sorts the suffixes of a text as write_rows() says, and passes all rows to take() in order. Frees the
// symbols of DNA before.
template <class Index>
void visit_rows(const fm_row_task<Index>& task, const std::function<void(const fm_row_batch<Index>&)>& take);

// Threads code slices of letters. The counts of all slices are computed first, so that each slice knows where
// to write.

// Counts for a part of the letters.
struct fm_slice {
  std::uint64_t symbols = 0, segments = 0, runs = 0; // symbols include separators; runs of other letters
};

// The size of the coded text, and its alphabet.
struct fm_extent : fm_slice {
  std::vector<std::uint16_t> code_of_byte = std::vector<std::uint16_t>(256, 0); // 0: the byte matches nothing
  unsigned num_codes = 1;
  std::vector<std::uint64_t> code_counts; // how often each code occurs in the text; empty for DNA
  std::vector<fm_slice> before;           // counts of all slices before each slice
};

// Codes as bytes; 0 is the separator (if all bytes are in use, 0 stands for code 256 as well).
using fm_symbols = unwritten_vector<unsigned char>;

// An fm_coded_text says where the coded text is written. The spans have the sizes given by its extent.
struct fm_coded_text {
  std::span<unsigned char> symbols;
  std::span<char> letters; // the same symbols as letters, for alphabets that keep them
  std::span<fm_segment> segments;
  std::span<fm_run> other_letters;
};

// Returns the extent of the coded text of references. O(n) time on run.threads threads; 24 bytes for
// each slice of 2^18 letters.
[[nodiscard]] fm_extent extent_of(const sequences_view& references, fm_alphabet alphabet,
                                  const run_options& run);
// Codes the references, whose extent is `extent`, and writes them. O(n) time, no memory.
void code_references(const sequences_view& references, fm_alphabet alphabet, const fm_extent& extent,
                     const fm_coded_text& to, const run_options& run);

// Writes the contexts (core/near_context.hpp) of rows from first_row on with these suffixes, unless the task
// has no contexts. The segments and the packed text of the task, of `num_symbols` symbols, have been written.
template <class Index>
void write_contexts(const fm_row_task<Index>& task, std::uint64_t num_symbols, std::uint64_t first_row,
                    std::span<const Index> suffixes);

// Writes the contexts of the rows of a finished index without contexts. Looks up the position of each
// row, O(1) for each of them, on the threads of `run`.
void write_contexts(const fm_index::view& index, std::span<std::uint64_t> contexts, const run_options& run);

} // namespace weft::bwt_detail
