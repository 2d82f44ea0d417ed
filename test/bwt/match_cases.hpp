// Texts and expected results for tests of exact matches between queries and an index.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>
#include <weft/bwt/fm_index.hpp>

#include "../reference/match_reference.hpp"
#include "fm_cases.hpp"

namespace weft::test {

using reference::exact_match;
using texts = std::vector<std::string>;

inline sequences batch_of(const texts& records) {
  sequences batch;
  for (const std::string& each : records) batch.add(each);
  return batch;
}

inline std::string reverse_complement(const std::string& text) {
  std::string result(text.rbegin(), text.rend());
  for (char& c : result) c = c == 'A' ? 'T' : c == 'C' ? 'G' : c == 'G' ? 'C' : c == 'T' ? 'A' : c;
  return result;
}

inline std::vector<exact_match> expected_matches(const texts& records, const texts& queries,
                                                 const match_options& options) {
  std::vector<exact_match> result;
  for (std::uint64_t q = 0; q < queries.size(); ++q)
    for (std::uint64_t reverse = 0; reverse < (options.both_strands ? 2U : 1U); ++reverse) {
      const std::string strand = reverse == 0 ? queries[q] : reverse_complement(queries[q]);
      std::vector<exact_match> found = reference::matches(records, strand, options);
      std::sort(found.begin(), found.end());
      for (exact_match each : found) {
        each.query = q;
        each.reverse = reverse;
        if (reverse != 0) each.query_begin = strand.size() - each.query_begin - each.length;
        result.push_back(each);
      }
    }
  return result;
}

inline std::vector<exact_match> rows_of(const fm_matches& columns) {
  std::vector<exact_match> rows;
  for (std::uint64_t i = 0; i < columns.size(); ++i)
    rows.push_back({columns.query[i], columns.reverse[i], columns.query_begin[i], columns.record[i],
                    columns.begin[i], columns.length[i]});
  return rows;
}

inline std::string shown(const std::vector<exact_match>& matches) {
  std::string text;
  for (const exact_match& m : matches)
    text += "query " + std::to_string(m.query) + (m.reverse != 0 ? "-" : "+") +
            std::to_string(m.query_begin) + " record " + std::to_string(m.record) + " " +
            std::to_string(m.begin) + " length " + std::to_string(m.length) + "\n";
  return text;
}

// Calls each(text) for all texts of at most `size` of the letters.
template <class Each> void for_each_text(const std::string& letters, std::size_t size, const Each& each) {
  texts level = {""};
  for (std::size_t n = 0; n <= size; ++n) {
    texts next;
    for (const std::string& text : level) {
      each(text);
      for (const char c : letters) next.push_back(text + c);
    }
    level.swap(next);
  }
}

// Returns text of pieces of a few units, with changes and stretches of N.
inline std::string repetitive_text(std::mt19937_64& random, const texts& units, std::size_t pieces) {
  std::string text;
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::string& unit = units[random() % units.size()];
    const std::size_t begin = random() % unit.size();
    std::string piece = unit.substr(begin, 1 + random() % unit.size());
    if (random() % 4 == 0) piece[random() % piece.size()] = "ACGTN"[random() % 5];
    if (random() % 16 == 0) piece += std::string(random() % 40, "NA"[random() % 2]);
    if (random() % 4 == 0) piece = reverse_complement(piece);
    text += piece;
  }
  return text;
}

} // namespace weft::test
