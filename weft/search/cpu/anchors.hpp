// Anchors: maximal exact matches between two genomes that contain a sampled k-mer.
//
// The plain version is: for each k-mer of B that equals a sampled k-mer of A, report the maximal match that
// contains both, once. Departures: a k-mer that occurs more than 32 times in A is left out, except in
// stretches of B that consist of such k-mers: there, 32 of its occurrences are taken (repeats.hpp). A k-mer
// within a long match that was just found is left out, too.
#pragma once

#include <atomic>
#include <compare>
#include <cstdint>
#include <vector>
#include <weft/base/run.hpp>
#include <weft/search/cpu/genome_text.hpp>
#include <weft/search/cpu/kmer_table.hpp>
#include <weft/search/cpu/repeats.hpp>

namespace weft::search_detail {

// `length` equal letters at position a of the text of A and at position b of the text of B, or of its reverse
// complement.
struct anchor {
  std::uint64_t b, a, length;
  [[nodiscard]] std::uint64_t a_end() const { return a + length; }
  [[nodiscard]] std::uint64_t b_end() const { return b + length; }
  [[nodiscard]] std::int64_t diagonal() const {
    return static_cast<std::int64_t>(a) - static_cast<std::int64_t>(b);
  }
  friend auto operator<=>(const anchor&, const anchor&) = default;
};

// The anchors on each strand, by (b, a); those of the reverse strand have positions in the reverse
// complement.
struct strand_anchors {
  std::vector<anchor> forward, reverse;
  [[nodiscard]] std::uint64_t size() const { return forward.size() + reverse.size(); }
};

// Throws memory_error if `found` matches are more than max_anchors.
void check_anchors(std::uint64_t found, std::uint64_t max_anchors);

// Joins the parts of each match, and sorts the anchors.
void join_and_sort(strand_anchors& anchors);

// An anchor_search finds anchors of two texts: those of all pieces of B, or those of a share of the pieces if
// several processes search together. A letter of B begins at most 32 matches, so the search takes O(n) time
// for n letters.
class anchor_search {
public:
  // Prepares the search for the pieces `index`, `index + count`, ... `b_reverse` is the reverse complement of
  // b, and `table` has the k-mers of a. All that is given must outlive the search.
  anchor_search(const kmer_table& table, const genome_text& a, const genome_text& b,
                const genome_text& b_reverse, std::uint64_t max_anchors, const run_options& run,
                std::uint64_t index = 0, std::uint64_t count = 1);

  // Searches the chunks of B, and returns the stretches of B that consist of frequent k-mers. Adds the work
  // of its share of b.size() / 2 to the run. Throws memory_error if there are more than max_anchors matches.
  [[nodiscard]] std::vector<repeat_stretch> search_chunks();
  // Searches the stretches that join_stretches() has made of those of all processes. Throws as above.
  void search_stretches(const std::vector<repeat_stretch>& stretches);

  // Returns the number of matches so far, some of which are parts of others.
  [[nodiscard]] std::uint64_t num_matches() const { return num_matches_; }
  // Returns the anchors, joined and sorted, and leaves none.
  [[nodiscard]] strand_anchors take();

private:
  // Returns how many of `pieces` are of this share.
  [[nodiscard]] std::uint64_t count_own(std::uint64_t pieces) const;
  void count_matches(std::uint64_t found);

  const kmer_table& table_;
  const genome_text &a_, &b_, &b_reverse_;
  std::uint64_t max_anchors_;
  const run_options& run_;
  std::uint64_t index_, count_;
  std::atomic<std::uint64_t> num_matches_{0};
  std::vector<strand_anchors> parts_; // of the pieces of this share
};

} // namespace weft::search_detail
