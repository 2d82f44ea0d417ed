// Checks the calls with metric affine: options, letters with a special meaning, numbers, batches, memory,
// reports and errors.
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <test/lcs/lcs_cases.hpp>
#include <test/reference/affine_reference.hpp>
#include <weft/base/error.hpp>
#include <weft/lcs/lcs.hpp>

namespace {

using weft::affine_penalties;
using weft::edit_op;
using weft::lcs_metric;
using weft_test::random_text;

weft::lcs_options options(const std::string& engine = "auto", const affine_penalties& cost = {}) {
  return {.metric = lcs_metric::affine,
          .penalties = cost,
          .run = {.engine = engine, .device = {weft::device_kind::cpu, 0}, .threads = 1}};
}

std::string operations(const weft::edit_script& path) {
  std::string text;
  for (const weft::edit_run& run : path.runs) text += std::to_string(run.length) + static_cast<char>(run.op);
  return text;
}

// Returns the message of the error that a call throws, and checks its code.
template <class Call> std::string message_of(weft::errc code, const Call& call) {
  try {
    call();
  } catch (const weft::error& failure) {
    EXPECT_EQ(failure.code(), code);
    return failure.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

TEST(affine, a_deletion_is_one_gap) {
  const std::string before = "GATTACAGCTTAGCAT", gap = "CGTAACGTC", after = "TTGGCATCAGTACGAT";
  for (const std::string& engine : weft_test::affine_engines) {
    EXPECT_EQ(operations(weft::lcs(before + gap + after, before + after, options(engine))), "16=9D16=");
    EXPECT_EQ(operations(weft::lcs(before + after, before + gap + after, options(engine))), "16=9I16=");
    EXPECT_EQ(weft::lcs_value(before + gap + after, before + after, options(engine)), 6U + 9 * 2);
  }
}

TEST(affine, one_text_is_empty) {
  for (const std::string& engine : weft_test::affine_engines) {
    EXPECT_EQ(weft::lcs_value("", "", options(engine)), 0U);
    EXPECT_EQ(weft::lcs_value("abc", "", options(engine)), 12U);
    EXPECT_EQ(weft::lcs_value("", "abc", options(engine)), 12U);
    EXPECT_EQ(operations(weft::lcs("abc", "", options(engine))), "3D");
    EXPECT_EQ(operations(weft::lcs("", "abc", options(engine))), "3I");
    EXPECT_EQ(operations(weft::lcs("aaa", "bb", options(engine, {1, 1, 100}))), "3D2I");
  }
}

// Wildcards match every letter, and unmatched letters match none, not even themselves.
TEST(affine, letters_with_a_special_meaning) {
  for (const std::string& engine : weft_test::affine_engines) {
    weft::lcs_options chosen = options(engine);
    EXPECT_EQ(weft::lcs_value("ACGNT", "ACGNT", chosen), 0U);
    chosen.unmatched = "N";
    EXPECT_EQ(operations(weft::lcs("ACGNT", "ACGNT", chosen)), "3=1X1=");
    EXPECT_EQ(weft::lcs_value("ACGNT", "ACGNT", chosen), 4U);
    chosen.unmatched = "";
    chosen.wildcards = "N";
    EXPECT_EQ(operations(weft::lcs("ACGNT", "ANGTT", chosen)), "5=");
    EXPECT_EQ(operations(weft::lcs("NNNN", "ACG", chosen)), "1D3=");
  }
}

TEST(affine, engines_agree_on_wildcards) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 60; ++round) {
    const std::string a = random_text(random, 1 + random() % 300, 5),
                      b = random_text(random, 1 + random() % 300, 5);
    weft::lcs_options chosen = options("affine-table");
    chosen.wildcards = "ce";
    const std::string expected = operations(weft::lcs(a, b, chosen));
    chosen.run.engine = "affine-wavefront";
    ASSERT_EQ(operations(weft::lcs(a, b, chosen)), expected) << a << "\n" << b;
  }
}

TEST(affine, numbers_and_bytes_are_equal) {
  std::mt19937_64 random(12);
  const std::string a = random_text(random, 900, 4), b = random_text(random, 800, 4);
  std::vector<std::uint32_t> wide_a, wide_b;
  for (const char c : a) wide_a.push_back(static_cast<std::uint32_t>(c) * 0x1234567U);
  for (const char c : b) wide_b.push_back(static_cast<std::uint32_t>(c) * 0x1234567U);
  for (const std::string& engine : weft_test::affine_engines) {
    EXPECT_EQ(weft::lcs(wide_a, wide_b, options(engine)).runs, weft::lcs(a, b, options(engine)).runs);
    EXPECT_EQ(weft::lcs_value(wide_a, wide_b, options(engine)), weft::lcs_value(a, b, options(engine)));
  }
  std::vector<std::uint32_t> many_a(1000), many_b(1000); // more than 256 symbols
  for (std::uint32_t& symbol : many_a) symbol = static_cast<std::uint32_t>(random() % 700);
  for (std::uint32_t& symbol : many_b) symbol = static_cast<std::uint32_t>(random() % 700);
  EXPECT_EQ(weft::lcs(many_a, many_b, options("affine-table")).runs,
            weft::lcs(many_a, many_b, options("affine-wavefront")).runs);
}

// The largest penalties need 64-bit values in the table.
TEST(affine, large_penalties) {
  std::mt19937_64 random(13);
  const affine_penalties cost = {weft::max_affine_penalty, weft::max_affine_penalty,
                                 weft::max_affine_penalty};
  const std::string a = random_text(random, 300, 4), b = random_text(random, 280, 4);
  std::uint64_t penalty = 0;
  const auto walk = weft_test::affine_walk(std::span<const char>(a), std::span<const char>(b), cost, penalty);
  EXPECT_GT(penalty, 1ULL << 26);
  for (const std::string& engine : weft_test::affine_engines) {
    EXPECT_EQ(weft::lcs_value(a, b, options(engine, cost)), penalty);
    const weft::edit_script path = weft::lcs(a, b, options(engine, cost));
    EXPECT_EQ(path.matches, static_cast<std::uint64_t>(std::count(walk.begin(), walk.end(), edit_op::match)));
  }
  // The wavefront would have to look back too far; auto takes the table.
  const affine_penalties uneven = {weft::max_affine_penalty, 1, 7};
  EXPECT_NE(message_of(weft::errc::invalid_input,
                       [&] { (void)weft::lcs(a, b, options("affine-wavefront", uneven)); })
                .find("1024 times"),
            std::string::npos);
  (void)weft_test::affine_walk(std::span<const char>(a), std::span<const char>(b), uneven, penalty);
  EXPECT_EQ(weft::lcs_value(a, b, options("auto", uneven)), penalty);
}

TEST(affine, all_pairs_equal_single_values) {
  std::mt19937_64 random(14);
  std::string text;
  std::vector<std::uint64_t> offsets = {0};
  for (int i = 0; i < 20; ++i) {
    text += i % 3 == 1 ? text.substr(offsets[static_cast<std::size_t>(i) - 1])
                       : random_text(random, random() % 90, 4);
    text += "ac";
    offsets.push_back(text.size());
  }
  for (const auto& [unmatched, wildcards] : {std::pair{"", ""}, std::pair{"b", ""}, std::pair{"", "b"}}) {
    weft::lcs_options chosen = options("affine-table", {3, 1, 2});
    chosen.unmatched = unmatched;
    chosen.wildcards = wildcards;
    std::vector<std::uint64_t> expected;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        expected.push_back(weft::lcs_value(text.substr(offsets[i], offsets[i + 1] - offsets[i]),
                                           text.substr(offsets[j], offsets[j + 1] - offsets[j]), chosen));
    for (const std::string& engine : weft_test::affine_engines)
      for (const int threads : {1, 3}) {
        chosen.run.engine = engine;
        chosen.run.threads = threads;
        weft::task_monitor monitor;
        chosen.run.monitor = &monitor;
        EXPECT_EQ(weft::lcs_all_pairs({text, offsets}, chosen), expected) << engine << " " << threads;
        EXPECT_EQ(monitor.done(), monitor.total());
        chosen.run.monitor = nullptr;
      }
  }
}

// A path within a limit is the same path, and a limit that is too small is refused with both numbers.
TEST(affine, memory) {
  std::mt19937_64 random(15);
  const std::string a = random_text(random, 6000, 4), b = random_text(random, 6000, 4);
  const std::string expected = operations(weft::lcs(a, b, options("affine-table")));
  for (const std::string& engine : weft_test::affine_engines) {
    int done = 0, refused = 0;
    for (std::uint64_t limit = 1 << 12; limit <= std::uint64_t{1} << 26; limit *= 2) {
      weft::lcs_options chosen = options(engine);
      chosen.run.memory = limit;
      try {
        ASSERT_EQ(operations(weft::lcs(a, b, chosen)), expected) << engine << " " << limit;
        ++done;
      } catch (const weft::memory_error& failure) {
        EXPECT_EQ(done, 0) << engine << " " << limit; // more memory is never refused
        EXPECT_NE(std::string(failure.what()).find("is allowed"), std::string::npos);
        ++refused;
      }
    }
    EXPECT_GT(done, 1) << engine;
    EXPECT_GT(refused, 3) << engine;
  }
}

TEST(affine, reports_and_progress) {
  std::mt19937_64 random(16);
  const std::string a = random_text(random, 20000, 4), other = random_text(random, 3000, 4);
  std::string b = a;
  b.erase(5000, 30);
  weft::run_info info;
  weft::task_monitor monitor;
  weft::lcs_options chosen = options();
  chosen.run.info = &info;
  chosen.run.monitor = &monitor;
  (void)weft::lcs(a, b, chosen);
  EXPECT_EQ(info.engine, "affine-wavefront");
  EXPECT_EQ(info.work, a.size() * b.size());
  EXPECT_EQ(monitor.done(), monitor.total());
  (void)weft::lcs(other, random_text(random, 3000, 4), chosen);
  EXPECT_EQ(info.engine, "affine-table");
  EXPECT_EQ(monitor.done(), monitor.total());
  monitor.cancel();
  EXPECT_THROW((void)weft::lcs(a, b, chosen), weft::cancelled_error);
}

TEST(affine, errors) {
  using weft::errc;
  const auto refused = [](const weft::lcs_options& chosen) {
    const std::string message = message_of(errc::invalid_input, [&] { weft::check_lcs_options(chosen); });
    EXPECT_EQ(message_of(errc::invalid_input, [&] { (void)weft::lcs("", "", chosen); }), message);
    EXPECT_EQ(message_of(errc::invalid_input, [&] { (void)weft::lcs_value("a", "b", chosen); }), message);
    EXPECT_EQ(message_of(errc::invalid_input, [&] { (void)weft::lcs_all_pairs({}, chosen); }), message);
    return message;
  };
  EXPECT_EQ(refused(options("auto", {6, 0, 4})),
            "lcs: the penalty gap_extend must be from 1 to 1000000, not 0");
  EXPECT_EQ(refused(options("auto", {6, 2, 0})),
            "lcs: the penalty mismatch must be from 1 to 1000000, not 0");
  EXPECT_EQ(refused(options("auto", {1000001, 2, 4})),
            "lcs: the penalty gap_open must be from 0 to 1000000, not 1000001");
  for (const std::string& engine : weft_test::cpu_engines) {
    if (engine == "auto") continue;
    EXPECT_NE(refused(options(engine)).find("affine-table"), std::string::npos) << engine;
  }
  for (const char* engine : {"affine-wavefront", "affine-table"})
    for (const lcs_metric metric : {lcs_metric::lcs, lcs_metric::indel, lcs_metric::edit}) {
      weft::lcs_options chosen = options(engine);
      chosen.metric = metric;
      EXPECT_NE(refused(chosen).find("metric affine only"), std::string::npos) << engine;
    }
  weft::lcs_options on_gpu = options();
  on_gpu.run.device = {weft::device_kind::gpu, 0};
  const std::string message = "lcs: metric affine is computed only on the CPU, not on device gpu";
  EXPECT_EQ(message_of(errc::invalid_input, [&] { weft::check_lcs_options(on_gpu); }), message);
  EXPECT_EQ(message_of(errc::invalid_input, [&] { (void)weft::lcs("", "", on_gpu); }), message);
  EXPECT_EQ(message_of(errc::invalid_input, [&] { (void)weft::lcs_value("a", "b", on_gpu); }), message);
  if (weft::known_gpus().devices.empty()) { // a GPU computes all pairs
    EXPECT_THROW(weft::check_all_pairs_options(on_gpu), weft::unavailable_error);
    EXPECT_THROW((void)weft::lcs_all_pairs({}, on_gpu), weft::unavailable_error);
  } else {
    weft::check_all_pairs_options(on_gpu);
    EXPECT_EQ(weft::lcs_all_pairs({}, on_gpu), std::vector<std::uint64_t>());
  }
}

} // namespace
