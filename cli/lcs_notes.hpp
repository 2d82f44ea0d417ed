// What weft lcs says about the sequences that it compares, beside the result: that the reverse complement
// fits better, or that the LCS is as short as that of unrelated sequences.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <weft/lcs/lcs.hpp>

namespace weft::cli {

// How many k-mers of a sample of one sequence the other has on each strand.
struct strand_matches {
  std::uint64_t k = 0, sampled = 0; // length and number of the k-mers in the sample
  std::uint64_t same = 0, opposite = 0;

  // Whether the other strand is the better match beyond doubt: chance gives the same number on both strands.
  [[nodiscard]] bool fits_better_reversed() const { return opposite > 2 * same + 10; }
};

// Looks up a sample of at most about 20,000 k-mers of the shorter sequence on both strands of the longer one.
// Letters are in upper case; k-mers with others than A, C, G, T and U do not count. O(a.size() + b.size())
// time, about 10 ns a letter of the longer sequence; less than a megabyte.
[[nodiscard]] strand_matches match_strands(std::string_view a, std::string_view b);

// The note on strands for two sequences of DNA; empty if B fits as it is.
[[nodiscard]] std::string strand_note(std::string_view a, std::string_view b);

// The mean length of the LCS of five shuffles of a and b, and the lengths of the shuffled texts.
struct shuffled_lcs {
  double mean_length = 0;
  std::uint64_t m = 0, n = 0;
};

// Shuffles both texts with fixed seeds, at most 20,000 letters of each: of longer texts, letters are drawn
// with the texts' composition, so many that their lengths keep their ratio. `letters` has the meaning of
// unknown letters. Nothing if the first shuffle shows that an LCS of `length` is far longer. Five small
// tables: milliseconds.
[[nodiscard]] std::optional<shuffled_lcs> shuffle(std::string_view a, std::string_view b,
                                                  std::uint64_t length, const lcs_options& letters);

// The note on an LCS of `length` that is at most 2 % longer than the mean of the shuffles; else empty, as for
// texts of fewer than 50 letters and for texts that share none. The texts are what the engines compared.
[[nodiscard]] std::string shuffle_note(std::string_view a, std::string_view b, std::uint64_t length,
                                       const lcs_options& letters);

} // namespace weft::cli
