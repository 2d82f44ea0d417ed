// The suffixes that are sorted, and the induction of all others from them (core/induced_slots.hpp describes
// the slots of suffixes, and gives the sources).
//
// A suffix rises if it is less than the next suffix, and falls otherwise. The stars are the suffixes that
// rise and whose next suffix falls: at most every second one. From the order of the stars follows the order
// of all suffixes, in two passes over the suffix array.
#pragma once

#include <cstdint>
#include <span>
#include <vector>
#include <weft/base/run.hpp>
#include <weft/bwt/cpu/suffix_buckets.hpp>
#include <weft/bwt/cpu/suffix_string.hpp>

namespace weft::bwt_detail {

// How often each pair of adjacent symbols occurs, and the stars. Index is as wide as the positions of the
// text, because a table of all pairs is larger than many texts.
template <class Index> struct suffix_pairs {
  unsigned letters;
  std::vector<Index> counts; // of the pair (a, b) whose second suffix falls: [2 * (a * letters + b)], and of
                             // the one whose second suffix rises: the next entry
  position_set stars;
  std::uint64_t num_stars;

  [[nodiscard]] std::uint64_t count(unsigned a, unsigned b, bool next_rises) const {
    return counts[2 * (std::uint64_t{a} * letters + b) + std::uint64_t{next_rises}];
  }
};

// Counts the pairs of a text that is not empty. Index is uint32_t (fewer than 2^31 symbols) or uint64_t. O(n)
// time on run.threads threads.
template <class Index>
[[nodiscard]] suffix_pairs<Index> count_pairs(std::span<const unsigned char> symbols,
                                              const suffix_string& text, const run_options& run);

// Writes the suffix array of a text. At first, the first pairs.num_stars entries of `sa` are the stars in
// their order. O(n) time on run.threads threads.
template <class Index>
void induce(const suffix_string& text, const suffix_pairs<Index>& pairs, std::span<Index> sa,
            const run_options& run);

} // namespace weft::bwt_detail
