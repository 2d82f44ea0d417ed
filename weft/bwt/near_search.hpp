// Search with mismatches: options and results of fm_index::locate_near().
//
//   weft::near_letter_set('R', true);               // == 5
//   weft::near_letter_set('R', false);              // == 0
//
// A hit is a stretch of a record, as long as the pattern, that differs from it in at most max_mismatches
// positions. Every such stretch is a hit, once for each strand. A letter of a record that is not A, C, G or T
// matches nothing, so it is a difference; the same holds for such a letter of a pattern, unless iupac is set.
#pragma once

#include <cstdint>
#include <vector>
#include <weft/base/run.hpp>

namespace weft {

// The largest number of mismatches that can be asked for.
constexpr std::uint32_t max_near_mismatches = 8;

// Options of fm_index::locate_near().
struct near_options {
  std::uint32_t max_mismatches = 0; // 0 .. max_near_mismatches, less than the size of each pattern
  bool both_strands = false;        // search the reverse complement of each pattern too
  bool iupac = false;               // IUPAC letters of patterns match their sets; N matches A, C, G and T
  bool best = false;                // list only the hits of each pattern with its least distance
  // The numbers of letters at the begin and at the end of each pattern, as it is given, that must match.
  std::uint64_t exact_prefix = 0, exact_suffix = 0;
  // The number of hits of each pattern that are listed: the first ones by distance, record, begin and strand.
  std::uint64_t max_hits = ~std::uint64_t{0};
  // The device must be auto or cpu. Work and progress are counted in patterns.
  run_options run = {};
};

// Hits of a batch of patterns, as columns. Those of pattern p are the entries [offsets[p], offsets[p + 1]),
// by record, begin and strand, forward first.
struct near_hits {
  // The records of the hits, and the 0-based positions in them of their leftmost letters.
  std::vector<std::uint64_t> record, begin;
  // The numbers of mismatches, and the strands: 1 if the reverse complement of the pattern matches, else 0.
  std::vector<std::uint8_t> distance, reverse;
  // Where the hits of each pattern begin, and the end of all.
  std::vector<std::uint64_t> offsets{0};
  // totals[p * (max_mismatches + 1) + d] is how many hits pattern p has with d mismatches, listed or not.
  std::vector<std::uint64_t> totals;
};

// Returns the bases that a letter of a pattern matches, as bits: A 1, C 2, G 4, T 8; 0 if it matches nothing.
[[nodiscard]] std::uint8_t near_letter_set(char letter, bool iupac) noexcept;

} // namespace weft
