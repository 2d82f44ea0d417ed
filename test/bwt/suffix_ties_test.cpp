// Tests texts whose ties are sorted in each of the ways that the suffix sorting of the CPU has: by the keys
// of buckets, by some bits of the text, by all bits of the text, by anchors, and as chains. Each
// test first checks that its text leaves the ties that lead there.
#include <gtest/gtest.h>
#include <weft/bwt/cpu/suffix_sort.hpp>
#include <weft/bwt/cpu/suffix_stars.hpp>
#include <weft/bwt/cpu/suffix_ties.hpp>

#include "suffix_texts.hpp"

namespace weft::test {

namespace {

using namespace bwt_detail;

// Which ties the stars of a text leave.
struct ties {
  std::uint64_t stars, of_keys, of_depth; // in all; tied by the keys of the buckets; tied by 72 symbols
  bool sorted;                            // whether 16 reads for each suffix resolve those without chains
  std::uint64_t ends;                     // how many are left if groups of chains are replaced by their ends
};

ties ties_of(const std::string& text) {
  const run_options run{.threads = 2};
  const suffix_string packed(symbols_of(text), run);
  const suffix_pairs pairs = count_pairs<std::uint32_t>(symbols_of(text), packed, run);
  suffix_buckets buckets(packed, &pairs.stars, ~std::uint64_t{0}, run);
  std::vector<std::uint64_t> items(buckets.size());
  buckets.distribute(0, buckets.count(), items);
  ties found{buckets.size(), 0, 0, true, 0};
  const std::uint64_t depth = 72 * packed.bits();
  std::uint64_t reads = 16 * buckets.size();
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
    refiner.refine(depth, nullptr);
    found.of_depth += tied();
    const std::vector<item_group> groups = refiner.groups();
    std::vector<chain_group> chains;
    refiner.refine(depth, &chains);
    found.ends += tied();
    if (!chains.empty()) continue;
    refiner.start(std::span(items).subspan(buckets.begin(b), size), groups, depth);
    found.sorted &= refiner.sort(reads);
  }
  return found;
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
  expect_suffixes_sorted(text);
}

TEST(suffix_ties, are_sorted_by_text) {
  const std::string text = pairs_of_words(60, 300, 50);
  const ties found = ties_of(text);
  EXPECT_GT(found.of_keys, 100U);
  EXPECT_EQ(found.of_depth, 0U);
  expect_suffixes_sorted(text);
}

// Expects few ties, and that sorting them by text takes an acceptable time or not.
void expect_few_ties(const std::string& text, bool sorted) {
  const ties found = ties_of(text);
  EXPECT_GT(found.of_depth, 100U);
  EXPECT_LT(found.of_depth, found.stars / 2);
  EXPECT_EQ(found.sorted, sorted);
  expect_suffixes_sorted(text);
}

TEST(suffix_ties, are_sorted_by_all_of_the_text_if_they_are_few) {
  expect_few_ties(pairs_of_words(500, 5000, 10), true);
}

TEST(suffix_ties, are_sorted_by_anchors_if_the_text_takes_too_long) {
  expect_few_ties(pairs_of_words(60'000, 190'000, 1), false);
}

TEST(suffix_ties, are_sorted_by_anchors_if_they_are_numerous) {
  std::mt19937_64 random(2);
  const std::string text = copies(random, 60'000, 3000, 1000);
  const ties found = ties_of(text);
  EXPECT_GT(found.of_depth, found.stars / 2);
  EXPECT_EQ(found.ends, found.of_depth); // no chains
  expect_suffixes_sorted(text);
}

TEST(suffix_ties, are_chains_in_runs) {
  for (const std::string& unit : {std::string("ab"), std::string("abcabdd")}) {
    std::string text;
    for (std::size_t k = 0; k < 20; ++k) text += repeated(unit, 5000 + k) + "cAbd"[k % 4];
    const ties found = ties_of(text);
    EXPECT_GT(found.of_depth, found.stars / 2);
    EXPECT_LT(found.ends, found.of_depth / 10);
    expect_suffixes_sorted(text);
  }
}

// Numerous suffixes, all in few large groups, differ some time after the first 72 symbols.
TEST(suffix_ties, are_sorted_by_text_in_large_groups) {
  std::mt19937_64 random(3);
  const std::string word = random_letters(random, 300, 4);
  std::string text;
  while (text.size() < 1'000'000) text += word + random_letters(random, 200, 4);
  const ties found = ties_of(text);
  EXPECT_GT(found.of_depth, found.stars / 100);
  EXPECT_LT(found.of_depth, found.stars / 2);
  EXPECT_TRUE(found.sorted);
  expect_suffixes_sorted(text);
}

} // namespace
} // namespace weft::test
