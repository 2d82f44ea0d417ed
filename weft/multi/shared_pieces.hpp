// Pieces of a sorted text that the ranks of a job sort together, in rounds: in each of them, each rank sorts
// a piece of adjacent rows.
//
//   for each round: exchange(round)       all ranks send each other the items of their pieces
//                   sort(round, take)     each rank sorts its piece
//
// Each rank reads a share of the text for the sizes of the buckets, and again for the items of a round. A
// rank that has no memory for copies of its items, or needs it for the anchors, reads the whole text instead.
#pragma once

#include <cstdint>
#include <vector>
#include <weft/base/run.hpp>
#include <weft/base/unwritten_allocator.hpp>
#include <weft/bwt/cpu/suffix_ranges.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::multi_detail {

class shared_pieces {
public:
  // Divides the suffixes of a text, which is not empty and is the same on all ranks, as are the limits. All
  // ranks construct it together. The object refers to all arguments but the limits.
  shared_pieces(multi::communicator& ranks, const bwt_detail::suffix_string& text,
                const bwt_detail::range_limits& limits, const run_options& run);

  [[nodiscard]] std::uint64_t num_rounds() const { return num_rounds_; }
  // Returns the first row of the piece of a rank, and the row behind its last one. Pieces are in the order of
  // (round, rank), and may be empty.
  [[nodiscard]] std::uint64_t first_row(std::uint64_t round, int rank) const {
    return pieces_.first_row(piece(round, rank));
  }
  [[nodiscard]] std::uint64_t end_row(std::uint64_t round, int rank) const {
    return pieces_.first_row(piece(round, rank) + 1);
  }

  // Gives each rank the items of its piece of a round. All ranks call it together.
  void exchange(std::uint64_t round);
  // Sorts the piece of this rank after exchange(round), and passes its suffixes to take() range by range.
  void sort(std::uint64_t round, const bwt_detail::take_range& take);

private:
  [[nodiscard]] std::uint64_t piece(std::uint64_t round, int rank) const {
    return round * static_cast<std::uint64_t>(ranks_.size()) + static_cast<std::uint64_t>(rank);
  }
  [[nodiscard]] std::uint64_t first_bucket(std::uint64_t round, int rank) const {
    return pieces_.first_bucket(piece(round, rank));
  }
  // Returns the number of items of this rank's share in the buckets before a piece.
  [[nodiscard]] std::uint64_t own_begin(std::uint64_t round, int rank) const {
    return pieces_.buckets().own_begin(first_bucket(round, rank));
  }
  // Returns the sizes of the buckets of this rank's piece in the shares of all ranks, one rank after another.
  [[nodiscard]] std::vector<std::uint64_t> exchange_sizes(std::uint64_t round) const;
  // Copies items that were received, one rank after another, to items_, one bucket after another.
  void order_by_bucket(const unwritten_vector<std::uint64_t>& received,
                       const std::vector<std::uint64_t>& sizes, std::uint64_t num_buckets);

  multi::communicator& ranks_;
  const run_options& run_;
  std::uint64_t num_rounds_;
  bwt_detail::suffix_pieces pieces_;
  bool has_items_ = false; // whether this rank has received the items of its piece
  unwritten_vector<std::uint64_t> items_;
};

} // namespace weft::multi_detail
