// Makes a diverged copy of a genome, and the table of the differences that were planted in it.
//
// The copy is the same for the same seed on every machine: the random numbers are those of std::mt19937_64,
// and no distribution of the standard library is used, because these differ between libraries.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::test {

// Options of evolve(). Rates are events for each letter of the copy; means are of geometric distributions.
struct evolution_options {
  std::uint64_t seed = 1;
  double snp = 0.001;            // substitutions of one letter
  double transitions = 2.0 / 3;  // the share of the substitutions that exchange A and G, or C and T
  double indel = 0.0001;         // insertions and deletions, which are equally frequent
  std::uint64_t indel_mean = 4;  // their mean length
  double tandem = 0.5;           // the share of the insertions that repeat the letters before them
  double long_indels = 0;        // the share of the insertions and deletions that have the mean long_mean
  std::uint64_t long_mean = 300; // the mean length of long insertions and deletions
  std::uint64_t spacing = 1;     // letters that are left as they are behind each small difference, at least 1
  std::uint64_t inversions = 0;  // segments replaced by their reverse complement
  std::uint64_t moves = 0;       // segments cut out and inserted elsewhere, half of them reversed
  std::uint64_t duplications = 0;    // segments that a copy follows
  std::uint64_t deletions = 0;       // segments cut out
  std::uint64_t segment_mean = 3000; // the mean length of these segments
  std::uint64_t min_segment = 300;   // their least length, which is added to a geometric length
};

// What a planted difference is. The last four are those of whole segments.
enum class planted_kind : std::uint8_t {
  substitution,
  insertion,
  deletion,
  inversion,
  move,
  duplication,
  missing
};

// A difference: the letters [a_begin, a_end) of the genome became the letters [b_begin, b_end) of the copy.
// Positions are 0-based.
struct planted_difference {
  planted_kind kind = planted_kind::substitution;
  // For small differences, these letters of the genome are `reference`, and `alternative` replaces them on
  // the forward strand of the genome; insertions and deletions are as far to the left as the genome allows.
  std::uint64_t a_begin = 0, a_end = 0;
  std::uint64_t b_begin = 0, b_end = 0; // where the difference was planted, before it was moved to the left
  bool reverse = false;                 // whether the copy has these letters on its reverse strand
  std::string reference, alternative;   // empty for segments
  std::uint64_t segment = 0;            // the number of the segment that contains a small difference; 0: none
};

// A copy and its differences. Segments come first, by a_begin; segment numbers count them from 1. The small
// differences follow, by a_begin.
struct evolved_genome {
  std::string letters;
  std::vector<planted_difference> differences;
};

// Returns a diverged copy of a genome of upper-case letters. Letters other than A, C, G and T are only
// copied. Segments do not overlap and are at least 1,000 letters apart. O(n + segments^2) time for n letters.
// Throws std::invalid_argument if there is no space for the segments, or an option is out of range.
[[nodiscard]] evolved_genome evolve(std::string_view genome, const evolution_options& options);

} // namespace weft::test
