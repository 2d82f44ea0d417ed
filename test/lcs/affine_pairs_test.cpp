// Tests core/affine_pairs.hpp on the host, a lane at a time, against engine affine-table and the definition.
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <test/lcs/lcs_cases.hpp>
#include <test/reference/affine_reference.hpp>
#include <vector>
#include <weft/lcs/core/affine_pairs.hpp>
#include <weft/lcs/entry/affine_costs.hpp>
#include <weft/lcs/lcs.hpp>

namespace {

using namespace weft::lcs_detail;
using weft::affine_penalties;
using weft_test::random_text;

// The lane of a thread, with its memory.
struct host_lane {
  const std::string& rows;
  const std::string* columns[2];
  affine_codes codes;
  std::vector<affine_border> borders;

  [[nodiscard]] std::uint32_t row_letter(int i) const {
    const auto row = static_cast<std::size_t>(i);
    return row < rows.size() ? codes.row[static_cast<std::uint8_t>(rows[row])] : 0;
  }
  [[nodiscard]] std::uint32_t column_letters(int j) const {
    std::uint32_t letters = 0;
    for (int half = 0; half < 2; ++half)
      if (j < length(half))
        letters |= codes.column[static_cast<std::uint8_t>((*columns[half])[static_cast<std::size_t>(j)])]
                   << (half * codes.second_shift);
    return letters;
  }
  [[nodiscard]] affine_border border(int i) const { return borders.at(static_cast<std::size_t>(i)); }
  void keep(int i, const affine_border& border) { borders.at(static_cast<std::size_t>(i)) = border; }
  [[nodiscard]] int length(int half) const { return static_cast<int>(columns[half]->size()); }
};

struct host_pair {
  host_lane& lane;
  int rows, stripes;
  const affine_pair_costs& costs;
  template <int Columns> [[nodiscard]] std::uint32_t run() const {
    return lane.codes.form == letter_form::four
               ? compute_affine_pairs<Columns, letter_form::four>(lane, rows, stripes, costs)
               : compute_affine_pairs<Columns, letter_form::any>(lane, rows, stripes, costs);
  }
};

affine_pair_penalties plain(const affine_penalties& cost) {
  return {cost.gap_open, cost.gap_extend, cost.mismatch};
}

// Returns the alphabet of texts with the letters from 'a' on.
affine_alphabet alphabet_of(unsigned sigma, const std::string& unmatched) {
  affine_alphabet alphabet;
  for (unsigned letter = 0; letter < sigma; ++letter) alphabet.occurs['a' + letter] = true;
  for (const char letter : unmatched) alphabet.is_unmatched[static_cast<std::uint8_t>(letter)] = true;
  return alphabet;
}

// Returns the penalties of a and b, and of a and c, whose letters are the first `sigma` from 'a' on.
std::pair<std::uint64_t, std::uint64_t> penalties_of(const std::string& a, const std::string& b,
                                                     const std::string& c, const affine_penalties& cost,
                                                     int columns, unsigned sigma,
                                                     const std::string& unmatched = "") {
  host_lane lane{a,
                 {&b, &c},
                 make_affine_codes(alphabet_of(sigma, unmatched), plain(cost)),
                 std::vector<affine_border>(a.size() + 1)};
  const affine_pair_costs costs(static_cast<std::int32_t>(cost.gap_open),
                                static_cast<std::int32_t>(cost.gap_extend),
                                static_cast<std::int32_t>(cost.mismatch));
  const int longest = std::max(lane.length(0), lane.length(1));
  const std::uint32_t word = with_stripe_columns(
      columns, host_pair{lane, static_cast<int>(a.size()), (longest + columns - 1) / columns, costs});
  const auto value = [&](int half, const std::string& text) {
    const std::uint64_t extends = (a.size() + text.size()) * cost.gap_extend;
    return text.empty()
               ? gap_penalty(cost, a.size())
               : static_cast<std::uint64_t>(half_of(word, half) + static_cast<std::int64_t>(extends));
  };
  return {value(0, b), value(1, c)};
}

std::uint64_t by_table(const std::string& a, const std::string& b, const affine_penalties& cost,
                       const std::string& unmatched = "") {
  return weft::lcs_value(
      a, b,
      {.metric = weft::lcs_metric::affine,
       .unmatched = unmatched,
       .penalties = cost,
       .run = {.engine = "affine-table", .device = {weft::device_kind::cpu, 0}, .threads = 1}});
}

// All texts of up to `most` letters of an alphabet.
std::vector<std::string> all_texts(std::size_t most, char last) {
  std::vector<std::string> texts = {""};
  for (std::size_t begin = 0; texts[begin].size() < most; ++begin)
    for (char letter = 'a'; letter <= last; ++letter) texts.push_back(texts[begin] + letter);
  return texts;
}

constexpr affine_penalties many_penalties[] = {{6, 2, 4}, {0, 1, 1}, {0, 1, 2},  {0, 1, 5},
                                               {5, 1, 1}, {1, 3, 2}, {9, 1, 20}, {2, 7, 1}};

TEST(affine_pairs, all_short_texts) {
  const std::vector<std::string> texts = all_texts(5, 'b');
  for (const affine_penalties& cost : many_penalties) {
    std::vector<std::vector<std::uint64_t>> expected(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i)
      for (const std::string& b : texts) {
        std::uint64_t penalty = 0;
        (void)weft_test::affine_walk(std::span<const char>(texts[i]), std::span<const char>(b), cost,
                                     penalty);
        expected[i].push_back(penalty);
      }
    for (std::size_t i = 0; i < texts.size(); ++i)
      for (std::size_t j = 0; j < texts.size(); ++j) {
        const std::size_t k = (j * 7 + i) % texts.size();
        for (const unsigned sigma : {2U, 6U}) { // forms four and any
          const auto [low, high] = penalties_of(texts[i], texts[j], texts[k], cost, 16, sigma);
          ASSERT_EQ(low, expected[i][j]) << texts[i] << " " << texts[j];
          ASSERT_EQ(high, expected[i][k]) << texts[i] << " " << texts[k];
        }
      }
  }
}

TEST(affine_pairs, random_texts_in_stripes_of_every_width) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    const unsigned sigma = 1 + random() % 20;
    const affine_penalties& cost = many_penalties[random() % std::size(many_penalties)];
    const std::string a = random_text(random, random() % 200, sigma),
                      b = weft_test::mutate(random, a, 8,
                                            [&] { return static_cast<char>('a' + random() % sigma); }),
                      c = random_text(random, random() % 200, sigma);
    for (const int columns : affine_stripe_columns) {
      for (const std::string unmatched : {"", "b", "ad"}) {
        const auto [low, high] = penalties_of(a, b, c, cost, columns, sigma, unmatched);
        ASSERT_EQ(low, by_table(a, b, cost, unmatched)) << a << "\n" << b;
        ASSERT_EQ(high, by_table(a, c, cost, unmatched)) << a << "\n" << c;
      }
    }
  }
}

// The largest penalties and lengths that affine_pair_length() allows: texts that are equal, that have nothing
// in common, and that are very unequal in length.
TEST(affine_pairs, values_at_the_limits_of_16_bits) {
  std::mt19937_64 random(2);
  for (const unsigned sigma : {4U, 20U})
    for (const affine_penalties& cost : {affine_penalties{10922, 1, 1},
                                         {10000, 40, 1000},
                                         {0, 200, 1 << affine_letter_shift(20)},
                                         {10922, 16384, 512},
                                         {0, 16, 512},
                                         {6, 32, 100}}) {
      const std::size_t length = std::min<std::size_t>(affine_pair_length(plain(cost), sigma), 1024);
      ASSERT_GT(length, 0U) << cost.gap_open << " " << cost.gap_extend << " " << sigma;
      const std::string a = random_text(random, length, sigma), other(length, 'a' + 1), none(length, 'a'),
                        longer = random_text(random, length + 300, sigma), one = "b";
      for (const std::string* rows : {&a, &none, &one})
        for (const auto& [b, c] : {std::pair{&a, &longer}, std::pair{&other, &none}}) {
          const auto [low, high] = penalties_of(*rows, *b, *c, cost, 30, sigma);
          ASSERT_EQ(low, by_table(*rows, *b, cost));
          ASSERT_EQ(high, by_table(*rows, *c, cost));
        }
    }
  EXPECT_EQ(affine_pair_length({10923, 1, 1}, 4), 0U);
  EXPECT_EQ(affine_pair_length({0, 1, 8193}, 4), 0U);
  EXPECT_EQ(affine_pair_length({0, 16385, 1}, 4), 0U);
  EXPECT_EQ(affine_pair_length({3, 1, 2}, 257), 4096U);
  EXPECT_EQ(affine_letter_shift(1), 15);
  EXPECT_EQ(affine_letter_shift(256), 7);
  EXPECT_EQ(affine_letter_shift(257), 6);
}

} // namespace
