// The plain definition of a search with mismatches.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>
#include <weft/bwt/near_search.hpp>

namespace weft::test {

// A hit as it is listed: record, begin, reverse, distance.
using plain_near_hit = std::tuple<std::uint64_t, std::uint64_t, int, unsigned>;

// Returns the bases that a letter of a pattern stands for.
inline std::string bases_of(char letter, bool iupac) {
  const std::string_view sets[] = {"AA",  "CC",  "GG",   "TT",   "RAG",  "YCT",  "SCG",  "WAT",
                                   "KGT", "MAC", "BCGT", "DAGT", "HACT", "VACG", "NACGT"};
  for (const std::string_view set : sets)
    if (set[0] == (letter & ~0x20) && (iupac || set.size() == 2)) return std::string(set.substr(1));
  return "";
}

inline bool near_letters_match(char pattern, char text, bool reverse, bool iupac) {
  const std::string_view bases = "ACGT", complements = "TGCA";
  const std::size_t base = bases.find(static_cast<char>(text & ~0x20));
  if (base == std::string_view::npos) return false;
  return bases_of(pattern, iupac).find(reverse ? complements[base] : bases[base]) != std::string::npos;
}

// Returns all hits of a pattern in order.
inline std::vector<plain_near_hit> plain_near_hits(const std::vector<std::string>& records,
                                                   const std::string& pattern, const near_options& options) {
  std::vector<plain_near_hit> hits;
  const std::size_t m = pattern.size();
  for (std::size_t r = 0; r < records.size(); ++r)
    for (std::size_t begin = 0; begin + m <= records[r].size(); ++begin)
      for (int reverse = 0; reverse < (options.both_strands ? 2 : 1); ++reverse) {
        unsigned distance = 0;
        for (std::size_t i = 0; i < m; ++i) { // letter i of the pattern, as it is given
          const char text = records[r][begin + (reverse == 1 ? m - 1 - i : i)];
          if (near_letters_match(pattern[i], text, reverse == 1, options.iupac)) continue;
          const bool exact = i < options.exact_prefix || i >= m - options.exact_suffix;
          distance += exact ? 100 : 1;
        }
        if (distance <= options.max_mismatches) hits.emplace_back(r, begin, reverse, distance);
      }
  return hits;
}

} // namespace weft::test
