// Checks the GPU engines at the edges of their tiles, strips and words against engine bit-sliced.
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <test/lcs/lcs_cases.hpp>
#include <thread>
#include <weft/base/error.hpp>

namespace {

using weft::edit_op;
using weft::lcs_metric;
using weft_test::with;

// Returns `n` random symbols, spread over all bytes.
std::string random_bytes(std::mt19937_64& random, std::size_t n, unsigned sigma) {
  std::string text(n, '\0');
  for (char& c : text) c = static_cast<char>(random() % sigma * 37);
  return text;
}

// Returns the text with each symbol replaced, dropped or doubled with a probability of 1 / `each`.
std::string mutate(std::mt19937_64& random, const std::string& text, unsigned each, unsigned sigma) {
  return weft_test::mutate(random, text, each, [&] { return static_cast<char>(random() % sigma * 37); });
}

constexpr unsigned alphabets[] = {1, 2, 4, 5, 20, 33, 256};

class lcs_gpu_suite : public weft_test::engine_suite {
protected:
  static void check(const std::string& a, const std::string& b, const weft::lcs_options& chosen = options()) {
    weft::run_info used;
    weft::lcs_options with_info = chosen;
    with_info.run.info = &used;
    const weft::edit_script expected = weft::lcs(a, b, with("bit-sliced", metric()));
    const weft::edit_script path = weft::lcs(a, b, with_info);
    ASSERT_EQ(path.runs, expected.runs) << a.size() << " x " << b.size();
    ASSERT_EQ(path.matches, expected.matches);
    ASSERT_EQ(path.substitutions, expected.substitutions);
    ASSERT_EQ(path.insertions, expected.insertions);
    ASSERT_EQ(path.deletions, expected.deletions);
    if (weft_test::on_gpu(with_info.run.engine)) {
      ASSERT_EQ(used.engine, with_info.run.engine);
      ASSERT_TRUE(used.on_gpu());
    }
    const std::uint64_t distance = expected.insertions + expected.deletions + expected.substitutions;
    ASSERT_EQ(weft::lcs_value(a, b, with_info), metric() == lcs_metric::lcs ? expected.matches : distance)
        << a.size() << " x " << b.size();
  }
};

const auto every_metric = testing::Values(lcs_metric::lcs, lcs_metric::indel, lcs_metric::edit);
INSTANTIATE_TEST_SUITE_P(gpu_engines, lcs_gpu_suite,
                         testing::Combine(testing::ValuesIn(weft_test::gpu_engines), every_metric),
                         weft_test::engine_and_metric_name);

TEST_P(lcs_gpu_suite, tile_edges) {
  std::mt19937_64 random(1);
  std::size_t turn = 0;
  for (const std::size_t tile : {1024, 2048, 4096, 8192, 16384})
    for (const std::size_t column : {32, 256, 1024, 8192})
      for (const std::size_t m : {tile - 1, tile, tile + 1})
        for (const std::size_t n : {column - 1, column, column + 1}) {
          const unsigned sigma = alphabets[turn++ % std::size(alphabets)];
          const std::string a = random_bytes(random, m, sigma), b = random_bytes(random, n, sigma);
          ASSERT_NO_FATAL_FAILURE(check(a, b)) << "sigma " << sigma;
          ASSERT_NO_FATAL_FAILURE(check(b, a)) << "sigma " << sigma;
        }
}

TEST_P(lcs_gpu_suite, sizes_near_multiples_of_tiles) {
  std::mt19937_64 random(2);
  const auto size = [&] {
    const std::size_t unit = std::size_t{32} << random() % 9;
    return unit * (1 + random() % (32768 / unit)) + random() % 7 - 3;
  };
  for (int round = 0; round < 40; ++round) {
    const unsigned sigma = alphabets[random() % std::size(alphabets)];
    const std::string a = random_bytes(random, size(), sigma);
    const std::string b = round % 2 ? random_bytes(random, size(), sigma) : mutate(random, a, 8, sigma);
    ASSERT_NO_FATAL_FAILURE(check(a, b)) << "sigma " << sigma;
  }
}

TEST_P(lcs_gpu_suite, alphabets_of_all_sizes) {
  std::mt19937_64 random(3);
  for (unsigned sigma = 1; sigma <= 256; sigma += sigma < 36 ? 1 : 44) {
    const std::string a = random_bytes(random, 5000, sigma);
    ASSERT_NO_FATAL_FAILURE(check(a, random_bytes(random, 7000, sigma))) << "sigma " << sigma;
    ASSERT_NO_FATAL_FAILURE(check(a, mutate(random, a, 10, sigma))) << "sigma " << sigma;
  }
}

TEST_P(lcs_gpu_suite, short_and_very_unequal_lengths) {
  std::mt19937_64 random(4);
  for (const std::size_t m : {0, 1, 2, 10, 31, 32, 33, 64})
    for (const std::size_t n : {0, 1, 2, 31, 32, 33, 1025, 5000, 300000}) {
      const std::string a = random_bytes(random, m, 4), b = random_bytes(random, n, 4);
      ASSERT_NO_FATAL_FAILURE(check(a, b));
      ASSERT_NO_FATAL_FAILURE(check(b, a));
    }
}

// Texts of one letter have the longest carries.
TEST_P(lcs_gpu_suite, one_letter_texts) {
  for (const std::size_t n : {1, 32, 1024, 8192, 40000, 100001}) {
    const std::string a(n, 'a');
    std::string b(n + n / 3, 'a');
    ASSERT_NO_FATAL_FAILURE(check(a, b));
    ASSERT_NO_FATAL_FAILURE(check(b, a));
    ASSERT_NO_FATAL_FAILURE(check(a, a));
    for (const std::size_t at : {std::size_t{0}, b.size() / 2, b.size() - 1}) {
      b[at] = 'b';
      ASSERT_NO_FATAL_FAILURE(check(a, b));
      ASSERT_NO_FATAL_FAILURE(check(b, a));
    }
  }
}

TEST_P(lcs_gpu_suite, no_common_letter) {
  std::mt19937_64 random(5);
  for (const std::size_t n : {1, 1023, 8193, 50000}) {
    std::string a = random_bytes(random, n, 4), b(n / 2 + 1, 'z');
    ASSERT_NO_FATAL_FAILURE(check(a, b));
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<char>('a' + i % 5);
    ASSERT_NO_FATAL_FAILURE(check(a, b));
    a[n / 2] = 'a'; // one match
    ASSERT_NO_FATAL_FAILURE(check(b, a));
  }
}

TEST_P(lcs_gpu_suite, periods_and_equal_texts) {
  std::mt19937_64 random(6);
  for (const std::size_t period : {1, 2, 3, 31, 32, 33, 1000, 1024}) {
    const std::string unit = random_bytes(random, period, 4);
    std::string a;
    while (a.size() < 20000) a += unit;
    ASSERT_NO_FATAL_FAILURE(check(a, a));
    ASSERT_NO_FATAL_FAILURE(check(a, a.substr(777)));
    ASSERT_NO_FATAL_FAILURE(check(a.substr(period / 2), a.substr(0, 15000)));
    ASSERT_NO_FATAL_FAILURE(check(a, mutate(random, a, 50, 4)));
  }
}

// Checks that with less device memory a path is the same, or the error says what it needs. Progress ends at
// the total, however often strips are swept.
TEST_P(lcs_gpu_suite, little_device_memory) {
  std::mt19937_64 random(7);
  const std::string a = random_bytes(random, 200000, 4), b = random_bytes(random, 200000, 4);
  const weft::edit_script expected = weft::lcs(a, b, with("bit-sliced", metric(), 0));
  for (const std::uint64_t limit :
       {std::uint64_t{32} << 20, std::uint64_t{4} << 20, std::uint64_t{1} << 20}) {
    weft::lcs_options chosen = options();
    chosen.run.device_memory = limit;
    weft::task_monitor monitor;
    chosen.run.monitor = &monitor;
    try {
      EXPECT_EQ(weft::lcs(a, b, chosen).runs, expected.runs) << limit;
      EXPECT_EQ(monitor.done(), monitor.total()) << limit;
    } catch (const weft::memory_error& failure) {
      EXPECT_LT(limit, std::uint64_t{32} << 20) << failure.what();
      EXPECT_NE(std::string(failure.what()).find("needs"), std::string::npos) << failure.what();
    }
  }
}

TEST_P(lcs_gpu_suite, wide_numbers) {
  std::mt19937_64 random(8);
  for (const unsigned kinds : {4U, 255U, 256U}) {
    std::vector<std::uint32_t> a(9000), b(7000);
    for (auto* text : {&a, &b})
      for (std::uint32_t& symbol : *text) symbol = static_cast<std::uint32_t>(random() % kinds) * 16777213U;
    EXPECT_EQ(weft::lcs(a, b, options()).runs, weft::lcs(a, b, with("bit-sliced", metric())).runs);
    // Adds more kinds of symbols, but only to one text, so that they share a code.
    for (std::size_t i = 0; kinds < 255 && i < 1000; ++i) b[7 * i] = static_cast<std::uint32_t>(1000003 * i);
    EXPECT_EQ(weft::lcs(a, b, options()).runs, weft::lcs(a, b, with("bit-sliced", metric())).runs);
  }
}

TEST_P(lcs_gpu_suite, too_many_symbols_are_refused) {
  std::mt19937_64 random(9);
  std::vector<std::uint32_t> a(5000), b(5000);
  for (auto* text : {&a, &b})
    for (std::uint32_t& symbol : *text) symbol = static_cast<std::uint32_t>(random() % 300);
  try {
    (void)weft::lcs(a, b, options());
    ADD_FAILURE();
  } catch (const weft::error& failure) {
    EXPECT_EQ(failure.code(), weft::errc::invalid_input);
    EXPECT_NE(std::string(failure.what()).find("256"), std::string::npos) << failure.what();
  }
  weft::lcs_options anywhere;
  anywhere.metric = metric();
  EXPECT_EQ(weft::lcs(a, b, anywhere).runs, weft::lcs(a, b, with("bit-sliced", metric())).runs);
}

// Checks that host threads that use the GPU at the same time do not disturb each other.
TEST_P(lcs_gpu_suite, calls_from_several_threads) {
  std::vector<std::jthread> callers;
  for (unsigned seed = 0; seed < 4; ++seed)
    callers.emplace_back([seed, chosen = options()]() mutable {
      chosen.run.device_memory = std::uint64_t{256} << 20;
      std::mt19937_64 random(seed);
      const std::string a = random_bytes(random, 20000 + 999 * seed, 4), b = mutate(random, a, 4, 4);
      const std::vector<weft::edit_run> expected = weft::lcs(a, b, with("bit-sliced", chosen.metric)).runs;
      for (int round = 0; round < 5; ++round) EXPECT_EQ(weft::lcs(a, b, chosen).runs, expected);
    });
}

TEST_P(lcs_gpu_suite, all_pairs) {
  std::mt19937_64 random(10);
  for (const unsigned sigma : {1U, 4U, 26U, 256U}) {
    std::string text;
    std::vector<std::uint64_t> offsets = {0};
    for (int i = 0; i < 60; ++i) {
      const std::size_t longest = i % 5 == 0 ? 3001 : i % 5 == 1 ? 2 : 200;
      text += random_bytes(random, random() % longest, sigma);
      offsets.push_back(text.size());
    }
    const weft::lcs_options oracle = with("bit-parallel", metric(), 0);
    const std::vector<std::uint64_t> expected = weft::lcs_all_pairs({text, offsets}, oracle);
    weft::task_monitor monitor;
    weft::lcs_options monitored = options();
    monitored.run.monitor = &monitor;
    ASSERT_EQ(weft::lcs_all_pairs({text, offsets}, monitored), expected) << "sigma " << sigma;
    EXPECT_GE(monitor.done(), monitor.total());
    for (const std::uint64_t count : {2, 3, 70})
      ASSERT_EQ(weft_test::sum_of_shares({text, offsets}, options(), count), expected) << count << " shares";
    EXPECT_TRUE(weft::lcs_all_pairs({"pair", std::vector<std::uint64_t>{0, 4}}, options()).empty());
  }
}

TEST_P(lcs_gpu_suite, thousands_of_short_pairs) {
  if (std::get<0>(GetParam()) == "wavefront") GTEST_SKIP() << "engine wavefront takes pairs one by one";
  std::mt19937_64 random(11);
  std::string text;
  std::vector<std::uint64_t> offsets = {0};
  for (int i = 0; i < 400; ++i) {
    text += random_bytes(random, random() % 300, 20);
    offsets.push_back(text.size());
  }
  EXPECT_EQ(weft::lcs_all_pairs({text, offsets}, options()),
            weft::lcs_all_pairs({text, offsets}, with("auto", metric(), 0)));
}

// Checks all pairs of a batch: lengths around words and bands of rows, in any order, with much and with
// little memory.
TEST_P(lcs_gpu_suite, all_pairs_around_bands) {
  if (std::get<0>(GetParam()) == "wavefront") GTEST_SKIP() << "engine wavefront takes pairs one by one";
  std::mt19937_64 random(13);
  const std::size_t sizes[] = {0,   1,   31,  32,  33,   127,  128,  129,  255,  257,  511,
                               513, 767, 769, 991, 1023, 1024, 1025, 2047, 2048, 2049, 3073};
  for (const unsigned sigma : {1U, 4U, 33U, 256U}) {
    std::vector<std::size_t> lengths;
    for (int twice = 0; twice < 2; ++twice) lengths.insert(lengths.end(), std::begin(sizes), std::end(sizes));
    std::shuffle(lengths.begin(), lengths.end(), random);
    std::string text;
    std::vector<std::uint64_t> offsets = {0};
    for (const std::size_t n : lengths)
      text += random_bytes(random, n, sigma), offsets.push_back(text.size());
    const std::vector<std::uint64_t> expected =
        weft::lcs_all_pairs({text, offsets}, with("bit-parallel", metric(), 0));
    for (const std::uint64_t memory : {std::uint64_t{0}, std::uint64_t{1} << 20}) {
      weft::lcs_options chosen = options();
      chosen.run.device_memory = memory;
      EXPECT_EQ(weft::lcs_all_pairs({text, offsets}, chosen), expected)
          << "sigma " << sigma << ", " << memory;
    }
    weft::lcs_options tiny = options();
    tiny.run.device_memory = 1000;
    EXPECT_THROW((void)weft::lcs_all_pairs({text, offsets}, tiny), weft::memory_error);
  }
}

// Checks one long sequence, and two, among many short ones.
TEST_P(lcs_gpu_suite, all_pairs_of_very_unequal_lengths) {
  if (std::get<0>(GetParam()) == "wavefront") GTEST_SKIP() << "engine wavefront takes pairs one by one";
  std::mt19937_64 random(14);
  for (const int longs : {1, 2}) {
    std::string text;
    std::vector<std::uint64_t> offsets = {0};
    for (int i = 0; i < 50; ++i) {
      text += random_bytes(random, i < longs ? 50000 : random() % 400, 4);
      offsets.push_back(text.size());
    }
    EXPECT_EQ(weft::lcs_all_pairs({text, offsets}, options()),
              weft::lcs_all_pairs({text, offsets}, with("auto", metric(), 0)));
  }
}

// Checks that device auto uses the GPU for large tables, and compares nearly equal texts without one.
TEST(gpu_lcs, automatic_device) {
  if (const std::string reason = weft_test::reason_to_skip("systolic"); !reason.empty())
    GTEST_SKIP() << reason;
  std::mt19937_64 random(12);
  const std::string a = random_bytes(random, 800000, 4), b = random_bytes(random, 800000, 4);
  weft::run_info used;
  weft::lcs_options anywhere;
  anywhere.run.info = &used;
  const weft::edit_script path = weft::lcs(a, b, anywhere);
  EXPECT_EQ(used.engine, "systolic");
  EXPECT_TRUE(used.on_gpu());
  EXPECT_EQ(used.device.index, weft::known_gpus().devices.front().index);
  EXPECT_EQ(weft::lcs_length(a, b, anywhere), path.matches);
  EXPECT_EQ(used.engine, "systolic");
  EXPECT_EQ(path.runs, weft::lcs(a, b, with("bit-sliced", lcs_metric::lcs, 0)).runs);
  (void)weft::lcs(a, a.substr(0, 70000) + "zz" + a.substr(70001), anywhere);
  EXPECT_EQ(used.engine, "furthest-reaching");
  EXPECT_FALSE(used.on_gpu());
  (void)weft::lcs(a.substr(0, 2000), b.substr(0, 2000), anywhere);
  EXPECT_FALSE(used.on_gpu());
}

// Checks that device auto uses the CPU for pairs for which the GPU has too little memory, and that device gpu
// does not.
TEST(gpu_lcs, automatic_device_for_all_pairs) {
  if (const std::string reason = weft_test::reason_to_skip("systolic"); !reason.empty())
    GTEST_SKIP() << reason;
  std::mt19937_64 random(15);
  const std::string one = random_bytes(random, 32000, 4);
  std::string text;
  std::vector<std::uint64_t> offsets = {0};
  for (int i = 0; i < 34; ++i) {
    text += mutate(random, one, 2000, 4);
    offsets.push_back(text.size());
  }
  weft::run_info used;
  weft::task_monitor monitor;
  weft::lcs_options chosen;
  chosen.run.info = &used;
  chosen.run.monitor = &monitor;
  const std::vector<std::uint64_t> expected = weft::lcs_all_pairs({text, offsets}, chosen);
  EXPECT_EQ(used.engine, "systolic");
  chosen.run.device_memory = 1000;
  EXPECT_EQ(weft::lcs_all_pairs({text, offsets}, chosen), expected);
  EXPECT_EQ(used.engine, "furthest-reaching"); // the CPU engine that computed the most cells
  EXPECT_FALSE(used.on_gpu());
  EXPECT_EQ(monitor.done(), monitor.total());
  chosen.run.device = {weft::device_kind::gpu, weft::known_gpus().devices.front().index};
  EXPECT_THROW((void)weft::lcs_all_pairs({text, offsets}, chosen), weft::memory_error);
}

} // namespace
