// Inputs of the tests of a search with differences.
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>
#include <weft/bwt/cpu/near_patterns.hpp>

#include "bwt_cases.hpp"

namespace weft::test {

// Returns random letters; every `rare`-th one is of `others`.
inline std::string random_letters(std::mt19937& random, std::size_t size, unsigned rare,
                                  std::string_view others) {
  std::string text(size, 'A');
  for (char& c : text) c = random() % rare == 0 ? others[random() % others.size()] : "ACGT"[random() % 4];
  return text;
}

// Returns, for k of 0 to 3, all patterns of A, T and N with more than k and at most k + 2 letters.
inline std::vector<std::vector<std::string>> all_short_patterns() {
  std::vector<std::vector<std::string>> patterns(4);
  for (unsigned k = 0; k < 4; ++k)
    for_all_texts(3, k + 2, [&](std::string pattern) {
      if (pattern.size() <= k) return;
      for (char& c : pattern) c = "ATN"[c - 'a'];
      patterns[k].push_back(pattern);
    });
  return patterns;
}

// Returns the strands that can occur with at most max_distance mismatches.
inline std::vector<bwt_detail::near_strand> possible_strands(const bwt_detail::near_patterns& patterns,
                                                             unsigned max_distance) {
  std::vector<bwt_detail::near_strand> possible;
  for (const bwt_detail::near_strand& strand : patterns.strands()) {
    bool is_possible = true;
    (void)bwt_detail::choose_seeds(strand, max_distance, is_possible);
    if (is_possible) possible.push_back(strand);
  }
  return possible;
}

} // namespace weft::test
