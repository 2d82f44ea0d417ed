// Checks that references coded in slices by several threads equal references coded letter by letter.
#include <gtest/gtest.h>
#include <weft/bwt/cpu/fm_build.hpp>

#include "bwt_cases.hpp"
#include "fm_cases.hpp"

namespace weft::test {

namespace {

using namespace bwt_detail;

struct coded {
  std::vector<unsigned char> symbols;
  std::string letters;
  std::vector<fm_segment> segments;
  std::vector<fm_run> runs;
};

coded by_hand_dna(const collection& of) {
  coded result;
  const std::string text = folded(of.text, fm_alphabet::dna);
  for (std::uint64_t r = 0; r < of.names.size(); ++r) {
    bool inside = false;
    for (std::uint64_t i = of.offsets[r]; i < of.offsets[r + 1]; ++i) {
      const std::size_t code = std::string("ACGT").find(text[i]);
      if (code != std::string::npos) {
        if (!inside) result.segments.push_back({result.symbols.size(), r, i - of.offsets[r]});
        result.symbols.push_back(static_cast<unsigned char>(code + 1));
        inside = true;
        continue;
      }
      if (inside) result.symbols.push_back(0);
      inside = false;
      if (i > 0 && text[i - 1] == text[i])
        ++result.runs.back().length;
      else
        result.runs.push_back({i, 1, static_cast<unsigned char>(text[i])});
    }
    if (inside) result.symbols.push_back(0);
  }
  return result;
}

coded by_hand_letters(const collection& of, fm_alphabet alphabet, const std::vector<std::uint16_t>& codes) {
  coded result;
  for (std::uint64_t r = 0; r < of.names.size(); ++r) {
    const std::string record = folded(of.record(r), alphabet);
    if (record.empty()) continue;
    result.segments.push_back({result.symbols.size(), r, 0});
    for (const char c : record)
      result.symbols.push_back(static_cast<unsigned char>(codes[static_cast<unsigned char>(c)]));
    result.symbols.push_back(0);
    result.letters += record + '\0';
  }
  return result;
}

void compare(const collection& of, fm_alphabet alphabet) {
  for (const int threads : {1, 3}) {
    const sequences_view references = of.references();
    const fm_extent extent = extent_of(references, alphabet, {.threads = threads});
    const coded expected =
        alphabet == fm_alphabet::dna ? by_hand_dna(of) : by_hand_letters(of, alphabet, extent.code_of_byte);
    ASSERT_EQ(extent.symbols, expected.symbols.size());
    ASSERT_EQ(extent.segments, expected.segments.size());
    ASSERT_EQ(extent.runs, expected.runs.size());
    fm_symbols symbols(extent.symbols);
    std::string letters(expected.letters.size(), 'x');
    std::vector<fm_segment> segments(extent.segments);
    std::vector<fm_run> runs(extent.runs);
    code_references(references, alphabet, extent, {symbols, letters, segments, runs}, {.threads = threads});
    ASSERT_TRUE(std::equal(symbols.begin(), symbols.end(), expected.symbols.begin()));
    ASSERT_TRUE(letters == expected.letters);
    for (std::size_t s = 0; s < segments.size(); ++s) {
      ASSERT_EQ(segments[s].start, expected.segments[s].start);
      ASSERT_EQ(segments[s].record, expected.segments[s].record);
      ASSERT_EQ(segments[s].begin, expected.segments[s].begin);
    }
    for (std::size_t r = 0; r < runs.size(); ++r) {
      ASSERT_EQ(runs[r].position, expected.runs[r].position);
      ASSERT_EQ(runs[r].length, expected.runs[r].length);
      ASSERT_EQ(runs[r].letter, expected.runs[r].letter);
    }
    if (alphabet == fm_alphabet::dna) continue;
    std::vector<std::uint64_t> counts(extent.num_codes);
    for (const unsigned char code : expected.symbols) ++counts[code];
    if (extent.num_codes <= 256) {
      ASSERT_EQ(extent.code_counts, counts);
    }
  }
}

constexpr fm_alphabet alphabets[] = {fm_alphabet::dna, fm_alphabet::protein, fm_alphabet::bytes};

TEST(fm_code, of_every_short_text) {
  for_all_texts(3, 7, [&](std::string text) {
    for (char& c : text) c = "AnR"[c - 'a'];
    for (std::size_t cut = 0; cut <= text.size(); cut += 3) {
      collection of;
      of.add(text.substr(0, cut));
      of.add("");
      of.add(text.substr(cut));
      for (const fm_alphabet alphabet : alphabets) ASSERT_NO_FATAL_FAILURE(compare(of, alphabet));
    }
  });
}

TEST(fm_code, of_random_letters) {
  std::mt19937_64 random(1);
  for (const auto& [letters, alphabet] : kinds_of_letters())
    for (const std::size_t size : {1, 7, 8, 9, 300}) {
      const collection of = repetitive_records(random, 20, size, letters, alphabet);
      for (const fm_alphabet each : alphabets) ASSERT_NO_FATAL_FAILURE(compare(of, each));
    }
}

// Checks segments, runs and records that end one letter before the end of a slice, at its end, and after it.
TEST(fm_code, over_the_bounds_of_slices) {
  constexpr std::uint64_t slice = std::uint64_t{1} << 18;
  std::mt19937_64 random(2);
  for (const std::uint64_t bound : {slice - 1, slice, slice + 1}) {
    collection runs, records, other;
    std::string text = random_text(random, 3 * slice, "ACGTacgt");
    records.add(text.substr(0, bound));
    records.add("");
    records.add(text.substr(bound, 10));
    records.add(text.substr(bound));
    text.replace(bound - 20, 20, 20, 'N');
    text.replace(2 * bound, 30, 30, 'n');
    text.replace(2 * bound - 1, 1, 1, 'R');
    runs.add(text);
    other.add(std::string(bound, 'N'));
    other.add(std::string(2 * slice, 'n'));
    other.add("ACGT");
    for (const fm_alphabet alphabet : alphabets)
      for (const collection* of : {&runs, &records, &other})
        ASSERT_NO_FATAL_FAILURE(compare(*of, alphabet)) << bound;
  }
}

} // namespace

} // namespace weft::test
