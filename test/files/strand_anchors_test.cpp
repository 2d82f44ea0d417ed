// Tests the matches of both strands below the path of weft lcs --plot: compares anchors with a plain search,
// and checks where the lines lie.
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <test_paths.hpp>
#include <weft/files/plot/lcs_plot.hpp>
#include <weft/files/plot/strand_anchors.hpp>
#include <weft/io/sequence_reader.hpp>

namespace weft::test {

namespace {

using namespace weft::files;
using std::string;

string random_bases(std::size_t length, unsigned seed) {
  std::mt19937 random(seed);
  string bases;
  for (std::size_t i = 0; i < length; ++i) bases += "ACGT"[random() % 4];
  return bases;
}

string reverse_complement(string bases) {
  std::reverse(bases.begin(), bases.end());
  for (char& base : bases) base = "TGCA"[string("ACGT").find(base)];
  return bases;
}

// Returns the bases with about one in `every` replaced.
string mutated(string bases, unsigned every, unsigned seed) {
  std::mt19937 random(seed);
  for (char& base : bases)
    if (random() % every == 0) base = "ACGT"[random() % 4];
  return bases;
}

// Returns the anchors computed plainly, for texts of A, C, G and T: every k-mer of `a` pairs with every equal
// one of `b`, unless there are too many pairs.
std::vector<strand_anchor> all_anchors(const string& a, const string& b, unsigned k, std::size_t max_pairs) {
  std::map<string, std::vector<std::uint32_t>> of_a, of_b;
  const auto list = [k](const string& text, auto& table) {
    for (std::uint32_t i = 0; i + k <= text.size(); ++i) {
      const string kmer = text.substr(i, k);
      table[std::min(kmer, reverse_complement(kmer))].push_back(i);
    }
  };
  list(a, of_a);
  list(b, of_b);
  std::vector<strand_anchor> result;
  for (const auto& [kmer, positions] : of_a)
    if (positions.size() * of_b[kmer].size() <= max_pairs)
      for (const std::uint32_t i : positions)
        for (const std::uint32_t j : of_b[kmer]) result.push_back({i, j, a.substr(i, k) != b.substr(j, k)});
  return result;
}

std::vector<strand_anchor> sorted(std::vector<strand_anchor> anchors) {
  std::sort(anchors.begin(), anchors.end());
  return anchors;
}

TEST(strand_anchors, are_the_plain_way_for_short_texts) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const string part = random_bases(seed * 5, seed), a = part + random_bases(60, seed + 100) + part,
                 b = random_bases(30, seed + 200) + reverse_complement(part) + mutated(a, 20, seed);
    const strand_anchors found = find_strand_anchors(a, b);
    ASSERT_EQ(found.k % 2, 1U);
    ASSERT_EQ(sorted(found.anchors), sorted(all_anchors(a, b, found.k, 64))) << a << ' ' << b;
  }
}

TEST(strand_anchors, letters_are_bases_of_either_case_and_nothing_else) {
  const string a = random_bases(40, 1);
  string lower = a, rna = a, gap = a;
  for (char& base : lower) base = static_cast<char>(base - 'A' + 'a');
  std::replace(rna.begin(), rna.end(), 'T', 'U');
  for (std::size_t i = 0; i < gap.size(); i += 8) gap[i] = 'N';
  EXPECT_EQ(find_strand_anchors(a, lower).anchors, find_strand_anchors(a, a).anchors);
  EXPECT_EQ(find_strand_anchors(a, rna).anchors, find_strand_anchors(a, a).anchors);
  EXPECT_TRUE(find_strand_anchors(gap, gap).anchors.empty());
  EXPECT_TRUE(find_strand_anchors("", "").anchors.empty());
  EXPECT_TRUE(find_strand_anchors("ACG", a).anchors.empty());
}

// Returns the longest segment of a strand.
strand_segment longest(const std::vector<strand_segment>& segments, bool reverse) {
  strand_segment best{};
  for (const strand_segment& each : segments)
    if (each.reverse == reverse && each.a_end - each.a_begin > best.a_end - best.a_begin) best = each;
  return best;
}

void expect_near(const strand_segment& segment, std::uint64_t a_begin, std::uint64_t a_end,
                 std::uint64_t b_begin, std::uint64_t b_end, std::uint64_t tolerance) {
  EXPECT_NEAR(static_cast<double>(segment.a_begin), static_cast<double>(a_begin),
              static_cast<double>(tolerance));
  EXPECT_NEAR(static_cast<double>(segment.a_end), static_cast<double>(a_end), static_cast<double>(tolerance));
  EXPECT_NEAR(static_cast<double>(segment.b_begin), static_cast<double>(b_begin),
              static_cast<double>(tolerance));
  EXPECT_NEAR(static_cast<double>(segment.b_end), static_cast<double>(b_end), static_cast<double>(tolerance));
}

TEST(strand_anchors, inversion_of_an_evolved_genome_is_a_line_of_the_other_strand) {
  // `b` is `a` (200 kb) with 5 % of its bases changed and the part from 60 to 100 kb inverted.
  const string a = random_bases(200'000, 9);
  string b = mutated(a, 20, 4);
  b = b.substr(0, 60'000) + reverse_complement(b.substr(60'000, 40'000)) + b.substr(100'000);
  const strand_lines lines = strand_lines_of(find_strand_anchors(a, b), 132, 132, 1000);
  expect_near(longest(lines.segments, true), 60'000, 100'000, 60'000, 100'000, 500);
  expect_near(longest(lines.segments, false), 100'000, 200'000, 100'000, 200'000, 500);
  EXPECT_EQ(lines.found, 3U); // two segments of one strand, one of the other, and none by chance
}

// The region around the terminus of replication has opposite directions in the two species.
TEST(strand_anchors, inversion_of_salmonella_to_ecoli_is_seen) {
  const string folder = WEFT_EXTRA_DATA;
  if (!std::filesystem::exists(folder + "/salmonella_LT2.fa.xz")) GTEST_SKIP() << "no " << folder;
  const string a = io::read_sequences(folder + "/ecoli_MG1655.fa.xz").residues,
               b = io::read_sequences(folder + "/salmonella_LT2.fa.xz").residues;
  const strand_lines lines = strand_lines_of(find_strand_anchors(a, b), 3054, 3196, 5000);
  std::uint64_t within = 0, beside = 0; // letters of `a` in reverse-strand lines, which run downwards in `b`
  for (const strand_segment& each : lines.segments) {
    if (!each.reverse || each.a_end - each.a_begin < 1000) continue;
    const bool about_terminus = each.a_begin > 1'200'000 && each.a_end < 1'900'000 &&
                                each.b_begin > 1'300'000 && each.b_end < 2'000'000;
    (about_terminus ? within : beside) += each.a_end - each.a_begin;
  }
  EXPECT_GT(within, 300'000U);
  EXPECT_LT(beside, 300'000U);
}

TEST(strand_anchors, large_texts_are_sampled_and_still_seen) {
  const string a = random_bases(3'000'000, 5), b = reverse_complement(mutated(a, 10, 6));
  const strand_anchors found = find_strand_anchors(a, b);
  EXPECT_GT(found.spacing, 2U);
  EXPECT_LT(found.anchors.size(), std::size_t{1} << 20);
  const strand_lines lines = strand_lines_of(found, 2000, 2000, 10);
  expect_near(longest(lines.segments, true), 0, 3'000'000, 0, 3'000'000, 5000);
}

TEST(strand_anchors, repeats_stay_small) {
  string tandem, unit = random_bases(50, 7);
  for (int i = 0; i < 40'000; ++i) tandem += unit;
  EXPECT_TRUE(find_strand_anchors(tandem, tandem).anchors.empty()); // it has 50 k-mers, each 40,000 times
  string copies;
  unit = random_bases(200'000, 8);
  for (int i = 0; i < 6; ++i) copies += unit; // each k-mer has 36 pairs
  const strand_anchors found = find_strand_anchors(copies, copies);
  EXPECT_LE(found.anchors.size(), std::size_t{1} << 20);
  // each k-mer has six pairs, and all of them are drawn
  const strand_anchors one = find_strand_anchors(copies, unit);
  EXPECT_EQ(strand_lines_of(one, 1000, 1000, 100).found, 6U);
}

TEST(strand_anchors, anchors_join_along_a_diagonal_within_the_gap_and_the_drift) {
  const auto join = [](std::vector<strand_anchor> anchors, std::uint64_t gap, std::uint64_t drift) {
    return join_anchors({10, 1, std::move(anchors)}, gap, drift);
  };
  using segments = std::vector<strand_segment>;
  EXPECT_EQ(join({{0, 5, false}, {3, 8, false}, {20, 25, false}}, 7, 0), (segments{{0, 30, 5, 35, false}}));
  EXPECT_EQ(join({{0, 5, false}, {20, 25, false}}, 9, 0),
            (segments{{0, 10, 5, 15, false}, {20, 30, 25, 35, false}}));
  EXPECT_EQ(join({{0, 5, false}, {4, 11, false}}, 9, 1),
            (segments{{0, 10, 5, 15, false}, {4, 14, 11, 21, false}}));
  EXPECT_EQ(join({{0, 5, false}, {4, 11, false}}, 9, 2), (segments{{0, 14, 5, 21, false}}));
  EXPECT_EQ(join({{0, 50, true}, {5, 45, true}}, 9, 0), (segments{{0, 15, 45, 60, true}}));
  EXPECT_EQ(join({{0, 50, true}, {5, 55, true}}, 9, 0),
            (segments{{0, 10, 50, 60, true}, {5, 15, 55, 65, true}}));
}

TEST(strand_anchors, the_longest_lines_are_kept_and_the_others_counted) {
  std::vector<strand_anchor> anchors;
  for (std::uint32_t i = 0; i < 50; ++i) // line i has i + 1 anchors
    for (std::uint32_t j = 0; j <= i; ++j)
      anchors.push_back({i * 10'000 + j, 600'000 - i * 7'000 + j, false});
  const strand_lines lines = strand_lines_of({11, 1, anchors}, 1, 1, 3);
  EXPECT_EQ(lines.found, 50U);
  ASSERT_EQ(lines.segments.size(), 3U);
  EXPECT_EQ(lines.segments.front().a_begin, 490'000U);
  EXPECT_EQ(lines.segments.back().a_begin, 470'000U);
}

} // namespace

} // namespace weft::test
