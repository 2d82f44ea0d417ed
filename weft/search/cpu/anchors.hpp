// Anchors: maximal exact matches between two genomes that contain a sampled k-mer.
//
// A k-mer of A is sampled if the hash of it and its reverse complement is a multiple of the sampling
// interval, so the same k-mers are sampled in B, on both strands. The plain version is: for each k-mer of B
// that equals a sampled k-mer of A, report the maximal match that contains both, once. Departures: a k-mer
// that occurs more than max_occurrences times in A is left out; so is a k-mer within a long match that was
// just found.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>
#include <weft/base/run.hpp>
#include <weft/search/cpu/genome_text.hpp>

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
};

// Returns the anchors of two texts; `b_reverse` is the reverse complement of b. k is 8 to 31. O(n) for texts
// without repeats. Throws memory_error once there are more than max_anchors. Adds half of the work of the
// run, a.size() + b.size(), to its monitor.
[[nodiscard]] strand_anchors find_anchors(const genome_text& a, const genome_text& b,
                                          const genome_text& b_reverse, std::uint64_t k,
                                          std::uint64_t max_anchors, const run_options& run);

// Returns the bytes that find_anchors() takes beside the texts and the anchors.
[[nodiscard]] std::uint64_t anchor_memory(std::uint64_t size_of_a);

} // namespace weft::search_detail
