// Finds exact matches of DNA directly from their definitions.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>
#include <weft/bwt/fm_matches.hpp>

namespace weft::reference {

struct exact_match {
  std::uint64_t query, reverse, query_begin, record, begin, length; // query_begin: on the strand
  friend auto operator<=>(const exact_match&, const exact_match&) = default;
};

inline bool is_base(char c) { return c == 'A' || c == 'C' || c == 'G' || c == 'T'; }

inline std::uint64_t occurrences(const std::vector<std::string>& texts, const std::string& word) {
  std::uint64_t count = 0;
  for (const std::string& text : texts)
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

// Returns the matches of one strand of a query, in order; all letters are in upper case.
inline std::vector<exact_match> matches(const std::vector<std::string>& records, const std::string& query,
                                        const match_options& options) {
  const bool super = options.kind == match_kind::smem;
  const auto is_frequent = [&](std::size_t begin, std::size_t end) { // letters [begin, end) of the query
    return begin < end && end <= query.size() &&
           std::all_of(query.begin() + static_cast<long>(begin), query.begin() + static_cast<long>(end),
                       is_base) &&
           occurrences(records, query.substr(begin, end - begin)) >= options.min_occurrences;
  };
  const auto letter = [](const std::string& of, std::size_t i) {
    return i < of.size() && is_base(of[i]) ? of[i] : '\0';
  };
  const auto differ = [](char a, char b) { return a != b || a == '\0'; };
  std::vector<exact_match> found;
  for (std::size_t b = 0; b < query.size(); ++b)
    for (std::size_t e = b + options.min_length;
         e <= query.size() &&
         std::all_of(query.begin() + static_cast<long>(b), query.begin() + static_cast<long>(e), is_base);
         ++e) {
      const std::string word = query.substr(b, e - b);
      if (super && (!is_frequent(b, e) || is_frequent(b, e + 1) || (b > 0 && is_frequent(b - 1, e))))
        continue;
      if (options.kind >= match_kind::mum && !super && occurrences(records, word) != 1) continue;
      if (options.kind == match_kind::mum && occurrences({query}, word) != 1) continue;
      for (std::size_t r = 0; r < records.size(); ++r)
        for (auto at = records[r].find(word); at != std::string::npos; at = records[r].find(word, at + 1))
          if (super || (differ(letter(query, b - 1), letter(records[r], at - 1)) &&
                        differ(letter(query, e), letter(records[r], at + word.size()))))
            found.push_back({0, 0, b, r, at, word.size()});
    }
  return found;
}

} // namespace weft::reference
