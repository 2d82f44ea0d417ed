// Checks metric affine: every engine against the reference, over all short texts and over random ones.
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <test/lcs/lcs_cases.hpp>
#include <test/reference/affine_reference.hpp>
#include <tuple>
#include <weft/base/error.hpp>
#include <weft/lcs/cpu/affine_table.hpp>
#include <weft/lcs/cpu/affine_wavefront.hpp>
#include <weft/lcs/lcs.hpp>

namespace {

using weft::affine_penalties;
using weft::edit_op;
using weft::lcs_metric;
using weft_test::random_text;

const std::vector<affine_penalties> penalty_sets = {{6, 2, 4}, {0, 1, 1}, {1, 1, 1}, {2, 1, 3}, {5, 1, 2},
                                                    {0, 2, 3}, {3, 3, 1}, {1, 2, 5}, {4, 1, 9}, {10, 1, 6}};

std::string letters_of(const weft::edit_script& path) {
  std::string text;
  for (const weft::edit_run& run : path.runs) text.append(run.length, static_cast<char>(run.op));
  return text;
}

std::string letters_of(const std::vector<edit_op>& ops) {
  std::string text;
  for (const edit_op op : ops) text += static_cast<char>(op);
  return text;
}

// Returns the penalty of a path.
std::uint64_t penalty_of(const weft::edit_script& path, const affine_penalties& cost) {
  std::uint64_t sum = 0;
  for (const weft::edit_run& run : path.runs)
    sum += run.op == edit_op::match        ? 0
           : run.op == edit_op::substitute ? run.length * cost.mismatch
                                           : cost.gap_open + run.length * cost.gap_extend;
  return sum;
}

// Calls check(a, b) with all texts of up to `longest` letters of sigma letters.
template <class Check> void for_all_pairs(unsigned sigma, std::size_t longest, const Check& check) {
  std::vector<std::string> texts = {""};
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (texts[i].size() < longest)
      for (unsigned c = 0; c < sigma; ++c) texts.push_back(texts[i] + static_cast<char>('a' + c));
  for (const std::string& a : texts)
    for (const std::string& b : texts) check(a, b);
}

class affine_suite : public testing::TestWithParam<std::string> {
protected:
  static weft::lcs_options options(const affine_penalties& cost) {
    return {.metric = lcs_metric::affine,
            .penalties = cost,
            .run = {.engine = GetParam(), .device = {weft::device_kind::cpu, 0}, .threads = 1}};
  }
  // Checks the path and the value of two texts against the reference.
  static void check(const std::string& a, const std::string& b, const weft::lcs_options& chosen) {
    std::uint64_t expected = 0;
    const auto walk = weft_test::affine_walk(std::span<const char>(a), std::span<const char>(b),
                                             chosen.penalties, expected);
    ASSERT_EQ(weft::lcs_value(a, b, chosen), expected) << a << "\n" << b;
    const weft::edit_script path = weft::lcs(a, b, chosen);
    ASSERT_EQ(letters_of(path), letters_of(walk))
        << a << "\n"
        << b << "\n"
        << chosen.penalties.gap_open << " " << chosen.penalties.gap_extend << " "
        << chosen.penalties.mismatch;
    ASSERT_EQ(penalty_of(path, chosen.penalties), expected);
    ASSERT_EQ(path.matches + path.substitutions + path.deletions, a.size());
    ASSERT_EQ(path.matches + path.substitutions + path.insertions, b.size());
  }
  static void check(const std::string& a, const std::string& b, const affine_penalties& cost = {}) {
    check(a, b, options(cost));
  }
  static void check_all(unsigned sigma, std::size_t longest, const affine_penalties& cost) {
    for_all_pairs(sigma, longest, [&](const std::string& a, const std::string& b) {
      if (!HasFatalFailure()) check(a, b, cost);
    });
  }
};

TEST_P(affine_suite, all_pairs_over_two_letters) {
  for (const affine_penalties& cost : penalty_sets) {
    ASSERT_NO_FATAL_FAILURE(check_all(2, 6, cost));
  }
  ASSERT_NO_FATAL_FAILURE(check_all(2, 8, {2, 1, 3}));
}

TEST_P(affine_suite, all_pairs_over_three_letters) {
  for (const affine_penalties& cost : penalty_sets) {
    ASSERT_NO_FATAL_FAILURE(check_all(3, 4, cost));
  }
}

// Returns the text with about `edits` changes: substitutions, and gaps of up to `longest` symbols.
std::string change(std::mt19937_64& random, std::string text, int edits, std::size_t longest,
                   unsigned sigma) {
  for (int e = 0; e < edits; ++e) {
    const std::size_t at = text.empty() ? 0 : random() % text.size();
    switch (random() % 4) {
    case 0:
      text.insert(at, random_text(random, 1 + random() % longest, sigma));
      break;
    case 1:
      text.erase(at, 1 + random() % longest);
      break;
    default:
      if (!text.empty()) text[at] = static_cast<char>('a' + random() % sigma);
    }
  }
  return text;
}

TEST_P(affine_suite, random_pairs) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 800; ++round) {
    const unsigned sigma = 1 + static_cast<unsigned>(random() % (round % 2 ? 4 : 20));
    const affine_penalties cost = penalty_sets[random() % penalty_sets.size()];
    const std::string a = random_text(random, random() % 200, sigma);
    const std::string b = random() % 2 ? random_text(random, random() % 200, sigma)
                                       : change(random, a, static_cast<int>(random() % 20), 12, sigma);
    ASSERT_NO_FATAL_FAILURE(check(a, b, cost));
  }
}

TEST_P(affine_suite, random_penalties) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t largest = round % 3 == 0 ? 3 : round % 3 == 1 ? 30 : 900;
    const affine_penalties cost = {static_cast<std::uint32_t>(random() % largest),
                                   static_cast<std::uint32_t>(1 + random() % largest),
                                   static_cast<std::uint32_t>(1 + random() % largest)};
    const std::string a = random_text(random, random() % 40, 3);
    ASSERT_NO_FATAL_FAILURE(check(a, change(random, a, static_cast<int>(random() % 9), 5, 3), cost));
    ASSERT_NO_FATAL_FAILURE(check(a, random_text(random, random() % 40, 2), cost));
  }
}

// Repeats have many optimal paths.
TEST_P(affine_suite, repeats_and_lopsided_texts) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 150; ++round) {
    const affine_penalties cost = penalty_sets[static_cast<std::size_t>(round) % penalty_sets.size()];
    const std::string unit = random_text(random, 1 + random() % 5, 2);
    std::string a;
    while (a.size() < 100U + static_cast<unsigned>(round)) a += unit;
    ASSERT_NO_FATAL_FAILURE(check(a, change(random, a, round % 6, 9, 2), cost));
    ASSERT_NO_FATAL_FAILURE(check(a, a.substr(random() % a.size()), cost));
    ASSERT_NO_FATAL_FAILURE(check(a.substr(random() % a.size()), a, cost));
    ASSERT_NO_FATAL_FAILURE(check(random_text(random, 3, 2), random_text(random, 600, 3), cost));
    ASSERT_NO_FATAL_FAILURE(check(random_text(random, 600, 3), random_text(random, 3, 2), cost));
  }
}

TEST_P(affine_suite, lengths_around_vectors) {
  std::mt19937_64 random(4);
  const std::size_t lengths[] = {0, 1, 2, 3, 15, 16, 17, 63, 64, 65, 511, 512, 513, 1025};
  for (const std::size_t m : lengths)
    for (const std::size_t n : lengths) {
      ASSERT_NO_FATAL_FAILURE(check(random_text(random, m, 2), random_text(random, n, 2)));
      ASSERT_NO_FATAL_FAILURE(check(std::string(m, 'a'), std::string(n, 'a')));
      ASSERT_NO_FATAL_FAILURE(check(std::string(m, 'a'), std::string(n, 'b')));
    }
}

using bytes = std::span<const std::uint8_t>;
bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
std::string expected_path(const std::string& a, const std::string& b, const affine_penalties& cost) {
  std::uint64_t penalty = 0;
  return letters_of(
      weft_test::affine_walk(std::span<const char>(a), std::span<const char>(b), cost, penalty));
}

// Returns the path of affine-table with as little trace as possible, so that it is divided as often as
// possible.
std::string divided_path(const std::string& a, const std::string& b, const affine_penalties& cost) {
  const weft::lcs_options options{.metric = lcs_metric::affine, .penalties = cost};
  weft::lcs_detail::cell_counter work(nullptr);
  return letters_of(weft::lcs_detail::affine_table_path(bytes_of(a), bytes_of(b), {options, work}, 0));
}

// Returns the path of affine-wavefront with triangles within triangles, and with a bound that is found early.
std::string triangles_path(const std::string& a, const std::string& b, const affine_penalties& cost,
                           const weft::lcs_detail::wave_tuning& tuning = {1, 2, 1 << 30}) {
  weft::lcs_detail::cell_counter work(nullptr);
  weft::lcs_detail::affine_wavefront<std::uint8_t, std::int32_t> engine(bytes_of(a), bytes_of(b), cost, work,
                                                                        {}, tuning);
  (void)engine.search(true, [](auto...) { return true; });
  weft::edit_script path;
  engine.append_path(path);
  return letters_of(path);
}

TEST(affine, divided_tables_have_the_canonical_path) {
  for (const affine_penalties& cost : penalty_sets) {
    const auto check = [&](const std::string& a, const std::string& b) {
      if (a.empty() || b.empty()) return;
      ASSERT_EQ(divided_path(a, b, cost), expected_path(a, b, cost)) << a << " " << b;
    };
    ASSERT_NO_FATAL_FAILURE(for_all_pairs(2, 6, check));
    ASSERT_NO_FATAL_FAILURE(for_all_pairs(3, 4, check));
  }
  std::mt19937_64 random(5);
  for (int round = 0; round < 2000; ++round) {
    const affine_penalties cost = penalty_sets[random() % penalty_sets.size()];
    const unsigned sigma = 1 + static_cast<unsigned>(random() % 4);
    const std::string a = random_text(random, 1 + random() % 60, sigma);
    const std::string b =
        random() % 2 ? random_text(random, 1 + random() % 60, sigma) : change(random, a, 4, 20, sigma) + "a";
    ASSERT_EQ(divided_path(a, b, cost), expected_path(a, b, cost)) << a << " " << b;
  }
}

TEST(affine, triangles_have_the_canonical_path) {
  for (const affine_penalties& cost : penalty_sets)
    ASSERT_NO_FATAL_FAILURE(for_all_pairs(2, 5, [&](const std::string& a, const std::string& b) {
      if (a.empty() || b.empty()) return;
      ASSERT_EQ(triangles_path(a, b, cost), expected_path(a, b, cost)) << a << " " << b;
    }));
  std::mt19937_64 random(6);
  for (int round = 0; round < 600; ++round) {
    affine_penalties cost = penalty_sets[random() % penalty_sets.size()];
    if (round % 3 == 0) cost = {static_cast<std::uint32_t>(random() % 90), 1 + round % 7U, 37};
    const unsigned sigma = 1 + static_cast<unsigned>(random() % 4);
    const std::string a = random_text(random, 1 + random() % 200, sigma);
    const std::string b =
        random() % 2 ? random_text(random, 1 + random() % 200, sigma) : change(random, a, 9, 50, sigma) + "a";
    const weft::lcs_detail::wave_tuning tuning{1 + static_cast<std::int64_t>(random() % 9),
                                               1 + static_cast<std::int64_t>(random() % 99),
                                               random() % 2 == 0 ? 0U : 1000000U};
    ASSERT_EQ(triangles_path(a, b, cost, tuning), expected_path(a, b, cost)) << a << " " << b;
  }
}

// Compares the engines with each other where the reference would take too long.
TEST(affine, engines_agree_on_long_texts) {
  std::mt19937_64 random(7);
  for (const int edits : {0, 40, 700}) {
    const std::string a = random_text(random, 30000, 4), b = change(random, a, edits, 60, 4);
    for (const affine_penalties& cost : {affine_penalties{}, affine_penalties{5, 1, 3}}) {
      weft::lcs_options options{.metric = lcs_metric::affine, .penalties = cost};
      options.run.engine = "affine-wavefront";
      const weft::edit_script path = weft::lcs(a, b, options);
      EXPECT_EQ(penalty_of(path, cost), weft::lcs_value(a, b, options));
      EXPECT_EQ(divided_path(a.substr(0, 4000), b.substr(0, 4500), cost),
                letters_of(weft::lcs(a.substr(0, 4000), b.substr(0, 4500), options)));
      options.run.engine = "affine-table";
      EXPECT_EQ(weft::lcs_value(a, b, options), penalty_of(path, cost));
      EXPECT_EQ(weft::lcs(a, b, options).runs, path.runs);
      options.run.engine = "auto";
      EXPECT_EQ(weft::lcs(a, b, options).runs, path.runs);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(engines, affine_suite, testing::ValuesIn(weft_test::affine_engines),
                         weft_test::engine_name);

} // namespace
