// The records of a genome as one text, in the letters that comparisons work on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <weft/base/sequences.hpp>

namespace weft::search_detail {

// A genome_text is the records of a genome end to end. A separator is between two records,
// and eight are at each end. The letters are A, C, G and T, in upper case; every other letter of a record is
// a separator, too. A separator differs from every letter and from the separators of the other genome, so
// that comparing bytes never finds a match that crosses one.
struct genome_text {
  std::string letters;               // ends with padding: eight separators
  std::vector<std::uint64_t> begins; // where each record begins
  std::vector<std::uint64_t> sizes;  // the size of each record

  // Returns the number of letters and separators without the padding.
  [[nodiscard]] std::uint64_t size() const { return letters.size() - padding; }
  [[nodiscard]] std::string_view record(std::uint64_t i) const {
    return std::string_view(letters).substr(begins[i], sizes[i]);
  }
  // Returns the number of the record that contains a position.
  [[nodiscard]] std::uint64_t record_at(std::uint64_t position) const;

  static constexpr std::uint64_t padding = 8;
};

inline constexpr char separator_of_a = 'N', separator_of_b = 'n';

// Returns the text of a genome. O(n), on `threads` threads (0: all).
[[nodiscard]] genome_text make_text(const sequences_view& genome, char separator, int threads);

// Returns the reverse complement of letters and separators.
[[nodiscard]] std::string reverse_complement(std::string_view letters);
// Returns the reverse complement of a text. The records are in reverse order, but keep their numbers:
// position p of the text is position text.size() - 1 - p of the result.
[[nodiscard]] genome_text reverse_complement(const genome_text& text);

// Return the length of the longest common prefix of the texts at a and b, and of the longest common suffix of
// the texts that end before a and b, or about `limit` if that is less. At least eight bytes must be readable
// behind and before both, and a separator must end the comparison.
[[nodiscard]] std::uint64_t common_prefix(const char* a, const char* b, std::uint64_t limit);
[[nodiscard]] std::uint64_t common_suffix(const char* a, const char* b, std::uint64_t limit);

} // namespace weft::search_detail
