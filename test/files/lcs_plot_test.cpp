// Tests the path that a plot draws: compares its reduction with a plain one, and checks what is written
// beside it.
#include <gtest/gtest.h>
#include <map>
#include <weft/files/plot/lcs_plot.hpp>
#include <weft/files/plot/picture.hpp>

namespace weft::test {

namespace {

using namespace weft::files;
using std::string;

// Returns the runs of a path that is given with one letter per step.
std::vector<edit_run> runs_of(const string& steps) {
  std::vector<edit_run> runs;
  for (const char step : steps)
    if (!runs.empty() && static_cast<char>(runs.back().op) == step)
      ++runs.back().length;
    else
      runs.push_back({static_cast<edit_op>(step), 1});
  return runs;
}

// Returns the reduction computed plainly: every matched pair is added to its cell of a table.
std::vector<path_piece> cells_of(const string& steps, std::uint64_t a_cell, std::uint64_t b_cell) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, path_piece> table;
  std::uint64_t i = 0, j = 0;
  for (const char step : steps) {
    if (step == '=') {
      path_piece& cell =
          table.try_emplace({i / a_cell, j / b_cell}, path_piece{i, i + 1, j, j + 1, 0}).first->second;
      cell.a_end = i + 1;
      cell.b_end = j + 1;
      ++cell.matches;
    }
    i += step != 'I';
    j += step != 'D';
  }
  std::vector<path_piece> pieces;
  for (const auto& [position, cell] : table) pieces.push_back(cell);
  return pieces;
}

// Returns the pairs of positions of exact pieces, and the known values of the other pieces.
std::vector<std::vector<std::uint64_t>> pairs_of(const std::vector<path_piece>& pieces) {
  std::vector<std::vector<std::uint64_t>> pairs;
  for (const path_piece& each : pieces)
    if (is_exact(each))
      for (std::uint64_t k = 0; k < each.matches; ++k) pairs.push_back({each.a_begin + k, each.b_begin + k});
    else
      pairs.push_back({each.a_begin, each.a_end, each.b_begin, each.b_end, each.matches});
  return pairs;
}

void check(const string& steps, std::uint64_t cells) {
  const auto count = [&](char step) {
    return static_cast<std::uint64_t>(std::count(steps.begin(), steps.end(), step));
  };
  const std::uint64_t m = steps.size() - count('I'), n = steps.size() - count('D');
  const reduced_path path = reduce_path(runs_of(steps), m, n, cells);
  ASSERT_LE(m, path.a_cell * cells);
  ASSERT_LE(n, path.b_cell * cells);
  ASSERT_EQ(path.matches, count('='));
  ASSERT_LT(path.pieces.size(), 2 * cells) << steps;
  ASSERT_EQ(path.pieces, cells_of(steps, path.a_cell, path.b_cell)) << steps << ' ' << cells;
  ASSERT_EQ(pairs_of(joined(path.pieces)), pairs_of(path.pieces));
  const match_windows windows = windows_of(path, 3);
  std::uint64_t sum = 0;
  for (const std::uint64_t matches : windows.matches) sum += matches;
  ASSERT_EQ(sum, path.matches);
  ASSERT_LE(windows.matches.size(), 3U);
  ASSERT_EQ(windows.symbols % path.a_cell, 0U);
}

TEST(lcs_plot, reduction_is_the_plain_way_for_all_short_paths) {
  for (std::size_t length = 0; length <= 8; ++length)
    for (std::size_t code = 0; code < std::size_t{1} << 2 * length; ++code) {
      string steps;
      for (std::size_t i = 0; i < length; ++i) steps += "=DIX"[code >> 2 * i & 3];
      for (const std::uint64_t cells : {1, 2, 3, 8}) ASSERT_NO_FATAL_FAILURE(check(steps, cells));
    }
}

TEST(lcs_plot, reduction_of_long_runs) {
  string steps;
  for (std::size_t i = 0; i < 300; ++i) steps += string(i * 37 % 101, '=') + string(i * 13 % 7, "DIX"[i % 3]);
  for (const std::uint64_t cells : {1, 2, 10, 1000, 100000}) ASSERT_NO_FATAL_FAILURE(check(steps, cells));
}

TEST(lcs_plot, exact_pieces_without_a_gap_are_one) {
  const reduced_path path = reduce_path(runs_of("====D===="), 9, 8, 9);
  EXPECT_EQ(path.pieces.size(), 8U);
  EXPECT_EQ(joined(path.pieces), (std::vector<path_piece>{{0, 4, 0, 4, 4}, {5, 9, 4, 8, 4}}));
}

TEST(lcs_plot, sizes_beyond_32_bits_cost_cells_alone) {
  const std::uint64_t huge = std::uint64_t{1} << 40;
  const std::vector<edit_run> runs = {
      {edit_op::match, huge}, {edit_op::remove, huge}, {edit_op::insert, 5}, {edit_op::match, huge}};
  const reduced_path path = reduce_path(runs, 3 * huge, 2 * huge + 5, 1000);
  EXPECT_EQ(path.matches, 2 * huge);
  EXPECT_LT(path.pieces.size(), 2000U);
  EXPECT_EQ(path.pieces.front().a_begin, 0U);
  EXPECT_EQ(path.pieces.back().a_end, 3 * huge);
  EXPECT_EQ(path.pieces.back().b_end, 2 * huge + 5);
}

TEST(lcs_plot, picture_of_the_worst_path_stays_small) {
  string steps; // the path turns in every cell
  for (int i = 0; i < 200000; ++i) steps += i % 2 == 0 ? "=DDDII" : "=IIIDD";
  const auto m = static_cast<std::uint64_t>(
                 std::count_if(steps.begin(), steps.end(), [](char c) { return c != 'I'; })),
             n = static_cast<std::uint64_t>(
                 std::count_if(steps.begin(), steps.end(), [](char c) { return c != 'D'; }));
  EXPECT_LT(plot(plot_kind::svg, {"a", "b", "b", {}}, runs_of(steps), m, n).size(), 400'000U);
  EXPECT_LT(plot(plot_kind::html, {"a", "b", "b", {}}, runs_of(steps), m, n).size(), 2'000'000U);
}

string texts_of(const std::vector<tick>& ticks) {
  string text;
  for (const tick& each : ticks) text += each.text + "|";
  return text;
}

TEST(lcs_plot, ticks_are_round) {
  EXPECT_EQ(texts_of(round_ticks(0, "b", 6)), "0|");
  EXPECT_EQ(texts_of(round_ticks(3, "b", 6)), "0|1 b|2 b|3 b|");
  EXPECT_EQ(texts_of(round_ticks(1000, "b", 6)), "0|200 b|400 b|600 b|800 b|1000 b|");
  EXPECT_EQ(texts_of(round_ticks(16569, "b", 6)), "0|5 kb|10 kb|15 kb|");
  EXPECT_EQ(texts_of(round_ticks(2'500'000, "b", 6)), "0|0.5 Mb|1 Mb|1.5 Mb|2 Mb|2.5 Mb|");
  EXPECT_EQ(texts_of(round_ticks(100'000'000, "bytes", 4)), "0|50 M|100 M|");
  EXPECT_EQ(texts_of(round_ticks(700, "lines", 4)), "0|200|400|600|");
}

TEST(lcs_plot, names_are_made_harmless) {
  EXPECT_EQ(shown_name("chr1", 4), "chr1");
  EXPECT_EQ(shown_name("chr10", 4), "c...");
  EXPECT_EQ(shown_name("abcdefgh", 7), "ab...gh");
  EXPECT_EQ(shown_name("h\xc3\xa9\xc3\xa9\xc3\xa9", 4), "h\xc3\xa9\xc3\xa9\xc3\xa9");
  EXPECT_EQ(shown_name(string("a\0\x1b\xff\xef\xbf\xbf", 7), 9),
            "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(grouped(0) + " " + grouped(999) + " " + grouped(1000) + " " + grouped(1234567),
            "0 999 1,000 1,234,567");
}

TEST(lcs_plot, letters_of_the_font_differ) {
  std::map<string, char> seen;
  for (char letter = ' '; letter > 0; ++letter) {
    string dots;
    for (int y = 0; y < 9; ++y)
      for (int x = 0; x < 5; ++x) dots += font_dot(letter, x, y) ? '#' : ' ';
    EXPECT_TRUE(seen.emplace(dots, letter).second) << letter << " is drawn as " << seen[dots];
    if (letter == 0x7f) break;
  }
  EXPECT_EQ(font_dot('\n', 0, 0), font_dot(0x7f, 0, 0));
  EXPECT_EQ(font_dot('\xff', 0, 6), font_dot(0x7f, 0, 6));
}

} // namespace

} // namespace weft::test
