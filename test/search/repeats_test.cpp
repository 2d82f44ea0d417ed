// compare_genomes() on genomes of repeats.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/search/variants.hpp>

#include "comparison_checks.hpp"

namespace weft::test {

namespace {

// Genomes made of copies of some segments, on both strands, with differences, in any order.
TEST(comparison, genomes_of_repeats) {
  std::mt19937_64 rng(2);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    std::vector<std::string> segments;
    for (int i = 0; i < 6; ++i) segments.push_back(random_letters(rng, 100 + rng() % 900));
    const auto make_record = [&] {
      std::string record;
      for (std::size_t i = 0; i < 2 + rng() % 12; ++i) {
        const std::string copy = mutated(rng, segments[rng() % segments.size()], 30 + rng() % 200);
        record += rng() % 3 == 0 ? reverse_complement(copy) : copy;
        if (rng() % 8 == 0) record += std::string(rng() % 80, 'N');
      }
      return record;
    };
    std::vector<std::string> a, b;
    for (std::size_t i = 0; i < 1 + rng() % 3; ++i) a.push_back(make_record());
    for (std::size_t i = 0; i < 1 + rng() % 3; ++i)
      b.push_back(rng() % 2 == 0 ? make_record() : mutated(rng, a[rng() % a.size()], 100));
    compare(a, b, {.run = {.threads = 1}});
    if (testing::Test::HasFailure()) return;
  }
}

// Every copy of a segment matches every other one.
TEST(comparison, memory_of_matches) {
  std::mt19937_64 rng(13);
  const std::string segment = random_letters(rng, 200);
  std::string a, b;
  for (int i = 0; i < 30; ++i) a += mutated(rng, segment, 100), b += mutated(rng, segment, 100);
  EXPECT_THROW((void)weft::compare_genomes(genome({a}), genome({b}), {.run = {.memory = 200000}}),
               weft::memory_error);
  compare({a}, {b}, {.run = {.memory = 4000000}});
}

// A match over many chunks is one anchor, and a rotation of a tandem repeat is no rearrangement.
TEST(comparison, long_matches_and_tandem_repeats) {
  std::mt19937_64 rng(14);
  const std::string a = random_letters(rng, 1500000);
  const genome_comparison equal = compare({a}, {a});
  ASSERT_EQ(equal.blocks.size(), 1u);
  EXPECT_EQ(equal.blocks[0].path.matches, a.size());
  std::string repeats = random_letters(rng, 2000);
  for (int array = 0; array < 20; ++array) {
    const std::string unit = random_letters(rng, 25);
    for (int i = 0; i < 30; ++i) repeats += unit;
    repeats += random_letters(rng, 1000);
  }
  std::string copy = repeats;
  for (std::size_t i = 100; i < copy.size(); i += 150 + rng() % 100) copy[i] = copy[i] == 'A' ? 'C' : 'A';
  const genome_comparison found = compare({repeats}, {copy});
  EXPECT_EQ(found.blocks.size(), 1u);
  EXPECT_EQ(found.blocks[0].path.insertions, 0u);
}

// Overlapping anchors of a copy that is cut at letters which are already aligned.
TEST(comparison, a_long_copy_beside_itself) {
  std::mt19937_64 rng(15);
  const auto letters = [&](std::size_t size) { return random_letters(rng, size); };
  const std::string p = letters(50000), x = letters(10000), s = letters(200000), y = letters(50000),
                    z = letters(1000);
  compare({p + x + s + s + y, z}, {p + x + s.substr(0, 90000), z + x + s + y});
}

// Returns `count` copies of a unit.
std::string repeated(const std::string& unit, std::size_t count) {
  std::string letters;
  for (std::size_t i = 0; i < count; ++i) letters += unit;
  return letters;
}

// Substitutes one letter in about every `distance` letters; returns how many.
std::size_t substitute(std::mt19937_64& rng, std::string& letters, std::size_t distance) {
  std::size_t count = 0;
  for (std::size_t i = distance / 2; i + distance / 2 < letters.size();
       i += distance / 2 + rng() % distance, ++count)
    letters[i] = letters[i] == 'A' ? 'C' : letters[i] == 'C' ? 'G' : letters[i] == 'G' ? 'T' : 'A';
  return count;
}

// Every k-mer of the genome is frequent.
TEST(comparison, a_genome_of_one_repeat) {
  std::mt19937_64 rng(16);
  for (const std::string& unit :
       std::vector<std::string>{"A", "AC", "AT", "ACGTTGCA", random_letters(rng, 23),
                                random_letters(rng, 171), random_letters(rng, 2000)}) {
    SCOPED_TRACE(unit.substr(0, 30));
    const std::string a = repeated(unit, std::max<std::size_t>(20000 / unit.size(), 60));
    EXPECT_EQ(compare({a}, {a}).blocks.size(), 1u);
    std::string b = a;
    const std::size_t count = substitute(rng, b, 200);
    for (const bool reverse : {false, true}) {
      const genome_comparison found = compare({a}, {reverse ? reverse_complement(b) : b});
      ASSERT_EQ(found.blocks.size(), 1u);
      if (reverse_complement(unit + unit).find(unit) != std::string::npos) continue; // either strand is right
      EXPECT_EQ(found.placements[0].reverse, reverse);
      EXPECT_EQ(found.blocks[0].path.substitutions, count);
      EXPECT_EQ(found.blocks[0].path.insertions + found.blocks[0].path.deletions, 0u);
    }
    // Three units fewer in the middle.
    const std::size_t middle = b.size() / 2;
    const genome_comparison found = compare({a}, {b.substr(0, middle) + b.substr(middle + 3 * unit.size())});
    ASSERT_EQ(found.blocks.size(), 1u);
    EXPECT_EQ(found.blocks[0].path.deletions, 3 * unit.size());
    EXPECT_TRUE(found.missing.empty() && found.added.empty());
  }
}

// An array of equal copies, of which hardly any k-mer is rare enough to begin an anchor by itself, is where
// it was, fewer copies, on the other strand, elsewhere, or a contig.
TEST(comparison, an_array_of_copies_within_a_genome) {
  std::mt19937_64 rng(19);
  const std::string array = repeated(random_letters(rng, 171), 200), left = random_letters(rng, 20000),
                    right = random_letters(rng, 20000), a = left + array + right;
  std::string copy = array;
  substitute(rng, copy, 200);
  const genome_comparison fewer = compare({a}, {left + copy.substr(7 * 171) + right});
  ASSERT_EQ(fewer.blocks.size(), 1u);
  EXPECT_EQ(fewer.blocks[0].path.deletions, 7 * 171u);
  EXPECT_EQ(fewer.blocks[0].path.insertions, 0u);
  const genome_comparison inverted = compare({a}, {left + reverse_complement(copy) + right});
  EXPECT_EQ(inverted.blocks.size(), 3u);
  EXPECT_EQ(count_kind(inverted, block_kind::inverted), 1u);
  const genome_comparison moved = compare({a}, {left + right + copy});
  EXPECT_EQ(moved.blocks.size(), 3u);
  EXPECT_EQ(count_kind(moved, block_kind::moved), 1u);
  const genome_comparison contigs = compare({a}, {right, reverse_complement(copy), left});
  EXPECT_EQ(contigs.blocks.size(), 3u);
  EXPECT_EQ(count_kind(contigs, block_kind::collinear), 3u);
  for (const genome_comparison& found : {inverted, moved, contigs}) {
    std::uint64_t aligned = 0;
    for (const genome_block& block : found.blocks) aligned += block.path.matches + block.path.substitutions;
    EXPECT_GT(aligned + 200, a.size());
  }
}

// The contig of an assembly that stands for all copies of a repeat belongs to one of them.
TEST(comparison, a_contig_of_a_frequent_repeat) {
  std::mt19937_64 rng(17);
  const std::string repeat = random_letters(rng, 1200), unique = random_letters(rng, 5000);
  std::string a = unique;
  for (int i = 0; i < 50; ++i) a += repeat + random_letters(rng, 500);
  const genome_comparison found =
      compare({a}, {unique, repeat, reverse_complement(repeat.substr(100, 1000)), random_letters(rng, 800)});
  EXPECT_EQ(found.blocks.size(), 3u);
  EXPECT_TRUE(found.placements[1].is_placed);
  EXPECT_FALSE(found.placements[1].reverse);
  EXPECT_TRUE(found.placements[2].is_placed);
  EXPECT_TRUE(found.placements[2].reverse);
  EXPECT_FALSE(found.placements[3].is_placed);
  ASSERT_EQ(found.added.size(), 1u);
  EXPECT_EQ(found.added[0].record, 3u);
}

// The work does not grow with the square of the genome, and the result does not depend on the threads.
TEST(comparison, a_long_genome_of_one_letter) {
  std::mt19937_64 rng(18);
  const std::string a(400000, 'A');
  std::string b = a;
  const std::size_t count = substitute(rng, b, 100);
  const std::vector<std::string> records{b, b.substr(0, 1000), reverse_complement(b.substr(0, 5000))};
  const genome_comparison one = compare({a}, records, {.run = {.threads = 1}});
  const genome_comparison three = compare({a}, records, {.run = {.threads = 3}});
  ASSERT_GE(one.blocks.size(), 1u);
  EXPECT_EQ(one.blocks[0].a_end - one.blocks[0].a_begin, a.size());
  EXPECT_NEAR(static_cast<double>(one.blocks[0].path.substitutions), static_cast<double>(count), 20);
  ASSERT_EQ(one.blocks.size(), three.blocks.size());
  for (std::size_t i = 0; i < one.blocks.size(); ++i)
    EXPECT_EQ(one.blocks[i].path.runs, three.blocks[i].path.runs);
}

} // namespace

} // namespace weft::test
