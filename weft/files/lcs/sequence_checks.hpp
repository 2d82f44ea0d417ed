// Checks of the sequences that are compared: whether the reverse complement fits better, and whether the LCS
// is no longer than that of unrelated sequences.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <weft/lcs/lcs.hpp>

namespace weft::files {

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

// The length of an LCS and the mean length of the LCS of shuffled texts, as parts of the shorter text.
struct lcs_shares {
  double found = 0, unrelated = 0;
};

// Returns the shares of an LCS of `length` letters if it is at most 2 % longer than the mean of five pairs of
// shuffled texts. Otherwise returns nothing, also for texts of fewer than 50 letters and texts without a
// common letter. a and b must be the texts that the engines compared; `options` defines the meaning of
// unknown letters.
//
// Texts are shuffled with fixed seeds. If a text has more than 20,000 letters, letters with the text's
// composition are drawn instead, so many that the lengths of both texts keep their ratio. The first shuffle
// mostly shows that the LCS is far longer. Takes milliseconds.
[[nodiscard]] std::optional<lcs_shares> find_unrelated(std::string_view a, std::string_view b,
                                                       std::uint64_t length, const lcs_options& options);

} // namespace weft::files
