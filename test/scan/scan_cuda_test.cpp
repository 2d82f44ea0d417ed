// Tests what is specific to scans on a GPU: pieces for little memory, space for occurrences, and engines that
// are kept. The cases of the CPU also run on the GPU (scan_test.cpp).
#include "engine_suite.hpp"

#include <thread>
#include <weft/base/error.hpp>
#include <weft/scan/scanner.hpp>

namespace {

using weft::match_rule;
using weft::match_vector;
using weft::motif_set;
using weft::scan_match;
using weft::scan_options;

class gpu_scan : public weft_test::engine_suite {};
INSTANTIATE_TEST_SUITE_P(gpu, gpu_scan, testing::ValuesIn(weft_test::engines_on(weft::device_kind::gpu)),
                         weft_test::name_of_engine);

motif_set some_motifs() {
  std::vector<weft::motif> motifs;
  for (const char* pattern : {"A-C-D-x(0,30)-N>", "A-C-D-x(1,9)-N-A", "N-x(3,200)-C-C-C-A", "<A-x(2)",
                              "A-A-[D>]", "C(3,9)", "[<A]-C-x-D", "N-{A}(4)-D"})
    motifs.push_back(weft::parse_motif(pattern));
  return motif_set(motifs);
}

// Returns a part of the test texts. The longest motif above has 205 positions, and nfa-array takes 0.2 to 0.6
// us for each position and each residue of a block of 4,096. Little memory lets few blocks run at a time: 3.1
// M residues took 10 minutes.
weft_test::batch some_texts(unsigned part = 1) {
  std::mt19937_64 random(71);
  weft_test::batch texts;
  for (const std::size_t size : {0U, 1U, 2'000'000U / part, 10U, 700'000U / part, 65'536U / part, 20U, 0U})
    texts.add(weft_test::random_sequence(random, size, "AACCDNX"));
  for (unsigned i = 0; i < 20'000 / part; ++i)
    texts.add(weft_test::random_sequence(random, random() % 30, "AACCDN"));
  return texts;
}

TEST_P(gpu_scan, in_little_device_memory) {
  const weft_test::batch texts = some_texts(is_nfa_array() ? 100 : 1);
  const motif_set motifs = some_motifs();
  std::vector<std::uint64_t> sizes = {std::uint64_t{64} << 20, little_memory()};
  if (!is_nfa_array()) sizes.insert(sizes.end(), {20U << 20, 10U << 20, 11U << 19});
  for (scan_options options : weft_test::scan_rules) {
    const match_vector want = weft::scan(motifs, texts.view(), options);
    EXPECT_GT(want.size(), texts.residues.size() / 300);
    for (const std::uint64_t memory : sizes) {
      weft::task_monitor monitor;
      options.run.device_memory = memory;
      options.run.monitor = &monitor;
      ASSERT_EQ(weft_test::difference(motifs, want, weft::scan(motifs, texts.view(), with(options))), "")
          << memory;
      ASSERT_EQ(monitor.done(), texts.residues.size()) << memory;
    }
  }
}

// Scans reverse complements as pieces of their own. After a part with too many matches, a GPU scans fewer
// sequences at once.
TEST_P(gpu_scan, parts_of_a_scanner) {
  weft_test::batch texts;
  for (int s = 0; s < 40; ++s) texts.add(std::string(10'000, s % 2 == 0 ? 'A' : 'C'));
  const weft::motif_set motifs = weft_test::motifs_of({"A"});
  weft::scanner scanner(motifs, with({}), {std::uint64_t{1} << 20, 1000});
  for (int call = 0; call < 3; ++call) {
    weft::match_vector found;
    scanner.feed(texts.view(), [&](weft::scan_part part) {
      EXPECT_TRUE(part.complete && part.in_order);
      found.insert(found.end(), part.matches.begin(), part.matches.end());
      scanner.reuse(std::move(part.matches));
    });
    EXPECT_TRUE(found == weft::scan(motifs, texts.view(), weft_test::on_cpu({}))) << call;
  }
  scanner.count(texts.view());
  EXPECT_EQ(scanner.totals().matches, 4U * 20 * 10'000);
}

TEST_P(gpu_scan, both_strands_in_little_device_memory) {
  const weft::motif_syntax syntax{.alphabet = weft::alphabet::dna};
  std::vector<weft::motif> some;
  for (const char* pattern : {"G-A-A-T-T-C", "A-R-x(0,2)-C>", "<G-N", "Y(2,4)-G-C-R", "A-C-x(3)-T-G"})
    some.push_back(weft::parse_motif(pattern, syntax));
  const motif_set motifs(some, syntax);
  std::mt19937_64 random(74);
  weft_test::batch texts;
  for (const std::size_t size : {150'000U, 0U, 40'000U, 6U, 1U})
    texts.add(weft_test::random_sequence(random, size, "ACGTacgtN"));
  for (scan_options options : weft_test::scan_rules)
    for (const auto strands : {weft::strand_choice::reverse, weft::strand_choice::both}) {
      options.strands = strands;
      const match_vector want = weft::scan(motifs, texts.view(), options);
      options.run.device_memory = little_memory();
      ASSERT_EQ(weft_test::difference(motifs, want, weft::scan(motifs, texts.view(), with(options))), "");
    }
}

TEST_P(gpu_scan, too_little_device_memory) {
  const weft_test::batch texts = some_texts();
  const weft::sequences_view batch{texts.residues, texts.offsets};
  const auto message = [&](const motif_set& motifs, std::uint64_t memory) -> std::string {
    try {
      (void)weft::scan(motifs, batch, with({.run = {.device_memory = memory}}));
    } catch (const weft::memory_error& failure) {
      return failure.what();
    }
    return {};
  };
  EXPECT_NE(message(some_motifs(), 1000).find("of device memory, but only 1000 B is allowed"),
            std::string::npos);
  const motif_set unbounded({weft::parse_motif("A-C*-D")});
  EXPECT_NE(message(unbounded, std::uint64_t{8} << 20).find("a sequence of 2000000 residues needs at least"),
            std::string::npos);
  EXPECT_EQ(message(unbounded, std::uint64_t{64} << 20), "");
}

// Checks texts with more occurrences than the first buffer holds, and than any buffer holds at once.
TEST_P(gpu_scan, where_nearly_everything_matches) {
  std::vector<weft::motif> some;
  for (int i = 0; i < 60; ++i)
    some.push_back(weft::parse_motif(i % 3 == 0 ? "x(9)" : i % 3 == 1 ? "A" : "{C}-x(0,2)-{C}"));
  const motif_set motifs(some);
  std::mt19937_64 random(72);
  weft_test::batch texts;
  for (const std::size_t size : {150'000U, 7U, 30'000U})
    texts.add(weft_test::random_sequence(random, size, "AAAAAAAC"));
  const weft::sequences_view batch{texts.residues, texts.offsets};
  for (scan_options options : weft_test::scan_rules) {
    const match_vector want = weft::scan(motifs, batch, options);
    for (const std::uint64_t memory : {0U, 64U << 20, 9U << 20}) {
      options.run.device_memory = memory;
      ASSERT_TRUE(weft::scan(motifs, batch, with(options)) == want) << memory;
    }
  }
}

TEST_P(gpu_scan, many_threads_share_motifs) {
  const weft_test::batch texts = some_texts(is_nfa_array() ? 100 : 1);
  const motif_set motifs = some_motifs();
  const match_vector starts = weft::scan(motifs, texts.view()),
                     ends = weft::scan(motifs, texts.view(), {.rule = match_rule::ends});
  const int rounds = is_nfa_array() ? 2 : 5;
  std::vector<std::jthread> team;
  for (int member = 0; member < 6; ++member)
    team.emplace_back([&, member] {
      for (int round = 0; round < rounds; ++round) {
        const bool of_starts = (member + round) % 2 == 0;
        const scan_options options{.rule = of_starts ? match_rule::ps_scan : match_rule::ends,
                                   .run = {.threads = 2, .device_memory = member < 3 ? little_memory() : 0}};
        EXPECT_TRUE(weft::scan(motifs, texts.view(), with(options)) == (of_starts ? starts : ends));
      }
    });
}

// Checks that motifs stay usable after the thread that made their engines has ended.
TEST_P(gpu_scan, motifs_outlive_a_thread) {
  const std::vector<std::uint64_t> offsets = {0, 5};
  const weft::sequences_view batch{"ACDCA", offsets};
  auto motifs = std::make_unique<motif_set>(std::vector{weft::parse_motif("C-x(0,1)-A")});
  const match_vector want = {{0, 0, 3, 5}};
  for (int round = 0; round < 3; ++round)
    std::jthread([&] { EXPECT_EQ(weft::scan(*motifs, batch, with({})), want); });
  std::jthread([&] { motifs.reset(); });
}

TEST_P(gpu_scan, can_be_cancelled) {
  const weft_test::batch texts = some_texts();
  weft::task_monitor monitor;
  monitor.cancel();
  EXPECT_THROW(
      (void)weft::scan(some_motifs(), {texts.residues, texts.offsets}, with({.run = {.monitor = &monitor}})),
      weft::cancelled_error);
}

TEST_P(gpu_scan, many_motifs) {
  std::mt19937_64 random(73);
  std::vector<weft::motif> some;
  for (int i = 0; i < 20'000; ++i) some.push_back(weft::parse_motif(weft_test::random_pattern(random)));
  const motif_set motifs(some);
  weft_test::batch texts;
  for (int i = 0; i < 100; ++i) texts.add(weft_test::random_sequence(random, random() % 60, "ACDNEFGHIK"));
  const weft::sequences_view batch{texts.residues, texts.offsets};
  for (const scan_options& options : weft_test::scan_rules)
    ASSERT_TRUE(weft::scan(motifs, batch, with(options)) == weft::scan(motifs, batch, options));
}

} // namespace
