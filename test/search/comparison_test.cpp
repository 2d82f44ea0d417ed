// compare_genomes(): what every result must satisfy, on genomes of all kinds, and planted rearrangements.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/search/variants.hpp>

#include "comparison_checks.hpp"

namespace weft::test {

namespace {

TEST(comparison, small_genomes_of_few_letters) {
  std::mt19937_64 rng(1);
  std::size_t num_blocks = 0;
  for (int round = 0; round < 4000; ++round) {
    SCOPED_TRACE(round);
    const std::string_view alphabet = std::vector<std::string_view>{"AC", "ACGT", "ACN", "AT"}[rng() % 4];
    std::vector<std::string> a, b;
    for (std::size_t i = 0; i < rng() % 4; ++i) a.push_back(random_letters(rng, rng() % 120, alphabet));
    for (std::size_t i = 0; i < rng() % 4; ++i) {
      std::string letters = !a.empty() && rng() % 4 != 0 ? mutated(rng, a[rng() % a.size()], 5 + rng() % 40)
                                                         : random_letters(rng, rng() % 120, alphabet);
      if (rng() % 3 == 0) letters = reverse_complement(letters);
      if (rng() % 3 == 0 && !letters.empty())
        std::rotate(letters.begin(), letters.begin() + static_cast<std::ptrdiff_t>(rng() % letters.size()),
                    letters.end());
      b.push_back(letters);
    }
    num_blocks +=
        compare(a, b, {.min_match = 8 + rng() % 5, .min_block = 1 + rng() % 20, .run = {.threads = 1}})
            .blocks.size();
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(num_blocks, 1000u);
}

// Where nothing is rearranged, there is one block, and its variants make B out of A.
TEST(comparison, variants_make_b_out_of_a) {
  std::mt19937_64 rng(3);
  for (int round = 0; round < 10; ++round) {
    const std::string a = random_letters(rng, 20000);
    std::string b = mutated(rng, a, 50);
    b.insert(5000, random_letters(rng, 700));
    b.erase(9000, 900);
    const genome_comparison found = compare({a}, {b});
    ASSERT_EQ(found.blocks.size(), 1u);
    EXPECT_EQ(found.blocks[0].a_end - found.blocks[0].a_begin, a.size());
    EXPECT_EQ(found.blocks[0].b_end - found.blocks[0].b_begin, b.size());
    EXPECT_TRUE(found.missing.empty() && found.added.empty());
  }
}

TEST(comparison, an_inversion) {
  std::mt19937_64 rng(4);
  const std::string a = random_letters(rng, 30000);
  std::string b = a.substr(0, 10000) + reverse_complement(a.substr(10000, 2000)) + a.substr(12000);
  b[11000] = b[11000] == 'A' ? 'C' : 'A';
  const genome_comparison found = compare({a}, {b});
  ASSERT_EQ(found.blocks.size(), 3u);
  const genome_block& block = found.blocks[1];
  EXPECT_EQ(block.kind, block_kind::inverted);
  // Letters at the ends that are their own complement may be in either block.
  EXPECT_NEAR(static_cast<double>(block.a_begin), 10000, 5);
  EXPECT_NEAR(static_cast<double>(block.a_end), 12000, 5);
  ASSERT_EQ(found.variants.size(), 1u);
  EXPECT_EQ(found.variants[0].begin, 10999u);
  EXPECT_EQ(found.variants[0].block, 1u);
}

TEST(comparison, moved_and_duplicated_blocks) {
  std::mt19937_64 rng(5);
  const std::string a = random_letters(rng, 40000);
  // a[5000, 7000) moves behind 20000; a[30000, 31000) has a copy behind 35000, on the other strand.
  const std::string b = a.substr(0, 5000) + a.substr(7000, 13000) + a.substr(5000, 2000) +
                        a.substr(20000, 15000) + reverse_complement(a.substr(30000, 1000)) + a.substr(35000);
  const genome_comparison found = compare({a}, {b});
  EXPECT_EQ(count_kind(found, block_kind::moved), 1u);
  EXPECT_EQ(count_kind(found, block_kind::duplicated), 1u);
  EXPECT_EQ(count_kind(found, block_kind::inverted), 0u);
  for (const genome_block& block : found.blocks) {
    if (block.kind == block_kind::moved) {
      EXPECT_NEAR(static_cast<double>(block.a_begin), 5000, 8);
      EXPECT_NEAR(static_cast<double>(block.a_end), 7000, 8);
      EXPECT_FALSE(block.reverse);
    }
    if (block.kind == block_kind::duplicated) {
      EXPECT_NEAR(static_cast<double>(block.a_begin), 30000, 8);
      EXPECT_NEAR(static_cast<double>(block.b_begin), 35000, 8);
      EXPECT_TRUE(block.reverse);
    }
  }
}

// A substitution beside a moved block belongs to the backbone if at least three matches confirm it.
TEST(comparison, a_substitution_near_a_moved_block) {
  std::mt19937_64 rng(20);
  const auto other = [](char letter) { return letter == 'A' ? 'C' : 'A'; };
  for (std::size_t matches = 3; matches <= 9; ++matches) {
    SCOPED_TRACE(matches);
    std::string a = random_letters(rng, 40000);
    // No letter beside the borders is equal by chance.
    for (std::size_t i = 0; i < 4; ++i) {
      a[5000 + i] = a[7000 + i] = other(a[20000 + i]);
      a[4999 - i] = a[6999 - i] = other(a[19999 - i]);
    }
    std::string behind = a.substr(20000);
    behind[matches] = other(behind[matches]);
    const genome_comparison found =
        compare({a}, {a.substr(0, 5000) + a.substr(7000, 13000) + a.substr(5000, 2000) + behind});
    EXPECT_EQ(count_kind(found, block_kind::moved), 1u);
    ASSERT_EQ(found.variants.size(), 1u);
    EXPECT_EQ(found.variants[0].begin, 20000 + matches);
  }
}

TEST(comparison, a_circular_genome_with_another_origin) {
  std::mt19937_64 rng(6);
  const std::string a = random_letters(rng, 20000);
  for (const bool reverse : {false, true}) {
    std::string b = mutated(rng, a, 500);
    if (reverse) b = reverse_complement(b);
    std::rotate(b.begin(), b.begin() + 7777, b.end());
    const genome_comparison found = compare({a}, {b});
    EXPECT_TRUE(found.placements[0].is_partner);
    EXPECT_EQ(found.placements[0].reverse, reverse);
    EXPECT_NE(found.placements[0].origin, 0u);
    EXPECT_EQ(count_kind(found, block_kind::collinear), 2u); // one on each side of the first letter of B
    EXPECT_EQ(found.blocks.size(), 2u);
    EXPECT_TRUE(found.missing.empty() && found.added.empty());
  }
}

TEST(comparison, several_records_in_another_order) {
  std::mt19937_64 rng(7);
  const std::vector<std::string> a{random_letters(rng, 9000), random_letters(rng, 5000),
                                   random_letters(rng, 3000)};
  const std::vector<std::string> b{mutated(rng, a[2], 300), reverse_complement(mutated(rng, a[0], 300)),
                                   random_letters(rng, 2000), mutated(rng, a[1], 300)};
  const genome_comparison found = compare(a, b);
  EXPECT_EQ(found.blocks.size(), 3u);
  EXPECT_EQ(found.placements[0].a_record, 2u);
  EXPECT_EQ(found.placements[1].a_record, 0u);
  EXPECT_TRUE(found.placements[1].reverse);
  EXPECT_FALSE(found.placements[2].is_placed);
  EXPECT_EQ(found.placements[3].a_record, 1u);
  ASSERT_EQ(found.added.size(), 1u);
  EXPECT_EQ(found.added[0].record, 2u);
}

// Equal records are partners, each with another one.
TEST(comparison, equal_records) {
  std::mt19937_64 rng(21);
  const std::string a = random_letters(rng, 3000), b = mutated(rng, a, 200),
                    other = random_letters(rng, 5000);
  const genome_comparison found = compare({a, other, a, a}, {reverse_complement(b), a, other, b});
  const std::vector<std::uint64_t> records{0, 2, 1, 3};
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(found.placements[i].a_record, records[i]);
    EXPECT_TRUE(found.placements[i].is_partner);
  }
  EXPECT_EQ(found.blocks.size(), 4u);
  EXPECT_TRUE(found.missing.empty() && found.added.empty());
}

// The contigs of an assembly lie side by side on one record.
TEST(comparison, contigs) {
  std::mt19937_64 rng(8);
  const std::string a = random_letters(rng, 30000);
  const genome_comparison found =
      compare({a}, {mutated(rng, a.substr(20000, 9000), 300), mutated(rng, a.substr(1000, 8000), 300),
                    reverse_complement(mutated(rng, a.substr(10000, 9500), 300))});
  EXPECT_EQ(found.blocks.size(), 3u);
  EXPECT_EQ(count_kind(found, block_kind::collinear), 3u);
  EXPECT_FALSE(found.placements[0].is_partner);
  ASSERT_EQ(found.missing.size(), 4u);
  EXPECT_NEAR(static_cast<double>(found.missing[0].end), 1000, 10);
}

TEST(comparison, unknown_letters_are_in_no_variant) {
  std::mt19937_64 rng(9);
  const std::string a = random_letters(rng, 10000);
  std::string b = a;
  b.replace(3000, 200, std::string(200, 'N'));
  b[5000] = 'R';
  b[7000] = b[7000] == 'A' ? 'C' : 'A';
  const genome_comparison found = compare({a}, {b});
  ASSERT_EQ(found.variants.size(), 1u);
  EXPECT_EQ(found.variants[0].begin, 7000u);
}

TEST(comparison, letters_of_either_case_and_u) {
  std::mt19937_64 rng(10);
  const std::string a = random_letters(rng, 1000);
  std::string b = a;
  for (char& letter : b) letter = letter == 'T' ? 'u' : static_cast<char>(letter - 'A' + 'a');
  const genome_comparison found = weft::compare_genomes(genome({a}), genome({b}));
  EXPECT_TRUE(found.variants.empty());
  ASSERT_EQ(found.blocks.size(), 1u);
  EXPECT_EQ(found.blocks[0].path.matches, a.size());
}

TEST(comparison, empty_genomes_and_records) {
  for (const auto& [a, b] : std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>>{
           {{}, {}}, {{""}, {""}}, {{"ACGT"}, {}}, {{}, {"ACGT"}}, {{"", "ACGTACGTACGTACGTACGT"}, {""}}}) {
    const genome_comparison found = compare(a, b);
    EXPECT_TRUE(found.blocks.empty());
  }
}

TEST(comparison, threads_do_not_change_the_result) {
  std::mt19937_64 rng(11);
  const std::string a = random_letters(rng, 300000);
  const std::string b = mutated(rng, a.substr(100000) + a.substr(0, 100000), 60);
  const genome_comparison one = compare({a}, {b}, {.run = {.threads = 1}});
  const genome_comparison four = compare({a}, {b}, {.run = {.threads = 4}});
  ASSERT_EQ(one.blocks.size(), four.blocks.size());
  for (std::size_t i = 0; i < one.blocks.size(); ++i)
    EXPECT_EQ(one.blocks[i].path.runs, four.blocks[i].path.runs);
  ASSERT_EQ(one.variants.size(), four.variants.size());
}

TEST(comparison, errors) {
  const weft::sequences a = genome({"ACGTACGTAC"});
  EXPECT_THROW((void)weft::compare_genomes(a, a, {.min_match = 7}), std::invalid_argument);
  EXPECT_THROW((void)weft::compare_genomes(a, a, {.min_match = 32}), std::invalid_argument);
  EXPECT_THROW((void)weft::compare_genomes(a, a, {.min_block = 0}), std::invalid_argument);
  EXPECT_THROW((void)weft::compare_genomes(a, a, {.penalties = {.gap_extend = 0}}), weft::error);
  EXPECT_THROW((void)weft::compare_genomes(a, a, {.run = {.engine = "none"}}), weft::error);
  EXPECT_THROW((void)weft::compare_genomes(a, a, {.run = {.device = {weft::device_kind::gpu, 0}}}),
               weft::error);
  EXPECT_THROW((void)weft::compare_genomes(a, a, {.run = {.memory = 10}}), weft::memory_error);
  weft::task_monitor monitor;
  monitor.cancel();
  EXPECT_THROW((void)weft::compare_genomes(a, a, {.run = {.monitor = &monitor}}), weft::cancelled_error);
}

TEST(comparison, reports_its_work) {
  std::mt19937_64 rng(12);
  const std::string a = random_letters(rng, 50000), b = mutated(rng, a, 100);
  weft::run_info info;
  weft::task_monitor monitor;
  compare({a}, {b}, {.run = {.monitor = &monitor, .info = &info}});
  EXPECT_EQ(info.engine, "anchors");
  EXPECT_EQ(info.work, a.size() + b.size());
  EXPECT_EQ(monitor.done(), monitor.total());
}

} // namespace

} // namespace weft::test
