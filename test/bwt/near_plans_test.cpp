// Checks the search with differences by plans, which a GPU runs, on the host: against the methods of the CPU.
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <string>
#include <vector>
#include <weft/bwt/entry/solve.hpp>
#include <weft/bwt/fm_index.hpp>

#include "bwt_cases.hpp"
#include "fm_cases.hpp"
#include "near_batches.hpp"
#include "near_cases.hpp"
#include "near_plans.hpp"

namespace weft::test {

namespace {

// Checks that a search by plans finds what the CPU finds. Returns how many hits the plans found.
std::uint64_t check_plans(const fm_index& index, const std::vector<std::string>& patterns,
                          near_options options, std::uint64_t piece = 5, int threads = 1) {
  sequences batch;
  for (const std::string& pattern : patterns) batch.add(pattern);
  options.run = {.device = {device_kind::cpu}, .threads = threads};
  const near_hits expected = index.locate_near(batch, options);
  std::uint64_t num_hits = 0;
  for (const bool with_contexts : {false, true}) {
    bwt_detail::fm_device_cache cache;
    bwt_detail::near_problem problem{index, cache, batch, options};
    bwt_detail::search_by_plans(problem, plans_on_host(piece, with_contexts, num_hits));
    expect_equal_hits(problem.hits, expected);
  }
  return num_hits;
}

TEST(near_plans, strings_of_a_window) {
  for (const std::uint32_t free : {0U, 1U, 2U, 5U, 8U})
    for (std::uint32_t changes = 0; changes <= 4; ++changes) {
      const bwt_detail::near_plan_window window{3, 9, 4, free, changes, 0};
      const std::uint64_t letters = 0x2D1B6 & 0x3FFFF;
      std::set<std::uint64_t> strings;
      const std::uint64_t count = bwt_detail::num_window_strings(free, changes);
      for (std::uint32_t i = 0; i < count; ++i) {
        std::uint64_t changed = letters;
        const unsigned made = bwt_detail::change_letters(window, i, changed);
        ASSERT_LE(made, changes);
        std::uint64_t differ = changed ^ letters;
        differ = (differ | differ >> 1) & bwt_detail::even_bits;
        ASSERT_EQ(bwt_detail::count_ones(differ), made);
        const std::uint64_t allowed = ((std::uint64_t{1} << (2 * free)) - 1) << 2; // from letter 1 on
        ASSERT_EQ(differ & ~allowed, 0U);
        strings.insert(changed);
      }
      ASSERT_EQ(strings.size(), count);
    }
}

TEST(near_plans, of_every_short_text) {
  const std::vector<std::vector<std::string>> patterns = all_short_patterns();
  std::uint64_t num_hits = 0;
  for_all_texts(3, 6, [&](std::string text) {
    for (char& c : text) c = "ACN"[c - 'a'];
    const fm_index index = index_of({text.substr(0, text.size() / 2), text.substr(text.size() / 2)});
    for (unsigned k = 0; k < 4; ++k)
      for (const near_metric metric : {near_metric::mismatches, near_metric::errors})
        num_hits += check_plans(
            index, patterns[k],
            {.metric = metric, .max_distance = k, .both_strands = true, .iupac = text.size() % 2 == 0}, 1000);
  });
  EXPECT_GT(num_hits, 100000U);
}

// Patterns of one size follow one another, longer ones and some with other letters come between, and the
// first patterns have fewer hits than the others. Several threads plan the patterns and unpack the hits.
TEST(near_plans, of_thousands_of_patterns_on_several_threads) {
  std::mt19937_64 random(39);
  const std::string text = random_text(random, 12'000, "ACGT") + std::string(3'000, 'A');
  std::vector<std::string> patterns;
  for (int p = 0; p < 9'500; ++p) {
    std::string pattern = text.substr(random() % (text.size() - 20), p % 700 < 500 ? 8 : 8 + random() % 6);
    if (p > 5'000 && p % 100 == 0) pattern = "AAAAAAAA";
    if (p % 37 == 0) pattern[random() % 8] = 'N';
    patterns.push_back(pattern);
  }
  const fm_index index = index_of({text});
  for (const bool iupac : {false, true})
    EXPECT_GT(
        check_plans(index, patterns, {.max_distance = 1, .both_strands = true, .iupac = iupac}, 3'000, 3),
        100'000U);
}

TEST(near_plans, of_random_batches) {
  std::mt19937 random(37);
  std::uint64_t num_hits = 0;
  for (int round = 0; round < 60; ++round) {
    const near_random_batch batch(random);
    num_hits += check_plans(index_of(batch.records, batch.sample_rate), batch.patterns, batch.options,
                            1 + random() % 20);
  }
  EXPECT_GT(num_hits, 3000U);
}

// Without letters to search, or without letters at all.
TEST(near_plans, of_nothing) {
  for (const std::vector<std::string>& records :
       {std::vector<std::string>{}, {""}, {"NNN"}, {"", "A", ""}, {"N", "NACGTN"}})
    for (const near_metric metric : {near_metric::mismatches, near_metric::errors})
      for (const unsigned k : {0U, 1U, 3U})
        (void)check_plans(index_of(records), {"ACGT", "NNNNN", std::string(30, 'A')},
                          {.metric = metric, .max_distance = k, .both_strands = true, .iupac = true});
}

TEST(near_plans, of_guides) {
  std::mt19937 random(41);
  std::uint64_t num_hits = 0, num_with_changes = 0;
  for (int round = 0; round < 8; ++round) {
    const std::vector<std::string> records = {random_letters(random, 60000, 200, "NR"),
                                              random_letters(random, 21, 40, "N"),
                                              random_letters(random, 3000, 5, "GGN")};
    const fm_index index = index_of(records);
    std::vector<std::string> guides;
    for (int g = 0; g < 12; ++g) {
      std::string guide = records[0].substr(random() % 50000, 20);
      for (unsigned i = 0; i < 2; ++i) guide[random() % 20] = "ACGT"[random() % 4];
      guides.push_back(guide + (round % 2 == 0 ? "NGG" : ""));
    }
    const near_options options{.max_distance = 1U + static_cast<unsigned>(round) % 4,
                               .both_strands = true,
                               .iupac = round % 4 < 2,
                               .exact_suffix = round % 4 == 0 ? 2U : 0U};
    sequences batch;
    for (const std::string& guide : guides) batch.add(guide);
    for (const bwt_detail::near_plan& plan : bwt_detail::plan_patterns(index, batch, options).plans)
      num_with_changes += plan.has_changes ? 1 : 0;
    num_hits += check_plans(index, guides, options);
  }
  EXPECT_GT(num_hits, 60U);
  EXPECT_GE(num_with_changes, 4U);
}

// Regions that are too large, or have too many stretches, are left to the CPU.
TEST(near_plans, of_tandem_repeats) {
  std::mt19937 random(43);
  const std::string unit = random_letters(random, 7, 100, "N"),
                    start = random_letters(random, 2000, 100, "N");
  std::string text = start;
  while (text.size() < 14000) text += unit;
  text += start + std::string(200, 'A') + start;
  const fm_index index = index_of({text, start});
  std::vector<std::string> patterns = {std::string(30, 'A')};
  for (const std::size_t at : {100U, 1990U, 3000U, 13990U, 15000U}) patterns.push_back(text.substr(at, 100));
  std::uint64_t num_hits = 0;
  for (const bool all_ends : {false, true})
    for (const unsigned k : {0U, 2U, 5U})
      num_hits += check_plans(
          index, patterns,
          {.metric = near_metric::errors, .max_distance = k, .both_strands = true, .all_ends = all_ends});
  EXPECT_GT(num_hits, 20U);
}

} // namespace

} // namespace weft::test
