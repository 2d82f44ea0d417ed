// Checks wildcards, which equal every letter, and unmatched letters, which equal none, against the reference
// on symbols with the same comparison.
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <test/lcs/lcs_cases.hpp>
#include <test/reference/lcs_reference.hpp>
#include <weft/base/error.hpp>
#include <weft/lcs/lcs.hpp>

namespace {

using weft::edit_op;
using weft::lcs_metric;

enum class meaning { wildcard, unmatched };

// A letter; N has the meaning under test. Equality is then not transitive, or not even reflexive.
template <meaning Of> struct letter {
  char c;
  friend bool operator==(letter x, letter y) {
    const bool unknown = x.c == 'N' || y.c == 'N';
    return Of == meaning::wildcard ? unknown || x.c == y.c : !unknown && x.c == y.c;
  }
};

template <meaning Of> std::vector<letter<Of>> letters(const std::string& text) {
  std::vector<letter<Of>> symbols;
  for (const char c : text) symbols.push_back({c});
  return symbols;
}

weft::lcs_options options_for(meaning of, lcs_metric metric, const std::string& engine, int threads = 1) {
  weft::lcs_options options = weft_test::with(engine, metric, threads);
  (of == meaning::wildcard ? options.wildcards : options.unmatched) = "N";
  return options;
}

std::string show(const weft::edit_script& path) {
  std::string text;
  for (const weft::edit_run& run : path.runs) text.append(run.length, static_cast<char>(run.op));
  return text;
}

// The value and the path of the reference.
struct answer {
  std::uint64_t value;
  std::string path;
};

template <meaning Of> answer reference(const std::string& a, const std::string& b, lcs_metric metric) {
  const auto x = letters<Of>(a), y = letters<Of>(b);
  const std::span<const letter<Of>> p(x), q(y);
  const std::uint64_t distance = weft_test::lcs_table(p, q, metric)[0][0];
  answer found{metric == lcs_metric::lcs ? (a.size() + b.size() - distance) / 2 : distance, {}};
  for (const edit_op op : weft_test::lcs_walk(p, q, metric)) found.path += static_cast<char>(op);
  return found;
}

template <meaning Of>
void check(const std::string& a, const std::string& b, lcs_metric metric, const std::string& engine,
           int threads = 1) {
  if (!weft_test::has_metric(engine, metric)) return;
  const answer expected = reference<Of>(a, b, metric);
  const weft::lcs_options options = options_for(Of, metric, engine, threads);
  ASSERT_EQ(weft::lcs_value(a, b, options), expected.value) << engine << "\na = " << a << "\nb = " << b;
  ASSERT_EQ(show(weft::lcs(a, b, options)), expected.path) << engine << "\na = " << a << "\nb = " << b;
}

// Returns all texts of up to `longest` letters of A, C and N.
std::vector<std::string> all_texts(std::size_t longest) {
  std::vector<std::string> texts = {""};
  for (std::size_t i = 0; i < texts.size() && texts[i].size() < longest; ++i)
    for (const char c : {'A', 'C', 'N'}) texts.push_back(texts[i] + c);
  return texts;
}

constexpr lcs_metric every_metric[] = {lcs_metric::lcs, lcs_metric::indel, lcs_metric::edit};

std::vector<std::string> engines_for(meaning of) {
  if (of == meaning::wildcard) return {"auto", "bit-parallel"};
  return weft_test::cpu_engines;
}

template <meaning Of> void check_all_small_texts() {
  const std::vector<std::string> texts = all_texts(4);
  for (const lcs_metric metric : every_metric)
    for (const std::string& engine : engines_for(Of))
      for (const std::string& a : texts)
        for (const std::string& b : texts) ASSERT_NO_FATAL_FAILURE(check<Of>(a, b, metric, engine));
}

TEST(lcs_letters, wildcards_of_all_small_texts) { check_all_small_texts<meaning::wildcard>(); }
TEST(lcs_letters, unmatched_letters_of_all_small_texts) { check_all_small_texts<meaning::unmatched>(); }

std::string random_letters(std::mt19937_64& random, std::size_t length, unsigned unknown_of_16) {
  std::string text;
  while (text.size() < length) text += random() % 16 < unknown_of_16 ? 'N' : "ACGT"[random() % 4];
  return text;
}

// Checks similar and unrelated texts, shorter and longer than strips of words.
template <meaning Of> void check_random_texts() {
  std::mt19937_64 random(7);
  for (int round = 0; round < 60; ++round) {
    const auto unknown = static_cast<unsigned>(round % 3);
    const std::string a = random_letters(random, random() % 700, unknown);
    const std::string b = round % 2 == 0 ? random_letters(random, random() % 700, unknown)
                                         : weft_test::mutate(random, a, 40, [] { return 'N'; });
    for (const lcs_metric metric : every_metric)
      for (const std::string& engine : engines_for(Of))
        ASSERT_NO_FATAL_FAILURE(check<Of>(a, b, metric, engine, 1 + round % 3));
  }
}

TEST(lcs_letters, wildcards_of_random_texts) { check_random_texts<meaning::wildcard>(); }
TEST(lcs_letters, unmatched_letters_of_random_texts) { check_random_texts<meaning::unmatched>(); }

// Uses texts large enough for two threads, and for furthest-reaching to give up.
TEST(lcs_letters, engines_and_threads_agree_on_long_texts) {
  std::mt19937_64 random(8);
  const std::string a = random_letters(random, 6000, 1), b = random_letters(random, 5000, 1);
  for (const lcs_metric metric : every_metric) {
    const auto wild = options_for(meaning::wildcard, metric, "bit-parallel");
    EXPECT_EQ(show(weft::lcs(a, b, wild)),
              show(weft::lcs(a, b, options_for(meaning::wildcard, metric, "auto", 2))));
    const auto unmatched = options_for(meaning::unmatched, metric, "bit-parallel");
    EXPECT_EQ(show(weft::lcs(a, b, unmatched)),
              show(weft::lcs(a, b, options_for(meaning::unmatched, metric, "auto", 2))));
  }
}

template <meaning Of> void check_all_pairs(lcs_metric metric, const std::string& engine) {
  if (!weft_test::has_metric(engine, metric)) return;
  std::mt19937_64 random(9);
  std::string text;
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::string> items;
  for (unsigned i = 0; i < 25; ++i) {
    items.push_back(i % 3 == 1 ? weft_test::mutate(random, items.back(), 20, [] { return 'N'; })
                               : random_letters(random, random() % 150, i % 4));
    offsets.push_back((text += items.back()).size());
  }
  std::vector<std::uint64_t> expected;
  for (std::size_t i = 0; i < items.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) expected.push_back(reference<Of>(items[i], items[j], metric).value);
  for (const int threads : {1, 3}) {
    weft::task_monitor monitor;
    weft::lcs_options options = options_for(Of, metric, engine, threads);
    options.run.monitor = &monitor;
    EXPECT_EQ(weft::lcs_all_pairs({text, offsets}, options), expected) << engine;
    EXPECT_EQ(monitor.done(), monitor.total());
  }
}

TEST(lcs_letters, all_pairs) {
  for (const lcs_metric metric : every_metric) {
    for (const std::string& engine : engines_for(meaning::wildcard))
      check_all_pairs<meaning::wildcard>(metric, engine);
    for (const std::string& engine : engines_for(meaning::unmatched))
      check_all_pairs<meaning::unmatched>(metric, engine);
  }
}

// Uses all 256 bytes, so that no byte is left to encode the unmatched letters of both texts.
TEST(lcs_letters, unmatched_beside_all_other_bytes) {
  std::string a;
  for (int byte = 0; byte < 256; ++byte) a += static_cast<char>(byte);
  weft::lcs_options options;
  options.unmatched = "N";
  EXPECT_EQ(weft::lcs_length(a, a, options), 255U);
  options.metric = lcs_metric::edit;
  EXPECT_EQ(weft::edit_distance(a, a, options), 1U);
  EXPECT_EQ(show(weft::lcs("NA", "NA", options)), "X=");
}

weft::errc code_of(const std::string& a, const weft::lcs_options& options) {
  try {
    (void)weft::lcs_length(a, "ACGT", options);
    (void)weft::lcs(a, "ACGT", options);
    (void)weft::lcs_all_pairs({a, std::vector<std::uint64_t>{0, 1, a.size()}}, options);
  } catch (const weft::error& failure) {
    return failure.code();
  }
  return weft::errc{-1};
}

TEST(lcs_letters, wildcards_need_an_engine_that_has_them) {
  for (const std::string& engine : weft_test::cpu_engines) {
    const auto options = options_for(meaning::wildcard, lcs_metric::lcs, engine);
    const bool has_them = engine == "auto" || engine == "bit-parallel";
    EXPECT_EQ(code_of("ACGN", options), has_them ? weft::errc{-1} : weft::errc::invalid_input) << engine;
    EXPECT_EQ(code_of("ACGT", options), weft::errc{-1}) << engine; // no wildcard occurs
  }
  weft::lcs_options both = options_for(meaning::wildcard, lcs_metric::lcs, "auto");
  both.unmatched = "X";
  EXPECT_EQ(code_of("ACGT", both), weft::errc::invalid_input);
  const std::vector<std::uint32_t> numbers = {1, 2};
  both.wildcards.clear();
  EXPECT_THROW((void)weft::lcs(numbers, numbers, both), weft::error);
  EXPECT_THROW((void)weft::lcs_value(numbers, numbers, both), weft::error);
}

} // namespace
