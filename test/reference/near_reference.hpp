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

// Returns the hits of a pattern that are listed with these options, in the order in which they are listed.
inline std::vector<plain_near_hit> plain_listed_hits(std::vector<plain_near_hit> hits,
                                                     const near_options& options) {
  std::stable_sort(hits.begin(), hits.end(),
                   [](const auto& a, const auto& b) { return std::get<4>(a) < std::get<4>(b); });
  if (options.best)
    while (!hits.empty() && std::get<4>(hits.back()) > std::get<4>(hits.front())) hits.pop_back();
  if (hits.size() > options.max_hits) hits.resize(options.max_hits);
  std::sort(hits.begin(), hits.end());
  return hits;
}

// Returns the number of hits with this distance.
inline std::uint64_t num_with_distance(const std::vector<plain_near_hit>& hits, unsigned distance) {
  return static_cast<std::uint64_t>(
      std::count_if(hits.begin(), hits.end(), [&](const auto& hit) { return std::get<4>(hit) == distance; }));
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

// Returns those of the stretches that no stretch taken before overlaps by more than half of the shorter one.
// common(a, b) is the number of letters that two stretches have in common.
template <class Common>
std::vector<plain_near_hit> without_overlaps(std::vector<plain_near_hit> ends, const Common& common) {
  std::sort(ends.begin(), ends.end(), [](const auto& a, const auto& b) {
    return std::tuple(std::get<4>(a), std::get<1>(a), std::get<3>(a)) <
           std::tuple(std::get<4>(b), std::get<1>(b), std::get<3>(b));
  });
  std::vector<plain_near_hit> kept;
  for (const auto& end : ends)
    if (std::none_of(kept.begin(), kept.end(), [&](const auto& other) {
          return 2 * common(end, other) >
                 std::min(std::get<3>(end) - std::get<1>(end), std::get<3>(other) - std::get<1>(other));
        }))
      kept.push_back(end);
  return kept;
}

// Returns all hits with errors of a pattern.
inline std::vector<plain_near_hit> plain_error_hits(const std::vector<std::string>& records,
                                                    const std::string& pattern, const near_options& options) {
  const auto common = [](const plain_near_hit& a, const plain_near_hit& b) {
    const auto first = std::max(std::get<1>(a), std::get<1>(b)),
               last = std::min(std::get<3>(a), std::get<3>(b));
    return last > first ? last - first : 0;
  };
  std::vector<plain_near_hit> hits;
  for (std::size_t r = 0; r < records.size(); ++r)
    for (int reverse = 0; reverse < (options.both_strands ? 2 : 1); ++reverse) {
      std::vector<plain_near_hit> ends = plain_ends(r, records[r], pattern, reverse, options);
      if (!options.all_ends) ends = without_overlaps(std::move(ends), common);
      hits.insert(hits.end(), ends.begin(), ends.end());
    }
  std::sort(hits.begin(), hits.end());
  return hits;
}

// Returns a record that begins at its letter `begin`, and continues with its first letters.
inline std::string turned(const std::string& record, std::size_t begin) {
  return record.substr(begin) + record.substr(0, begin);
}

// Returns all hits with mismatches of a pattern in circular records: for each begin, those of the turned
// record at its first letter.
inline std::vector<plain_near_hit> plain_circular_mismatch_hits(const std::vector<std::string>& records,
                                                                const std::string& pattern,
                                                                const near_options& options) {
  std::vector<plain_near_hit> hits;
  for (std::size_t r = 0; r < records.size(); ++r)
    for (std::size_t begin = 0; begin < records[r].size() && pattern.size() <= records[r].size(); ++begin)
      for (const auto& [record, first, reverse, end, distance] :
           plain_near_hits({turned(records[r], begin).substr(0, pattern.size())}, pattern, options))
        hits.emplace_back(r, begin, reverse, begin + end, distance);
  return hits;
}

// Returns all hits with errors of a pattern in circular records: each end is the end of a turned record, and
// overlaps are counted letter by letter.
inline std::vector<plain_near_hit> plain_circular_error_hits(const std::vector<std::string>& records,
                                                             const std::string& pattern,
                                                             const near_options& options) {
  std::vector<plain_near_hit> hits;
  for (std::size_t r = 0; r < records.size(); ++r) {
    const std::size_t length = records[r].size();
    const auto common = [&](const plain_near_hit& a, const plain_near_hit& b) {
      std::vector<bool> letters(length);
      std::uint64_t sum = 0;
      for (std::uint64_t i = std::get<1>(a); i < std::get<3>(a); ++i) letters[i % length] = true;
      for (std::uint64_t i = std::get<1>(b); i < std::get<3>(b); ++i) sum += letters[i % length] ? 1 : 0;
      return sum;
    };
    for (int reverse = 0; reverse < (options.both_strands ? 2 : 1); ++reverse) {
      std::vector<plain_near_hit> ends;
      // No stretch with so few errors has more letters.
      const std::size_t size = std::min<std::size_t>(length, pattern.size() + options.max_distance);
      for (std::size_t end = 1; end <= length; ++end)
        for (const auto& [record, first, strand, last, distance] :
             plain_ends(r, turned(records[r], end).substr(length - size), pattern, reverse, options)) {
          if (last != size) continue;
          const std::uint64_t begin = (end + length - size + first) % length;
          ends.emplace_back(r, begin, strand, begin + (size - first), distance);
        }
      if (!options.all_ends) ends = without_overlaps(std::move(ends), common);
      hits.insert(hits.end(), ends.begin(), ends.end());
    }
  }
  std::sort(hits.begin(), hits.end());
  return hits;
}

} // namespace weft::test
