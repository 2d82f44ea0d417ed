// The order of the segments of all ranks, which decides about suffixes that are equal up to the ends of their
// segments.
#pragma once

#include <cstdint>
#include <vector>
#include <weft/base/run.hpp>
#include <weft/files/ranks/letter_order.hpp>
#include <weft/files/ranks/segment_text.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::files {

// A segment_order knows, on each rank, the order of the suffixes of the text of all ranks that begin with its
// segments. A suffix reaches through all segments behind it.
//
// Rank 0 sorts the segments by their letters (letter_order.hpp); of equal segments of a rank, only one is
// compared. Then it replaces every segment by the number of its letters in this order, and sorts the suffixes
// of this list of numbers.
class segment_order {
public:
  // All ranks construct it together; `own` is the text of this rank. O(m log m) comparisons and at most the
  // letters of all segments for m segments. While it is constructed, it takes about 50 bytes for each of the
  // m segments on rank 0, and 120 more for each that differs from all others. It keeps 40 bytes for each
  // segment of its own rank. Throws multi::common_failure if rank 0 needs more than its run.memory.
  segment_order(multi::communicator& ranks, letter_order& letters, const segment_text& own,
                const run_options& run);

  // Returns the rank, among the suffixes of all ranks that begin with segments, of the one behind segment s
  // of this rank; 0 if the text of all ranks ends there.
  [[nodiscard]] std::uint64_t rank_behind(std::uint64_t s) const { return ranks_behind_[s]; }
  // Returns a number that all segments with the letters of segment s have, on all ranks, and no others.
  [[nodiscard]] std::uint64_t name_of(std::uint64_t s) const { return names_[s]; }
  // Returns, of the segments of this rank that end in the last `size` letters of segment s, the first `count`
  // ones by rank_behind(). O(m) time for m such segments, and O(log n) comparisons for n segments.
  [[nodiscard]] std::vector<std::uint64_t> first_with_end(std::uint64_t s, std::uint64_t size,
                                                          std::uint64_t count) const;

private:
  // Groups the segments of this rank, and returns the first one of each group to be compared.
  [[nodiscard]] std::vector<text_stretch> group_segments(std::uint64_t text_begin);
  void sort_ends();
  // Returns, on rank 0, for each segment of all ranks the number of its letters among those of all segments.
  [[nodiscard]] std::vector<std::uint32_t> name_segments(letter_order& letters,
                                                         const std::vector<text_stretch>& own_groups,
                                                         std::vector<std::uint64_t>& num_segments,
                                                         std::uint64_t memory);
  // Compares the end of a group with the last `size` letters before a position, from the end on: returns
  // whether it is less (-1) or greater (1), or ends in these letters (0).
  [[nodiscard]] int compare_end(std::uint64_t group, std::uint64_t end, std::uint64_t size) const;

  multi::communicator& ranks_;
  const segment_text& own_;
  // The segments of this rank in the order of its own text, in which equal ones are neighbours; where each
  // group of equal ones begins, and the number of all; and the groups in the order of their reversed letters.
  std::vector<std::uint64_t> sorted_, group_begins_, by_end_;
  std::vector<std::uint64_t> ranks_behind_; // of each segment
  std::vector<std::uint32_t> names_;        // of each segment
};

} // namespace weft::files
