// References and patterns for fm_index, a search by hand, and the comparison of the two.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <weft/bwt/entry/build_index.hpp>
#include <weft/bwt/fm_index.hpp>

namespace weft::test {

struct collection {
  std::string text;
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::string> names;
  void add(const std::string& record) {
    text += record;
    offsets.push_back(text.size());
    names.push_back("record " + std::to_string(names.size()));
  }
  [[nodiscard]] std::string record(std::uint64_t r) const {
    return text.substr(offsets[r], offsets[r + 1] - offsets[r]);
  }
  [[nodiscard]] sequences_view references() const { return {text, offsets, names}; }
};

inline std::string folded(std::string text, fm_alphabet alphabet) {
  if (alphabet != fm_alphabet::bytes)
    for (char& c : text)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

inline std::vector<fm_hit> naive_hits(const collection& of, const std::string& pattern,
                                      fm_alphabet alphabet) {
  std::vector<fm_hit> hits;
  const std::string wanted = folded(pattern, alphabet);
  if (wanted.empty()) return hits;
  if (alphabet == fm_alphabet::dna && wanted.find_first_not_of("ACGT") != std::string::npos) return hits;
  for (std::uint64_t r = 0; r < of.names.size(); ++r) {
    const std::string record = folded(of.record(r), alphabet);
    for (std::size_t at = record.find(wanted); at != std::string::npos; at = record.find(wanted, at + 1))
      hits.push_back({r, at});
  }
  return hits;
}

// Orders hits by the suffixes of the searched text, which consists of stretches of letters, each followed by
// a zero.
inline std::vector<fm_hit> in_order_of_suffixes(const collection& of, std::vector<fm_hit> hits,
                                                fm_alphabet alphabet) {
  std::string text;
  std::map<fm_hit, std::size_t> where;
  for (std::uint64_t r = 0; r < of.names.size(); ++r) {
    const std::string record = folded(of.record(r), alphabet);
    for (std::uint64_t i = 0; i <= record.size(); ++i) {
      const bool letter = i < record.size() && (alphabet != fm_alphabet::dna ||
                                                std::string("ACGT").find(record[i]) != std::string::npos);
      if (letter) where[{r, i}] = text.size();
      if (letter || (!text.empty() && text.back() != '\0')) text += letter ? record[i] : '\0';
    }
  }
  std::sort(hits.begin(), hits.end(), [&](const fm_hit& a, const fm_hit& b) {
    return std::string_view(text).substr(where[a]) < std::string_view(text).substr(where[b]);
  });
  return hits;
}

inline void check_index(const fm_index& index, const collection& of, const std::vector<std::string>& patterns,
                        fm_alphabet alphabet, const fm_search_options& options) {
  ASSERT_EQ(index.num_records(), of.names.size());
  ASSERT_EQ(index.num_symbols(), of.text.size());
  for (std::uint64_t r = 0; r < of.names.size(); ++r) {
    ASSERT_EQ(index.name(r), of.names[r]);
    ASSERT_EQ(index.length(r), of.record(r).size());
    ASSERT_EQ(index.extract(r, 0, index.length(r)), folded(of.record(r), alphabet));
  }
  std::string text;
  std::vector<std::uint64_t> offsets = {0};
  for (const std::string& pattern : patterns) offsets.push_back((text += pattern).size());
  const std::vector<std::uint64_t> counts = index.count({text, offsets}, options);
  const fm_hits hits = index.locate({text, offsets}, options);
  fm_search_options limit = options;
  limit.max_hits = 2;
  const fm_hits limited = index.locate({text, offsets}, limit);
  for (std::size_t p = 0; p < patterns.size(); ++p) {
    const std::vector<fm_hit> expected = naive_hits(of, patterns[p], alphabet);
    ASSERT_EQ(counts[p], expected.size()) << patterns[p] << " in " << of.text;
    ASSERT_EQ(hits.totals[p], expected.size());
    ASSERT_EQ(std::vector<fm_hit>(hits.hits.begin() + static_cast<std::ptrdiff_t>(hits.offsets[p]),
                                  hits.hits.begin() + static_cast<std::ptrdiff_t>(hits.offsets[p + 1])),
              expected)
        << patterns[p] << " in " << of.text;
    ASSERT_EQ(limited.totals[p], expected.size());
    ASSERT_EQ(limited.offsets[p + 1] - limited.offsets[p], std::min<std::size_t>(2, expected.size()));
    // here a zero is an ordinary byte
    if (of.text.size() > 500 || of.text.find('\0') != std::string::npos) continue;
    std::vector<fm_hit> first = in_order_of_suffixes(of, expected, alphabet);
    first.resize(std::min<std::size_t>(2, first.size()));
    std::sort(first.begin(), first.end());
    ASSERT_EQ(std::vector<fm_hit>(limited.hits.begin() + static_cast<std::ptrdiff_t>(limited.offsets[p]),
                                  limited.hits.begin() + static_cast<std::ptrdiff_t>(limited.offsets[p + 1])),
              first)
        << patterns[p] << " in " << of.text;
  }
}

// Returns the bytes of an index with rows of type Index.
template <class Index>
bwt_detail::fm_writer::block built_index(const sequences_view& references, const fm_build_options& options) {
  base_detail::run_record record(options.run, "symbols");
  return bwt_detail::build_fm_index_of<Index>(references, options, record);
}

// Checks an index with 32-bit rows and one with 64-bit rows, which large references need.
inline void check(const collection& of, const std::vector<std::string>& patterns, fm_alphabet alphabet,
                  std::uint32_t rate, const fm_search_options& options) {
  const fm_build_options build = {.alphabet = alphabet, .sa_sample_rate = rate};
  check_index(fm_index::build(of.references(), build), of, patterns, alphabet, options);
  const auto wide = built_index<std::uint64_t>(of.references(), build);
  check_index(fm_index::from_bytes(wide.bytes, wide.owner), of, patterns, alphabet, options);
}

inline std::string random_text(std::mt19937_64& random, std::size_t size, const std::string& letters) {
  std::string text(size, ' ');
  for (char& c : text) c = letters[random() % letters.size()];
  return text;
}

// Returns substrings of the records, of all sizes, some of them changed, and texts that do not occur.
inline std::vector<std::string> patterns_for(std::mt19937_64& random, const collection& of,
                                             const std::string& letters) {
  std::vector<std::string> patterns = {"", random_text(random, 300, letters)};
  for (int i = 0; i < 150; ++i) {
    const std::string record = of.names.empty() ? "" : of.record(random() % of.names.size());
    const std::size_t begin = random() % (record.size() + 1), size = random() % 200;
    std::string piece = record.substr(begin, i % 3 == 0 ? size % 12 : size);
    if (!piece.empty() && i % 4 == 0) piece[random() % piece.size()] = letters[random() % letters.size()];
    patterns.push_back(piece);
  }
  return patterns;
}

// Returns copies of a record with other records between them; DNA records also contain stretches of N.
inline collection repetitive_records(std::mt19937_64& random, int records, std::size_t size,
                                     const std::string& letters, fm_alphabet alphabet) {
  collection of;
  const std::string unit = random_text(random, size, letters);
  for (int r = 0; r < records; ++r) {
    std::string record = r % 2 == 0 ? unit : random_text(random, random() % (size + 1), letters);
    if (r % 4 == 2 && alphabet == fm_alphabet::dna) record.insert(record.size() / 2, 10, 'N');
    of.add(record);
  }
  return of;
}

inline std::vector<std::pair<std::string, fm_alphabet>> kinds_of_letters() {
  std::string all(256, ' ');
  for (std::size_t i = 0; i < 256; ++i) all[i] = static_cast<char>(i);
  return {{"ACGT", fm_alphabet::dna}, {"ACGTacgtN", fm_alphabet::dna},
          {"AC", fm_alphabet::dna},   {"ACDEFGHIKLMNPQRSTVWYX*", fm_alphabet::protein},
          {"aB", fm_alphabet::bytes}, {all, fm_alphabet::bytes}};
}

} // namespace weft::test
