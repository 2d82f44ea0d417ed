// Tests values that two ranks compute on a GPU each, against those of the CPU. On a machine with one GPU,
// both ranks use that GPU.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <test/base/gpu_suite.hpp>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/lcs/lcs.hpp>
#include <weft/multi/lcs.hpp>
#include <weft/multi/thread_ranks.hpp>

namespace weft::test {

namespace {

using multi::communicator;

constexpr multi::table_limits always{.min_gpu_cells = 1, .may_share_gpu = true}; // shares every table

std::string random_symbols(std::mt19937_64& random, std::size_t length, unsigned sigma) {
  std::string text(length, '\0');
  for (char& symbol : text) symbol = static_cast<char>(random() % sigma);
  return text;
}

class gpu_multi_lcs : public gpu_suite {
protected:
  // Returns the options of a rank, whose GPU is one of those of the machine in turn.
  static lcs_options options_of(const communicator& ranks, const std::string& engine,
                                lcs_metric metric = lcs_metric::lcs) {
    const std::vector<gpu_info>& gpus = known_gpus().devices;
    const int gpu = gpus[static_cast<std::size_t>(ranks.rank()) % gpus.size()].index;
    return {.metric = metric, .run = {.engine = engine, .device = {device_kind::gpu, gpu}}};
  }
  static std::uint64_t expected(const std::string& a, const std::string& b, lcs_metric metric) {
    return lcs_value(a, b, {.metric = metric, .run = {.device = {device_kind::cpu, 0}}});
  }
  // Compares the texts in both orders, and expects rank 0 to share the table if both have two symbols or
  // more.
  static void check(const std::string& a, const std::string& b, const std::string& engine = "systolic",
                    lcs_metric metric = lcs_metric::lcs, int count = 2) {
    const std::uint64_t value = expected(a, b, metric);
    multi::run_ranks(count, [&](communicator& ranks) {
      const lcs_options options = options_of(ranks, engine, metric);
      EXPECT_EQ(multi::lcs_value(ranks, a, b, options, always), value) << a.size() << " x " << b.size();
      EXPECT_EQ(multi::lcs_value(ranks, b, a, options, always), value) << a.size() << " x " << b.size();
      const bool exchanges = engine == "systolic" && metric != lcs_metric::edit;
      if (ranks.rank() == 0 && exchanges && std::min(a.size(), b.size()) > 1) {
        EXPECT_GT(ranks.sent().bytes, a.size() + b.size());
      }
    });
  }
};

TEST_F(gpu_multi_lcs, short_and_equal_texts) {
  std::mt19937_64 random(1);
  const std::string text = random_symbols(random, 5000, 4);
  for (const char* engine : {"systolic", "auto"}) {
    check("", "", engine);
    check("", "ACGT", engine);
    check("A", "A", engine);
    check("A", "C", engine);
    check("A", text, engine);
    check("AC", "CA", engine);
    check("ACG", text, engine);
    check(text, text, engine);
    check(text, text.substr(1), engine);
  }
}

TEST_F(gpu_multi_lcs, random_texts_of_all_alphabets) {
  std::mt19937_64 random(2);
  for (const unsigned sigma : {1U, 2U, 4U, 20U, 32U, 33U, 200U, 256U})
    for (int round = 0; round < 6; ++round) {
      const std::string a = random_symbols(random, 2 + random() % 9000, sigma),
                        b = random_symbols(random, 2 + random() % 9000, sigma);
      check(a, b, "systolic", round % 2 == 0 ? lcs_metric::lcs : lcs_metric::indel, 2 + round % 3);
    }
}

TEST_F(gpu_multi_lcs, lengths_at_the_edges_of_words_and_strips) {
  std::mt19937_64 random(3);
  for (const std::size_t m : {2, 3, 31, 33, 2047, 2048, 2049, 8193, 16385, 32769})
    for (const std::size_t n : {2, 3, 5, 63, 65, 1023, 4097})
      check(random_symbols(random, m, 4), random_symbols(random, n, 4));
}

TEST_F(gpu_multi_lcs, one_text_is_much_longer) {
  std::mt19937_64 random(4);
  const std::string longer = random_symbols(random, 3'000'001, 4);
  for (const std::size_t length : {2, 7, 1000, 20'001}) check(random_symbols(random, length, 4), longer);
}

TEST_F(gpu_multi_lcs, long_texts) {
  std::mt19937_64 random(5);
  const std::string a = random_symbols(random, 400'003, 4), b = random_symbols(random, 300'001, 4);
  check(a, b);
  check(a, b, "auto", lcs_metric::indel);
}

TEST_F(gpu_multi_lcs, edit_distances_and_paths_are_those_of_one_gpu) {
  std::mt19937_64 random(6);
  const std::string a = random_symbols(random, 7001, 4), b = random_symbols(random, 6002, 4);
  check(a, b, "systolic", lcs_metric::edit);
  const edit_script path = lcs(a, b, {.run = {.device = {device_kind::cpu, 0}}});
  multi::run_ranks(2, [&](communicator& ranks) {
    const edit_script found = multi::lcs(ranks, a, b, options_of(ranks, "systolic"), always);
    EXPECT_EQ(found.runs, ranks.rank() == 0 ? path.runs : std::vector<edit_run>());
  });
}

TEST_F(gpu_multi_lcs, rank_0_goes_on_alone_if_the_helper_has_too_little_memory) {
  std::mt19937_64 random(7);
  const std::string a = random_symbols(random, 20'001, 4), b = random_symbols(random, 30'001, 4);
  const std::uint64_t value = expected(a, b, lcs_metric::lcs);
  multi::run_ranks(2, [&](communicator& ranks) {
    lcs_options options = options_of(ranks, "systolic");
    if (ranks.rank() == 1) options.run.device_memory = 1000;
    EXPECT_EQ(multi::lcs_value(ranks, a, b, options, always), value);
    if (ranks.rank() == 0) {
      EXPECT_LT(ranks.sent().bytes, 10'000U);
    }
  });
}

TEST_F(gpu_multi_lcs, a_rank_that_is_cancelled_ends_both) {
  std::mt19937_64 random(8);
  const std::string a = random_symbols(random, 1'000'000, 4), b = random_symbols(random, 1'000'000, 4);
  for (const int cancelled : {0, 1}) {
    std::vector<task_monitor> monitors(2);
    monitors[static_cast<std::size_t>(cancelled)].cancel();
    EXPECT_THROW(multi::run_ranks(2,
                                  [&](communicator& ranks) {
                                    lcs_options options = options_of(ranks, "systolic");
                                    options.run.monitor = &monitors[static_cast<std::size_t>(ranks.rank())];
                                    (void)multi::lcs_value(ranks, a, b, options, always);
                                  }),
                 cancelled_error);
  }
  check(a.substr(0, 5000), b.substr(0, 5000)); // the GPUs can be used afterwards
}

TEST_F(gpu_multi_lcs, each_rank_counts_the_cells_of_its_half) {
  std::mt19937_64 random(9);
  const std::string a = random_symbols(random, 200'000, 4), b = random_symbols(random, 200'000, 4);
  std::vector<task_monitor> monitors(2);
  multi::run_ranks(2, [&](communicator& ranks) {
    lcs_options options = options_of(ranks, "systolic");
    options.run.monitor = &monitors[static_cast<std::size_t>(ranks.rank())];
    (void)multi::lcs_value(ranks, a, b, options, always);
  });
  constexpr std::uint64_t half = 200'000ULL * 100'000 >> 20;
  for (const task_monitor& each : monitors) {
    EXPECT_GE(each.done(), half);
    EXPECT_LE(each.done(), half + half / 4); // strips have whole words
    EXPECT_LE(each.done(), each.total());
  }
}

} // namespace

} // namespace weft::test
