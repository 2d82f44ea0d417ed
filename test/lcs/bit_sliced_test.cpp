// Tests engine bit-sliced on full tables, without the reductions that lcs() does first: with every
// instruction set of this processor, every kind of strip, and several threads.
#include "test/reference/lcs_reference.hpp"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <random>
#include <weft/base/error.hpp>
#include <weft/lcs/core/bit_sliced_step.hpp>
#include <weft/lcs/cpu/bit_sliced.hpp>
#include <weft/lcs/entry/call.hpp>

namespace {

using namespace weft;
using namespace weft::lcs_detail;
using codes = std::vector<std::uint32_t>;

constexpr lcs_metric metrics[] = {lcs_metric::lcs, lcs_metric::edit, lcs_metric::indel};

bit_planes planes_of(const codes& text, int count) { return make_bit_planes(std::span(text), count); }

std::uint64_t expected_value(const codes& a, const codes& b, lcs_metric metric) {
  std::vector<std::uint64_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::uint64_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::uint64_t swap = a[i] == b[j] ? 0 : metric == lcs_metric::edit ? 1 : 2;
      const std::uint64_t best = std::min({row[j + 1] + 1, row[j] + 1, diagonal + swap});
      diagonal = std::exchange(row[j + 1], best);
    }
  }
  return metric == lcs_metric::lcs ? (a.size() + b.size() - row.back()) / 2 : row.back();
}

// How a test calls the engine.
struct table_options {
  int threads = 1;
  std::uint64_t memory = 0;
  task_monitor* monitor = nullptr;
};

// Calls use(call) with the call that the options describe.
template <class Use> auto with_call(lcs_metric metric, const table_options& options, const Use& use) {
  const lcs_options inner{
      .metric = metric,
      .run = {.threads = options.threads, .memory = options.memory, .monitor = options.monitor}};
  cell_counter work(options.monitor);
  return use(lcs_call{inner, work});
}

std::uint64_t bit_sliced_value(lcs_metric metric, const bit_planes& a, const bit_planes& b,
                               const table_options& options) {
  return with_call(metric, options, [&](const lcs_call& call) {
    return value_of(metric, a.length, b.length, bit_sliced_distance(a, b, call));
  });
}

edit_script bit_sliced_path(lcs_metric metric, const bit_planes& a, const bit_planes& b,
                            const table_options& options) {
  return with_call(metric, options, [&](const lcs_call& call) { return bit_sliced_path(a, b, call); });
}

codes random_text(std::mt19937_64& random, std::size_t length, std::uint32_t sigma) {
  codes text(length);
  for (auto& symbol : text) symbol = static_cast<std::uint32_t>(random() % sigma);
  return text;
}

edit_script expected_path(const codes& a, const codes& b, lcs_metric metric) {
  edit_script path;
  for (const edit_op op : weft_test::lcs_walk(std::span(a), std::span(b), metric)) append(path, op, 1);
  return path;
}

void expect_same(const edit_script& found, const edit_script& expected) {
  ASSERT_EQ(found.runs, expected.runs);
  ASSERT_EQ(found.matches, expected.matches);
  ASSERT_EQ(found.substitutions, expected.substitutions);
  ASSERT_EQ(found.insertions, expected.insertions);
  ASSERT_EQ(found.deletions, expected.deletions);
}

// Calls body once for each instruction set and passes its name.
template <class Body> void for_each_target(const Body& body) {
  for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    const std::int64_t target = rest & -rest;
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// Bit x of each word belongs to the x-th combination of inputs.
TEST(bit_sliced_step, lcs_is_its_definition) {
  for (std::uint64_t x = 0; x < 8; ++x) {
    const int v = static_cast<int>(x & 1), h = static_cast<int>(x >> 1 & 1), s = static_cast<int>(x >> 2);
    std::uint64_t down[1] = {x & 1}, right[1] = {x >> 1 & 1};
    lcs_cell::step<word_ops>(down, right, x >> 2);
    const int diagonal = std::max({v, h, s});
    EXPECT_EQ(static_cast<int>(down[0] & 1), diagonal - h);
    EXPECT_EQ(static_cast<int>(right[0] & 1), diagonal - v);
  }
}

TEST(bit_sliced_step, two_lcs_rows_are_one_and_one) {
  for (std::uint64_t x = 0; x < 32; ++x) {
    std::uint64_t one[2] = {x & 1, x >> 1 & 1}, two[2] = {x & 1, x >> 1 & 1};
    std::uint64_t h_one = x >> 2 & 1, h_two = h_one;
    const std::uint64_t s0 = x >> 3 & 1, s1 = x >> 4;
    lcs_cell::step<word_ops>(one, &h_one, s0);
    lcs_cell::step<word_ops>(one + 1, &h_one, s1);
    lcs_cell::two_steps<word_ops>(two, &h_two, s0, s1);
    EXPECT_EQ(one[0], two[0]);
    EXPECT_EQ(one[1], two[1]);
    EXPECT_EQ(h_one, h_two);
  }
}

template <class Cell> void check_edit_cell() {
  for (int v = -1; v <= 1; ++v)
    for (int h = -1; h <= 1; ++h)
      for (int s = 0; s <= 1; ++s) {
        std::uint64_t down[2] = {v == 1, v == -1}, right[2] = {h == 1, h == -1};
        Cell::template step<word_ops>(down, right, static_cast<std::uint64_t>(s));
        const int diagonal = std::min({1 - s, v + 1, h + 1});
        EXPECT_EQ(static_cast<int>(down[0] & 1) - static_cast<int>(down[1] & 1), diagonal - h);
        EXPECT_EQ(static_cast<int>(right[0] & 1) - static_cast<int>(right[1] & 1), diagonal - v);
        EXPECT_EQ(down[0] & down[1] & 1, 0U);
        EXPECT_EQ(right[0] & right[1] & 1, 0U);
      }
}

TEST(bit_sliced_step, edit_is_its_definition) {
  check_edit_cell<edit_cell>();
  check_edit_cell<short_edit_cell>();
}

TEST(bit_sliced_step, lanes_rest_left_of_the_table) {
  for (const std::uint64_t s : {std::uint64_t{0}, all_ones}) {
    std::uint64_t v[2] = {lcs_edges[0].left_v, 0}, h[2] = {lcs_edges[0].left_h, 0};
    lcs_cell::step<word_ops>(v, h, s);
    EXPECT_EQ(v[0], lcs_edges[0].left_v);
    EXPECT_EQ(h[0], lcs_edges[0].left_h);
    std::uint64_t ev[2] = {edit_edges[0].left_v, edit_edges[1].left_v},
                  eh[2] = {edit_edges[0].left_h, edit_edges[1].left_h};
    edit_cell::step<word_ops>(ev, eh, s);
    for (int k = 0; k < 2; ++k) {
      EXPECT_EQ(ev[k], edit_edges[k].left_v);
      EXPECT_EQ(eh[k], edit_edges[k].left_h);
    }
  }
}

TEST(bit_planes, hold_codes_in_both_directions) {
  std::mt19937_64 random(1);
  for (const std::size_t length : {0, 1, 63, 64, 65, 128, 200}) {
    const codes text = random_text(random, length, 32);
    const bit_planes forward = planes_of(text, 5), backward = reversed(forward);
    EXPECT_EQ(backward.planes, make_bit_planes(std::span(text), 5, true).planes);
    EXPECT_EQ(reversed(backward).planes, forward.planes);
    for (std::size_t i = 0; i < length; ++i)
      for (int p = 0; p < 5; ++p) EXPECT_EQ(forward.bit(p, i), (text[i] >> p & 1) != 0);
  }
  EXPECT_EQ(planes_for(0), 0);
  EXPECT_EQ(planes_for(1), 0);
  EXPECT_EQ(planes_for(2), 1);
  EXPECT_EQ(planes_for(4), 2);
  EXPECT_EQ(planes_for(5), 3);
  EXPECT_EQ(planes_for(256), 8);
}

TEST(bit_sliced_value, random_texts_on_every_target) {
  for_each_target([] {
    std::mt19937_64 random(2);
    for (int round = 0; round < 150; ++round) {
      const std::uint32_t sigma = std::array{1U, 2U, 4U, 5U, 20U, 256U, 70000U}[random() % 7];
      const std::size_t limit = round % 10 == 0 ? 1500 : 200;
      const codes a = random_text(random, random() % limit, sigma),
                  b = random_text(random, random() % limit, sigma);
      const int planes = planes_for(sigma) + static_cast<int>(random() % 2);
      for (const lcs_metric metric : metrics)
        ASSERT_EQ(
            bit_sliced_value(metric, planes_of(a, planes), planes_of(b, planes), {1 + round % 4, 0, nullptr}),
            expected_value(a, b, metric))
            << a.size() << " x " << b.size() << " symbols " << sigma << " metric "
            << static_cast<int>(metric);
    }
  });
}

// Checks numbers of rows around the edges of every strip shape: a strip of W registers has lanes * W rows.
TEST(bit_sliced_value, edges_of_strips) {
  for_each_target([] {
    std::mt19937_64 random(3);
    const codes b = random_text(random, 131, 3);
    for (const std::size_t rows : {64,   127,  128,  129,  255,  256,  511,  512,  513,   1023,  1024, 1025,
                                   2048, 4095, 4096, 4097, 8191, 8192, 8193, 8704, 12289, 16384, 16385}) {
      const codes a = random_text(random, rows, 3);
      for (const lcs_metric metric : metrics)
        ASSERT_EQ(bit_sliced_value(metric, planes_of(a, 2), planes_of(b, 2), {3, 0, nullptr}),
                  expected_value(a, b, metric))
            << rows << " metric " << static_cast<int>(metric);
    }
  });
}

TEST(bit_sliced_value, edges_of_columns) {
  std::mt19937_64 random(4);
  const codes a = random_text(random, 1100, 4);
  for (const std::size_t columns : {1, 2, 63, 64, 65, 511, 512, 513, 1023, 1024, 1025, 2047, 2049}) {
    const codes b = random_text(random, columns, 4);
    for (const lcs_metric metric : metrics)
      ASSERT_EQ(bit_sliced_value(metric, planes_of(a, 2), planes_of(b, 2), {2, 0, nullptr}),
                expected_value(a, b, metric));
  }
}

TEST(bit_sliced_value, one_letter_and_none_in_common) {
  const codes ones(3000, 1), zeros(2000, 0);
  for (const int planes : {1, 2, 9}) {
    EXPECT_EQ(bit_sliced_value(lcs_metric::lcs, planes_of(ones, planes), planes_of(zeros, planes), {}), 0U);
    EXPECT_EQ(bit_sliced_value(lcs_metric::edit, planes_of(ones, planes), planes_of(zeros, planes), {}),
              3000U);
    EXPECT_EQ(bit_sliced_value(lcs_metric::lcs, planes_of(ones, planes), planes_of(ones, planes), {}), 3000U);
    EXPECT_EQ(bit_sliced_value(lcs_metric::edit, planes_of(ones, planes), planes_of(ones, planes), {}), 0U);
  }
  EXPECT_EQ(bit_sliced_value(lcs_metric::lcs, planes_of(ones, 0), planes_of(zeros, 0), {}), 2000U);
  EXPECT_EQ(bit_sliced_value(lcs_metric::indel, planes_of({}, 3), planes_of(ones, 3), {}), 3000U);
  EXPECT_THROW((void)bit_sliced_value(lcs_metric::lcs, planes_of(ones, 1), planes_of(zeros, 2), {}),
               std::invalid_argument);
}

TEST(bit_sliced_value, counts_its_work_and_can_be_cancelled) {
  std::mt19937_64 random(5);
  const codes a = random_text(random, 20000, 4), b = random_text(random, 20000, 4);
  for (const int threads : {1, 3}) {
    task_monitor monitor;
    (void)bit_sliced_value(lcs_metric::lcs, planes_of(a, 2), planes_of(b, 2), {threads, 0, &monitor});
    EXPECT_EQ(monitor.done(), 400000000U >> 20);
    monitor.cancel();
    EXPECT_THROW(
        (void)bit_sliced_value(lcs_metric::lcs, planes_of(a, 2), planes_of(b, 2), {threads, 0, &monitor}),
        cancelled_error);
  }
}

TEST(bit_sliced_value, asks_for_memory) {
  const codes a(100000, 1);
  EXPECT_THROW((void)bit_sliced_value(lcs_metric::lcs, planes_of(a, 2), planes_of(a, 2), {1, 1000, nullptr}),
               memory_error);
}

// Checks all pairs of texts of up to 5 symbols from an alphabet of 3, and of up to 7 symbols from an alphabet
// of 2.
TEST(bit_sliced_path, all_small_texts) {
  for (const auto& [sigma, longest] : {std::pair{3U, 5U}, std::pair{2U, 7U}}) {
    std::vector<codes> texts = {{}};
    for (std::size_t i = 0; texts[i].size() < longest; ++i)
      for (std::uint32_t symbol = 0; symbol < sigma; ++symbol) {
        texts.push_back(texts[i]);
        texts.back().push_back(symbol);
      }
    for (const codes& a : texts)
      for (const codes& b : texts)
        for (const lcs_metric metric : {lcs_metric::lcs, lcs_metric::edit}) {
          const bit_planes pa = planes_of(a, 2), pb = planes_of(b, 2);
          expect_same(bit_sliced_path(metric, pa, pb, {}), expected_path(a, b, metric));
          ASSERT_EQ(bit_sliced_value(metric, pa, pb, {}), expected_value(a, b, metric));
        }
  }
}

TEST(bit_sliced_path, random_texts_on_every_target) {
  for_each_target([] {
    std::mt19937_64 random(6);
    for (int round = 0; round < 60; ++round) {
      const std::uint32_t sigma = std::array{1U, 2U, 4U, 20U, 256U, 70000U}[random() % 6];
      const std::size_t limit = round % 10 == 0 ? 2000 : 300;
      const codes a = random_text(random, random() % limit, sigma),
                  b = random_text(random, random() % limit, sigma);
      for (const lcs_metric metric : metrics) {
        const int planes = planes_for(sigma);
        expect_same(
            bit_sliced_path(metric, planes_of(a, planes), planes_of(b, planes), {1 + round % 4, 0, nullptr}),
            expected_path(a, b, metric));
      }
    }
  });
}

// Checks that every plan that a memory limit can force gives the same path, for related texts, long and
// short.
TEST(bit_sliced_path, any_memory_limit_gives_the_same_path) {
  std::mt19937_64 random(7);
  for (const auto& [m, n] : {std::pair{30000U, 700U}, std::pair{700U, 30000U}, std::pair{20000U, 1500U},
                             std::pair{9000U, 2500U}}) {
    const codes a = random_text(random, m, 4), b = random_text(random, n, 4);
    const bit_planes pa = planes_of(a, 2), pb = planes_of(b, 2);
    for (const lcs_metric metric : {lcs_metric::lcs, lcs_metric::edit}) {
      const edit_script expected = expected_path(a, b, metric);
      int solved = 0;
      for (std::uint64_t memory = 1 << 15; memory <= 1 << 24; memory += memory / 3) {
        try {
          expect_same(bit_sliced_path(metric, pa, pb, {1 + static_cast<int>(m % 7 % 3), memory, nullptr}),
                      expected);
          ++solved;
        } catch (const memory_error&) {
          EXPECT_EQ(solved, 0);
        }
      }
      EXPECT_GE(solved, 4);
    }
  }
}

TEST(bit_sliced_path, agrees_with_the_value_and_counts_its_work) {
  std::mt19937_64 random(8);
  const codes a = random_text(random, 40000, 4);
  codes b = a;
  for (std::size_t i = 0; i < b.size(); i += 1 + random() % 20)
    b[i] = static_cast<std::uint32_t>(random() % 4);
  b.erase(b.begin() + 5000, b.begin() + 9000);
  const bit_planes pa = planes_of(a, 2), pb = planes_of(b, 2);
  for (const int threads : {1, 3}) {
    task_monitor monitor;
    const edit_script path = bit_sliced_path(lcs_metric::lcs, pa, pb, {threads, 0, &monitor});
    EXPECT_EQ(path.matches, bit_sliced_value(lcs_metric::lcs, pa, pb, {}));
    EXPECT_EQ(monitor.done(), (40000U * 36000U) >> 20);
    const edit_script edits = bit_sliced_path(lcs_metric::edit, pa, pb, {threads, 0, nullptr});
    EXPECT_EQ(edits.substitutions + edits.insertions + edits.deletions,
              bit_sliced_value(lcs_metric::edit, pa, pb, {}));
    monitor.cancel();
    EXPECT_THROW((void)bit_sliced_path(lcs_metric::lcs, pa, pb, {threads, 0, &monitor}), cancelled_error);
  }
}

TEST(bit_sliced_path, too_little_memory_is_an_error) {
  const codes a(100000, 1);
  EXPECT_THROW((void)bit_sliced_path(lcs_metric::lcs, planes_of(a, 2), planes_of(a, 2), {1, 100000, nullptr}),
               memory_error);
}

} // namespace
