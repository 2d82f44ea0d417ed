// Texts that lead the suffix sorting of the CPU through each of its steps, and suffix arrays by other means.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <weft/bwt/cpu/suffix_ranges.hpp>
#include <weft/bwt/cpu/suffix_sort.hpp>
#include <weft/bwt/suffix_array.hpp>

#include "bwt_cases.hpp"
#include "part_cases.hpp"

namespace weft::test {

using named_text = std::pair<std::string, std::string>;

inline std::span<const unsigned char> symbols_of(std::string_view text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

// Returns the suffix array of a packed text by ranges of at most `max_items` suffixes, if no more of them
// agree in 72 symbols. If `all_fit`, expects that no range is larger.
inline std::vector<std::uint32_t> sorted_in_ranges(const bwt_detail::suffix_string& text,
                                                   std::uint64_t max_items, const run_options& run,
                                                   bool all_fit = false) {
  bwt_detail::range_limits limits(0, ~std::uint64_t{0});
  limits.max_items = max_items;
  std::vector<std::uint32_t> sa;
  bwt_detail::sort_in_ranges(text, limits, run, nullptr, [&](const bwt_detail::sorted_range& range) {
    EXPECT_EQ(range.first_row, sa.size());
    if (all_fit) {
      EXPECT_LE(range.items.size(), max_items);
    }
    for (const std::uint64_t item : range.items)
      sa.push_back(static_cast<std::uint32_t>(range.layout.position(item)));
  });
  return sa;
}

// Returns the suffix array by libdivsufsort; of texts of fewer than 1000 symbols, by comparisons.
template <class Index = std::uint32_t> std::vector<Index> sorted_by_divsufsort(std::string_view text) {
  std::vector<Index> sa(text.size());
  suffix_array_into(text, sa);
  return sa;
}

// Expects the suffix array of libdivsufsort from suffix-sort, with both types of indexes and several threads.
inline void expect_suffixes_sorted(const std::string& text) {
  std::vector<std::uint32_t> sa(text.size());
  std::vector<std::uint64_t> wide(text.size());
  const std::vector<std::uint32_t> expected = sorted_by_divsufsort(text);
  for (const int threads : {1, 2}) {
    bwt_detail::sort_suffixes<std::uint32_t>(symbols_of(text), sa, {.threads = threads});
    ASSERT_EQ(sa, expected);
  }
  bwt_detail::sort_suffixes<std::uint64_t>(symbols_of(text), wide, {.threads = 3});
  ASSERT_TRUE(std::equal(wide.begin(), wide.end(), expected.begin(), expected.end()));
}

// Returns the suffix array of a collection by comparisons: equal suffixes are in the order of their records.
inline std::vector<std::uint32_t> sorted_records(const text_parts& of) {
  std::vector<std::uint64_t> ends(of.text.size());
  for (std::size_t p = 0; p < of.parts(); ++p)
    std::fill(ends.begin() + static_cast<std::ptrdiff_t>(of.offsets[p]),
              ends.begin() + static_cast<std::ptrdiff_t>(of.offsets[p + 1]), of.offsets[p + 1]);
  std::vector<std::uint32_t> sa(of.text.size());
  std::iota(sa.begin(), sa.end(), 0U);
  std::sort(sa.begin(), sa.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::string_view text = of.text;
    const int order = text.substr(a, ends[a] - a).compare(text.substr(b, ends[b] - b));
    return order != 0 ? order < 0 : a < b;
  });
  return sa;
}

// Returns a seed of random texts. --gtest_shuffle --gtest_random_seed=S makes it another one.
inline std::uint64_t seed(std::uint64_t number) {
  return number + 1000 * static_cast<std::uint64_t>(testing::UnitTest::GetInstance()->random_seed());
}

// Returns the first n symbols of an endless repetition of `unit`.
inline std::string repeated(std::string_view unit, std::size_t n) {
  std::string text;
  while (text.size() < n) text += unit;
  text.resize(n);
  return text;
}

// Returns n random letters of the first `sigma` from 'a' on; of all 256 bytes if sigma is 256.
inline std::string random_letters(std::mt19937_64& random, std::size_t n, std::uint64_t sigma) {
  std::string text(n, ' ');
  for (char& c : text) c = static_cast<char>((sigma < 256 ? 'a' : 0) + random() % sigma);
  return text;
}

inline std::string thue_morse(std::size_t n) {
  std::string text(n, 'a');
  for (std::size_t i = 0; i < n; ++i)
    if (std::popcount(i) % 2 == 1) text[i] = 'b';
  return text;
}

// Returns copies of a random block, in each of which about one symbol in `every` is another one.
inline std::string copies(std::mt19937_64& random, std::size_t n, std::size_t block, std::uint64_t every) {
  std::string text = repeated(random_letters(random, block, 4), n);
  for (char& c : text)
    if (random() % every == 0) c = static_cast<char>('a' + random() % 4);
  return text;
}

// Returns powers of `unit` with ascending exponents. After each power follows one of `ends` in turn, so runs
// of the period end before less, and before greater symbols.
inline std::string powers(std::string_view unit, std::string_view ends, std::size_t n) {
  std::string text;
  for (std::size_t k = 1; text.size() < n; ++k) {
    text += repeated(unit, unit.size() * k + k % unit.size());
    text += ends[k % ends.size()];
  }
  text.resize(n);
  return text;
}

// Returns texts with short periods: with and without one other symbol at the begin, in the middle, at the
// end; and with runs of all lengths, of which one ends with the text.
inline std::vector<named_text> periodic_texts(std::size_t n) {
  std::mt19937_64 random(n);
  std::vector<named_text> made;
  for (std::size_t period = 1; period <= 9; ++period) {
    const std::string unit = "c" + random_letters(random, period - 1, 5), text = repeated(unit, n);
    const std::string name = "period " + std::to_string(period);
    made.emplace_back(name, text);
    for (const std::size_t at : {std::size_t{0}, std::size_t{1}, n / 2, n - 2, n - 1})
      for (const char other : {'a', 'e', '\xff'}) {
        made.emplace_back(name + ", another symbol at " + std::to_string(at), text);
        made.back().second[at] = other;
      }
    for (const char* const ends : {"b", "d", "ae", "\xff", "baed"})
      made.emplace_back(name + ", powers before " + ends, powers(unit, ends, n));
  }
  return made;
}

// Returns texts in which long words occur again.
inline std::vector<named_text> repetitive_texts(std::size_t n) {
  std::mt19937_64 random(n);
  const std::string half = random_letters(random, n / 2 + 1, 4);
  std::string words;
  while (words.size() < n) {
    const std::size_t size = std::min<std::size_t>(words.size(), random() % 1000);
    if (words.size() > 20 && random() % 2 == 0)
      words += std::string(words, random() % (words.size() - size + 1), size);
    else
      words += random_letters(random, 1, 4);
  }
  words.resize(n);
  std::vector<named_text> made = {{"Thue-Morse", thue_morse(n)},
                                  {"square", repeated(half, n)},
                                  {"copies of copies", words},
                                  {"zeros between copies", powers(half.substr(0, n / 50 + 1), {"\0", 1}, n)}};
  for (const std::size_t block : {20, 300, 3000})
    for (const std::uint64_t every : {30, 1000})
      made.emplace_back("copies of " + std::to_string(block) + ", changed every " + std::to_string(every),
                        copies(random, n, block, every));
  return made;
}

// Returns all lists of texts of n >= 2 symbols.
inline std::vector<named_text> suffix_texts(std::size_t n) {
  std::vector<named_text> made = texts(n);
  for (const auto& more : {periodic_texts(n), repetitive_texts(n)})
    made.insert(made.end(), more.begin(), more.end());
  return made;
}

// Returns a text made of up to `longest` symbols, of one of several kinds: random symbols, a period with
// errors, copies of earlier words, runs, powers between random symbols, and copies that change one by one.
inline std::string random_text(std::mt19937_64& random, std::size_t longest) {
  const std::uint64_t kind = random() % 6, sigma = random() % 4 == 0 ? 256 : 1 + random() % 5;
  const std::size_t n = 1 + random() % longest;
  const auto letters = [&](std::size_t size) { return random_letters(random, size, sigma); };
  if (kind == 0) return letters(n);
  std::string text;
  if (kind == 1) {
    text = repeated(letters(1 + random() % 200), n);
    for (std::uint64_t errors = random() % 6; errors > 0; --errors) text[random() % n] = letters(1)[0];
    return text;
  }
  std::string copy = letters(20 + random() % 2000);
  while (text.size() < n) {
    if (kind == 2 && text.size() > 20 && random() % 2 == 0) {
      const std::size_t size = std::min<std::size_t>(text.size(), 1 + random() % 1000);
      text += std::string(text, random() % (text.size() - size + 1), size);
    } else if (kind == 2) {
      text += letters(1);
    } else if (kind == 3) {
      text.append(1 + random() % (random() % 10 == 0 ? 2000 : 30), letters(1)[0]);
    } else if (kind == 4) {
      const std::string unit = letters(1 + random() % 40);
      text += repeated(unit, unit.size() * (1 + random() % 100)) + letters(random() % 50);
    } else {
      text += copy;
      if (random() % 2 == 0) copy[random() % copy.size()] = letters(1)[0];
    }
  }
  text.resize(n);
  return text;
}

// Calls check(text) for every sequence of up to `longest` of two words in place of letters. Long words take
// short sequences through the steps that otherwise only long texts reach.
inline void for_all_sequences(std::string_view a, std::string_view b, int longest,
                              const std::function<void(const std::string&)>& check) {
  for_all_texts(2, longest, [&](const std::string& sequence) {
    std::string text;
    for (const char c : sequence) text += c == 'a' ? a : b;
    if (!text.empty()) check(text);
  });
}

// Returns pairs of words: blocks that differ at the begin or at the end, and parts of runs.
inline std::vector<std::pair<std::string, std::string>> word_pairs() {
  std::mt19937_64 random(3);
  const std::string block = random_letters(random, 150, 4), same = block.substr(0, 149),
                    run = repeated("ab", 200);
  return {{same + 'a', same + 'b'},
          {'a' + same, 'b' + same},
          {block, block.substr(75)},
          {run, "b"},
          {run, "a"},
          {run, run.substr(1)},
          {run + 'c', run + "ab"},
          {std::string(90, 'a'), "b"},
          {std::string(90, 'b'), "a"},
          {repeated("aab", 180), "c"},
          {repeated("abb", 180), block}};
}

} // namespace weft::test
