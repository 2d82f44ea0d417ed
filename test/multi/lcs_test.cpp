// Tests values and paths that many ranks compute together, against those of one process and the naive table.
#include <atomic>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <test/reference/lcs_reference.hpp>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/lcs/lcs.hpp>
#include <weft/multi/lcs.hpp>
#include <weft/multi/thread_ranks.hpp>

namespace {

using weft::edit_op;
using weft::edit_script;
using weft::lcs_metric;
using weft::lcs_options;
using weft::multi::communicator;
using weft::multi::run_ranks;
using weft::multi::table_limits;

constexpr int max_ranks = 8;
constexpr table_limits always{.min_cells = 1, .min_rows = 1, .piece_words = 1}; // shares every table

std::span<const char> symbols_of(const std::string& text) { return text; }

std::vector<edit_op> steps_of(const edit_script& path) {
  std::vector<edit_op> steps;
  for (const weft::edit_run& run : path.runs) steps.insert(steps.end(), run.length, run.op);
  return steps;
}

// Returns all texts of up to `length` of the first `sigma` letters.
std::vector<std::string> all_texts(int sigma, std::size_t length) {
  std::vector<std::string> texts = {""};
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (texts[i].size() < length)
      for (int letter = 0; letter < sigma; ++letter)
        texts.push_back(texts[i] + static_cast<char>('a' + letter));
  return texts;
}

std::string random_text(std::mt19937& random, std::size_t length, int sigma) {
  std::string text(length, 'a');
  for (char& letter : text) letter = static_cast<char>('a' + random() % static_cast<unsigned>(sigma));
  return text;
}

// Returns `text` with about one symbol in `each` replaced, removed or doubled.
std::string mutated(std::mt19937& random, const std::string& text, unsigned each) {
  std::string result;
  for (const char letter : text) {
    const unsigned kind = random() % (3 * each);
    if (kind == 0) continue;
    result += kind == 1 ? 'a' : letter;
    if (kind == 2) result += letter;
  }
  return result;
}

// Calls compare(helpers) on rank 0, while the other ranks help.
void with_helpers(communicator& ranks, const table_limits& limits,
                  const std::function<void(weft::lcs_detail::table_helpers*)>& compare) {
  weft::multi::lcs_team team(ranks, limits);
  if (ranks.rank() != 0) return team.help({.threads = 1});
  compare(team.helpers());
  team.dismiss();
}

void expect_oracle(const std::string& a, const std::string& b, const lcs_options& options) {
  const auto rest = weft_test::lcs_table(symbols_of(a), symbols_of(b), options.metric);
  const std::uint64_t distance = rest[0][0];
  ASSERT_EQ(weft::lcs_value(a, b, options),
            options.metric == lcs_metric::lcs ? (a.size() + b.size() - distance) / 2 : distance)
      << a << ' ' << b;
  ASSERT_EQ(steps_of(weft::lcs(a, b, options)),
            weft_test::lcs_walk(symbols_of(a), symbols_of(b), options.metric))
      << a << ' ' << b;
}

TEST(multi_lcs, every_small_pair_has_the_value_and_the_path_of_the_naive_table) {
  for (int count = 1; count <= max_ranks; ++count)
    run_ranks(count, [count](communicator& ranks) {
      with_helpers(ranks, always, [count](weft::lcs_detail::table_helpers* helpers) {
        const int shorter = count <= 3 ? 0 : 1; // on a few processors, ranks take turns
        for (const auto& [sigma, length] : {std::pair(2, 4 - shorter), std::pair(3, 3 - shorter)})
          for (const std::string& a : all_texts(sigma, static_cast<std::size_t>(length)))
            for (const std::string& b : all_texts(sigma, static_cast<std::size_t>(length)))
              for (const lcs_metric metric : {lcs_metric::lcs, lcs_metric::edit}) {
                lcs_options options{.metric = metric, .helpers = helpers};
                options.run.engine = "bit-sliced";
                options.run.threads = 1;
                expect_oracle(a, b, options);
              }
      });
    });
}

// Texts whose bands and pieces are of many sizes.
TEST(multi_lcs, random_pairs_have_the_value_and_the_path_of_one_process) {
  for (int count = 1; count <= max_ranks; ++count)
    run_ranks(count, [count](communicator& ranks) {
      with_helpers(ranks, always, [count](weft::lcs_detail::table_helpers* helpers) {
        std::mt19937 random(static_cast<unsigned>(count));
        for (int round = 0; round < 40; ++round) {
          const int sigma = round % 5 == 0 ? 26 : 1 + round % 5;
          const std::string a = random_text(random, random() % 1500, sigma);
          const std::string b =
              round % 2 == 0 ? mutated(random, a, 4) : random_text(random, random() % 1500, sigma);
          for (const lcs_metric metric : {lcs_metric::lcs, lcs_metric::indel, lcs_metric::edit})
            for (const char* engine : {"auto", "bit-sliced"}) {
              lcs_options options{.metric = metric};
              options.run.engine = engine;
              options.run.threads = 1 + round % 3;
              const std::uint64_t value = weft::lcs_value(a, b, options);
              const edit_script path = weft::lcs(a, b, options);
              options.helpers = helpers;
              ASSERT_EQ(weft::lcs_value(a, b, options), value);
              ASSERT_EQ(weft::lcs(a, b, options).runs, path.runs);
            }
        }
      });
    });
}

// Bands of several strips, on several threads, whose rows take many pieces.
TEST(multi_lcs, long_pairs_have_the_value_and_the_path_of_one_process) {
  std::mt19937 random(7);
  const std::string a = random_text(random, 70001, 4), b = random_text(random, 30011, 4);
  for (const lcs_metric metric : {lcs_metric::lcs, lcs_metric::edit}) {
    lcs_options options{.metric = metric};
    const std::uint64_t value = weft::lcs_value(a, b, options);
    const edit_script path = weft::lcs(a, b, options);
    options.run.threads = 3;
    for (const int count : {2, 3, 8})
      for (const std::uint64_t words : {0, 1, 7, 5000})
        run_ranks(count, [&](communicator& ranks) {
          const table_limits limits{.min_cells = 1, .min_rows = 700, .piece_words = words};
          EXPECT_EQ(weft::multi::lcs_value(ranks, a, b, options, limits), value);
          EXPECT_EQ(weft::multi::lcs_value(ranks, b, a, options, limits), value);
          const edit_script found = weft::multi::lcs(ranks, a, b, options, limits);
          EXPECT_EQ(found.runs, ranks.rank() == 0 ? path.runs : std::vector<weft::edit_run>());
          EXPECT_EQ(found.matches, ranks.rank() == 0 ? path.matches : 0);
        });
  }
}

TEST(multi_lcs, letters_with_a_special_meaning_and_other_engines_are_those_of_one_process) {
  std::mt19937 random(3);
  const std::string a = random_text(random, 900, 5), b = random_text(random, 1100, 5);
  std::vector<lcs_options> cases(5);
  cases[0].wildcards = "b";
  cases[1].unmatched = "bc";
  cases[2].metric = lcs_metric::affine;
  cases[3].run.engine = "hirschberg-dp";
  cases[4].run.engine = "bit-parallel";
  for (const lcs_options& options : cases) {
    const edit_script path = weft::lcs(a, b, options);
    run_ranks(3, [&](communicator& ranks) {
      const edit_script found = weft::multi::lcs(ranks, a, b, options, always);
      EXPECT_EQ(found.runs, ranks.rank() == 0 ? path.runs : std::vector<weft::edit_run>());
    });
  }
}

// A table of m rows and n columns, and the number of planes of texts of `sigma` letters.
struct traffic_case {
  std::uint64_t m, n;
  int ranks;
  lcs_metric metric;
  int sigma;
  std::uint64_t planes;
};

TEST(multi_lcs, a_value_costs_the_texts_and_a_border_of_a_row_for_each_rank_but_one) {
  std::mt19937 random(5);
  for (const traffic_case& each : {traffic_case{900, 700, 2, lcs_metric::lcs, 4, 2},
                                   {900, 700, 5, lcs_metric::lcs, 3, 2},
                                   {900, 700, 8, lcs_metric::edit, 4, 2},
                                   {2000, 65, 3, lcs_metric::edit, 2, 1},
                                   {5, 3, 8, lcs_metric::lcs, 2, 1},
                                   {1, 1, 4, lcs_metric::lcs, 1, 0}}) {
    std::string a = random_text(random, each.m, each.sigma), b = random_text(random, each.n, each.sigma);
    for (std::string* text : {&a, &b}) // every letter occurs in both texts
      for (int k = 0; k < each.sigma; ++k) (*text)[static_cast<std::size_t>(k)] = static_cast<char>('a' + k);
    std::atomic<std::uint64_t> bytes{0};
    run_ranks(each.ranks, [&](communicator& ranks) {
      with_helpers(ranks, always, [&](weft::lcs_detail::table_helpers* helpers) {
        lcs_options options{.metric = each.metric, .helpers = helpers};
        options.run.engine = "bit-sliced";
        (void)weft::lcs_value(a, b, options);
      });
      bytes += ranks.sent().bytes;
    });
    const auto words = [](std::uint64_t symbols) { return (symbols + 63) / 64; };
    const auto bands = std::min(each.m, static_cast<std::uint64_t>(each.ranks));
    const std::uint64_t cell_bits = each.metric == lcs_metric::edit ? 2 : 1;
    constexpr std::uint64_t order = 64; // rank 0 gives two: fill this table, and end
    const bool shared = each.m >= 2;
    EXPECT_EQ(bytes, (shared ? 2 * order : order) +
                         (shared ? 8 * each.planes * (words(each.m) + words(each.n)) : 0) +
                         (bands - 1) * (8 * words(each.n) * cell_bits + 16));
  }
}

TEST(multi_lcs, too_little_memory_for_a_path_is_the_error_of_one_process_and_ranks_go_on) {
  std::mt19937 random(9);
  const std::string a = random_text(random, 6000, 4), b = random_text(random, 6000, 4);
  run_ranks(3, [&](communicator& ranks) {
    lcs_options options;
    options.run.memory = 60000;
    EXPECT_THROW((void)weft::multi::lcs(ranks, a, b, options, always), weft::memory_error);
    options.run.engine = "no engine";
    EXPECT_THROW((void)weft::multi::lcs(ranks, a, b, options, always), weft::error);
    EXPECT_EQ(weft::multi::lcs_value(ranks, "kitten", "sitting", {.metric = lcs_metric::edit}, always), 3U);
  });
}

TEST(multi_lcs, a_rank_that_is_cancelled_ends_all) {
  std::mt19937 random(9);
  const std::string a = random_text(random, 40000, 4), b = random_text(random, 40000, 4);
  for (const int cancelled : {0, 1, 2}) {
    std::vector<weft::task_monitor> monitors(3);
    monitors[static_cast<std::size_t>(cancelled)].cancel();
    EXPECT_THROW(run_ranks(3,
                           [&](communicator& ranks) {
                             lcs_options options;
                             options.run.threads = 2;
                             options.run.monitor = &monitors[static_cast<std::size_t>(ranks.rank())];
                             (void)weft::multi::lcs_value(ranks, a, b, options, always);
                           }),
                 weft::cancelled_error);
  }
}

TEST(multi_lcs, all_pairs_have_the_values_of_one_process) {
  std::mt19937 random(11);
  for (const std::size_t sequences : {0, 1, 2, 3, 9, 40, 150}) {
    std::string data;
    std::vector<std::uint64_t> offsets = {0};
    for (std::size_t i = 0; i < sequences; ++i) {
      data += random_text(random, i % 7 == 3 ? 0 : random() % 60, 3);
      offsets.push_back(data.size());
    }
    std::vector<lcs_options> cases(6);
    cases[1].metric = lcs_metric::indel;
    cases[2].metric = lcs_metric::edit;
    cases[3].metric = lcs_metric::affine;
    cases[4] = {.metric = lcs_metric::indel, .unmatched = "b"};
    cases[5].run.engine = "bit-parallel";
    for (const lcs_options& options : cases) {
      const std::vector<std::uint64_t> values = weft::lcs_all_pairs({data, offsets}, options);
      for (int count = 1; count <= max_ranks; ++count)
        run_ranks(count, [&](communicator& ranks) {
          EXPECT_EQ(weft::multi::lcs_all_pairs(ranks, {data, offsets}, options), values);
          EXPECT_LE(ranks.sent().bytes, 8 * values.size());
        });
    }
  }
}

// The shares of ranks have about the same number of cells, also if sequences have very different lengths.
TEST(multi_lcs, shares_of_all_pairs_have_similar_numbers_of_cells) {
  std::mt19937 random(13);
  std::string data;
  std::vector<std::uint64_t> offsets = {0};
  for (std::size_t i = 0; i < 400; ++i) {
    data += std::string(i < 40 ? 200 : 5 + random() % 20, 'a');
    offsets.push_back(data.size());
  }
  const auto length = [&](std::size_t i) { return offsets[i + 1] - offsets[i]; };
  double all = 0, largest = 0;
  constexpr std::uint64_t shares = 4;
  for (std::uint64_t share = 0; share < shares; ++share) {
    const auto values = weft::lcs_all_pairs({data, offsets}, {.share = {share, shares}});
    double own = 0;
    for (std::size_t i = 1, at = 0; i < 400; ++i)
      for (std::size_t j = 0; j < i; ++j, ++at)
        if (values[at] != 0) own += static_cast<double>(length(i) * length(j));
    all += own, largest = std::max(largest, own);
  }
  EXPECT_LE(largest, 1.3 * all / shares);
}

} // namespace
