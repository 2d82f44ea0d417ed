// Tests the predictions of weft-bench scale: against the rates that they are made of, and against the bytes
// that ranks send.
#include <algorithm>
#include <atomic>
#include <bench/scale/measure.hpp>
#include <bench/scale/model.hpp>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <span>
#include <vector>
#include <weft/multi/sort.hpp>
#include <weft/multi/suffixes.hpp>
#include <weft/multi/thread_ranks.hpp>

namespace weft::bench {

namespace {

constexpr rank_rates rates{.sort_item = 1e-9,
                           .sort_level = 1e-10,
                           .merge_item = 1e-9,
                           .search_pivot = 1e-7,
                           .cell = 1e-11,
                           .count_symbol = 2e-9,
                           .sort_suffix = 1e-7,
                           .take_suffix = 1e-9,
                           .read_preceding = 2e-9,
                           .check_byte = 1e-10,
                           .scan_residue = 1e-8};
constexpr network usual{.bandwidth = 1e10, .latency = 2e-6};
// Seconds are bytes.
constexpr network bytes_alone{.bandwidth = 1, .latency = 0};

TEST(scale, one_rank_takes_what_its_rates_say) {
  EXPECT_DOUBLE_EQ(predict_sort(1 << 20, 1, rates, usual).total, (1 << 20) * (1e-9 + 20 * 1e-10));
  EXPECT_DOUBLE_EQ(predict_lcs(1e6, 1e6, 1, rates, usual).total, 10);
  EXPECT_DOUBLE_EQ(predict_suffixes(1e9, 1, rates, usual).total, 1e9 * (2e-9 + 1e-7 + 1e-9));
  EXPECT_DOUBLE_EQ(predict_transform(1e9, 1, rates, usual).total, 1e9 * (2e-9 + 1e-7 + 2e-9 + 2 * 1e-10));
  EXPECT_DOUBLE_EQ(predict_scan(1e9, 1, rates, usual).total, 10);
}

TEST(scale, more_ranks_take_less_time_and_never_less_than_their_share) {
  const auto check = [](const auto& predict) {
    const double alone = predict(1).total;
    for (int ranks = 2; ranks <= 64; ranks *= 2) {
      const prediction each = predict(ranks);
      EXPECT_LT(each.total, predict(ranks / 2).total) << ranks;
      EXPECT_GE(each.total, alone / ranks * 0.5) << ranks; // smaller arrays have fewer levels
      EXPECT_GE(each.total, std::max(each.computing, each.exchanging)) << ranks;
      EXPECT_LE(each.total, each.computing + each.exchanging) << ranks;
    }
  };
  check([](int ranks) { return predict_sort(0x1p34, ranks, rates, usual); });
  check([](int ranks) { return predict_lcs(0x1p24, 0x1p24, ranks, rates, usual); });
  check([](int ranks) { return predict_suffixes(0x1p33, ranks, rates, usual); });
  check([](int ranks) { return predict_transform(0x1p33, ranks, rates, usual); });
  check([](int ranks) { return predict_scan(0x1p34, ranks, rates, usual); });
}

TEST(scale, a_slower_network_takes_more_time) {
  constexpr network slow{.bandwidth = 1e8, .latency = 1e-3};
  EXPECT_GT(predict_sort(0x1p34, 16, rates, slow).total, predict_sort(0x1p34, 16, rates, usual).total);
  EXPECT_GT(predict_lcs(0x1p24, 0x1p24, 16, rates, slow).total,
            predict_lcs(0x1p24, 0x1p24, 16, rates, usual).total);
  EXPECT_GT(predict_suffixes(0x1p33, 16, rates, slow).total,
            predict_suffixes(0x1p33, 16, rates, usual).total);
  EXPECT_GT(predict_transform(0x1p33, 16, rates, slow).total,
            predict_transform(0x1p33, 16, rates, usual).total);
}

TEST(scale, a_sort_sends_the_bytes_of_the_model) {
  constexpr std::uint64_t items = std::uint64_t{1} << 22;
  for (const int count : {2, 4}) {
    std::atomic<std::uint64_t> sent{0};
    multi::run_ranks(count, [&](multi::communicator& ranks) {
      std::mt19937_64 random(static_cast<std::uint64_t>(ranks.rank()));
      std::vector<std::uint64_t> own(items / static_cast<std::uint64_t>(count));
      for (std::uint64_t& each : own) each = random();
      multi::sort(ranks, std::span(own), {}, {.run = {.threads = 1}});
      sent += ranks.sent().bytes;
    });
    const double of_rank = static_cast<double>(sent) / count,
                 predicted = predict_sort(static_cast<double>(items), count, {}, bytes_alone).exchanging;
    EXPECT_LE(of_rank, predicted);
    EXPECT_GE(of_rank, predicted * 0.8); // the pivots of other ranks are received
  }
}

TEST(scale, suffixes_send_the_bytes_of_the_model) {
  constexpr std::uint64_t symbols = 1 << 20;
  std::mt19937_64 random(1);
  std::string text(symbols, ' ');
  for (char& base : text) base = "ACGT"[random() % 4];
  for (const int count : {2, 4}) {
    std::atomic<std::uint64_t> sent{0};
    multi::run_ranks(count, [&](multi::communicator& ranks) {
      multi::suffix_parts parts(ranks, text, {.threads = 1});
      for (std::uint64_t part = 0; part < parts.count(); ++part) parts.exchange(part);
      sent += ranks.sent().bytes;
    });
    // Rank 0 counts the text once; on a link it takes twice its bytes. All send suffixes at the same time.
    const double of_text = symbols / 4.0,
                 predicted = predict_suffixes(symbols, count, {}, bytes_alone).exchanging - 2 * of_text;
    EXPECT_NEAR((static_cast<double>(sent) - of_text) / count, predicted, predicted * 0.01);
  }
}

} // namespace

} // namespace weft::bench
