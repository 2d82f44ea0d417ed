// The rows of an index that each rank of a job has, and the sections that follow from them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>
#include <weft/base/run.hpp>
#include <weft/base/unwritten_allocator.hpp>
#include <weft/bwt/core/fm_parts.hpp>
#include <weft/bwt/cpu/fm_sections.hpp>
#include <weft/bwt/cpu/suffix_string.hpp>
#include <weft/files/ranks/index_output.hpp>
#include <weft/multi/communicator.hpp>
#include <weft/multi/suffixes.hpp>

namespace weft::files {

// Deals out adjacent rows to the ranks. Shares begin at multiples of the rows of a block of ranks (192) and
// of a group of bits (512), or behind the last row.
class row_shares {
public:
  row_shares(std::uint64_t num_rows, int num_ranks) : num_rows_(num_rows), num_ranks_(num_ranks) {
    constexpr std::uint64_t unit = 1536;
    const auto ranks = static_cast<std::uint64_t>(num_ranks);
    size_ = ((num_rows + ranks - 1) / ranks + unit - 1) / unit * unit;
  }
  [[nodiscard]] std::uint64_t num_rows() const { return num_rows_; }
  // Returns the number of rows of a rank that has most.
  [[nodiscard]] std::uint64_t size() const { return std::min(size_, num_rows_); }
  [[nodiscard]] std::uint64_t begin(int rank) const {
    return std::min(num_rows_, static_cast<std::uint64_t>(rank) * size_);
  }
  [[nodiscard]] std::uint64_t end(int rank) const { return begin(rank + 1); }
  // Returns the first one of the items of a rank, of which each stands for so many rows. The item behind the
  // last row, which stands for none if all others are full, belongs to the last rank.
  [[nodiscard]] std::uint64_t first_item(int rank, std::uint64_t rows) const {
    return rank == num_ranks_ ? num_rows_ / rows + 1 : (begin(rank) + rows - 1) / rows;
  }
  [[nodiscard]] std::uint64_t num_items(int rank, std::uint64_t rows) const {
    return first_item(rank + 1, rows) - first_item(rank, rows);
  }

private:
  std::uint64_t num_rows_, size_ = 0;
  int num_ranks_;
};

// Sorts the suffixes on all ranks, and returns the suffixes of the rows of this rank. Each rank sends those
// that it has sorted to the ranks that have their rows.
template <class Index>
[[nodiscard]] unwritten_vector<Index> sort_share(multi::communicator& ranks, multi::suffix_parts& parts,
                                                 const row_shares& shares);

// An index_share is what a rank knows of an index and its rows.
template <class Index> struct index_share {
  multi::communicator& ranks;
  const bwt_detail::fm_header& header; // the same on all ranks
  const row_shares& shares;
  const std::vector<bwt_detail::fm_segment>& segments; // of the whole text
  const run_options& run;
  unwritten_vector<Index> suffixes; // of the rows of this rank

  [[nodiscard]] bool dna() const { return header.alphabet == 0; }
  [[nodiscard]] std::uint64_t first_row() const { return shares.begin(ranks.rank()); }
};

// Writes the sections that depend on the suffixes alone or, for DNA, on the packed text as well: first rows,
// marks, samples and open rows; for DNA also the ranks and the contexts. `packed_text` is the whole text in 2
// bits a base. Instead of it, rank 0 gives for other alphabets how often each code occurs.
template <class Index>
void write_row_sections(const index_share<Index>& share, std::span<std::uint64_t> packed_text,
                        std::span<const std::uint64_t> code_counts, index_output& out);

// Writes the table of k-mers. Each rank writes the entries between the last row of the rank before and its
// own last row.
template <class Index>
void write_kmers(const index_share<Index>& share, const bwt_detail::suffix_string& text, index_output& out);

// Writes the ranks of an alphabet of `levels` bits. `codes` are those before the rows of this rank, of type
// unsigned char or std::uint16_t. At each level, every rank sorts its codes by a bit, and sends them to the
// ranks that have their places on the next level.
//
// Traffic: for each level but the last one, each code, unless its rank keeps it. Memory: the codes twice, and
// 1.2 bits for each code and level.
template <class Code>
void write_levels(multi::communicator& ranks, const row_shares& shares, unwritten_vector<Code> codes,
                  int levels, const run_options& run, index_output& out);

} // namespace weft::files
