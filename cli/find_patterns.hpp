// Reads the patterns of `weft find`, and checks and converts their letters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <weft/bwt/fm_index.hpp>
#include <weft/io/pattern_reader.hpp>

namespace weft::cli {

// A pattern_source reads patterns from the words of the command line or from a file.
class pattern_source {
public:
  explicit pattern_source(const std::vector<std::string>& words);
  explicit pattern_source(io::pattern_reader reader) : reader_(std::move(reader)) {}
  // Replaces `chunk` by the next patterns, which have about `bytes` bytes. Returns false at the end.
  [[nodiscard]] bool next(io::pattern_chunk& chunk, std::uint64_t bytes);
  // Returns an estimate of the total number of patterns, by the part of the file that the first `read`
  // patterns took, or 0 if it is unknown.
  [[nodiscard]] std::uint64_t expected(std::uint64_t read) const;

private:
  std::optional<io::pattern_reader> reader_;
  io::pattern_chunk words_;
};

// Returns why a pattern can never match in an index of this alphabet, or an empty string if it can. Example:
// "letter 2 is 'X', and an index of DNA has A, C, G, T and U alone".
[[nodiscard]] std::string why_impossible(fm_alphabet alphabet, std::string_view pattern);

// Returns true if the text contains U or u.
[[nodiscard]] bool has_u(std::string_view text);

// Writes the reverse complement of `bases` to `out`. Letters that are not bases become other letters that are
// not bases.
void reverse_complement(std::string_view bases, char* out);

} // namespace weft::cli
