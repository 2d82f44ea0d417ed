// Tests which suffixes rise, and where suffixes are sorted by their first two symbols.
#include <algorithm>
#include <gtest/gtest.h>
#include <test/reference/bwt_reference.hpp>
#include <weft/bwt/core/suffix_counts.hpp>
#include <weft/bwt/core/suffix_types.hpp>

#include "bwt_cases.hpp"

namespace weft::test {

namespace {

using namespace bwt_detail;

std::vector<bool> rising_suffixes(const std::string& text) {
  std::vector<bool> rises(text.size());
  for (std::size_t i = text.size(); i-- > 0;)
    rises[i] = i + 1 < text.size() && (text[i] < text[i + 1] || (text[i] == text[i + 1] && rises[i + 1]));
  return rises;
}

// Computes the types word by word from right to left, and joins words as a scan on the device does.
std::vector<bool> rising_by_words(const std::string& text) {
  const std::size_t n = text.size();
  std::vector<bool> rises(n);
  rise behind = rise::no;
  for (std::size_t w = (n + 63) / 64; w-- > 0;) {
    std::uint64_t less = 0, equal = 0;
    for (std::size_t i = w * 64; i < std::min(n - 1, w * 64 + 64); ++i) {
      less |= static_cast<std::uint64_t>(text[i] < text[i + 1]) << (i % 64);
      equal |= static_cast<std::uint64_t>(text[i] == text[i + 1]) << (i % 64);
    }
    const std::uint64_t word = rising(less, equal, behind == rise::yes);
    for (std::size_t i = w * 64; i < std::min(n, w * 64 + 64); ++i) rises[i] = (word >> (i % 64) & 1) != 0;
    behind = rise_of_both{}(behind, first_rises(less, equal));
  }
  return rises;
}

// Counts suffixes symbol by symbol.
std::vector<std::uint32_t> counts_of(const std::string& text, unsigned letters,
                                     const std::vector<bool>& rises) {
  const auto code = [&](std::size_t i) { return static_cast<unsigned>(text[i] - 'a'); };
  std::vector<std::uint32_t> counts(std::size_t{letters} * counts_of_letter(letters));
  const auto row = [&](unsigned a) { return counts.data() + std::size_t{a} * counts_of_letter(letters); };
  std::uint32_t run = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool ends = i + 1 == text.size() || text[i] != text[i + 1];
    if (ends && run > 1)
      ++row(code(i))[2 * letters + rises[i] * run_lengths + std::min(run - 2, run_lengths - 1)];
    run = ends ? 1 : run + 1;
    if (i + 1 == text.size()) break;
    const unsigned a = code(i), b = code(i + 1);
    ++row(a)[2 * b + (a < b ? !rises[i + 1] : a == b && rises[i])];
  }
  return counts;
}

// Counts suffixes word by word, in a text of `bits` bits per symbol.
std::vector<std::uint32_t> counts_by_words(const std::string& text, unsigned letters, std::uint32_t bits,
                                           const std::vector<bool>& rises) {
  const std::uint64_t n = text.size();
  std::vector<std::uint64_t> words(words_of_text(n, bits)), level(head_bits::words(n, 0));
  for (std::uint64_t w = 0; w < words.size(); ++w)
    words[w] = packed_word(w, n, bits, [&](std::uint64_t i) { return std::uint64_t(text[i] - 'a'); });
  for (std::uint64_t i = 0; i <= n; ++i)
    if (i == 0 || i == n || text[i] != text[i - 1]) level[i / 64] |= std::uint64_t{1} << (i % 64);
  const head_bits heads{{level.data(), nullptr, nullptr}, n};
  std::vector<std::uint32_t> counts(std::size_t{letters} * counts_of_letter(letters));
  for (std::uint64_t w = 0; w * 64 < n; ++w) {
    std::uint64_t word = 0;
    for (std::uint64_t i = w * 64; i < std::min(n, w * 64 + 64); ++i)
      word |= static_cast<std::uint64_t>(rises[i]) << (i % 64);
    const bool next_rises = w * 64 + 64 < n && rises[w * 64 + 64];
    count_word({words.data(), n, bits}, letters, heads, w, word, next_rises,
               [&](std::uint32_t a, std::uint32_t column) {
                 ++counts[std::size_t{a} * counts_of_letter(letters) + column];
               });
  }
  return counts;
}

induced_slots slots_of(const std::string& text, unsigned letters, const std::vector<bool>& rises) {
  const std::vector<std::uint32_t> counts = counts_of(text, letters, rises);
  for (const std::uint32_t bits : {2, 3, 5, 8})
    EXPECT_EQ(counts_by_words(text, letters, bits, rises), counts) << text << ", " << bits << " bits";
  return {letters, static_cast<unsigned>(text.back() - 'a'), counts};
}

void expect_slots(const std::string& text, unsigned letters) {
  const std::vector<bool> rises = rising_suffixes(text);
  const induced_slots slots = slots_of(text, letters, rises);
  const auto sa = reference::suffix_array(text);
  std::vector<std::uint32_t> next(std::size_t{letters} * letters);
  for (unsigned a = 0; a < letters; ++a)
    for (unsigned b = 0; b < letters; ++b) next[a * letters + b] = slots.slot(a, b);
  std::uint32_t number = 0, pair = 0;
  for (std::uint32_t row = 0; row < text.size(); ++row) {
    const std::size_t i = sa[row];
    const auto a = static_cast<unsigned>(text[i] - 'a');
    ASSERT_GE(row, rises[i] ? slots.rising(a) : slots.begin(a)) << text;
    ASSERT_LT(row, rises[i] ? slots.begin(a + 1) : slots.rising(a)) << text;
    if (i + 1 == text.size()) {
      ASSERT_EQ(row, slots.begin(a)) << text;
      continue;
    }
    const auto b = static_cast<unsigned>(text[i + 1] - 'a');
    if (a == b) {
      ASSERT_GE(row, slots.single_falling_end(a)) << text;
      ASSERT_LT(row, slots.single_rising(a)) << text;
    } else if (rises[i] && !rises[i + 1]) {
      while (pair + 1 < slots.group_ranks().size() && slots.group_ranks()[pair + 1] <= number) ++pair;
      ASSERT_EQ(row, slots.group_slots()[pair] + (number++ - slots.group_ranks()[pair])) << text;
    } else {
      ASSERT_EQ(row, next[a * letters + b]++) << text;
    }
  }
  ASSERT_EQ(number, slots.sorted()) << text;
}

TEST(suffix_types, of_every_short_text) {
  for_all_texts(3, 9, [](const std::string& text) {
    if (text.empty()) return;
    ASSERT_EQ(rising_by_words(text), rising_suffixes(text)) << text;
    expect_slots(text, 3);
  });
}

TEST(suffix_types, across_words) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    std::string text;
    while (text.size() < 300) text.append(1 + random() % (trial % 2 == 0 ? 3 : 150), "abcd"[random() % 4]);
    ASSERT_EQ(rising_by_words(text), rising_suffixes(text)) << text;
    expect_slots(text, 4);
  }
}

TEST(suffix_types, counts_of_runs) {
  std::string text;
  for (int length = 1; length < 40; ++length)
    text += std::string(static_cast<std::size_t>(length), 'b') + 'a';
  const induced_slots slots = slots_of(text, 2, rising_suffixes(text));
  for (std::uint32_t length = 2; length <= run_lengths + 1; ++length) {
    EXPECT_EQ(slots.runs(1, false, length), 40 - length);
    EXPECT_EQ(slots.runs(1, true, length), 0U);
  }
}

} // namespace

} // namespace weft::test
