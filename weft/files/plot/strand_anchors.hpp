// Finds matches on both strands of two DNA texts for a dot plot: k-mers that the texts share, joined along
// diagonals.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace weft::files {

// A k-mer of A at position `a` that B contains at position `b`. If `reverse`, B contains its reverse
// complement.
struct strand_anchor {
  std::uint32_t a, b;
  bool reverse;
  friend auto operator<=>(const strand_anchor&, const strand_anchor&) = default;
};

// The shared k-mers, ordered by strand, then by position. k is 0 if none were searched for.
struct strand_anchors {
  unsigned k = 0;
  std::uint64_t spacing = 1; // one in `spacing` k-mers was looked at
  std::vector<strand_anchor> anchors;
};

// Returns k-mers of A, C, G, T and U, in either case, that A and B share. k is odd, so that no k-mer is its
// own reverse complement, and so large that unrelated texts of these lengths share about none. Of long texts,
// a sample of k-mers is chosen by their hashes, at most 2^20 k-mers of each text, and k-mers that occur too
// often are left out. O(m + n) time, at most 24 MiB of memory. Texts of 2^32 letters or more have no anchors.
[[nodiscard]] strand_anchors find_strand_anchors(std::string_view a, std::string_view b);

// A line of the plot: A's [a_begin, a_end) matches B's [b_begin, b_end), or, if `reverse`, its reverse
// complement.
struct strand_segment {
  std::uint64_t a_begin, a_end, b_begin, b_end;
  bool reverse;
  friend auto operator<=>(const strand_segment&, const strand_segment&) = default;
};

// Joins anchors of one strand that follow each other along A with at most `max_gap` letters between them, and
// whose diagonals differ by at most `max_drift` from the diagonal of the segment's first anchor. Returns the
// segments in the order of their first anchors, the forward strand first. O(anchors) time.
[[nodiscard]] std::vector<strand_segment> join_anchors(const strand_anchors& found, std::uint64_t max_gap,
                                                       std::uint64_t max_drift);

} // namespace weft::files
