// Tests chains of suffixes: their collapse and expansion, the sort of items that chains rely on, and texts of
// runs of short periods with defects.
#include <gtest/gtest.h>
#include <weft/bwt/cpu/suffix_chains.hpp>
#include <weft/bwt/cpu/suffix_sort.hpp>
#include <weft/bwt/cpu/suffix_ties.hpp>

#include "suffix_texts.hpp"

namespace weft::test {

namespace {

using namespace bwt_detail;

constexpr item_layout layout{20, 40};

std::vector<std::uint64_t> positions_of(std::span<const std::uint64_t> items) {
  std::vector<std::uint64_t> positions;
  for (const std::uint64_t item : items) positions.push_back(layout.position(item));
  return positions;
}

// Returns words of `period` letters, repeated 4 to 40 times, with something in between.
std::string runs_of(std::mt19937_64& random, const std::string& word, int count) {
  std::string text;
  for (int k = 0; k < count; ++k)
    text += repeated(word, word.size() * (4 + random() % 37) + random() % word.size()) +
            random_letters(random, random() % 3, 3);
  return text;
}

// A group of all suffixes that begin with a word is sorted by its ends, if these are few.
TEST(suffix_chains, have_the_order_of_their_ends) {
  std::mt19937_64 random(3);
  int num_collapsed = 0;
  for (int round = 0; round < 300; ++round) {
    const std::string word = random_letters(random, 1 + random() % 9, 2),
                      text = runs_of(random, word, 1 + static_cast<int>(random() % 8)),
                      begin = word + word + word.substr(0, 1);
    std::vector<std::uint64_t> items, expected;
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text.compare(i, begin.size(), begin) == 0) items.push_back(layout.item(7, i));
    for (const std::uint32_t i : sorted_by_divsufsort(text))
      if (text.compare(i, begin.size(), begin) == 0) expected.push_back(i);
    const std::uint64_t period = min_distance(layout, items);
    if (period == 0) continue;
    const std::vector<std::uint64_t> before = items;
    const std::uint64_t num_ends = collapse_chains(layout, items, period);
    if (num_ends == 0) {
      ASSERT_EQ(items, before) << text;
      continue;
    }
    ++num_collapsed;
    const auto suffix = [&](std::uint64_t i) { return std::string_view(text).substr(i); };
    std::sort(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(num_ends),
              [&](std::uint64_t a, std::uint64_t b) {
                return suffix(layout.position(a)) < suffix(layout.position(b));
              });
    expand_chains(layout, items, num_ends, period, false, [&](std::uint64_t end, std::uint64_t distance) {
      return suffix(end + distance) < suffix(end);
    });
    ASSERT_EQ(positions_of(items), expected) << text;
  }
  EXPECT_GT(num_collapsed, 100);
}

// Two chains whose ends are tied fall, and one rises: tied members get equal keys.
TEST(suffix_chains, of_tied_ends_are_tied) {
  std::vector<std::uint64_t> items;
  for (const std::uint64_t begin : {100, 200, 300})
    for (std::uint64_t k = 0; k < 6; ++k) items.push_back(layout.item(1, begin + 3 * k));
  ASSERT_EQ(min_distance(layout, items), 3U);
  ASSERT_EQ(collapse_chains(layout, items, 3), 3U);
  ASSERT_EQ(positions_of(std::span(items).first(3)), (std::vector<std::uint64_t>{115, 215, 315}));
  items[0] = layout.item(5, 115);
  items[1] = layout.item(5, 315);
  items[2] = layout.item(6, 215);
  expand_chains(layout, items, 3, 3, true, [](std::uint64_t end, std::uint64_t) { return end != 215; });
  const std::vector<std::uint64_t> expected{115, 315, 112, 312, 109, 309, 106, 306, 103,
                                            303, 100, 300, 200, 203, 206, 209, 212, 215};
  ASSERT_EQ(positions_of(items), expected);
  for (std::size_t k = 1; k < items.size(); ++k) {
    ASSERT_LT(items[k - 1], items[k]) << k;
    ASSERT_EQ(layout.same_key(items[k - 1], items[k]), k < 12 && k % 2 == 1) << k;
  }
}

TEST(suffix_chains, need_long_chains) {
  std::vector<std::uint64_t> items;
  for (std::uint64_t begin = 0; begin < 1000; begin += 10)
    for (std::uint64_t k = 0; k < 3; ++k) items.push_back(layout.item(1, begin + 2 * k));
  ASSERT_EQ(min_distance(layout, items), 2U);
  ASSERT_EQ(collapse_chains(layout, items, 2), 0U);
  ASSERT_EQ(min_distance(layout, std::span(items).first(10)), 0U);
}

TEST(sort_items, of_every_order) {
  std::mt19937_64 random(4);
  for (const std::size_t size : {0, 1, 24, 25, 255, 256, 257, 5000})
    for (const std::uint64_t share : {0, 1, 2, 10, 100}) { // one of so many has another key than the others
      std::vector<std::uint64_t> items;
      for (std::size_t i = 0; i < size; ++i)
        items.push_back(layout.item(share != 0 && random() % share != 0 ? 500 : random() % 1000, i));
      std::vector<std::uint64_t> shuffled = items, expected = items;
      std::shuffle(shuffled.begin(), shuffled.end(), random);
      std::sort(expected.begin(), expected.end());
      std::vector<std::uint64_t> reverse(expected.rbegin(), expected.rend()), sorted = expected;
      for (std::vector<std::uint64_t>* each : {&items, &shuffled, &reverse, &sorted}) {
        sort_items(layout, *each);
        ASSERT_EQ(*each, expected) << size << ", " << share;
      }
    }
}

TEST(suffix_chains, of_periods_with_defects) {
  std::mt19937_64 random(8);
  for (const std::size_t period : {1, 2, 3, 5, 20, 60, 300, 1000})
    for (const std::size_t distance : {300, 3000, 40'000}) {
      const std::string word = period == 2 ? "ab" : random_letters(random, period, 3);
      std::string regular = repeated(word, 60'000), irregular = regular;
      for (std::size_t i = distance; i < regular.size(); i += distance) {
        regular[i] = 'b';
        irregular[i - random() % distance] = static_cast<char>('a' + random() % 3);
      }
      expect_suffixes_sorted(regular);
      expect_suffixes_sorted(irregular);
    }
}

// More runs of a letter than a level has, and runs as long as a text.
TEST(suffix_chains, of_runs_of_letters) {
  std::mt19937_64 random(9);
  for (const std::size_t length : {1, 2, 10, 70, 1000, 30'000})
    for (const unsigned letters : {2, 3, 200}) {
      std::string text;
      while (text.size() < 60'000)
        text += std::string(1 + random() % length, static_cast<char>('A' + random() % letters));
      expect_suffixes_sorted(text);
    }
}

// A run at the begin of a text does not hide its period.
TEST(suffix_chains, at_the_begin_of_a_periodic_text) {
  for (const std::size_t length : {1000, 3001}) {
    const std::string text = repeated(repeated("ab", length) + 'b', 30'000);
    expect_suffixes_sorted(text);
    expect_suffixes_sorted(text + 'a');
    expect_suffixes_sorted('b' + text);
  }
}

} // namespace

} // namespace weft::test
