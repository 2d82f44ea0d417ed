// Tests the columns of the GPU engines on the host: column_step.hpp against the table cell by cell, and
// pair_band.hpp, which runs the same columns word by word, against engine bit-parallel.
#include <algorithm>
#include <bit>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <test/lcs/lcs_cases.hpp>
#include <vector>
#include <weft/lcs/core/column_step.hpp>
#include <weft/lcs/core/pair_band.hpp>
#include <weft/lcs/lcs.hpp>

namespace {

using namespace weft::lcs_detail;
using weft_test::random_symbols;

// The lower and right edges of a cell, as differences from its upper and left edges.
struct edges {
  int horizontal, vertical;
};
edges cell(const lcs_column&, edges before, bool match) {
  const int corner = std::max({before.horizontal, before.vertical, match ? 1 : 0});
  return {corner - before.vertical, corner - before.horizontal};
}
edges cell(const edit_column&, edges before, bool match) {
  const int corner = std::min({before.horizontal + 1, before.vertical + 1, match ? 0 : 1});
  return {corner - before.vertical, corner - before.horizontal};
}

// These functions convert differences from and to bits.
int vertical(const lcs_column&, const std::uint32_t* const v[], int row) {
  return 1 - static_cast<int>(v[0][row / 32] >> row % 32 & 1);
}
int vertical(const edit_column&, const std::uint32_t* const v[], int row) {
  return static_cast<int>(v[0][row / 32] >> row % 32 & 1) - static_cast<int>(v[1][row / 32] >> row % 32 & 1);
}
int horizontal(const lcs_column&, const std::uint32_t* word, int column) {
  return static_cast<int>(word[0] >> (31 - column) & 1);
}
int horizontal(const edit_column&, const std::uint32_t* word, int column) {
  return static_cast<int>(word[0] >> (31 - column) & 1) - static_cast<int>(word[1] >> (31 - column) & 1);
}

enum class fill { random, ones, zeros, sparse, dense };
std::uint32_t word_of(fill how, std::mt19937& random) {
  const auto one = static_cast<std::uint32_t>(random()), two = static_cast<std::uint32_t>(random());
  const auto three = static_cast<std::uint32_t>(random());
  switch (how) {
  case fill::ones:
    return ~0U;
  case fill::zeros:
    return 0;
  case fill::sparse:
    return one & two & three;
  case fill::dense:
    return one | two | three;
  default:
    return one;
  }
}
constexpr fill fills[] = {fill::random, fill::ones, fill::zeros, fill::sparse, fill::dense};

// Compares 32 columns computed by `step` with the same columns computed cell by cell.
template <class Column, int Words, class Step>
void check_columns(fill states, fill matches, fill tops, const Step& step, std::mt19937& random) {
  constexpr int vectors = Column::vectors;
  std::uint32_t v[vectors][Words], match[Words], in[vectors], out[vectors] = {};
  for (auto& vector : v)
    for (std::uint32_t& word : vector) word = word_of(states, random);
  for (std::uint32_t& word : in) word = word_of(tops, random);
  if constexpr (vectors == 2) { // a difference is not +1 and -1 at once
    for (int w = 0; w < Words; ++w) v[1][w] &= ~v[0][w];
    in[1] &= ~in[0];
  }
  const std::uint32_t* rows[vectors];
  for (int x = 0; x < vectors; ++x) rows[x] = v[x];
  std::vector<int> expected(Words * 32), below;
  for (int row = 0; row < Words * 32; ++row) expected[row] = vertical(Column(), rows, row);
  std::uint32_t top[vectors];
  std::copy(in, in + vectors, top);
  for (int column = 0; column < 32; ++column) {
    for (std::uint32_t& word : match) word = word_of(matches, random);
    int across = horizontal(Column(), top, column);
    for (int row = 0; row < Words * 32; ++row) {
      const edges after = cell(Column(), {across, expected[row]}, (match[row / 32] >> row % 32 & 1) != 0);
      expected[row] = after.vertical, across = after.horizontal;
    }
    below.push_back(across);
    step(v, match, in, out);
    for (int row = 0; row < Words * 32; ++row) ASSERT_EQ(vertical(Column(), rows, row), expected[row]) << row;
  }
  for (int column = 0; column < 32; ++column)
    ASSERT_EQ(horizontal(Column(), out, column), below[column]) << column;
}

template <class Column, int Words, class Step> void check_all_columns(const Step& step) {
  std::mt19937 random(Words);
  for (const fill states : fills)
    for (const fill matches : fills)
      for (const fill tops : fills)
        ASSERT_NO_FATAL_FAILURE((check_columns<Column, Words>(states, matches, tops, step, random)))
            << Words << " words, " << static_cast<int>(states) << static_cast<int>(matches)
            << static_cast<int>(tops);
}

const auto whole_column = []<class Column>(Column) {
  return [](auto& v, const auto& match, auto& in, auto& out) { Column::step(v, match, in, out); };
};
const auto by_words = []<class Pair>(Pair) {
  return [](auto& v, const auto& match, auto& in, auto& out) {
    int loads = 0;
    Pair::template step<true>(v, match, in, out, [&](int w) { EXPECT_EQ(w, 4 * loads++); });
    EXPECT_EQ(loads, static_cast<int>(std::size(match) / 4));
  };
};

template <class Column, int... Words> void check_sizes(const auto& step) {
  (check_all_columns<Column, Words>(step), ...);
}

TEST(column_step, lcs_cell_by_cell) { check_sizes<lcs_column, 1, 2, 4, 8, 16>(whole_column(lcs_column())); }
TEST(column_step, edit_cell_by_cell) {
  check_sizes<edit_column, 1, 2, 4, 8, 16>(whole_column(edit_column()));
}
TEST(pair_band, lcs_cell_by_cell) { check_sizes<lcs_column, 4, 8, 16, 32>(by_words(lcs_pair())); }
TEST(pair_band, edit_cell_by_cell) { check_sizes<edit_column, 4, 8, 16, 32>(by_words(edit_pair())); }

TEST(column_step, a_sum_loses_what_leaves) {
  std::mt19937 random(7);
  for (int round = 0; round < 100; ++round) {
    std::uint32_t sum[8], addend[8], expected[8];
    std::uint64_t carry = 0;
    for (int w = 0; w < 8; ++w) {
      sum[w] = word_of(fills[round % 5], random), addend[w] = word_of(fills[round / 5 % 5], random);
      carry += std::uint64_t{sum[w]} + addend[w];
      expected[w] = static_cast<std::uint32_t>(carry), carry >>= 32;
    }
    add(sum, addend);
    for (int w = 0; w < 8; ++w) ASSERT_EQ(sum[w], expected[w]);
  }
}

// A pair of texts of symbols below sigma, in the form that a lane reads.
template <class Pair, int Words> struct host_lane {
  std::vector<column_block> columns;
  std::vector<std::uint32_t> masks, link;
  int length, sigma;
  bool top = true, bottom = false;
  int sum = 0;

  host_lane(const std::string& text, int symbols, int max_blocks)
      : link(static_cast<std::size_t>(max_blocks / group_blocks + 1) * Pair::vectors, 0x5a5a5a5a),
        length(static_cast<int>(text.size())), sigma(symbols) {
    columns.resize(static_cast<std::size_t>(max_blocks) + 1);
    for (std::size_t j = 0; j < columns.size() * block_columns; ++j) {
      const std::uint32_t symbol =
          j < text.size() ? static_cast<std::uint8_t>(text[j]) : static_cast<std::uint32_t>(sigma);
      columns[j / block_columns].pairs[j % block_columns / 2] |= symbol << j % 2 * 16;
    }
  }
  void build(const std::string& text, std::int64_t first) {
    masks.assign(static_cast<std::size_t>(sigma + 1) * Words, 0);
    for (int row = 0; row < Words * 32; ++row)
      if (first + row >= 0)
        masks[static_cast<std::uint8_t>(text[static_cast<std::size_t>(first + row)]) * std::size_t{Words} +
              static_cast<std::size_t>(row) / 32] |= 1U << row % 32;
  }
  [[nodiscard]] column_block block(int k) const { return columns[static_cast<std::size_t>(k)]; }
  [[nodiscard]] std::size_t row(std::uint32_t symbol) const { return symbol * std::size_t{Words}; }
  void masks_of(std::size_t at, int w, std::uint32_t* four) const {
    std::copy_n(masks.data() + at + w, 4, four);
  }
  void above(int group, std::uint32_t (&in)[Pair::vectors]) const {
    for (int x = 0; x < Pair::vectors; ++x)
      in[x] = top ? Pair::column::top(x) : link[static_cast<std::size_t>(group * Pair::vectors + x)];
  }
  void below(int group, const std::uint32_t (&out)[Pair::vectors]) {
    const int left = length - group * 32;
    const std::uint32_t used = left >= 32 ? ~0U : left <= 0 ? 0 : ~0U << (32 - left);
    for (int x = 0; x < Pair::vectors; ++x)
      link[static_cast<std::size_t>(group * Pair::vectors + x)] = out[x];
    if (Pair::vectors == 2 && bottom)
      sum += std::popcount(out[0] & used) - std::popcount(out[Pair::vectors - 1] & used);
  }
};

// Returns the distance that the kernel computes in a warp whose longest lane has `extra` more blocks of
// columns.
template <class Pair, bool Linked, int Words>
std::uint64_t distance(const std::string& a, const std::string& b, int sigma, int extra) {
  const int blocks = static_cast<int>((b.size() + block_columns - 1) / block_columns) + extra;
  host_lane<Pair, Words> lane(b, sigma, blocks);
  const std::int64_t rows = Words * 32, m = static_cast<std::int64_t>(a.size());
  const std::int64_t bands = Linked ? std::max<std::int64_t>((m + rows - 1) / rows, 1) : 1;
  std::int64_t first = m - bands * rows, common = 0;
  for (std::int64_t band = 0; band < bands; ++band, first += rows) {
    lane.build(a, first);
    lane.top = band == 0, lane.bottom = band == bands - 1;
    std::uint32_t v[Pair::vectors][Words];
    start_band<Pair>(v, -first);
    run_band<Pair, Linked>(lane, blocks, v);
    for (const std::uint32_t word : v[0]) common += std::popcount(~word);
  }
  if (Pair::vectors == 2) return static_cast<std::uint64_t>(m + lane.sum);
  return a.size() + b.size() - 2 * static_cast<std::uint64_t>(common);
}

void check_pair(const std::string& a, const std::string& b, int sigma, int extra) {
  weft::lcs_options oracle{.metric = weft::lcs_metric::indel, .run = {.engine = "bit-parallel"}};
  const std::uint64_t indel = weft::lcs_value(a, b, oracle);
  oracle.metric = weft::lcs_metric::edit;
  const std::uint64_t edit = weft::lcs_value(a, b, oracle);
  if (a.size() <= 1024) {
    ASSERT_EQ((distance<lcs_pair, false, 32>(a, b, sigma, extra)), indel);
  }
  if (a.size() <= 128) {
    ASSERT_EQ((distance<lcs_pair, false, 4>(a, b, sigma, extra)), indel);
  }
  ASSERT_EQ((distance<lcs_pair, true, 32>(a, b, sigma, extra)), indel);
  ASSERT_EQ((distance<lcs_pair, true, 8>(a, b, sigma, extra)), indel);
  ASSERT_EQ((distance<edit_pair, true, 32>(a, b, sigma, extra)), edit);
  ASSERT_EQ((distance<edit_pair, true, 8>(a, b, sigma, extra)), edit);
}

constexpr std::size_t sizes[] = {0, 1, 7, 8, 9, 31, 32, 33, 127, 128, 129, 1023, 1024, 1025, 2049};

TEST(pair_band, sizes_around_words_and_bands) {
  std::mt19937 random(1);
  for (const int sigma : {1, 4, 20, 256})
    for (const std::size_t m : sizes)
      for (const std::size_t n : sizes)
        ASSERT_NO_FATAL_FAILURE(check_pair(random_symbols(random, m, sigma), random_symbols(random, n, sigma),
                                           sigma, static_cast<int>(random() % 7)))
            << m << " x " << n << ", " << sigma << " symbols";
}

TEST(pair_band, equal_and_foreign_texts) {
  std::mt19937 random(2);
  for (const std::size_t m : sizes) {
    const std::string text = random_symbols(random, m, 4), other(m / 2 + 3, '\4');
    ASSERT_NO_FATAL_FAILURE(check_pair(text, text, 5, 0));
    ASSERT_NO_FATAL_FAILURE(check_pair(text, other, 5, 3));
    ASSERT_NO_FATAL_FAILURE(check_pair(text, text.substr(m / 3) + other, 5, 5));
  }
}

} // namespace
