// Tests the parts of lines that the ranks of a job sort: their sizes, and what travels between the ranks.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "rank_sort.hpp"

namespace weft::test {

namespace {

class rank_parts : public rank_sort {};

TEST_F(rank_parts, parts_are_balanced) {
  std::mt19937_64 random(5);
  std::vector<string> all(9);
  for (int i = 0; i < 40000; ++i) {
    all[0] += "the same line\n";
    all[1] += i % 10 == 0 ? "a\n" : "b\n";
    all[2] += std::to_string(1000000 + i % 32) + "\n"; // a period that divides the distances of a sample
    all[3] += std::to_string(1000000 + i) + "\n";
    all[4] += std::to_string(2000000 - i) + "\n";
    all[5] += std::to_string(random() % 1000000) + "\n";
    all[6] += i < 20000 ? "one of two\n" : std::to_string(random() % 1000) + "\n";
    // Short lines follow long ones, and long lines short ones.
    if (i % 20 == 0)
      all[7] += "a\n" + string(1, static_cast<char>('b' + i / 20 % 20)) + string(2000, 'x') + "\n";
    all[8] +=
        string(random() % 64 == 0 ? random() % 3000 : random() % 9, static_cast<char>('a' + i % 26)) + "\n";
  }
  const line_order plain({}), keyed({.numeric = true, .stable = true}, {"1.3,1"});
  for (std::size_t t = 0; t < all.size(); ++t)
    for (const int count : {2, 3, 8}) {
      expect_balanced(count, all[t], plain, "text " + std::to_string(t));
      if (count == 3) expect_balanced(count, all[t], keyed, "keys of text " + std::to_string(t));
    }
}

// The lines of a rank are too many to count all of them.
TEST_F(rank_parts, parts_of_many_lines_are_balanced) {
  std::mt19937_64 random(6);
  string mixed;
  for (int i = 0; i < 1'500'000; ++i)
    mixed += std::to_string(random() % 10'000'000) + (i % 3 == 0 ? " and more\n" : "\n");
  expect_balanced(3, mixed, line_order({}), "mixed");
}

// The beginning of an input that rank 0 reads differs from its end, and its lines are too many to be kept in
// memory, or to count all of them.
TEST_F(rank_parts, parts_of_lines_in_order_are_balanced) {
  string ascending, descending, changing;
  for (int i = 0; i < 1'000'000; ++i) {
    ascending += std::to_string(1'000'000 + i) + "\n";
    descending += std::to_string(2'000'000 - i) + (i % 3 == 0 ? " and more\n" : "\n");
    changing +=
        i < 600'000 ? std::to_string(i % 10) + "\n" : std::to_string(i * 7919LL % 999'983) + " later\n";
  }
  for (const int count : {2, 5}) {
    expect_balanced(count, ascending, line_order({}), "ascending");
    expect_balanced(count, descending, line_order({}), "descending");
    expect_balanced(count, changing, line_order({.numeric = true}), "changing");
  }
}

// A line that is longer than a part leaves other parts empty.
TEST_F(rank_parts, a_line_may_be_larger_than_a_part) {
  string text;
  for (int i = 0; i < 4000; ++i) text += std::to_string(1000 + i) + "\n";
  text += "30" + string(100000, 'x') + "\n"; // among the lines from 3000 on
  const std::vector<std::uint64_t> parts =
      exchange(4, {line_order({}), {.paths = {put("a", text)}}}, 20000).parts;
  EXPECT_GE(*std::max_element(parts.begin(), parts.end()), 100000U);
  EXPECT_LE(*std::max_element(parts.begin(), parts.end()), 100100U);
}

// Equal lines stay together, and each cut is at the end of them that is nearer.
TEST_F(rank_parts, parts_of_unique_lines_are_cut_between_keys) {
  string text;
  for (int i = 0; i < 30000; ++i) text += i % 100 < 33 ? "a\n" : i % 100 < 67 ? "b\n" : "c\n";
  const sort_case each{line_order({.unique = true}), {.paths = {put("a", text)}}, true};
  EXPECT_EQ(exchange(3, each, 20000).parts, (std::vector<std::uint64_t>{19800, 20400, 19800}));
}

// Returns how many bytes a rank may send to find the splitters: in up to four rounds 256 lines with 40 bytes
// each, and 8 bytes for each line of all ranks; then two lines with 16 bytes each for each cut, and the two
// that this rank has chosen for all.
std::uint64_t max_for_splitters(std::uint64_t num_ranks, std::uint64_t line) {
  return 4 * (256 * (line + 40 + 8 * num_ranks) + 16) + 4 * (num_ranks - 1) * (line + 16) + 128;
}

TEST_F(rank_parts, each_line_travels_once) {
  const std::vector<string> all = texts();
  for (std::size_t t = 0; t + 1 < all.size(); ++t) {
    string text;
    for (int i = 0; i < 10; ++i) text += all[t] + (all[t].ends_with('\n') ? "" : "\n");
    const string file = put("in", text);
    constexpr std::uint64_t count = 4, block = 10000, max_line = 9001;
    const std::uint64_t for_splitters = max_for_splitters(count, t == 5 ? 4096 : 32);
    const outcome mapped = exchange(count, {line_order({}), {.paths = {file}}}, block);
    EXPECT_TRUE(mapped.is_mapped);
    const std::uint64_t rounds = (text.size() + 1 + block * count - 1) / (block * count);
    // A rank sends the bytes of its blocks, and in each round a number for each other rank.
    std::uint64_t sum = 0;
    for (std::size_t r = 0; r < count; ++r) {
      EXPECT_LE(mapped.for_splitters[r].bytes, for_splitters) << t;
      EXPECT_LE(mapped.for_lines[r].bytes, rounds * (block + max_line + 8 * count));
      sum += mapped.for_lines[r].bytes;
    }
    EXPECT_LE(sum, text.size() + count * rounds * 8 * count) << t;
    // If rank 0 deals out the lines, each travels from it once before; and a block comes with three numbers.
    (void)put("in", "header\n" + text);
    const outcome dealt = exchange(count, {line_order({}), {.paths = {file}, .header_lines = 1}}, block);
    EXPECT_FALSE(dealt.is_mapped);
    const std::uint64_t max_rounds = text.size() / (block / 2) / count + 2; // if blocks are half full
    sum = 0;
    for (std::size_t r = 0; r < count; ++r) {
      EXPECT_LE(dealt.for_splitters[r].bytes,
                for_splitters + (r == 0 ? text.size() + count * (max_rounds * 24 + 64) : 0))
          << t;
      sum += dealt.for_lines[r].bytes;
    }
    EXPECT_LE(sum, text.size() + count * max_rounds * 8 * count) << t;
  }
}

// Files of a few bytes are sent together.
TEST_F(rank_parts, small_files_need_no_rounds_of_their_own) {
  std::vector<string> paths;
  for (int i = 0; i < 100; ++i) paths.push_back(put(std::to_string(i), std::to_string(i * 37 % 100) + "\n"));
  const outcome all = exchange(3, {line_order({}), {.paths = paths}}, 1000);
  EXPECT_TRUE(all.is_mapped);
  for (const multi::traffic& sent : all.for_splitters) EXPECT_LE(sent.calls, 40U);
  for (const multi::traffic& sent : all.for_lines) EXPECT_LE(sent.calls, 8U);
}

} // namespace

} // namespace weft::test
