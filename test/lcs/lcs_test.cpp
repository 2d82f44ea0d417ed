// Checks every engine and metric against the reference, and against properties that every result has.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <test/lcs/lcs_cases.hpp>
#include <test/reference/lcs_reference.hpp>
#include <weft/base/error.hpp>
#include <weft/base/parallel.hpp>
#include <weft/lcs/lcs.hpp>

namespace {

using std::uint8_t;
using weft::edit_op;
using weft::lcs_metric;
using weft_test::random_text;

std::span<const char> symbols(const std::string& text) { return {text.data(), text.size()}; }

std::vector<edit_op> expand(const weft::edit_script& path) {
  std::vector<edit_op> ops;
  for (const weft::edit_run& run : path.runs) ops.insert(ops.end(), run.length, run.op);
  return ops;
}

std::string show(const std::vector<edit_op>& ops) {
  std::string text;
  for (const edit_op op : ops) text += static_cast<char>(op);
  return text;
}

std::uint64_t value_of(std::uint64_t distance, std::size_t m, std::size_t n, lcs_metric metric) {
  return metric == lcs_metric::lcs ? (m + n - distance) / 2 : distance;
}

// Returns the i-th string of length n over the first sigma letters.
std::string nth_string(std::size_t n, unsigned sigma, std::uint64_t i) {
  std::string text(n, 'a');
  for (char& c : text) {
    c = static_cast<char>('a' + i % sigma);
    i /= sigma;
  }
  return text;
}

std::uint64_t power(std::uint64_t base, std::size_t exponent) {
  return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

// Returns the text with about `edits` random changes.
std::string mutate(std::mt19937_64& random, std::string text, int edits, unsigned sigma) {
  for (int e = 0; e < edits; ++e) {
    const std::size_t at = text.empty() ? 0 : random() % text.size();
    const char c = static_cast<char>('a' + random() % sigma);
    switch (random() % 3) {
    case 0:
      text.insert(at, 1, c);
      break;
    case 1:
      if (!text.empty()) text.erase(at, 1 + random() % 3);
      break;
    default:
      if (!text.empty()) text[at] = c;
    }
  }
  return text;
}

class lcs_suite : public weft_test::engine_suite {
protected:
  // A call of a GPU engine takes as long as a thousand small tables.
  static bool gpu() { return weft_test::on_gpu(engine()); }
  static int rounds(int of_cpu) { return gpu() ? of_cpu / 3 : of_cpu; }

  // Checks that the path and the value equal those of the reference.
  void check(const std::string& a, const std::string& b, const weft::lcs_options& chosen) const {
    const auto rest = weft_test::lcs_table(symbols(a), symbols(b), metric());
    const std::vector<edit_op> expected = weft_test::lcs_walk(symbols(a), symbols(b), metric());
    const weft::edit_script path = weft::lcs(a, b, chosen);
    ASSERT_EQ(show(expand(path)), show(expected)) << "a = " << a << "\nb = " << b;
    ASSERT_EQ(weft::lcs_value(a, b, chosen), value_of(rest[0][0], a.size(), b.size(), metric())) << a << "\n"
                                                                                                 << b;
    for (std::size_t i = 1; i < path.runs.size(); ++i) ASSERT_NE(path.runs[i - 1].op, path.runs[i].op);
    ASSERT_EQ(path.matches + path.substitutions + path.deletions, a.size());
    ASSERT_EQ(path.matches + path.substitutions + path.insertions, b.size());
    ASSERT_EQ(path.insertions + path.deletions + path.substitutions, rest[0][0]);
  }
  void check(const std::string& a, const std::string& b) const { check(a, b, options()); }

  void check_all(unsigned sigma, std::size_t longest) const {
    for (std::size_t m = 0; m <= longest; ++m)
      for (std::size_t n = 0; n <= longest; ++n)
        for (std::uint64_t i = 0; i < power(sigma, m); ++i)
          for (std::uint64_t j = 0; j < power(sigma, n); ++j) {
            check(nth_string(m, sigma, i), nth_string(n, sigma, j));
            if (HasFatalFailure()) return;
          }
  }
};

TEST_P(lcs_suite, all_pairs_over_two_letters) { check_all(2, gpu() ? 6 : 8); }
TEST_P(lcs_suite, all_pairs_over_three_letters) { check_all(3, gpu() ? 3 : 5); }

TEST_P(lcs_suite, random_pairs) {
  std::mt19937_64 random(1);
  for (int round = 0; round < rounds(600); ++round) {
    const unsigned sigma = 1 + static_cast<unsigned>(random() % 20);
    const std::string a = random_text(random, random() % 200, sigma);
    const std::string b = random() % 2 ? random_text(random, random() % 200, sigma)
                                       : mutate(random, a, static_cast<int>(random() % 20), sigma);
    ASSERT_NO_FATAL_FAILURE(check(a, b));
  }
}

TEST_P(lcs_suite, lengths_around_words) {
  std::mt19937_64 random(2);
  const std::size_t lengths[] = {0, 1, 2, 63, 64, 65, 127, 128, 129, 511, 512, 513};
  for (const std::size_t m : lengths)
    for (const std::size_t n : lengths) {
      ASSERT_NO_FATAL_FAILURE(check(random_text(random, m, 2), random_text(random, n, 2)));
      ASSERT_NO_FATAL_FAILURE(check(random_text(random, m, 4), random_text(random, n, 5)));
      ASSERT_NO_FATAL_FAILURE(check(std::string(m, 'a'), std::string(n, 'a')));
      ASSERT_NO_FATAL_FAILURE(check(std::string(m, 'a'), std::string(n, 'b')));
    }
}

TEST_P(lcs_suite, periodic_and_lopsided) {
  std::mt19937_64 random(3);
  for (int round = 0; round < rounds(200); ++round) {
    const std::string unit = random_text(random, 1 + random() % 5, 2);
    std::string a, b;
    while (a.size() < 150U + static_cast<unsigned>(round)) a += unit;
    b = mutate(random, a, round % 5, 2);
    ASSERT_NO_FATAL_FAILURE(check(a, b));
    ASSERT_NO_FATAL_FAILURE(check(a, a.substr(random() % a.size())));
    ASSERT_NO_FATAL_FAILURE(check(a.substr(random() % a.size()), a));
    ASSERT_NO_FATAL_FAILURE(check(random_text(random, 3, 2), random_text(random, 1500, 3)));
    ASSERT_NO_FATAL_FAILURE(check(random_text(random, 1500, 3), random_text(random, 3, 2)));
  }
}

// Uses a shared prefix and suffix around a small difference, with symbols that only one text has.
TEST_P(lcs_suite, affixes_and_unshared_symbols) {
  std::mt19937_64 random(4);
  for (int round = 0; round < rounds(400); ++round) {
    const unsigned sigma = 1 + static_cast<unsigned>(random() % 3);
    std::string prefix = random_text(random, random() % 150, sigma);
    std::string suffix = random_text(random, random() % 150, sigma);
    if (round % 2) {
      const std::string unit = random_text(random, 1 + random() % 4, 2);
      for (char& c : prefix) c = unit[static_cast<std::size_t>(&c - prefix.data()) % unit.size()];
      for (char& c : suffix) c = unit[static_cast<std::size_t>(&c - suffix.data()) % unit.size()];
    }
    std::string a = prefix + random_text(random, random() % 12, sigma + 1) + suffix;
    std::string b = prefix + random_text(random, random() % 12, sigma + 1) + suffix;
    for (std::size_t e = random() % 6; e > 0; --e) {
      a.insert(random() % (a.size() + 1), 1, 'X');
      b.insert(random() % (b.size() + 1), 1, 'Y');
    }
    ASSERT_NO_FATAL_FAILURE(check(a, b));
  }
}

TEST_P(lcs_suite, threads_and_numbers_change_nothing) {
  std::mt19937_64 random(5);
  for (const std::size_t n : {100, 3000}) {
    const std::string a = random_text(random, n, 4), b = mutate(random, a, static_cast<int>(n / 3), 4);
    std::vector<std::uint32_t> wide_a, wide_b;
    for (const char c : a) wide_a.push_back(static_cast<std::uint32_t>(c) * 0x1234567U);
    for (const char c : b) wide_b.push_back(static_cast<std::uint32_t>(c) * 0x1234567U);
    weft::lcs_options chosen = options();
    const weft::edit_script path = weft::lcs(a, b, chosen);
    const std::uint64_t value = weft::lcs_value(a, b, chosen);
    for (const int threads : {1, 2, 3, 8}) {
      chosen.run.threads = threads;
      EXPECT_EQ(weft::lcs(a, b, chosen).runs, path.runs);
      EXPECT_EQ(weft::lcs_value(a, b, chosen), value);
      EXPECT_EQ(weft::lcs(wide_a, wide_b, chosen).runs, path.runs);
      EXPECT_EQ(weft::lcs_value(wide_a, wide_b, chosen), value);
    }
  }
}

const auto every_metric = testing::Values(lcs_metric::lcs, lcs_metric::indel, lcs_metric::edit);
INSTANTIATE_TEST_SUITE_P(engines, lcs_suite,
                         testing::Combine(testing::ValuesIn(weft_test::cpu_engines), every_metric),
                         weft_test::engine_and_metric_name);
INSTANTIATE_TEST_SUITE_P(gpu_engines, lcs_suite,
                         testing::Combine(testing::ValuesIn(weft_test::gpu_engines), every_metric),
                         weft_test::engine_and_metric_name);

// Returns whether this build has engines for GPUs; a build without CUDA has none.
bool has_gpu_engines() {
  const std::vector<weft::engine_info> engines = weft::lcs_engines();
  return std::any_of(engines.begin(), engines.end(),
                     [](const weft::engine_info& engine) { return engine.name == "systolic"; });
}

TEST(lcs, every_engine_is_tested) {
  std::vector<std::string> names = {"auto"}, tested = weft_test::cpu_engines;
  for (const weft::engine_info& engine : weft::lcs_engines()) names.push_back(engine.name);
  tested.insert(tested.end(), weft_test::affine_engines.begin() + 1, weft_test::affine_engines.end());
  if (has_gpu_engines()) {
    tested.insert(tested.end(), weft_test::gpu_engines.begin() + 1, weft_test::gpu_engines.end());
    tested.push_back("affine-batch"); // affine_batch_cuda_test.cpp
  }
  EXPECT_EQ(names, tested);
}

TEST(lcs_reference, known_results) {
  const std::string a = "ABCBDAB", b = "BDCABA";
  EXPECT_EQ(weft_test::lcs_table(symbols(a), symbols(b), lcs_metric::lcs)[0][0], 7U + 6 - 2 * 4);
  EXPECT_EQ(show(weft_test::lcs_walk(symbols(a), symbols(b), lcs_metric::lcs)), "DDD==I==I");
  const std::string kitten = "kitten", sitting = "sitting";
  EXPECT_EQ(weft_test::lcs_table(symbols(kitten), symbols(sitting), lcs_metric::edit)[0][0], 3U);
  EXPECT_EQ(show(weft_test::lcs_walk(symbols(kitten), symbols(sitting), lcs_metric::edit)), "X===X=I");
  EXPECT_EQ(show(weft_test::lcs_walk(symbols("aa"), symbols("a"), lcs_metric::lcs)), "D=");
}

TEST(lcs, length_and_subsequence) {
  const weft::edit_script path = weft::lcs("ABCBDAB", "BDCABA");
  EXPECT_EQ(path.matches, 4U);
  EXPECT_EQ(weft::common_subsequence(path, "ABCBDAB").size(), 4U);
  EXPECT_EQ(weft::lcs_length("ABCBDAB", "BDCABA"), 4U);
  EXPECT_EQ(weft::lcs_length("ABCBDAB", "BDCABA", {.metric = lcs_metric::edit}), 4U);
  EXPECT_EQ(weft::indel_distance("ABCBDAB", "BDCABA"), 5U);
  EXPECT_EQ(weft::edit_distance("kitten", "sitting", {.metric = lcs_metric::lcs}), 3U);
  const std::vector<std::uint32_t> numbers = {1, 2, 3}, others = {4, 2, 3};
  EXPECT_EQ(weft::indel_distance(numbers, others), 2U);
  EXPECT_EQ(weft::edit_distance(numbers, others), 1U);
  EXPECT_THROW((void)weft::common_subsequence(path, "ABC"), std::invalid_argument);
}

TEST(lcs, unknown_engine) {
  weft::lcs_options options;
  options.run.engine = "none";
  EXPECT_THROW((void)weft::lcs("a", "b", options), weft::error);
  EXPECT_THROW((void)weft::lcs_length("a", "b", options), weft::error);
}

weft::errc code_of(const std::string& engine, weft::device_kind device, int index = 0) {
  weft::lcs_options options;
  options.run.engine = engine;
  options.run.device = {device, index};
  try {
    check_lcs_options(options);
    (void)weft::lcs("", "", options);
    (void)weft::indel_distance("", "b", options);
    (void)weft::lcs_all_pairs({}, options);
  } catch (const weft::error& failure) {
    EXPECT_THROW((void)weft::lcs_all_pairs({}, options), weft::error);
    EXPECT_THROW((void)weft::lcs("a", "a", options), weft::error);
    return failure.code();
  }
  return weft::errc{-1};
}

TEST(lcs, engines_and_devices_must_fit) {
  using weft::device_kind;
  constexpr weft::errc none{-1};
  for (const char* engine : {"systolic", "wavefront"}) {
    EXPECT_EQ(code_of(engine, device_kind::cpu), weft::errc::invalid_input);
    EXPECT_EQ(code_of(engine, device_kind::gpu, 9999),
              has_gpu_engines() ? weft::errc::unavailable : weft::errc::invalid_input);
  }
  for (const char* engine : {"hirschberg-dp", "bit-parallel", "bit-sliced", "furthest-reaching"}) {
    EXPECT_EQ(code_of(engine, device_kind::gpu), weft::errc::invalid_input);
    EXPECT_EQ(code_of(engine, device_kind::cpu), none);
    EXPECT_EQ(code_of(engine, device_kind::automatic), none);
  }
  EXPECT_EQ(code_of("auto", device_kind::gpu, 9999), weft::errc::unavailable);
  EXPECT_EQ(code_of("auto", device_kind::cpu), none);
  EXPECT_EQ(code_of("auto", device_kind::automatic), none);
}

// Checks that the refusal comes before weft looks for a GPU.
TEST(lcs, wavefront_and_hunt_szymanski_have_no_edit) {
  const auto refused = [](const auto& call) {
    int refusals = 0;
    for (const char* engine : {"wavefront", "hunt-szymanski"}) try {
        call(weft::lcs_options{.metric = weft::lcs_metric::edit, .run = {.engine = engine}});
      } catch (const weft::error& failure) {
        refusals += failure.code() == weft::errc::invalid_input ? 1 : 0;
      }
    return refusals == 2;
  };
  using options = weft::lcs_options;
  const std::vector<std::uint32_t> numbers = {1, 2};
  EXPECT_TRUE(refused([](const options& chosen) { check_lcs_options(chosen); }));
  EXPECT_TRUE(refused([](const options& chosen) { (void)weft::lcs("abc", "abd", chosen); }));
  EXPECT_TRUE(refused([](const options& chosen) { (void)weft::edit_distance("abc", "abd", chosen); }));
  EXPECT_TRUE(refused([&](const options& chosen) { (void)weft::lcs(numbers, numbers, chosen); }));
  EXPECT_TRUE(refused([&](const options& chosen) { (void)weft::edit_distance(numbers, numbers, chosen); }));
  EXPECT_TRUE(refused([](const options& chosen) { (void)weft::lcs_all_pairs({}, chosen); }));
}

TEST(lcs, reports_of_calls) {
  std::mt19937_64 random(16);
  const std::string a = random_text(random, 3000, 4), b = random_text(random, 3000, 4);
  weft::run_info info;
  weft::lcs_options options;
  options.run.info = &info;
  (void)weft::lcs(a, b, options);
  EXPECT_EQ(info.engine, "bit-sliced");
  EXPECT_EQ(info.work, 9'000'000U);
  EXPECT_EQ(info.work_unit, "cells");
  EXPECT_GT(info.seconds, 0);
  EXPECT_GT(info.peak_bytes, 0U);
  EXPECT_FALSE(info.on_gpu());
  (void)weft::lcs_length(a, a.substr(0, 1000) + "X" + a.substr(1000, 1990), options);
  EXPECT_EQ(info.engine, "furthest-reaching");
  EXPECT_EQ(info.work, 3000U * 2991);
  (void)weft::edit_distance(a, a.substr(0, 1000), options);
  EXPECT_EQ(info.engine, "auto"); // no engine was needed
  const std::vector<std::uint32_t> numbers = {1, 2, 3, 4}, others = {2, 1, 4};
  options.run.engine = "hirschberg-dp";
  (void)weft::indel_distance(numbers, others, options);
  EXPECT_EQ(info.engine, "hirschberg-dp");
  EXPECT_EQ(info.work, 12U);
  options.run.engine = "auto";
  (void)weft::lcs_all_pairs({std::string_view(a).substr(0, 10), std::vector<std::uint64_t>{0, 5, 10}},
                            options);
  EXPECT_EQ(info.engine, "bit-parallel");
  EXPECT_EQ(info.work, 25U);
}

TEST(lcs, all_pairs) {
  const std::string text = "abcabdabcab";
  const std::vector<std::uint64_t> offsets = {0, 3, 6, 6, 11};
  const std::vector<std::uint64_t> expected = {2, 0, 0, 3, 2, 0};
  EXPECT_EQ(weft::lcs_all_pairs({text, offsets}), expected);
  EXPECT_TRUE(weft::lcs_all_pairs({}).empty());
  EXPECT_TRUE(weft::lcs_all_pairs({"abc", std::vector<std::uint64_t>{0, 3}}).empty());
  EXPECT_THROW((void)weft::lcs_all_pairs({"abc", std::vector<std::uint64_t>{0, 2, 1}}),
               std::invalid_argument);
  EXPECT_THROW((void)weft::lcs_all_pairs({"abc", std::vector<std::uint64_t>{0, 4}}), std::invalid_argument);
}

// Compares many sequences of mixed lengths, some of them nearly equal.
TEST(lcs, all_pairs_equal_single_values) {
  std::mt19937_64 random(6);
  for (const unsigned sigma : {1U, 4U, 26U})
    for (const std::size_t longest : {std::size_t{70}, std::size_t{400}}) {
      std::string text;
      std::vector<std::uint64_t> offsets = {0};
      for (int i = 0; i < 75; ++i) {
        const std::string item = i % 3 == 1
                                     ? mutate(random,
                                              text.substr(offsets[offsets.size() - 2],
                                                          offsets.back() - offsets[offsets.size() - 2]),
                                              3, sigma)
                                     : random_text(random, random() % longest, sigma);
        text += item;
        offsets.push_back(text.size());
      }
      for (const lcs_metric metric : {lcs_metric::lcs, lcs_metric::indel, lcs_metric::edit}) {
        std::vector<std::uint64_t> expected;
        for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
          for (std::size_t j = 0; j < i; ++j)
            expected.push_back(
                weft::lcs_value(text.substr(offsets[i], offsets[i + 1] - offsets[i]),
                                text.substr(offsets[j], offsets[j + 1] - offsets[j]),
                                {.metric = metric, .run = {.engine = "bit-parallel", .threads = 1}}));
        for (const char* engine : {"auto", "hirschberg-dp"})
          for (const int threads : {1, 2, 5}) {
            weft::task_monitor monitor;
            const auto found = weft::lcs_all_pairs(
                {text, offsets},
                {.metric = metric, .run = {.engine = engine, .threads = threads, .monitor = &monitor}});
            ASSERT_EQ(found, expected);
            EXPECT_EQ(monitor.done(), monitor.total());
          }
      }
    }
}

} // namespace
