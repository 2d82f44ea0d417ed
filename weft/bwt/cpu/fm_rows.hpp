// The sections of an index that follow from rows which are given batch by batch: all rows of an index, or the
// share of a process that makes an index together with others.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>
#include <weft/base/run.hpp>
#include <weft/bwt/core/fm_row_task.hpp>
#include <weft/bwt/cpu/fm_build.hpp>
#include <weft/bwt/cpu/fm_row_scan.hpp>
#include <weft/bwt/cpu/suffix_string.hpp>

namespace weft::bwt_detail {

// Writes the marks, the samples and, for DNA, the blocks of ranks of rows, and finds the open rows. The rows
// of the task are numbered from 0 on, also if they are a share of all rows.
template <class Index> class row_sections {
public:
  // `num_symbols` are those of the text. The task must outlive the object.
  row_sections(const fm_row_task<Index>& task, std::uint64_t num_symbols)
      : task_(task), starts_(task.segments, num_symbols), chunks_(task.num_rows / scan_chunk + 1) {}

  // Takes the next batch. Blocks then have the counts of their own rows.
  void scan(const fm_row_batch<Index>& batch);

  // The functions below are called after the last batch. num_marks() returns the number of marked rows, and
  // counts() how many rows each base precedes. visit_open_rows() calls each(row, position) for the open rows.
  [[nodiscard]] std::uint64_t num_marks() const noexcept { return num_marks_; }
  [[nodiscard]] base_counts counts() const;
  template <class Each> void visit_open_rows(const Each& each) const {
    for (const auto& chunk : chunks_)
      for (std::size_t i = 0; i < chunk.open_rows.size(); ++i)
        each(chunk.open_rows[i], chunk.open_positions[i]);
  }
  // Writes the counts of the superblocks that begin in these blocks to task.supers. Block 0 of the task is
  // block `first_block` of the index, and `before` are the counts of all rows before it.
  void write_supers(std::uint64_t first_block, const base_counts& before) const;
  // Adds to the counts of each block those of the rows before it, from its superblock on.
  void sum_blocks(std::uint64_t first_block, const base_counts& before) const;

private:
  static constexpr std::uint64_t chunk_blocks = scan_chunk / dna_block_rows;

  const fm_row_task<Index>& task_;
  segment_starts starts_;
  std::vector<typename row_scan<Index>::chunk_result> chunks_;
  std::uint64_t num_marks_ = 0; // of the rows that have been scanned
};

// Write a level of a wavelet matrix, or the share of a process in one. Code is unsigned char or
// std::uint16_t. write_level() writes bit `shift` of each code to whole groups of words, which include one
// for the rows behind the last group of 512, and the number of ones before each group to `counts`. Returns
// the number of all ones. sort_by_bit() then sorts the codes stably by this bit.
template <class Code>
std::uint64_t write_level(std::span<const Code> codes, int shift, std::span<std::uint64_t> words,
                          std::span<std::uint64_t> counts, const run_options& run);
template <class Code>
void sort_by_bit(std::span<const Code> codes, int shift, std::span<const std::uint64_t> counts,
                 std::uint64_t num_ones, std::span<Code> sorted, const run_options& run);

// Packs the symbols of the text of an index. If all 256 bytes are in use beside the separator, 0 stands for
// code 256 except at the ends of segments.
[[nodiscard]] suffix_string packed_symbols(const fm_symbols& symbols, unsigned num_codes,
                                           std::span<const fm_segment> segments, const run_options& run);

// The text of an index that a process has packed for sorting, or has received so.
class packed_text_codes {
public:
  packed_text_codes(const suffix_string& text, unsigned num_codes)
      : text_(text), maps_(num_codes <= 256), shift_(64 - text.bits()) {}
  // Returns the code of symbol i, and the one before it, which is 0 for i = 0.
  [[nodiscard]] std::uint16_t at(std::uint64_t i) const {
    const std::uint64_t code = text_.from(i * text_.bits()) >> shift_;
    return static_cast<std::uint16_t>(maps_ ? text_.symbols()[code] : code);
  }
  [[nodiscard]] std::uint16_t before(std::uint64_t i) const { return i == 0 ? std::uint16_t{0} : at(i - 1); }

private:
  const suffix_string& text_;
  bool maps_; // whether the packed codes are numbers of the codes that occur
  std::uint64_t shift_;
};

// Writes the text of DNA in 2 bits a base, as pack_codes() does.
void unpack_bases(const suffix_string& text, std::span<std::uint64_t> words, const run_options& run);

// The table of k-mers of an index of DNA, read as one array: entry 2 x is the first row of the k-mer x or,
// if there is none, of a greater suffix, and entry 2 x + 1 the first row behind its rows. So entry e is the
// number of rows whose class is at most e, if the class of a row is 2 x + 1 for a suffix that begins with the
// k-mer x, and for a shorter one 2 x for the first k-mer x behind it. Classes ascend with the rows.
class kmer_classes {
public:
  kmer_classes(const suffix_string& text, std::uint32_t k);
  // Returns the class of the suffix at a position.
  [[nodiscard]] std::uint64_t of(std::uint64_t position) const { return of_window(window(position)); }
  // Returns the number of entries: there are so many classes.
  [[nodiscard]] std::uint64_t count() const { return std::uint64_t{2} << (2 * k_); }
  // Writes the entries [before, class of the last one) for consecutive suffixes from `first_row` on, where
  // `before` is the class of the row before them, or 0. Entry `before` goes to table[0].
  template <class Index>
  void write_entries(std::span<const Index> suffixes, std::uint64_t first_row, std::uint64_t before,
                     std::span<Index> table, const run_options& run) const;

private:
  // Returns the bits of the first k symbols of a suffix, and the class that follows from them.
  [[nodiscard]] std::uint64_t window(std::uint64_t position) const {
    return text_.from(position * text_.bits()) >> shift_;
  }
  [[nodiscard]] std::uint64_t of_window(std::uint64_t bits) const;

  const suffix_string& text_;
  std::uint32_t k_;
  std::uint64_t shift_;
};

} // namespace weft::bwt_detail
