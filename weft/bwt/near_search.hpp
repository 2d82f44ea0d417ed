// Search with differences: options and results of fm_index::locate_near().
//
//   weft::near_letter_set('R', true);               // == 5
//   weft::near_letter_set('R', false);              // == 0
//   weft::near_cigar("GATTACA", "GATCA", 2, {.metric = weft::near_metric::errors}, false); // == "3=2I2="
//
// A letter of a record that is not A, C, G or T matches nothing, so it is a difference; the same holds for
// such a letter of a pattern, unless iupac is set.
//
// With mismatches, a hit is a stretch of a record, as long as the pattern, that differs from it in at most
// max_distance positions. Every such stretch is a hit, once for each strand.
//
// With errors, letters may differ, be missing or be added: the distance of a pattern and a stretch is the
// least number of such errors. For each position of a record where a stretch of at most max_distance ends,
// the stretches of the least distance that end there are considered, and of these the one with the leftmost
// begin. With all_ends, each is a hit. Otherwise they are taken by distance, begin and end, for each pattern,
// record and strand, and one that overlaps a taken one by more than half of the shorter of the two is no hit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <weft/base/run.hpp>
#include <weft/base/unwritten_allocator.hpp>

namespace weft {

// The largest number of differences that can be asked for.
constexpr std::uint32_t max_near_distance = 8;

// What a difference is. mismatches: a letter that differs; errors: also a letter that is missing or added.
enum class near_metric : std::uint32_t { mismatches, errors };

// Options of fm_index::locate_near().
struct near_options {
  near_metric metric = near_metric::mismatches; // what a difference is
  std::uint32_t max_distance = 0;               // 0 .. max_near_distance, less than the size of each pattern
  bool both_strands = false;                    // search the reverse complement of each pattern too
  bool iupac = false;    // IUPAC letters of patterns match their sets; N matches A, C, G and T
  bool all_ends = false; // with errors: a hit for each end, however much they overlap
  bool best = false;     // list only the hits of each pattern with its least distance
  // The numbers of letters at the begin and at the end of each pattern, as it is given, that must match. With
  // errors, no letter may be added between two of them.
  std::uint64_t exact_prefix = 0, exact_suffix = 0;
  // The number of hits of each pattern that are listed: the first ones by distance, record, begin, strand
  // and end.
  std::uint64_t max_hits = ~std::uint64_t{0};
  // Device auto: a GPU for 4,096 patterns or more if it has had the index since an earlier call; otherwise
  // only if the threads would take half a second longer than copying the index. On a GPU, the threads search
  // the few patterns that it is not made for. Work and progress are counted in patterns.
  run_options run = {};
};

// Hits of a batch of patterns, as columns. Those of pattern p are the entries [offsets[p], offsets[p + 1]),
// by record, begin, strand (forward first) and end. resize() of a column leaves the new items unwritten
// (base/unwritten_allocator.hpp).
struct near_hits {
  // The records of the hits, and their stretches [begin, end) as 0-based positions.
  unwritten_vector<std::uint64_t> record, begin, end;
  // The distances, and the strands: 1 if the reverse complement of the pattern matches, else 0.
  unwritten_vector<std::uint8_t> distance, reverse;
  // Where the hits of each pattern begin, and the end of all.
  unwritten_vector<std::uint64_t> offsets{0};
  // totals[p * (max_distance + 1) + d] is how many hits pattern p has with distance d, listed or not.
  unwritten_vector<std::uint64_t> totals;
};

// Returns the bases that a letter of a pattern matches, as bits: A 1, C 2, G 4, T 8; 0 if it matches nothing.
[[nodiscard]] std::uint8_t near_letter_set(char letter, bool iupac) noexcept;

// Returns how the letters of a pattern, or of its reverse complement, correspond to those of a hit of this
// distance, as a CIGAR of runs: = matches, X differs, I is a letter of the pattern only, D is one of the hit
// only. Of the correspondences with so many differences, it is one whose gaps are leftmost, and long rather
// than several. `options` are those of the search. O(n * distance) time and memory. Throws
// std::invalid_argument if this is not the distance.
[[nodiscard]] std::string near_cigar(std::string_view pattern, std::string_view hit, unsigned distance,
                                     const near_options& options, bool reverse);

} // namespace weft
