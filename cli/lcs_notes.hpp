// The notes of `weft lcs` on the sequences that it compares: that the reverse complement fits better, or that
// the LCS is no longer than that of unrelated sequences.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <weft/lcs/lcs.hpp>

namespace weft::cli {

// The numbers of k-mers in a sample of one sequence that occur on each strand of the other one.
struct strand_matches {
  std::uint64_t k = 0, sampled = 0; // length and number of the k-mers in the sample
  std::uint64_t same = 0, opposite = 0;

  // Returns true if the other strand is certainly the better match. By chance, both numbers would be about
  // equal.
  [[nodiscard]] bool fits_better_reversed() const { return opposite > 2 * same + 10; }
};

// Looks up a sample of at most about 20,000 k-mers of the shorter sequence on both strands of the longer one.
// Letters must be in upper case; k-mers with letters other than A, C, G, T and U do not count. O(a.size() +
// b.size()) time, about 10 ns per letter of the longer sequence; less than a megabyte of memory.
[[nodiscard]] strand_matches match_strands(std::string_view a, std::string_view b);

// Returns the note on strands for two sequences of DNA, or an empty string if B fits as it is.
[[nodiscard]] std::string strand_note(std::string_view a, std::string_view b);

// The mean length of the LCS of five pairs of shuffled texts, and the lengths of the shuffled texts.
struct shuffled_lcs {
  double mean_length = 0;
  std::uint64_t m = 0, n = 0;
};

// Shuffles both texts with fixed seeds and computes their LCS, five times. If a text has more than 20,000
// letters, letters with the text's composition are drawn instead, so many that the lengths of both texts keep
// their ratio. `letters` defines the meaning of unknown letters. Returns nothing if the first shuffle shows
// that an LCS of `length` is far longer. Takes milliseconds.
[[nodiscard]] std::optional<shuffled_lcs> shuffle(std::string_view a, std::string_view b,
                                                  std::uint64_t length, const lcs_options& letters);

// Returns the note on an LCS of `length` letters if it is at most 2 % longer than the mean of the shuffles.
// Otherwise returns an empty string, also for texts of fewer than 50 letters and texts without a common
// letter. The texts must be those that the engines compared.
[[nodiscard]] std::string shuffle_note(std::string_view a, std::string_view b, std::uint64_t length,
                                       const lcs_options& letters);

} // namespace weft::cli
