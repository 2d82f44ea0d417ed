// Compares two genomes by all ranks of a job.
//
//   #include <weft/multi/thread_ranks.hpp>
//   weft::sequences a, b;
//   a.add("ACGTTGCATCAGGCTAAGTCCTAGACTTGACCATGGTAC", "chr");
//   b.add("ACGTTGCATCAGGCTAAGTCGTAGACTTGACCATGGTAC", "strain");
//   std::size_t variants = 0;
//   weft::multi::run_ranks(3, [&](weft::multi::communicator& ranks) {
//     const bool first = ranks.rank() == 0;
//     const weft::genome_comparison found = weft::multi::compare_genomes(
//         ranks, first ? a : weft::sequences(), first ? b : weft::sequences(), {.min_match = 12});
//     if (first) variants = found.variants.size();
//   });
//   variants;                                       // == 1
//
// Rank 0 compares the genomes as weft/search/variants.hpp says. The other ranks wait until it has to find the
// anchors of large genomes, or to close the gaps between the anchors of a long alignment. All other steps are
// the work of rank 0 alone. So the result is that of one process.
//
// Anchors. Rank 0 sends both texts to all ranks. Each rank counts and places the sampled k-mers of A in its
// part of the buckets of the table of k-mers, and the ranks copy the parts to each other. Of R ranks, each
// searches every R-th chunk of 2^18 letters of B, and then every R-th stretch of repeats. Rank 0 receives the
// anchors.
//
// Gaps. Rank 0 deals out the gaps of an alignment so that all ranks need about the same time by the cells of
// their gaps, and sends each rank the letters of its gaps. The ranks send paths back.
//
// Cost on R ranks: every rank reads the whole text of A; the rest of the time of both steps is divided by R.
// Traffic: both texts, from rank 0; for a text A of n letters with k sampled k-mers 8 k bytes and at least as
// many for the buckets, from all ranks to all ranks; 24 bytes for each anchor of another rank; and for each
// gap of another rank its letters, 40 bytes, and some bytes for each run of its path. Memory of another rank:
// the texts, the reverse complement of B and the table, which are what rank 0 has as well, and its matches.
#pragma once

#include <cstdint>
#include <memory>
#include <weft/multi/communicator.hpp>
#include <weft/search/variants.hpp>

namespace weft::multi {

// When ranks share the work of a comparison.
struct comparison_limits {
  std::uint64_t min_letters = std::uint64_t{1} << 20;     // of both genomes, to find anchors together
  std::uint64_t min_gap_letters = std::uint64_t{1} << 16; // in the gaps of one alignment
};

// The ranks of a job that compare genomes together. Rank 0 calls weft::compare_genomes() with the options
// `helpers` = team.helpers(), as often as it likes, and then dismiss(); meanwhile the other ranks are in
// help(). If a step that they share fails on any rank, exchanges of the job fail (communicator::fail()).
class comparison_team {
public:
  // All ranks construct it together. The communicator must outlive the team.
  explicit comparison_team(communicator& ranks, const comparison_limits& limits = {});
  ~comparison_team();
  comparison_team(const comparison_team&) = delete;
  comparison_team& operator=(const comparison_team&) = delete;

  // Returns what rank 0 sets as comparison_options::helpers.
  [[nodiscard]] search_detail::comparison_helpers* helpers() noexcept;
  // Works together with rank 0 until rank 0 calls dismiss(). Uses run.threads, run.memory for texts and
  // k-mers, and run.monitor for the letters of this rank and to be cancelled. The monitor of rank 0 counts
  // those of rank 0: the sum over all ranks is the total of rank 0.
  void help(const run_options& run);
  // Ends help() of the other ranks.
  void dismiss();

private:
  class state;
  std::unique_ptr<state> state_;
};

// Returns weft::compare_genomes() of the genomes and the options of rank 0 on rank 0, and an empty comparison
// on the other ranks, which ignore their genomes and use run.threads, run.memory and run.monitor of their
// options. If rank 0 throws, all ranks do.
[[nodiscard]] genome_comparison compare_genomes(communicator& ranks, const sequences_view& a,
                                                const sequences_view& b,
                                                const comparison_options& options = {},
                                                const comparison_limits& limits = {});

} // namespace weft::multi
