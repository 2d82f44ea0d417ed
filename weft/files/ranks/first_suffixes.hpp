// Finds which hits of a pattern have the first suffixes, where the index is split among the ranks of a job.
//
// An index lists, of a pattern with more than N hits, those whose suffixes come first. A suffix is the text
// from the hit to the end of all segments (fm_parts.hpp); so it reaches through all records behind it, also
// those of other ranks. The index of one rank has the same order as the index of all records, but for
// suffixes that are equal up to the end of the text of the rank, because this text continues on the next
// rank. One of two such suffixes lies in the tail of the rank: the longest end of its text that occurs in it
// once more. The tail of chromosomes has a few letters, and that of records that are all the same is long.
//
// The candidates of a rank are the hits in its tail and the first N other hits; they include the first N hits
// of all ranks. Rank 0 sorts the candidates by the letters behind them, which the ranks send it piece by
// piece: at first 32 of each candidate, then more of those candidates whose letters so far are equal to those
// of the N-th one. So for each pattern, the number of candidates that are equal to the N-th one, times the
// number of letters in which they are equal, travels to rank 0. Among records that are all the same these may
// be nearly all letters behind every hit.
//
// The tail is found and indexed when the first pattern has more than N hits, in O(n) time for n letters of
// the rank. Then finding it takes 10 bytes a letter of the tail, and its index remains in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>
#include <weft/base/sequences.hpp>
#include <weft/bwt/fm_index.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::files {

// All ranks call the functions together.
class first_suffixes {
public:
  // `own` is the index of the records of this rank, the first of which is record `first_record` of all.
  first_suffixes(multi::communicator& ranks, const fm_index& own, std::uint64_t first_record);

  // Returns on rank 0, for each pattern, its options.max_hits hits of all ranks that have the first suffixes,
  // by record and position. Each pattern must have more hits than that: totals[p] of all ranks, the same on
  // all ranks. The records are numbered among those of all ranks. The tail is found within options.run.memory
  // bytes. The candidates take at most `memory` bytes, which is the same on all ranks, and at most twice that
  // with the index of the tail. Throws multi::common_failure if the memory is too small, and for
  // the errors of fm_index::build() and locate().
  [[nodiscard]] std::vector<std::vector<fm_hit>> locate(const sequences_view& patterns,
                                                        std::span<const std::uint64_t> totals,
                                                        const fm_search_options& options,
                                                        std::uint64_t memory);

private:
  // A hit, and the position behind it in the text of all ranks.
  struct candidate {
    fm_hit hit;
    std::uint64_t position;
  };
  // The candidates of a pattern on rank 0. The first `low` of them are listed, and those from `high` on are
  // not; the letters of the others are equal as far as they are known.
  struct contest {
    std::vector<candidate> candidates;
    std::uint64_t low = 0, high = 0;
  };

  // Finds the tail of this rank.
  void find_tail(const run_options& run);
  // Returns for each pattern the largest number of hits in a tail.
  [[nodiscard]] std::vector<std::uint64_t> max_in_tails(const sequences_view& patterns,
                                                        const fm_search_options& options);
  // Returns the hits in the tail for each pattern, by record and position.
  [[nodiscard]] std::vector<std::vector<fm_hit>> hits_in_tail(const sequences_view& patterns,
                                                              const fm_search_options& options) const;
  // Returns the candidates of this rank for each pattern.
  [[nodiscard]] std::vector<std::vector<candidate>> own_candidates(const sequences_view& patterns,
                                                                   fm_search_options options) const;
  // Appends the result for some of the patterns, whose candidates fit the memory.
  void locate_group(const sequences_view& patterns, const fm_search_options& options, std::uint64_t memory,
                    std::vector<std::vector<fm_hit>>& result);
  // Returns the candidates of all ranks, on rank 0.
  [[nodiscard]] std::vector<contest> gather(const std::vector<std::vector<candidate>>& own);
  // Orders the candidates on rank 0 until the first max_hits ones of each pattern are known. The other ranks
  // send letters meanwhile.
  void order(std::vector<contest>& contests, std::uint64_t max_hits, std::uint64_t memory);
  // Sets `letters` to `size` letters from each position on in the text of all ranks, with zero bytes behind
  // its end. Rank 0 gives the arguments and gets the result. Returns false, on all ranks, if it gives no
  // positions.
  [[nodiscard]] bool letters_from(std::vector<std::uint64_t> positions, std::uint64_t size,
                                  std::string& letters);
  // Returns the letters [begin, end) of the text of this rank, with zero bytes at the ends of segments.
  [[nodiscard]] std::string own_letters(std::uint64_t begin, std::uint64_t end) const;

  multi::communicator& ranks_;
  fm_index index_;
  std::uint64_t first_record_;
  std::vector<std::uint64_t> begins_; // where the text of each rank begins, and the end of all
  bool knows_tail_ = false;           // whether all ranks have found their tails
  std::uint64_t tail_begin_ = 0;      // in the text of this rank
  std::optional<fm_index> tail_;      // the index of the segments of the tail; null if it has no letters
};

} // namespace weft::files
