// The plain definitions of a search with mismatches and with errors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>
#include <weft/bwt/near_search.hpp>

namespace weft::test {

// A hit as it is listed: record, begin, reverse, end, distance.
using plain_near_hit = std::tuple<std::uint64_t, std::uint64_t, int, std::uint64_t, unsigned>;

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

// Returns all hits with mismatches of a pattern in order.
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
        if (distance <= options.max_distance) hits.emplace_back(r, begin, reverse, begin + m, distance);
      }
  return hits;
}

// Returns, for each end in a record at which a stretch with at most max_distance errors ends, the least
// distance and the leftmost begin, by Sellers's table of pairs (distance, begin).
inline std::vector<plain_near_hit> plain_ends(std::uint64_t r, const std::string& text,
                                              const std::string& pattern, int reverse,
                                              const near_options& options) {
  using cell = std::pair<unsigned, std::uint64_t>;
  const std::size_t m = pattern.size();
  const auto given = [&](std::size_t i) { return reverse == 1 ? m - 1 - i : i; }; // letter i of the strand
  const auto in_prefix = [&](std::size_t i) { return given(i) < options.exact_prefix; };
  const auto in_suffix = [&](std::size_t i) { return given(i) >= m - options.exact_suffix; };
  const auto plus = [](cell from, unsigned errors) { return cell{from.first + errors, from.second}; };
  std::vector<cell> column(m + 1, {1000, 0});
  std::vector<plain_near_hit> hits;
  for (std::size_t j = 0; j <= text.size(); ++j) {
    std::vector<cell> next(m + 1, {0, j});
    for (std::size_t i = 1; i <= m; ++i) {
      const unsigned one = in_prefix(i - 1) || in_suffix(i - 1) ? 1000 : 1;
      const bool inside = i < m && ((in_prefix(i - 1) && in_prefix(i)) || (in_suffix(i - 1) && in_suffix(i)));
      next[i] = plus(next[i - 1], one);
      if (j == 0) continue;
      next[i] = std::min(next[i], plus(column[i], inside ? 1000 : 1));
      const bool match = near_letters_match(pattern[given(i - 1)], text[j - 1], reverse == 1, options.iupac);
      next[i] = std::min(next[i], plus(column[i - 1], match ? 0 : one));
    }
    column = next;
    if (column[m].first <= options.max_distance)
      hits.emplace_back(r, column[m].second, reverse, j, column[m].first);
  }
  return hits;
}

// Returns all hits with errors of a pattern.
inline std::vector<plain_near_hit> plain_error_hits(const std::vector<std::string>& records,
                                                    const std::string& pattern, const near_options& options) {
  std::vector<plain_near_hit> hits;
  for (std::size_t r = 0; r < records.size(); ++r)
    for (int reverse = 0; reverse < (options.both_strands ? 2 : 1); ++reverse) {
      std::vector<plain_near_hit> ends = plain_ends(r, records[r], pattern, reverse, options), kept;
      std::sort(ends.begin(), ends.end(), [](const auto& a, const auto& b) {
        return std::tuple(std::get<4>(a), std::get<1>(a), std::get<3>(a)) <
               std::tuple(std::get<4>(b), std::get<1>(b), std::get<3>(b));
      });
      for (const auto& end : ends) {
        const bool dropped = std::any_of(kept.begin(), kept.end(), [&](const auto& other) {
          const auto first = std::max(std::get<1>(end), std::get<1>(other)),
                     last = std::min(std::get<3>(end), std::get<3>(other));
          return last > first && 2 * (last - first) > std::min(std::get<3>(end) - std::get<1>(end),
                                                               std::get<3>(other) - std::get<1>(other));
        });
        if (options.all_ends || !dropped) kept.push_back(end);
      }
      hits.insert(hits.end(), kept.begin(), kept.end());
    }
  std::sort(hits.begin(), hits.end());
  return hits;
}

} // namespace weft::test
