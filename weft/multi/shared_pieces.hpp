// Pieces of a sorted text that the ranks of a job sort together, in rounds: in each of them, each rank sorts
// a piece of adjacent rows.
//
//   for each round: exchange(round)       all ranks send each other the items of their pieces, sort them as
//                                         far as that takes no anchors, and sort the anchors if any rank
//                                         needs them
//                   sort(round, take)     each rank sorts its piece completely
//
// Each rank reads a share of the text for the sizes of the buckets, again for the items of a round, and for
// the anchors. A rank that has no memory for copies of its items reads the whole text instead. If such a rank
// needs anchors, and no other rank does, it sorts them alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>
#include <weft/base/run.hpp>
#include <weft/base/unwritten_allocator.hpp>
#include <weft/bwt/cpu/suffix_ranges.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::multi_detail {

// The ranks of a job as processes that share the positions of a text.
class rank_sharing final : public bwt_detail::position_sharing {
public:
  // The object refers to its arguments.
  rank_sharing(multi::communicator& ranks, const run_options& run);

  void run(const std::function<void()>& step) override;
  void sum(std::span<std::uint64_t> numbers) override;
  // Throws memory_error on all ranks.
  [[nodiscard]] unwritten_vector<std::uint64_t> gather(std::span<const std::uint64_t> numbers) override;
  [[nodiscard]] unwritten_vector<std::uint64_t>
  exchange(const bwt_detail::suffix_buckets& buckets, std::span<const std::uint64_t> first_buckets) override {
    return exchange(buckets, first_buckets, true);
  }
  // Does the same, but gives items only to the ranks that want them.
  [[nodiscard]] unwritten_vector<std::uint64_t> exchange(const bwt_detail::suffix_buckets& buckets,
                                                         std::span<const std::uint64_t> first_buckets,
                                                         bool wants_items);

private:
  // Returns the sizes of the buckets of this rank in the shares of all ranks, one rank after another.
  [[nodiscard]] std::vector<std::uint64_t> exchange_sizes(const bwt_detail::suffix_buckets& buckets,
                                                          std::span<const std::uint64_t> first_buckets);
  // Copies items that were received, one rank after another, to `items`, one bucket after another.
  void order_by_bucket(const unwritten_vector<std::uint64_t>& received,
                       const std::vector<std::uint64_t>& sizes, unwritten_vector<std::uint64_t>& items) const;

  multi::communicator& ranks_;
  const run_options& run_;
};

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

  // Gives each rank the items of its piece of a round, and sorts the anchors if any of them needs these. All
  // ranks call it together.
  void exchange(std::uint64_t round);
  // Sorts the piece of this rank after exchange(round), and passes its suffixes to take() range by range.
  void sort(std::uint64_t round, const bwt_detail::take_range& take);

private:
  [[nodiscard]] std::uint64_t piece(std::uint64_t round, int rank) const {
    return round * static_cast<std::uint64_t>(ranks_.size()) + static_cast<std::uint64_t>(rank);
  }
  // Gives each rank the items of its piece, and sorts them as far as that takes no anchors. Returns whether
  // this rank needs anchors that have not been sorted.
  [[nodiscard]] bool start(std::uint64_t round);

  multi::communicator& ranks_;
  rank_sharing sharing_;
  std::uint64_t num_rounds_;
  bwt_detail::suffix_pieces pieces_;
  bool has_items_ = false;   // whether this rank has received the items of its piece
  bool has_anchors_ = false; // whether the ranks have sorted the anchors together
};

} // namespace weft::multi_detail
