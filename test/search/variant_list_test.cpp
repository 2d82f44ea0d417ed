// Checks the list of the variants of a block: that they make the letters of B out of those of A, and that no
// insertion or deletion can be moved further to the left.
#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <weft/search/cpu/genome_text.hpp>
#include <weft/search/cpu/variant_list.hpp>

namespace {

using weft::edit_op;
using weft::genome_block;
using weft::genome_variant;
using weft::search_detail::list_variants;
using weft::search_detail::reverse_complement;

// Two records and a block of them.
struct block_case {
  std::string a, b;
  genome_block block;
};

// Returns the path of these steps.
weft::edit_script path_of(const std::string& steps) {
  weft::edit_script path;
  for (const char step : steps) {
    const auto op = static_cast<edit_op>(step);
    if (path.runs.empty() || path.runs.back().op != op) path.runs.push_back({op, 0});
    ++path.runs.back().length;
  }
  return path;
}

// Returns a block that covers two records but for `margin` letters at each end of them.
block_case whole(const std::string& a, const std::string& b, const std::string& steps, bool reverse = false,
                 const std::string& margin = "") {
  block_case made{margin + a + margin, margin + (reverse ? reverse_complement(b) : b) + margin, {}};
  made.block = {.a_begin = margin.size(),
                .a_end = margin.size() + a.size(),
                .b_begin = margin.size(),
                .b_end = margin.size() + b.size(),
                .reverse = reverse,
                .path = path_of(steps)};
  return made;
}

std::vector<genome_variant> variants_of(const block_case& given) {
  return list_variants(given.block, 7, given.a, given.b);
}

// Returns variants as text: "begin:reference>alternative@b_begin", with spaces between them.
std::string text_of(const std::vector<genome_variant>& variants) {
  std::string text;
  for (const genome_variant& each : variants)
    text += (text.empty() ? "" : " ") + std::to_string(each.begin) + ":" + each.reference + ">" +
            each.alternative + "@" + std::to_string(each.b_begin);
  return text;
}

std::string listed(const std::string& a, const std::string& b, const std::string& steps) {
  return text_of(variants_of(whole(a, b, steps)));
}

bool is_gap(const genome_variant& variant) {
  return variant.reference.empty() || variant.alternative.empty();
}

// Checks the properties of the list of a block without N.
void check(const block_case& given) {
  const genome_block& block = given.block;
  const std::vector<genome_variant> variants = variants_of(given);
  SCOPED_TRACE(given.a + " " + given.b + (block.reverse ? " reverse " : " ") + text_of(variants));
  std::string made;
  std::uint64_t end = block.a_begin;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const genome_variant& each = variants[i];
    ASSERT_EQ(each.block, 7U);
    ASSERT_GE(each.begin, end);
    ASSERT_EQ(given.a.substr(each.begin, each.reference.size()), each.reference);
    if (i > 0 && (is_gap(each) || is_gap(variants[i - 1]))) {
      ASSERT_GT(each.begin, end) << "what touches was not joined";
    }
    if (!is_gap(each)) {
      ASSERT_NE(each.reference.front(), each.alternative.front());
      ASSERT_NE(each.reference.back(), each.alternative.back());
    } else {
      const std::string& letters = each.reference + each.alternative;
      ASSERT_FALSE(letters.empty());
      if (each.begin > end) {
        ASSERT_NE(given.a[each.begin - 1], letters.back()) << "can be moved";
      }
    }
    made += given.a.substr(end, each.begin - end) + each.alternative;
    const std::string forward = block.reverse ? reverse_complement(each.alternative) : each.alternative;
    ASSERT_EQ(given.b.substr(each.b_begin, forward.size()), forward);
    const std::uint64_t in_strand =
        block.reverse ? block.b_end - each.b_begin : each.b_begin + forward.size() - block.b_begin;
    ASSERT_EQ(in_strand, made.size());
    end = each.begin + each.reference.size();
  }
  made += given.a.substr(end, block.a_end - end);
  const std::string letters = given.b.substr(block.b_begin, block.b_end - block.b_begin);
  ASSERT_EQ(made, block.reverse ? reverse_complement(letters) : letters);
}

TEST(variant_list, substitutions_are_variants_of_their_own) {
  EXPECT_EQ(listed("ACGT", "ACGT", "===="), "");
  EXPECT_EQ(listed("ACGT", "AGTT", "=XX="), "1:C>G@1 2:G>T@2");
}

TEST(variant_list, insertions_and_deletions_move_to_the_left) {
  EXPECT_EQ(listed("CAAAG", "CAAG", "===D="), "1:A>@1");
  EXPECT_EQ(listed("CAAG", "CAAAG", "===I="), "1:>A@1");
  EXPECT_EQ(listed("GCACACAT", "GCACAT", "=====DD="), "1:CA>@1");
  EXPECT_EQ(listed("AAAA", "AA", "==DD"), "0:AA>@0");
}

TEST(variant_list, what_touches_is_one_replacement) {
  EXPECT_EQ(listed("ACGT", "AGGTT", "=X=I="), "1:C>G@1 3:>T@3");
  EXPECT_EQ(listed("ACTT", "AGTTT", "=X==I"), "1:C>GT@1");
  EXPECT_EQ(listed("ACTTG", "AGTG", "=X=D="), "1:CT>G@1");
  EXPECT_EQ(listed("ACCG", "ATTTG", "=DDIII="), "1:CC>TTT@1");
}

TEST(variant_list, what_a_replacement_has_in_common_is_removed) {
  EXPECT_EQ(listed("GACT", "GCT", "=XD="), "1:A>@1");
  EXPECT_EQ(listed("GCACT", "GCTCACT", "=DIII==="), "1:>CT@1");
  EXPECT_EQ(listed("AAAAA", "AAAAA", "==D=I="), "");
}

TEST(variant_list, letters_n_are_in_no_variant) {
  EXPECT_EQ(listed("ANGT", "ACTT", "=XX="), "2:G>T@2");
  EXPECT_EQ(listed("ACGT", "NCGT", "X==="), "");
  EXPECT_EQ(listed("ANNGT", "AGA", "=DD=X"), "4:T>A@2");
  EXPECT_EQ(listed("ANGGT", "ACGGGT", "=X==I="), "2:>G@2");
  EXPECT_EQ(listed("NGGT", "NGGGT", "X==I="), "1:>G@1");
}

TEST(variant_list, positions_are_those_of_whole_records_and_forward_strands) {
  const std::string a = "CAAAGTC", b = "CAAGAC", steps = "===D=X=";
  EXPECT_EQ(text_of(variants_of(whole(a, b, steps, false, "TTT"))), "4:A>@4 8:T>A@7");
  EXPECT_EQ(text_of(variants_of(whole(a, b, steps, true, "TTT"))), "4:A>@8 8:T>A@4");
}

// Returns all texts of up to `longest` of the first `sigma` letters.
std::vector<std::string> all_texts(unsigned sigma, std::size_t longest) {
  std::vector<std::string> texts = {""};
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (texts[i].size() < longest)
      for (unsigned c = 0; c < sigma; ++c) texts.push_back(texts[i] + "ACGT"[c]);
  return texts;
}

// Calls check() with each path of two texts.
void check_paths(const std::string& a, const std::string& b, std::size_t i, std::size_t j,
                 std::string& steps) {
  if (i == a.size() && j == b.size()) {
    check(whole(a, b, steps));
    check(whole(a, b, steps, true, "G"));
    return;
  }
  const auto go = [&](char step, std::size_t down, std::size_t right) {
    steps.push_back(step);
    check_paths(a, b, i + down, j + right, steps);
    steps.pop_back();
  };
  if (i < a.size()) go('D', 1, 0);
  if (j < b.size()) go('I', 0, 1);
  if (i < a.size() && j < b.size()) go(a[i] == b[j] ? '=' : 'X', 1, 1);
}

TEST(variant_list, every_path_of_short_texts) {
  std::string steps;
  for (const std::string& a : all_texts(2, 4))
    for (const std::string& b : all_texts(2, 4)) check_paths(a, b, 0, 0, steps);
  for (const std::string& a : all_texts(3, 3))
    for (const std::string& b : all_texts(3, 3)) check_paths(a, b, 0, 0, steps);
}

TEST(variant_list, random_paths) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 4000; ++round) {
    const unsigned sigma = 1 + static_cast<unsigned>(random() % 4),
                   matches = static_cast<unsigned>(random() % 20);
    const auto letter = [&] { return "ACGT"[random() % sigma]; };
    std::string a, b, steps;
    for (std::uint64_t left = random() % 60; left > 0; --left) {
      const std::uint64_t kind = random() % (4 + matches);
      const char x = letter(), y = kind < 2 ? letter() : x;
      if (kind != 2) a += x;
      if (kind != 3) b += y;
      steps += kind == 2 ? 'I' : kind == 3 ? 'D' : x == y ? '=' : 'X';
    }
    check(whole(a, b, steps, random() % 2 == 0, std::string(random() % 3, 'A')));
  }
}

// The steps of a path that moves every deletion to the begin of a long repeat: quadratic time, a second for
// each, would be noticed.
TEST(variant_list, long_repeats_take_linear_time) {
  constexpr std::size_t size = 400'000;
  std::string steps, mixed;
  for (std::size_t i = 0; i < size; ++i) steps += i % 2 == 0 ? '=' : 'D', mixed += "=D=I"[i % 4];
  EXPECT_EQ(listed(std::string(size, 'A'), std::string(size / 2, 'A'), steps),
            "0:" + std::string(size / 2, 'A') + ">@0");
  EXPECT_EQ(listed(std::string(3 * size / 4, 'A'), std::string(3 * size / 4, 'A'), mixed), "");
  std::string gaps;
  for (std::size_t i = 0; i < size; ++i) gaps += i < size / 2 ? 'D' : 'I';
  EXPECT_EQ(listed(std::string(size / 2, 'A'), std::string(size / 2, 'A'), gaps), "");
}

} // namespace
