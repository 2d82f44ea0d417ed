// Anchors: maximal exact matches between two genomes that contain a sampled k-mer.
//
// The plain version is: for each k-mer of B that equals a sampled k-mer of A, report the maximal match that
// contains both, once. Departures: a k-mer that occurs more than 32 times in A is left out, except in
// stretches of B that consist of such k-mers: there, 32 of its occurrences are taken (repeats.hpp). A k-mer
// within a long match that was just found is left out, too.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>
#include <weft/base/run.hpp>
#include <weft/search/cpu/genome_text.hpp>
#include <weft/search/cpu/kmer_table.hpp>

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

// Returns the anchors of two texts; `b_reverse` is the reverse complement of b, and `table` has the k-mers of
// a. O(n) for texts of n letters, because a letter of B begins at most 32 matches. Throws memory_error once
// there are more than max_anchors. Adds b.size() / 2 to the work of the run.
[[nodiscard]] strand_anchors find_anchors(const kmer_table& table, const genome_text& a, const genome_text& b,
                                          const genome_text& b_reverse, std::uint64_t max_anchors,
                                          const run_options& run);

} // namespace weft::search_detail
