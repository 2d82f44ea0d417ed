// Reads the patterns that are searched for in an index, and checks and converts their letters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <weft/bwt/fm_index.hpp>
#include <weft/io/pattern_reader.hpp>

namespace weft::files {

// A pattern_source reads patterns from the words or from a file.
class pattern_source {
public:
  // Makes a source of patterns without names.
  explicit pattern_source(const std::vector<std::string>& words);
  explicit pattern_source(io::pattern_reader reader) : reader_(std::move(reader)) {}
  virtual ~pattern_source() = default;
  // Replaces `chunk` by the next patterns, which have about `bytes` bytes. Returns false at the end. With
  // several ranks (ranks/rank_patterns.hpp), the chunk may have no patterns.
  [[nodiscard]] virtual bool next(io::pattern_chunk& chunk, std::uint64_t bytes);
  // Makes next() return false, also a call that waits for another rank: for a search that has failed. Called
  // by any thread.
  virtual void stop() noexcept {}
  // Returns an estimate of the total number of patterns, computed from the part of the file that the first
  // `num_read` patterns took; 0 if it is unknown.
  [[nodiscard]] std::uint64_t estimate_count(std::uint64_t num_read) const;

private:
  std::optional<io::pattern_reader> reader_;
  io::pattern_chunk words_;
};

// Returns why a pattern can never match in an index of this alphabet, or an empty string if it can. Example:
// "letter 2 is 'X', and an index of DNA has only A, C, G, T and U".
[[nodiscard]] std::string why_impossible(fm_alphabet alphabet, std::string_view pattern);

// Returns the same for a search with differences. Example: "3 letters match no base, and only 2 may differ".
[[nodiscard]] std::string why_impossible(std::string_view pattern, const near_options& options);
// Returns why a pattern is none of DNA, or an empty string if it consists of IUPAC letters. A search with
// differences would otherwise take a comma or a digit for a letter that differs. Example: "character 3 is
// ',', which is no IUPAC letter of DNA".
[[nodiscard]] std::string why_not_dna(std::string_view pattern);
// Returns whether a pattern has letters that match nothing without near_options::iupac.
[[nodiscard]] bool has_other_letters(std::string_view pattern);
// Returns why a pattern is too short for a search with differences, or an empty string if it is not.
[[nodiscard]] std::string why_too_short(std::string_view pattern, const near_options& options);

// Returns whether the text contains U or u.
[[nodiscard]] bool has_u(std::string_view text);

// Converts RNA to DNA: replaces U by T and u by t, on `threads` threads (0: all).
void replace_u_by_t(std::string& bases, int threads);

// Writes the reverse complement of `bases` to `out`. Letters that are not bases become other letters that are
// not bases.
void reverse_complement(std::string_view bases, char* out);
// Does the same with IUPAC letters, whose complements stand for the complements of their bases. All letters
// of the result are in upper case; a letter that is no IUPAC letter becomes N.
void reverse_complement_iupac(std::string_view letters, char* out);

} // namespace weft::files
