// Compares engines with each other and with edlib on real sequences; tests memory limits, cancellation and
// progress.
#include <chrono>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <test/lcs/lcs_cases.hpp>
#include <test/reference/lcs_reference.hpp>
#include <test_paths.hpp>
#include <thread>
#include <weft/base/error.hpp>
#include <weft/lcs/lcs.hpp>
#if defined(WEFT_TEST_EDLIB)
#include <edlib.h>
#endif

namespace {

using weft::edit_op;
using weft::lcs_metric;
using weft_test::random_text;
using weft_test::with;

constexpr lcs_metric all_metrics[] = {lcs_metric::lcs, lcs_metric::indel, lcs_metric::edit};

// Returns the residues of a FASTA file of the examples' data; empty if the file does not exist.
std::string residues(const std::string& name) {
  std::ifstream file(std::string(WEFT_EXAMPLE_DATA) + "/" + name);
  std::string text, line;
  while (std::getline(file, line))
    if (!line.starts_with('>')) text += line;
  return text;
}

// Returns the text with each symbol replaced, dropped or doubled with a probability of 1 / `each`.
std::string mutate(std::mt19937_64& random, const std::string& text, unsigned each, unsigned sigma) {
  return weft_test::mutate(random, text, each, [&] { return static_cast<char>('a' + random() % sigma); });
}

// Checks that the path leads from (0, 0) to (m, n), matches equal symbols and substitutes unequal ones.
void expect_valid(const weft::edit_script& path, const std::string& a, const std::string& b) {
  std::size_t i = 0, j = 0;
  for (const weft::edit_run& run : path.runs) {
    const bool diagonal = run.op == edit_op::match || run.op == edit_op::substitute;
    for (std::uint64_t t = 0; diagonal && t < run.length; ++t)
      ASSERT_EQ(a.at(i + t) == b.at(j + t), run.op == edit_op::match);
    if (run.op != edit_op::insert) i += run.length;
    if (run.op != edit_op::remove) j += run.length;
  }
  ASSERT_EQ(i, a.size());
  ASSERT_EQ(j, b.size());
}

class lcs_large_suite : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    if (const std::string reason = weft_test::reason_to_skip(GetParam()); !reason.empty())
      GTEST_SKIP() << reason;
  }
  static weft::lcs_options options(lcs_metric metric) { return with(GetParam(), metric); }

  // Checks that the engine returns the path and the value of bit-parallel, and that the path is valid and
  // costs the value.
  static void expect_agreement(const std::string& a, const std::string& b) {
    for (const lcs_metric metric : weft_test::metrics_of(GetParam())) {
      const weft::edit_script path = weft::lcs(a, b, options(metric));
      ASSERT_NO_FATAL_FAILURE(expect_valid(path, a, b));
      const std::uint64_t distance = path.insertions + path.deletions + path.substitutions;
      const std::uint64_t value = metric == lcs_metric::lcs ? path.matches : distance;
      EXPECT_EQ(weft::lcs_value(a, b, options(metric)), value);
      EXPECT_EQ(weft::lcs_value(b, a, options(metric)), value);
      EXPECT_EQ(weft::lcs(a, b, with("bit-parallel", metric)).runs, path.runs);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(engines, lcs_large_suite, testing::ValuesIn(weft_test::cpu_engines),
                         weft_test::engine_name);
INSTANTIATE_TEST_SUITE_P(gpu_engines, lcs_large_suite, testing::ValuesIn(weft_test::gpu_engines),
                         weft_test::engine_name);

TEST_P(lcs_large_suite, mitochondria) {
  const std::string a = residues("mt_human.fa"), b = residues("mt_orang.fa");
  if (a.empty() || b.empty()) GTEST_SKIP() << "no mt_human.fa and mt_orang.fa in " << WEFT_EXAMPLE_DATA;
  expect_agreement(a.substr(0, 9000), b.substr(0, 9000));
  expect_agreement(a.substr(0, 5000), b.substr(8000, 6000));
}

TEST_P(lcs_large_suite, coronaviruses) {
  const std::string a = residues("sarscov2_WuhanHu1.fa"), b = residues("sarscov2_21L_BA2.fa");
  if (a.empty() || b.empty()) GTEST_SKIP() << "no sarscov2 genomes in " << WEFT_EXAMPLE_DATA;
  expect_agreement(a.substr(20000), b.substr(20000));
}

TEST_P(lcs_large_suite, random_texts) {
  std::mt19937_64 random(7);
  for (const unsigned sigma : {2U, 4U, 20U}) {
    const std::string a = random_text(random, 3000 + random() % 1000, sigma);
    expect_agreement(a, random_text(random, 3000 + random() % 1000, sigma));
    expect_agreement(a, mutate(random, a, 30, sigma));
    expect_agreement(a, a.substr(0, 1000) + random_text(random, 500, sigma) + a.substr(1200));
    expect_agreement(a + a, a);
    expect_agreement(a, a + a);
  }
}

TEST_P(lcs_large_suite, all_bytes_occur) {
  std::mt19937_64 random(8);
  std::string a, b;
  for (int i = 0; i < 3000; ++i) a += static_cast<char>(random()), b += static_cast<char>(random());
  expect_agreement(a, b);
}

// Compares numbers with more distinct symbols than a byte has values. Some occur in one text only, and they
// are far apart, so that codes are needed.
TEST_P(lcs_large_suite, many_symbols) {
  std::mt19937_64 random(9);
  for (const std::uint32_t spread : {1U, 1000003U}) {
    std::vector<std::uint32_t> a(2500), b;
    for (std::uint32_t& symbol : a) symbol = static_cast<std::uint32_t>(random() % 2000) * spread;
    for (const std::uint32_t symbol : a) {
      if (random() % 3 != 0) b.push_back(symbol);
      if (random() % 4 == 0) b.push_back(static_cast<std::uint32_t>(random() % 3000) * spread + 1);
    }
    for (const lcs_metric metric : weft_test::metrics_of(GetParam())) {
      if (weft_test::on_gpu(GetParam())) {
        EXPECT_THROW((void)weft::lcs(a, b, options(metric)), weft::error);
        continue;
      }
      const auto expected =
          weft_test::lcs_walk(std::span<const std::uint32_t>(a), std::span<const std::uint32_t>(b), metric);
      std::vector<edit_op> ops;
      for (const weft::edit_run& run : weft::lcs(a, b, options(metric)).runs)
        ops.insert(ops.end(), run.length, run.op);
      EXPECT_EQ(ops, expected);
    }
  }
}

// Checks a case that must take linear time: files of 8 MB that are equal except for three changes.
TEST(lcs_large, nearly_equal_files) {
  std::mt19937_64 random(10);
  const std::string a = random_text(random, 8 << 20, 4);
  std::string b = a;
  b[1 << 20] = 'X';
  b.erase(4 << 20, 3);
  b.insert(6 << 20, "XYZ");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(weft::lcs_value(a, b, with("auto", lcs_metric::edit)), 7U);
  EXPECT_EQ(weft::lcs_length(a, b), a.size() - 4);
  for (const lcs_metric metric : all_metrics) {
    const weft::edit_script path = weft::lcs(a, b, with("auto", metric));
    expect_valid(path, a, b);
    EXPECT_EQ(path.matches, a.size() - 4);
  }
  // the full table would take hours
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

// Checks texts that are subsequences of the other, and periodic texts, whose canonical path starts with
// deletions.
TEST(lcs_large, subsequences_and_periods) {
  const std::string a(300000, 'a');
  weft::edit_script path = weft::lcs(a, a.substr(7), with("auto", lcs_metric::lcs));
  EXPECT_EQ(path.runs, (std::vector<weft::edit_run>{{edit_op::remove, 7}, {edit_op::match, 299993}}));
  path = weft::lcs(a.substr(7), a, with("auto", lcs_metric::edit));
  EXPECT_EQ(path.runs, (std::vector<weft::edit_run>{{edit_op::match, 299993}, {edit_op::insert, 7}}));
}

TEST(lcs_large, prefix_that_the_path_must_not_keep) {
  std::mt19937_64 random(11);
  std::string period;
  while (period.size() < 1200) period += "abc";
  for (const lcs_metric metric : all_metrics)
    for (int round = 0; round < 20; ++round) {
      const std::string a = period + random_text(random, 300, 4);
      const std::string b = period.substr(3 * (random() % 40)) + random_text(random, 300, 4);
      EXPECT_EQ(weft::lcs(a, b, with("auto", metric)).runs,
                weft::lcs(a, b, with("bit-parallel", metric)).runs);
      EXPECT_EQ(weft::lcs(b, a, with("auto", metric)).runs,
                weft::lcs(b, a, with("bit-parallel", metric)).runs);
    }
}

TEST_P(lcs_large_suite, too_little_memory_is_said) {
  std::mt19937_64 random(12);
  const std::string a = random_text(random, 20000, 4), b = random_text(random, 20000, 4);
  weft::lcs_options little = options(lcs_metric::lcs);
  (weft_test::on_gpu(GetParam()) ? little.run.device_memory : little.run.memory) = 1000;
  if (std::string(GetParam()) == "auto") { // auto uses the linear-space path if it suffices for the runs
    weft::run_info used;
    little.run.info = &used;
    std::vector<weft::edit_run> found;
    for (; found.empty(); little.run.memory += little.run.memory / 16) try {
        found = weft::lcs(a, b, little).runs;
      } catch (const weft::memory_error&) {
      }
    EXPECT_EQ(used.engine, "bit-parallel");
    EXPECT_EQ(found, weft::lcs(a, b, options(lcs_metric::lcs)).runs);
    little.run.memory = 1000;
    little.run.info = nullptr;
  }
  try {
    (void)weft::lcs(a, b, little);
    ADD_FAILURE();
  } catch (const weft::memory_error& failure) {
    EXPECT_NE(std::string(failure.what()).find("needs"), std::string::npos) << failure.what();
  }
}

TEST_P(lcs_large_suite, cancelled_from_another_thread) {
  std::mt19937_64 random(13);
  const std::size_t n = weft_test::on_gpu(GetParam()) ? 16000000 : 2000000;
  const std::string a = random_text(random, n, 4), b = random_text(random, n, 4);
  // starts the GPU, so that it is ready
  (void)weft::lcs_length(a.substr(0, 5000), b.substr(0, 5000), options(lcs_metric::lcs));
  for (const bool path : {false, true}) {
    weft::task_monitor monitor;
    weft::lcs_options monitored = options(lcs_metric::lcs);
    monitored.run.monitor = &monitor;
    const auto start = std::chrono::steady_clock::now();
    std::jthread canceller([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(n / 40000));
      monitor.cancel();
    });
    EXPECT_THROW(path ? (void)weft::lcs(a, b, monitored) : (void)weft::lcs_length(a, b, monitored),
                 weft::cancelled_error);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  }
}

TEST_P(lcs_large_suite, progress_ends_at_the_total) {
  std::mt19937_64 random(14);
  const std::string a = random_text(random, 6000, 4), b = random_text(random, 5000, 4);
  weft::task_monitor monitor;
  weft::lcs_options monitored = options(lcs_metric::lcs);
  monitored.run.monitor = &monitor;
  (void)weft::lcs(a, b, monitored);
  if (weft_test::on_gpu(GetParam())) // tables are rounded up to strips, and wavefront computes cells again
    EXPECT_GE(monitor.total(), 6000ULL * 5000 >> 20);
  else if (std::string(GetParam()) == "hirschberg-dp" || std::string(GetParam()) == "bit-parallel")
    EXPECT_EQ(monitor.total(), 2 * (6000ULL * 5000 >> 20)); // the recursion computes each cell twice
  else
    EXPECT_EQ(monitor.total(), 6000ULL * 5000 >> 20);
  EXPECT_GE(monitor.done(), monitor.total());
}

#if defined(WEFT_TEST_EDLIB)
TEST_P(lcs_large_suite, edlib_agrees_on_distances) {
  if (!weft_test::has_metric(GetParam(), lcs_metric::edit)) GTEST_SKIP() << "has no metric edit";
  std::mt19937_64 random(15);
  for (int round = 0; round < 40; ++round) {
    const std::string a = random_text(random, random() % 3000, 4);
    const std::string b =
        round % 2 ? mutate(random, a, 2 + random() % 60, 4) : random_text(random, random() % 3000, 4);
    if (a.empty() || b.empty()) continue;
    const EdlibAlignResult theirs = edlibAlign(a.data(), static_cast<int>(a.size()), b.data(),
                                               static_cast<int>(b.size()), edlibDefaultAlignConfig());
    EXPECT_EQ(weft::lcs_value(a, b, options(lcs_metric::edit)),
              static_cast<std::uint64_t>(theirs.editDistance));
    edlibFreeAlignResult(theirs);
  }
}
#endif

} // namespace
