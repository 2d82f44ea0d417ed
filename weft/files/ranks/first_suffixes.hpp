// Finds which hits of a pattern have the first suffixes, where the index is split among the ranks of a job.
//
// An index lists, of a pattern with more than N hits, those whose suffixes come first. A suffix is the text
// from the hit to the end of all segments (fm_parts.hpp); so it reaches through all records behind it, also
// those of other ranks. Two suffixes that are equal up to the ends of their segments have the order of what
// is behind these segments, which segment_order.hpp knows for all ranks.
//
// The index of one rank has the same order as the index of all records, but for suffixes that are equal up to
// the ends of their segments. So the first N hits of a rank are right, except that of the hits which are
// equal to the last one in this sense, others may come before it. Each rank replaces these, and sorts its N
// hits. The rank that asks merges those of all ranks by their letters (letter_order.hpp). Ranks send no
// letters that a hit has in common with the one before.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>
#include <weft/base/run.hpp>
#include <weft/base/sequences.hpp>
#include <weft/bwt/fm_index.hpp>
#include <weft/files/ranks/letter_order.hpp>
#include <weft/files/ranks/segment_order.hpp>
#include <weft/files/ranks/segment_text.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::files {

// All ranks call the functions together.
class first_suffixes {
public:
  // `own` is the index of the records of this rank, the first of which is record `first_record` of all.
  first_suffixes(multi::communicator& ranks, const fm_index& own, std::uint64_t first_record);

  // Returns on rank `asker`, for each pattern, its max_hits hits of all ranks that have the first suffixes,
  // by record and position. `own` has the first max_hits hits of each pattern in the index of this rank, and
  // totals[p] is how often the pattern occurs in all; each pattern must have more hits than max_hits. The
  // first call finds the order of segments within run.memory bytes. The candidates take at most `memory`
  // bytes, which is the same on all ranks, as are the patterns, totals, max_hits and `asker`. Throws
  // multi::common_failure if the memory is too small.
  [[nodiscard]] std::vector<std::vector<fm_hit>> locate(const sequences_view& patterns, const fm_hits& own,
                                                        std::span<const std::uint64_t> totals,
                                                        std::uint64_t max_hits, const run_options& run,
                                                        std::uint64_t memory, int asker);

private:
  // A hit, numbered among the records of all ranks. Its stretch is what is behind the pattern.
  struct candidate {
    fm_hit hit;
    text_stretch behind;
    std::uint64_t rank_behind; // of the segment (segment_order.hpp)
  };
  // A hit of this rank: its segment, and where the stretch behind the pattern begins.
  struct own_hit {
    std::uint64_t segment, behind;
  };

  // Returns the candidates of this rank for each pattern in [first, last), in order.
  [[nodiscard]] std::vector<std::vector<candidate>> own_candidates(const sequences_view& patterns,
                                                                   const fm_hits& own, std::uint64_t first,
                                                                   std::uint64_t last, std::uint64_t max_hits,
                                                                   const run_options& run) const;
  [[nodiscard]] bool is_before(const own_hit& a, const own_hit& b) const;
  // Returns the number of letters in which two hits are equal behind the pattern.
  [[nodiscard]] std::uint64_t common_letters(const own_hit& a, const own_hit& b) const;
  // Replaces the hits that are equal to the last one by those that come first. The hits are in order.
  void replace_last(std::vector<own_hit>& hits, std::uint64_t pattern_size) const;
  // Appends the hits of patterns with these candidates to the result.
  void merge(const std::vector<std::vector<candidate>>& own, std::uint64_t max_hits, std::uint64_t memory,
             int asker, std::vector<std::vector<fm_hit>>& result);

  multi::communicator& ranks_;
  segment_text text_;
  std::uint64_t first_record_;
  letter_order letters_;
  std::optional<segment_order> segments_; // from the first call of locate() on
};

} // namespace weft::files
