// Tests the parts of engine hunt-szymanski: its set of columns, its blocks of rows if memory is short, and
// the conditions under which auto selects it.
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <set>
#include <test/reference/lcs_reference.hpp>
#include <weft/lcs/cpu/hunt_szymanski.hpp>
#include <weft/lcs/lcs.hpp>

namespace {

using namespace weft::lcs_detail;
using numbers = std::vector<std::uint32_t>;

numbers random_numbers(std::mt19937_64& random, std::size_t n, std::uint32_t sigma) {
  numbers made(n);
  for (std::uint32_t& number : made) number = static_cast<std::uint32_t>(random() % sigma);
  return made;
}

numbers permutation(std::mt19937_64& random, std::uint32_t n) {
  numbers made(n);
  std::iota(made.begin(), made.end(), 0U);
  std::shuffle(made.begin(), made.end(), random);
  return made;
}

std::vector<weft::edit_run> canonical(const numbers& a, const numbers& b) {
  weft::edit_script path;
  for (const weft::edit_op op :
       weft_test::lcs_walk(text<std::uint32_t>(a), text<std::uint32_t>(b), weft::lcs_metric::lcs))
    append(path, op, 1);
  return path.runs;
}

TEST(hunt_szymanski, columns_are_found_and_replaced) {
  std::mt19937_64 random(1);
  for (const std::uint64_t bound : {1U, 2U, 63U, 64U, 65U, 4096U, 4097U, 300000U}) {
    column_set columns(bound);
    std::set<std::uint64_t> expected;
    for (int round = 0; round < 2000; ++round) {
      const std::uint64_t c = random() % bound;
      const auto next = expected.lower_bound(c);
      const std::uint64_t found = next == expected.end() ? bound : *next;
      ASSERT_EQ(columns.next(c), found);
      ASSERT_EQ(columns.replace_next(c), found);
      if (next != expected.end()) expected.erase(next);
      expected.insert(c);
      if (round % 500 == 0) columns.assign(std::vector<std::uint64_t>(columns.words()));
    }
  }
}

TEST(hunt_szymanski, blocks_of_rows_give_the_same_path) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 60; ++round) {
    const std::uint32_t sigma = 1 + static_cast<std::uint32_t>(random() % 6);
    const numbers a = random_numbers(random, 200 + random() % 200, sigma),
                  b = random_numbers(random, 1 + random() % 20, sigma); // 2 n columns fill up soon
    weft::lcs_detail::cell_counter work(nullptr);
    for (const std::uint64_t log_bytes : {0U, 1U << 9, 1U << 20}) {
      const weft::edit_script path = hunt_szymanski<std::uint32_t>(a, b, sigma, work).path(log_bytes);
      ASSERT_EQ(path.runs, canonical(a, b)) << sigma << " " << log_bytes;
      ASSERT_EQ(hunt_szymanski<std::uint32_t>(a, b, sigma, work).length(), path.matches);
    }
  }
}

// Compares texts like lines of files: most symbols occur once, some often, some in one text only.
TEST(hunt_szymanski, auto_gives_the_canonical_path_of_numbers) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 40; ++round) {
    numbers a = permutation(random, 150), b = a;
    if (round % 2) std::shuffle(b.begin(), b.end(), random);
    for (numbers* each : {&a, &b})
      for (std::uint64_t k = random() % 60; k > 0; --k)
        (*each)[random() % each->size()] = static_cast<std::uint32_t>(random() % (round % 3 ? 3 : 100000));
    const weft::lcs_options options{.run = {.device = {weft::device_kind::cpu}, .threads = 1}};
    const weft::edit_script path = weft::lcs(a, b, options);
    ASSERT_EQ(path.runs, canonical(a, b)) << round;
    ASSERT_EQ(weft::lcs_length(a, b, options), path.matches);
  }
}

std::string engine_for(const numbers& a, const numbers& b) {
  weft::run_info used;
  const weft::lcs_options options{.run = {.device = {weft::device_kind::cpu}, .threads = 1, .info = &used}};
  (void)weft::lcs(a, b, options);
  return used.engine;
}

TEST(hunt_szymanski, auto_takes_it_where_few_pairs_match) {
  std::mt19937_64 random(4);
  const numbers a = permutation(random, 30000), b = permutation(random, 30000);
  EXPECT_EQ(engine_for(a, b), "hunt-szymanski");
  EXPECT_EQ(engine_for(random_numbers(random, 3000, 300), random_numbers(random, 3000, 3)), "bit-sliced");
  numbers near = a;
  for (std::size_t i = 0; i < near.size(); i += 1000) std::swap(near[i], near[i + 1]);
  EXPECT_EQ(engine_for(a, near), "furthest-reaching");
}

} // namespace
