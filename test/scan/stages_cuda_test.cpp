// Checks scans in stages, from host memory to host memory, against weft::scan on the CPU: the matches and
// their order are the same, however the batch is cut.
#include "engine_suite.hpp"
#include "scan_gpu_cases.hpp"

#include <atomic>
#include <thread>
#include <weft/base/error.hpp>
#include <weft/scan/core/pieces.hpp>
#include <weft/scan/cuda/host_scan.hpp>

namespace {

using weft::match_rule;
using weft::match_vector;
using weft::motif_set;
using weft::scan_match;
using weft::scan_options;
using weft::strand_choice;
using weft_test::batch;

using weft_test::difference;
using weft_test::motifs_of;
using weft_test::on_cpu;

class gpu_scan_stages : public weft_test::gpu_suite {};

std::optional<match_vector> in_stages(const motif_set& motifs, const batch& texts, scan_options options,
                                      std::uint64_t preferred) {
  options.run.device = {weft::device_kind::gpu, weft::known_gpus().devices.front().index};
  const auto make = weft::scan_detail::engine_for(motifs.data(), options).searcher_maker();
  const auto which = weft::scan_detail::edge_of(options.rule);
  return weft::scan_detail::staged_scan(motifs.data(), {options.run.device.index, make, which}, texts.view(),
                                        options, preferred);
}

void check(const motif_set& motifs, const batch& texts, scan_options options,
           const std::vector<std::uint64_t>& preferred) {
  const match_vector want = weft::scan(motifs, texts.view(), on_cpu(options));
  for (const std::uint64_t residues : preferred)
    for (const int threads : {1, 4}) { // one piece after another, or in stages
      options.run.threads = threads;
      const auto have = in_stages(motifs, texts, options, residues);
      ASSERT_TRUE(have.has_value()) << residues;
      ASSERT_TRUE(std::is_sorted(have->begin(), have->end())) << residues;
      ASSERT_EQ(difference(motifs, want, *have), "")
          << "rule " << static_cast<int>(options.rule) << ", strands " << static_cast<int>(options.strands)
          << ", pieces of " << residues << ", " << threads << " threads";
    }
}

void check_rules(const motif_set& motifs, const batch& texts, const std::vector<std::uint64_t>& preferred) {
  for (const scan_options& options : weft_test::every_scan_rule)
    ASSERT_NO_FATAL_FAILURE(check(motifs, texts, options, preferred));
}

TEST_F(gpu_scan_stages, small_texts) {
  check_rules(motifs_of(weft_test::small_patterns), weft_test::all_small_texts(), {20, 300, 1 << 24});
}

// On GPUs of the Hopper architecture, the scan takes the plan that was prepared; on others, it makes its own.
TEST_F(gpu_scan_stages, prepared_motifs_find_the_same) {
  std::mt19937_64 random(104);
  const batch texts = weft_test::random_texts(random, 300, 80, "ACDNEX");
  for (const scan_options& options : weft_test::every_scan_rule)
    for (const match_rule prepared_for : {match_rule::starts, match_rule::ends}) {
      const motif_set motifs = weft_test::random_motifs(random, 100);
      scan_options other = options;
      other.rule = prepared_for;
      weft::scan_detail::prepare_gpu_scan(motifs, other);
      ASSERT_NO_FATAL_FAILURE(check(motifs, texts, options, {1 << 24}));
      EXPECT_EQ(motifs.data().gpu_searchers->take_plan(), nullptr); // not kept any longer
    }
}

TEST_F(gpu_scan_stages, random_motifs_and_texts) {
  std::mt19937_64 random(101);
  for (int round = 0; round < 8; ++round) {
    const weft::motif_set motifs = weft_test::motifs_of_round(random, round, 40);
    const batch texts =
        weft_test::random_texts(random, 300, round % 3 == 0 ? 400 : 60, weft_test::letters_of_round(round));
    ASSERT_NO_FATAL_FAILURE(check_rules(motifs, texts, {texts.residues.size() / 15, 1 << 24}));
  }
}

TEST_F(gpu_scan_stages, every_engine) {
  std::mt19937_64 random(102);
  const motif_set motifs = weft_test::random_motifs(random, 100);
  const batch texts = weft_test::random_texts(random, 300, 80, "ACDNEX");
  for (const weft::engine_info& engine : weft::scan_engines())
    for (scan_options options : weft_test::every_scan_rule) {
      options.run.engine = engine.name;
      ASSERT_NO_FATAL_FAILURE(check(motifs, texts, options, {1500}));
    }
}

// Checks empty sequences where pieces end, at the ends of the batch, and beside sequences longer than a
// piece.
TEST_F(gpu_scan_stages, empty_and_long_sequences) {
  const motif_set motifs = motifs_of(weft_test::small_patterns);
  std::mt19937_64 random(103);
  batch texts;
  for (const std::size_t size :
       {0U, 0U, 64U, 0U, 64U, 0U, 0U, 5'000U, 0U, 63U, 1U, 0U, 64U, 1U, 65U, 0U, 3'000U, 4'000U, 0U, 0U})
    texts.add(weft_test::random_sequence(random, size, "AC"));
  check_rules(motifs, texts, {1, 64, 65, 1000});
}

TEST_F(gpu_scan_stages, one_sequence_and_none) {
  const motif_set motifs = motifs_of(weft_test::small_patterns);
  batch texts;
  texts.add("ACCAACACCCA");
  check_rules(motifs, texts, {1, 11, 1 << 24});
  const weft::device_choice gpu{weft::device_kind::gpu, weft::known_gpus().devices.front().index};
  EXPECT_TRUE(weft::scan(motifs, weft::sequences_view(), {.run = {.device = gpu}}).empty());
  const std::vector<std::uint64_t> empty(5);
  EXPECT_TRUE(weft::scan(motifs, {"", empty}, {.run = {.device = gpu}}).empty());
}

TEST_F(gpu_scan_stages, both_strands) {
  std::mt19937_64 random(104);
  const motif_set motifs = weft_test::dna_motifs();
  const batch texts = weft_test::random_texts(random, 200, 100, "ACGTacgtNRYU-");
  for (const auto strands : {strand_choice::forward, strand_choice::reverse, strand_choice::both})
    for (scan_options options : weft_test::every_scan_rule) {
      options.strands = strands;
      weft::task_monitor monitor;
      options.run.monitor = &monitor;
      const auto have = in_stages(motifs, texts, options, 700);
      const std::uint64_t done = strands == strand_choice::both ? 2 : 1;
      EXPECT_EQ(monitor.done(), done * texts.residues.size());
      options.run.monitor = nullptr;
      ASSERT_NO_FATAL_FAILURE(check(motifs, texts, options, {700, 1 << 24}));
    }
}

// Checks texts and matches that are copied through page-locked buffers, and a first piece from which the
// number of matches cannot be predicted.
TEST_F(gpu_scan_stages, large_pieces) {
  const motif_set motifs = motifs_of({"A", "A-C-x(0,3)-D", "<C", "N-N>"});
  std::mt19937_64 random(105);
  batch texts;
  for (int i = 0; i < 500; ++i) texts.add(std::string(10'000, 'E'));
  for (int i = 0; i < 1000; ++i)
    texts.add(weft_test::random_sequence(random, 3'000 + random() % 15'000, i % 100 == 0 ? "A" : "ACDNEFG"));
  for (const scan_options& options : {scan_options{}, scan_options{.rule = match_rule::ends}})
    ASSERT_NO_FATAL_FAILURE(check(motifs, texts, options, {5'000'000, 1 << 24}));
}

// Checks that, if a quarter of 64 MB is too little for the matches, the scan in stages reports that it did
// nothing, and scan() finds the matches.
TEST_F(gpu_scan_stages, too_many_matches) {
  const motif_set motifs = motifs_of({"Q-x(0,20)-Q-x(0,20)-Q-x(0,20)-A", "x(0,20)-A", "Q", "Q(9)"});
  batch texts;
  for (int i = 0; i < 600; ++i) texts.add(std::string(1000, 'E')); // a piece that succeeds
  for (int i = 0; i < 900; ++i) texts.add(std::string(999, 'Q') + "A");
  for (scan_options options : {scan_options{}, scan_options{.rule = match_rule::ends}}) {
    weft::task_monitor monitor;
    options.run.threads = 4;
    options.run.monitor = &monitor;
    options.run.device_memory = 64'000'000;
    EXPECT_FALSE(in_stages(motifs, texts, options, 600'000).has_value());
    EXPECT_EQ(monitor.done(), 0U);
    options.run.device = {weft::device_kind::gpu, weft::known_gpus().devices.front().index};
    const auto have = weft::scan(motifs, texts.view(), options);
    EXPECT_EQ(monitor.done(), texts.residues.size());
    options.run.monitor = nullptr;
    EXPECT_EQ(difference(motifs, weft::scan(motifs, texts.view(), on_cpu(options)), have), "");
  }
}

TEST_F(gpu_scan_stages, too_little_memory_for_a_sequence) {
  const motif_set motifs = motifs_of({"A-C"});
  batch texts;
  texts.add("AC");
  texts.add(std::string(5'000'000, 'C'));
  EXPECT_TRUE(in_stages(motifs, texts, {}, 1000).has_value());
  EXPECT_FALSE(in_stages(motifs, texts, {.run = {.device_memory = 64'000'000}}, 1000).has_value());
  EXPECT_FALSE(in_stages(motifs, texts, {.run = {.device_memory = 1}}, 1000).has_value());
}

TEST_F(gpu_scan_stages, can_be_cancelled) {
  const motif_set motifs = motifs_of({"A-C", "C(2,3)-A"});
  std::mt19937_64 random(106);
  batch texts;
  for (int i = 0; i < 3000; ++i) texts.add(weft_test::random_sequence(random, 50, "ACD"));
  for (const int threads : {1, 4}) {
    weft::task_monitor before, during;
    before.cancel();
    EXPECT_THROW((void)in_stages(motifs, texts, {.run = {.threads = threads, .monitor = &before}}, 50),
                 weft::cancelled_error);
    EXPECT_EQ(before.done(), 0U);
    std::atomic<bool> over{false};
    const std::jthread canceller([&] {
      while (during.done() == 0 && !over) std::this_thread::yield();
      during.cancel();
    });
    EXPECT_THROW((void)in_stages(motifs, texts, {.run = {.threads = threads, .monitor = &during}}, 50),
                 weft::cancelled_error);
    over = true;
    EXPECT_LT(during.done(), texts.residues.size());
    ASSERT_NO_FATAL_FAILURE(check(motifs, texts, {}, {20'000})); // no state is left behind
  }
}

TEST_F(gpu_scan_stages, threads_share_motifs) {
  std::mt19937_64 random(107);
  const motif_set motifs = weft_test::random_motifs(random, 60);
  const batch texts = weft_test::random_texts(random, 1000, 100, "ACDNX");
  const match_vector starts = weft::scan(motifs, texts.view(), on_cpu({})),
                     ends = weft::scan(motifs, texts.view(), on_cpu({.rule = match_rule::ends}));
  std::vector<std::jthread> team;
  for (int member = 0; member < 4; ++member)
    team.emplace_back([&, member] {
      for (int round = 0; round < 4; ++round) {
        const bool of_starts = (member / 2 + round) % 2 == 0;
        const scan_options options{.rule = of_starts ? match_rule::ps_scan : match_rule::ends,
                                   .run = {.threads = 3}};
        EXPECT_TRUE(in_stages(motifs, texts, options, 5'000) == (of_starts ? starts : ends));
      }
    });
}

} // namespace
