// Checks every engine against the plain definition in test/reference/scan_reference.hpp, under every rule.
#include "engine_suite.hpp"

#include <atomic>
#include <set>
#include <test/reference/scan_reference.hpp>
#include <thread>
#include <weft/base/error.hpp>
#include <weft/scan/engines.hpp>
#include <weft/scan/scan.hpp>

namespace {

using weft::match_rule;
using weft::match_vector;
using weft::scan_match;
using weft::scan_options;

// Returns all matches by the definition, in the order of scan().
match_vector expected(const weft::motif_set& motifs, const weft_test::batch& texts,
                      const scan_options& options) {
  match_vector matches;
  for (std::uint32_t s = 0; s + 1 < texts.offsets.size(); ++s) {
    const std::string_view text =
        std::string_view(texts.residues).substr(texts.offsets[s], texts.offsets[s + 1] - texts.offsets[s]);
    for (std::uint32_t k = 0; k < motifs.motifs().size(); ++k) {
      for (const auto& [begin, end] : weft_test::reference_matches(motifs.motifs()[k], text, options))
        matches.push_back({s, k, begin, end});
    }
  }
  std::sort(matches.begin(), matches.end());
  return matches;
}

class scan_engine : public weft_test::engine_suite {
protected:
  static void check(const weft::motif_set& motifs, const weft_test::batch& texts,
                    const scan_options& options) {
    const auto want = expected(motifs, texts, options),
               have = weft::scan(motifs, {texts.residues, texts.offsets}, GetParam().with(options));
    ASSERT_EQ(weft_test::difference(motifs, want, have), "") << "in " << texts.residues.substr(0, 300);
  }
};
INSTANTIATE_TEST_SUITE_P(engines, scan_engine,
                         testing::ValuesIn(weft_test::engines_on(weft::device_kind::cpu)),
                         weft_test::name_of_engine);
INSTANTIATE_TEST_SUITE_P(gpu_engines, scan_engine,
                         testing::ValuesIn(weft_test::engines_on(weft::device_kind::gpu)),
                         weft_test::name_of_engine);

const scan_options variants[] = {{},
                                 {.overlap = false},
                                 {.included = true},
                                 {.max_x = 1},
                                 {.max_x = -1},
                                 {.overlap = false, .max_x = 2},
                                 {.rule = match_rule::starts},
                                 {.rule = match_rule::ends}};

TEST_P(scan_engine, exhaustive_small_texts) {
  std::vector<weft::motif> motifs;
  for (const std::string& pattern : weft_test::small_patterns) motifs.push_back(weft::parse_motif(pattern));
  const weft_test::batch texts = weft_test::all_small_texts();
  for (const scan_options& options : weft_test::every_scan_rule)
    check(weft::motif_set(motifs), texts, options);
}

// X is either a letter of its own, or accepted by every element.
TEST_P(scan_engine, exhaustive_anchors_in_sets) {
  const weft_test::batch texts = weft_test::all_texts("AGX", 4);
  for (const bool known : {true, false}) {
    const weft::motif_syntax syntax{.greedy = known, .unknown_in_sets = !known};
    std::vector<weft::motif> motifs;
    for (const std::string& pattern : weft_test::patterns_with_anchors_in_sets())
      motifs.push_back(weft::parse_motif(pattern, syntax));
    const weft::motif_set set(motifs, syntax);
    for (const scan_options& options : weft_test::every_scan_rule) check(set, texts, options);
  }
}

TEST_P(scan_engine, ends_of_sets_that_may_be_an_end_of_the_sequence) {
  const weft::motif_set motifs = weft_test::motifs_of({"[A<]-x", "x-[N>]", "[A<]-x-[N>]"});
  const std::vector<std::uint64_t> offsets = {0, 3};
  const match_vector want = {{0, 0, 0, 1}, {0, 0, 0, 2}, {0, 0, 1, 3}, {0, 1, 2, 3}, {0, 2, 1, 3}};
  EXPECT_EQ(weft::scan(motifs, {"AAN", offsets}, with({.rule = match_rule::ends})), want);
}

TEST_P(scan_engine, random_motifs_and_sequences) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 60; ++round) {
    const weft::motif_set motifs = weft_test::motifs_of_round(random, round, 12);
    weft_test::batch texts;
    for (int i = 0; i < 20; ++i)
      texts.add(weft_test::random_sequence(random, random() % 40, weft_test::letters_of_round(round)));
    for (const scan_options& options : variants) check(motifs, texts, options);
  }
}

TEST_P(scan_engine, long_motifs_and_gaps) {
  std::mt19937_64 random(5);
  std::vector<weft::motif> motifs;
  for (const char* pattern : {"A-x(60,70)-C", "A-x(105)-C", "A(64)", "C-x(0,130)-D>", "A-x(63)-C-x(64,66)-A",
                              "D-x(127)-C", "<x(100,200)-A-C", "A-x*-D-x*-C"})
    motifs.push_back(weft::parse_motif(pattern));
  weft_test::batch texts;
  for (int i = 0; i < 30; ++i)
    texts.add(weft_test::random_sequence(random, random() % 400, i % 3 == 0 ? "A" : "AAAAACD"));
  for (const scan_options& options : {variants[0], variants[1], variants[6], variants[7]})
    check(weft::motif_set(motifs), texts, options);
}

// These rows are about the longest that fit in the set of positions of one GPU thread.
TEST_P(scan_engine, rows_of_a_thousand_residues) {
  std::mt19937_64 random(6);
  std::vector<weft::motif> motifs;
  for (const char* pattern :
       {"A-x(0,1020)-C", "A-x(0,1021)-C", "A-x(0,1022)-C", "x(0,3)-A-x(0,1018)-C", "A-x(2,900)-C-D(0,121)",
        "A-x(2,900)-C-D(0,120)-A>", "A-x(500,700)-C-x(1,322)-D>", "A-x(500,700)-C-x(1,321)-D"})
    motifs.push_back(weft::parse_motif(pattern));
  weft_test::batch texts;
  for (const std::size_t size : {1021U, 1022U, 1023U, 1024U, 1025U, 5000U}) {
    texts.add(weft_test::random_sequence(random, size,
                                         "EEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEACD"));
    std::string ends(size, 'E');
    ends.front() = 'A';
    ends.back() = 'C';
    texts.add(ends);
  }
  std::vector<scan_options> rules = {variants[0], variants[7]}; // the rules for starts and for ends
  // On a GPU, nfa-array takes 6 s per rule for 9,000 residues (a block and the residues before it) and 1,024
  // positions.
  if (!is_nfa_array() || GetParam().device == weft::device_kind::cpu)
    rules.insert(rules.end(), {variants[1], variants[6]});
  for (const scan_options& options : rules) check(weft::motif_set(motifs), texts, options);
}

// Checks motifs with several gaps over one letter, which take exponential time in a matcher without memory.
TEST_P(scan_engine, poly_q) {
  std::vector<weft::motif> motifs;
  motifs.push_back(weft::parse_motif("Q-x(0,20)-Q-x(0,20)-Q-x(0,20)-Q-x(0,20)-Q-x(0,20)-Q-x(0,20)-A"));
  motifs.push_back(weft::parse_motif("x(0,20)-A"));
  motifs.push_back(weft::parse_motif("Q*-x(0,9)-Q*-x(0,9)-Q*-C"));
  weft_test::batch texts;
  texts.add(std::string(3000, 'Q'));
  texts.add(std::string(300, 'Q') + "A" + std::string(300, 'Q'));
  const auto matches =
      weft::scan(weft::motif_set(motifs), {texts.residues, texts.offsets}, GetParam().with({}));
  ASSERT_EQ(matches.size(), 2U);
  EXPECT_EQ(matches[0], (scan_match{1, 0, 174, 301}));
  EXPECT_EQ(matches[1], (scan_match{1, 1, 280, 301}));
}

// Checks that the matches do not depend on the number of threads or on where ranges and blocks are cut, also
// within one long sequence.
TEST_P(scan_engine, threads_and_cuts) {
  std::mt19937_64 random(3);
  std::vector<weft::motif> motifs;
  for (const char* pattern :
       {"A-C-D-x(0,30)-N>", "A-C-D-x(1,9)-N-A", "N-x(3,200)-C-C-C-A", "<A-x(2)", "A-A-[D>]", "C(3,9)"})
    motifs.push_back(weft::parse_motif(pattern));
  weft_test::batch texts;
  for (const std::size_t size : {0U, 1U, 300'000U, 10U, 70'000U, 65'536U, 20U, 0U})
    texts.add(weft_test::random_sequence(random, size, "AACCDN"));
  for (scan_options options : {variants[0], variants[1], variants[6], variants[7]}) {
    options.run.engine = "nfa-array";
    options.run.device = {weft::device_kind::cpu, 0};
    options.run.threads = 1;
    const auto want = weft::scan(weft::motif_set(motifs), {texts.residues, texts.offsets}, options);
    EXPECT_GT(want.size(), 100U);
    options = GetParam().with(options);
    for (const int threads : {1, 2, 5}) {
      options.run.threads = threads;
      EXPECT_EQ(weft::scan(weft::motif_set(motifs), {texts.residues, texts.offsets}, options), want)
          << threads;
    }
  }
}

TEST_P(scan_engine, many_short_sequences_are_as_one_by_one) {
  std::mt19937_64 random(9);
  std::vector<weft::motif> motifs;
  for (int i = 0; i < 30; ++i) motifs.push_back(weft::parse_motif(weft_test::random_pattern(random)));
  weft_test::batch texts;
  for (int i = 0; i < 3000; ++i) texts.add(weft_test::random_sequence(random, random() % 41, "ACDNE"));
  check(weft::motif_set(motifs), texts, {});
}

TEST_P(scan_engine, both_strands) {
  const weft::motif_syntax syntax{.alphabet = weft::alphabet::dna};
  const weft::motif_set motifs(
      {weft::parse_motif("G-A-A-T-T-C", syntax), weft::parse_motif("A-R-x(0,2)-C>", syntax)}, syntax);
  weft_test::batch texts;
  texts.add("ccGAATTCaagc");
  texts.add("GTTTA");
  texts.add("NAGNC");
  const scan_options options = GetParam().with({.strands = weft::strand_choice::both});
  const match_vector want = {{0, 0, 2, 8},
                             {0, 0, 2, 8, weft::strand::reverse},
                             {0, 1, 8, 12},
                             {1, 1, 0, 4, weft::strand::reverse},
                             {2, 1, 1, 5}};
  EXPECT_EQ(weft::scan(motifs, {texts.residues, texts.offsets}, options), want);
}

TEST_P(scan_engine, nothing_to_scan) {
  const weft::motif_set motifs({weft::parse_motif("A")});
  const scan_options options = GetParam().with({});
  const std::vector<std::uint64_t> offsets = {0, 0, 0};
  EXPECT_TRUE(weft::scan(motifs, weft::sequences_view(), options).empty());
  EXPECT_TRUE(weft::scan(motifs, "", options).empty());
  EXPECT_TRUE(weft::scan(motifs, {"", offsets}, options).empty());
  EXPECT_TRUE(weft::scan(weft::motif_set(), weft::sequences_view(), options).empty());
}

TEST(scan, no_motifs_and_no_options) {
  EXPECT_TRUE(weft::scan(weft::motif_set(), "ACA").empty());
  EXPECT_TRUE(weft::scan_count(weft::motif_set(), "ACA").empty());
}

TEST_P(scan_engine, no_motifs) {
  const scan_options options = GetParam().with({});
  EXPECT_TRUE(weft::scan(weft::motif_set(), "ACA", options).empty());
  EXPECT_TRUE(weft::scan_count(weft::motif_set(), "ACA", options).empty());
}

TEST_P(scan_engine, counts) {
  const weft::motif_set motifs({weft::parse_motif("A"), weft::parse_motif("C"), weft::parse_motif("W")});
  const std::vector<std::uint64_t> offsets = {0, 2, 5};
  EXPECT_EQ(weft::scan_count(motifs, {"ACAAC", offsets}, with({})), (std::vector<std::uint64_t>{3, 2, 0}));
  EXPECT_EQ(weft::scan_count(motifs, "ACAAC", with({})), (std::vector<std::uint64_t>{3, 2, 0}));
}

TEST_P(scan_engine, one_sequence) {
  const weft::motif_set motifs = weft_test::motifs_of({"A-C", "C>"});
  EXPECT_EQ(weft::scan(motifs, "ACAAC", with({})), (match_vector{{0, 0, 0, 2}, {0, 0, 3, 5}, {0, 1, 4, 5}}));
}

TEST_P(scan_engine, reports_how_it_ran) {
  weft::run_info info;
  scan_options options = GetParam().with({});
  options.run.info = &info;
  const std::vector<std::uint64_t> offsets = {0, 2};
  const weft::motif_set motifs({weft::parse_motif("A")});
  EXPECT_EQ(weft::scan_count(motifs, {"AC", offsets}, options), std::vector<std::uint64_t>{1});
  EXPECT_EQ(info.engine, GetParam().engine);
  EXPECT_EQ(info.on_gpu(), GetParam().device == weft::device_kind::gpu);
  EXPECT_EQ(info.work, 2U);
  EXPECT_EQ(info.work_unit, "residues");
  (void)weft::scan(motifs, weft::sequences_view(), options);
  EXPECT_FALSE(info.on_gpu());
  EXPECT_EQ(info.work, 0U);
  options.run.device = {};
  (void)weft::scan(motifs, {"AC", offsets}, options); // too little work for a GPU
  EXPECT_FALSE(info.on_gpu());
  EXPECT_EQ(info.engine, GetParam().engine);
}

// Returns whether a scan of `residues` residues runs on a GPU.
bool takes_gpu(const weft::motif_set& motifs, std::uint64_t residues, const scan_options& options) {
  const weft::sequences_view none;
  const weft::scan_detail::scan_problem problem{motifs.data(), none, options, residues};
  const auto& chosen = weft::scan_detail::scan_engine_list().choose(problem, options.run);
  EXPECT_EQ(chosen.name(), options.run.engine == "auto" ? "bit-stream" : options.run.engine);
  return chosen.on_gpu();
}

TEST(scan, takes_a_gpu_for_much_work_alone) {
  const weft::motif_set motifs(std::vector<weft::motif>(1000, weft::parse_motif("A")));
  const bool has_gpu = !weft::known_gpus().devices.empty();
  for (const char* engine : {"auto", "shift-and", "nfa-array"}) {
    const scan_options options{.run = {.engine = engine, .threads = 16}};
    EXPECT_FALSE(takes_gpu(motifs, 390'000'000, options));
    EXPECT_EQ(takes_gpu(motifs, 410'000'000, options), has_gpu);
  }
  const scan_options both{.strands = weft::strand_choice::both, .run = {.threads = 16}};
  EXPECT_FALSE(takes_gpu(motifs, 195'000'000, both));
  EXPECT_EQ(takes_gpu(motifs, 205'000'000, both), has_gpu);
  EXPECT_FALSE(takes_gpu(motifs, 1'000'000'000'000, {.run = {.device = {weft::device_kind::cpu, 0}}}));
}

TEST(scan, faults) {
  const weft::motif_set motifs({weft::parse_motif("A")});
  const std::vector<std::uint64_t> wrong = {0, 3}, right = {0, 2};
  EXPECT_THROW((void)weft::scan(motifs, {"AC", wrong}), std::invalid_argument);
  EXPECT_THROW((void)weft::scan(motifs, {"AC", right}, {.run = {.engine = "none"}}), weft::error);
  EXPECT_THROW((void)weft::scan(motifs, {"AC", right}, {.strands = weft::strand_choice::both}), weft::error);
  EXPECT_THROW(weft::check_scan_options({.run = {.engine = "none"}}), weft::error);
  const scan_options no_gpu{.run = {.device = {weft::device_kind::gpu, 99}}};
  EXPECT_THROW((void)weft::scan(motifs, {"AC", right}, no_gpu), weft::unavailable_error);
  EXPECT_THROW(weft::check_scan_options(no_gpu), weft::unavailable_error);
  EXPECT_THROW((void)takes_gpu(motifs, 2, no_gpu), weft::unavailable_error);
  weft::task_monitor monitor;
  monitor.cancel();
  EXPECT_THROW((void)weft::scan(motifs, {"AC", right}, {.run = {.monitor = &monitor}}),
               weft::cancelled_error);
}

} // namespace
