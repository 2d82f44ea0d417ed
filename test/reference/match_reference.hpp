// Finds exact matches of DNA directly from their definitions. All letters are in upper case.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>
#include <weft/bwt/fm_matches.hpp>

namespace weft::reference {

struct exact_match {
  std::uint64_t query, reverse, query_begin, record, begin, length;
  friend auto operator<=>(const exact_match&, const exact_match&) = default;
};

// Returns how often a word occurs; never if it is empty or has a letter other than A, C, G and T.
inline std::uint64_t occurrences(const std::vector<std::string>& texts, const std::string& word) {
  std::uint64_t count = 0;
  if (word.empty() || word.find_first_not_of("ACGT") != std::string::npos) return 0;
  for (const std::string& text : texts)
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

// Returns the matches of one strand of a query; query_begin is the position on this strand.
inline std::vector<exact_match> matches(const std::vector<std::string>& records, const std::string& strand,
                                        const match_options& options) {
  const bool super = options.kind == match_kind::smem, maximal = options.kind == match_kind::mem;
  const std::string query = "#" + strand + "#"; // so that there are letters around every word
  const auto count = [&](std::size_t begin, std::size_t size) {
    return occurrences(records, query.substr(begin, size));
  };
  std::vector<exact_match> found;
  for (std::size_t b = 1; b < query.size(); ++b)
    for (std::size_t n = options.min_length; b + n < query.size() && count(b, n) > 0; ++n) {
      const std::string word = query.substr(b, n);
      const std::uint64_t min = super ? options.min_occurrences : 1;
      if (super && (count(b, n) < min || count(b - 1, n + 1) >= min || count(b, n + 1) >= min)) continue;
      if (!super && !maximal && count(b, n) != 1) continue;
      if (options.kind == match_kind::mum && occurrences({strand}, word) != 1) continue;
      for (std::size_t r = 0; r < records.size(); ++r)
        for (auto at = records[r].find(word); at != std::string::npos; at = records[r].find(word, at + 1)) {
          const std::string around = "." + records[r] + ".";
          const auto differ = [](char a, char c) { return a != c || a == 'N'; };
          if (super || (differ(around[at], query[b - 1]) && differ(around[at + n + 1], query[b + n])))
            found.push_back({0, 0, b - 1, r, at, n});
        }
    }
  return found;
}

} // namespace weft::reference
