// Tests texts whose ties are sorted in each of the ways that the suffix sorting of the CPU has: by the keys
// of buckets, by further bits of the text, by comparing suffixes, by anchors, and by anchors in runs. Each
// test first checks that its text leaves the ties that lead there.
#include <gtest/gtest.h>
#include <weft/bwt/cpu/suffix_anchors.hpp>
#include <weft/bwt/cpu/suffix_sort.hpp>
#include <weft/bwt/cpu/suffix_stars.hpp>

#include "suffix_texts.hpp"

namespace weft::test {

namespace {

using namespace bwt_detail;

// Which ties the stars of a text leave.
struct ties {
  std::uint64_t stars, of_keys, of_passes; // in all; tied by the keys of the buckets; tied after four passes
  bool compared;                           // whether 64 comparisons for each suffix of a bucket resolve them
  std::uint64_t selected, kept;            // an estimate of the anchors, and how many are kept
};

ties ties_of(const std::string& text) {
  const run_options run{.threads = 2};
  const suffix_string packed(symbols_of(text), run);
  const suffix_pairs pairs = count_pairs<std::uint32_t>(symbols_of(text), packed, run);
  suffix_buckets buckets(packed, &pairs.stars, ~std::uint64_t{0}, run);
  std::vector<std::uint64_t> items(buckets.size());
  buckets.distribute(0, buckets.count(), items);
  ties found{buckets.size(), 0, 0, true, 0, 0};
  group_refiner refiner(packed, buckets.layout());
  const auto tied = [&] {
    std::uint64_t sum = 0;
    for (const item_group& group : refiner.groups()) sum += group.end - group.begin;
    return sum;
  };
  for (std::uint64_t b = 0; b < buckets.count(); ++b) {
    const std::uint64_t size = buckets.begin(b + 1) - buckets.begin(b);
    if (size == 0) continue;
    refiner.start_bucket(std::span(items).subspan(buckets.begin(b), size), buckets.depth());
    found.of_keys += tied();
    for (int pass = 0; pass < 4; ++pass) refiner.refine_by_text();
    refiner.order_ended(refiner.depth() + 1);
    found.of_passes += tied();
    std::uint64_t max_words = 64 * size;
    if (!refiner.groups().empty() && !refiner.compare_suffixes(max_words)) found.compared = false;
  }
  found.selected = 2 * text.size() / 64;
  found.kept = suffix_anchors(packed, 80, run).count();
  return found;
}

void expect_sorted(const std::string& text) {
  for (const int threads : {1, 2}) {
    std::vector<std::uint32_t> sa(text.size());
    sort_suffixes<std::uint32_t>(symbols_of(text), sa, {.threads = threads});
    ASSERT_EQ(sa, sorted_by_divsufsort(text));
  }
}

// Returns random letters with two copies of the same random word in between, `times` times.
std::string pairs_of_words(std::size_t size, std::size_t between, std::size_t times) {
  std::mt19937_64 random(size);
  std::string text;
  for (std::size_t k = 0; k < times; ++k) {
    const std::string word = random_letters(random, size, 4);
    text += word + random_letters(random, between, 4) + word + random_letters(random, between, 4);
  }
  return text;
}

TEST(suffix_ties, are_none_after_the_keys) {
  std::mt19937_64 random(1);
  const std::string text = random_letters(random, 20'000, 4);
  EXPECT_EQ(ties_of(text).of_keys, 0U);
  expect_sorted(text);
}

TEST(suffix_ties, are_sorted_by_text) {
  const std::string text = pairs_of_words(60, 300, 50);
  const ties found = ties_of(text);
  EXPECT_GT(found.of_keys, 100U);
  EXPECT_EQ(found.of_passes, 0U);
  expect_sorted(text);
}

// Expects few ties after the passes, and that comparing them takes an acceptable time or not.
void expect_few_ties(const std::string& text, bool compared) {
  const ties found = ties_of(text);
  EXPECT_GT(found.of_passes, 100U);
  EXPECT_LT(found.of_passes, found.stars / 4);
  EXPECT_EQ(found.compared, compared);
  expect_sorted(text);
}

TEST(suffix_ties, are_compared_if_they_are_few) { expect_few_ties(pairs_of_words(500, 5000, 10), true); }

TEST(suffix_ties, are_sorted_by_anchors_if_comparing_takes_too_long) {
  expect_few_ties(pairs_of_words(60'000, 190'000, 1), false);
}

TEST(suffix_ties, are_sorted_by_anchors_if_they_are_numerous) {
  std::mt19937_64 random(2);
  const std::string text = copies(random, 60'000, 3000, 1000);
  const ties found = ties_of(text);
  EXPECT_GT(found.of_passes, found.stars / 2);
  EXPECT_GT(found.kept, found.selected / 2); // no runs
  expect_sorted(text);
}

TEST(suffix_ties, are_sorted_by_anchors_in_runs) {
  for (const std::string& unit : {std::string("ab"), std::string("abcabdd")}) {
    std::string text;
    for (std::size_t k = 0; k < 20; ++k) text += repeated(unit, 5000 + k) + "cAbd"[k % 4];
    const ties found = ties_of(text);
    EXPECT_GT(found.of_passes, found.stars / 2);
    EXPECT_LT(found.kept, found.selected / 4);
    expect_sorted(text);
  }
}

// Numerous suffixes, all in few large groups, differ soon after the depth at which comparing begins.
TEST(suffix_ties, are_compared_in_large_groups) {
  std::mt19937_64 random(3);
  const std::string word = random_letters(random, 135, 4);
  std::string text;
  while (text.size() < 1'000'000) text += word + random_letters(random, 200, 4);
  const ties found = ties_of(text);
  EXPECT_GT(found.of_passes, found.stars / 100);
  EXPECT_LT(found.of_passes, found.stars / 4);
  EXPECT_TRUE(found.compared);
  expect_sorted(text);
}

} // namespace
} // namespace weft::test
