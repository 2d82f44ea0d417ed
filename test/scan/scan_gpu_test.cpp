// What scanning on a GPU has of its own: pieces for little memory, room for what is found, engines that are
// kept. The cases of the CPU run there as well (scan_test.cpp).
#include "scan_cases.hpp"

#include <gtest/gtest.h>
#include <thread>
#include <weft/base/error.hpp>
#include <weft/scan/scan.hpp>

namespace {

using weft::match_rule;
using weft::motif_set;
using weft::scan_match;
using weft::scan_options;

class gpu_scan : public testing::TestWithParam<weft_test::engine_on> {
protected:
  void SetUp() override {
    if (const std::string reason = GetParam().reason_to_skip(); !reason.empty()) GTEST_SKIP() << reason;
  }
  static scan_options with(const scan_options& options) { return GetParam().with(options); }
};
INSTANTIATE_TEST_SUITE_P(gpu, gpu_scan, testing::ValuesIn(weft_test::engines_on(weft::device_kind::gpu)),
                         [](const auto& tested) {
                           std::string name = tested.param.engine;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

motif_set some_motifs() {
  std::vector<weft::motif> motifs;
  for (const char* pattern : {"A-C-D-x(0,30)-N>", "A-C-D-x(1,9)-N-A", "N-x(3,200)-C-C-C-A", "<A-x(2)",
                              "A-A-[D>]", "C(3,9)", "[<A]-C-x-D", "N-{A}(4)-D"})
    motifs.push_back(weft::parse_motif(pattern));
  return motif_set(motifs);
}

weft_test::batch some_texts() {
  std::mt19937_64 random(71);
  weft_test::batch texts;
  for (const std::size_t size : {0U, 1U, 2'000'000U, 10U, 700'000U, 65'536U, 20U, 0U})
    texts.add(weft_test::random_sequence(random, size, "AACCDNX"));
  for (int i = 0; i < 20'000; ++i) texts.add(weft_test::random_sequence(random, random() % 30, "AACCDN"));
  return texts;
}

constexpr scan_options rules[] = {
    {}, {.overlap = false, .max_x = 1}, {.rule = match_rule::starts}, {.rule = match_rule::ends}};

TEST_P(gpu_scan, in_little_device_memory) {
  const weft_test::batch texts = some_texts();
  const weft::sequence_batch batch{texts.residues, texts.offsets};
  const motif_set motifs = some_motifs();
  for (scan_options options : rules) {
    const std::vector<scan_match> want = weft::scan(motifs, batch, options);
    EXPECT_GT(want.size(), 10'000U);
    for (std::uint64_t memory = std::uint64_t{64} << 20; memory > std::uint64_t{5} << 20;
         memory -= memory / 3) {
      weft::task_monitor monitor;
      options.device_memory = memory;
      options.monitor = &monitor;
      ASSERT_TRUE(weft::scan(motifs, batch, with(options)) == want) << memory;
      ASSERT_EQ(monitor.done(), texts.residues.size()) << memory;
    }
  }
}

TEST_P(gpu_scan, too_little_device_memory) {
  const weft_test::batch texts = some_texts();
  const weft::sequence_batch batch{texts.residues, texts.offsets};
  const auto message = [&](const motif_set& motifs, std::uint64_t memory) -> std::string {
    try {
      (void)weft::scan(motifs, batch, with({.device_memory = memory}));
    } catch (const weft::memory_error& failure) {
      return failure.what();
    }
    return {};
  };
  EXPECT_NE(message(some_motifs(), 1000).find("of device memory at least, 1000 B is allowed"),
            std::string::npos);
  const motif_set unbounded({weft::parse_motif("A-C*-D")});
  EXPECT_NE(message(unbounded, std::uint64_t{8} << 20).find("one of 2000000 residues takes"),
            std::string::npos);
  EXPECT_EQ(message(unbounded, std::uint64_t{64} << 20), "");
}

// More than there is room for at first, and than there is room for at once.
TEST_P(gpu_scan, where_nearly_everything_matches) {
  std::vector<weft::motif> some;
  for (int i = 0; i < 60; ++i)
    some.push_back(weft::parse_motif(i % 3 == 0 ? "x(9)" : i % 3 == 1 ? "A" : "{C}-x(0,2)-{C}"));
  const motif_set motifs(some);
  std::mt19937_64 random(72);
  weft_test::batch texts;
  for (const std::size_t size : {150'000U, 7U, 30'000U})
    texts.add(weft_test::random_sequence(random, size, "AAAAAAAC"));
  const weft::sequence_batch batch{texts.residues, texts.offsets};
  for (scan_options options : rules) {
    const std::vector<scan_match> want = weft::scan(motifs, batch, options);
    for (const std::uint64_t memory : {0U, 64U << 20, 9U << 20}) {
      options.device_memory = memory;
      ASSERT_TRUE(weft::scan(motifs, batch, with(options)) == want) << memory;
    }
  }
}

TEST_P(gpu_scan, many_threads_share_motifs) {
  const weft_test::batch texts = some_texts();
  const weft::sequence_batch batch{texts.residues, texts.offsets};
  const motif_set motifs = some_motifs();
  const std::vector<scan_match> starts = weft::scan(motifs, batch),
                                ends = weft::scan(motifs, batch, {.rule = match_rule::ends});
  std::vector<std::jthread> team;
  for (int member = 0; member < 6; ++member)
    team.emplace_back([&, member] {
      for (int round = 0; round < 5; ++round) {
        const bool of_starts = (member + round) % 2 == 0;
        const scan_options options{.rule = of_starts ? match_rule::ps_scan : match_rule::ends,
                                   .threads = 2,
                                   .device_memory = member < 3 ? std::uint64_t{8} << 20 : 0};
        EXPECT_TRUE(weft::scan(motifs, batch, with(options)) == (of_starts ? starts : ends));
      }
    });
}

// Its engines belong to a stream that outlives the thread that made them.
TEST_P(gpu_scan, motifs_outlive_a_thread) {
  const std::vector<std::uint64_t> offsets = {0, 5};
  const weft::sequence_batch batch{"ACDCA", offsets};
  auto motifs = std::make_unique<motif_set>(std::vector{weft::parse_motif("C-x(0,1)-A")});
  const std::vector<scan_match> want = {{0, 0, 3, 5}};
  for (int round = 0; round < 3; ++round)
    std::jthread([&] { EXPECT_EQ(weft::scan(*motifs, batch, with({})), want); });
  std::jthread([&] { motifs.reset(); });
}

TEST_P(gpu_scan, can_be_cancelled) {
  const weft_test::batch texts = some_texts();
  weft::task_monitor monitor;
  monitor.cancel();
  EXPECT_THROW((void)weft::scan(some_motifs(), {texts.residues, texts.offsets}, with({.monitor = &monitor})),
               weft::cancelled_error);
}

TEST_P(gpu_scan, many_motifs) {
  std::mt19937_64 random(73);
  std::vector<weft::motif> some;
  for (int i = 0; i < 20'000; ++i) some.push_back(weft::parse_motif(weft_test::random_pattern(random)));
  const motif_set motifs(some);
  weft_test::batch texts;
  for (int i = 0; i < 100; ++i) texts.add(weft_test::random_sequence(random, random() % 60, "ACDNEFGHIK"));
  const weft::sequence_batch batch{texts.residues, texts.offsets};
  for (const scan_options& options : rules)
    ASSERT_TRUE(weft::scan(motifs, batch, with(options)) == weft::scan(motifs, batch, options));
}

} // namespace
