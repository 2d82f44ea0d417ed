// Tests that an index has the same bytes whether its suffixes are sorted to an array or range by range, with
// any memory, on any number of threads, and that such a build can be cancelled.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <weft/base/error.hpp>
#include <weft/bwt/cpu/fm_build.hpp>

#include "fm_cases.hpp"
#include "suffix_texts.hpp"

namespace weft::test {

namespace {

fm_build_options on_cpu(fm_build_options options, std::uint64_t memory, int threads) {
  options.run.device = {device_kind::cpu, 0};
  options.run.memory = memory;
  options.run.threads = threads;
  return options;
}

// Builds an index with ever more memory, and compares it with one that is built without a limit. Checks that
// the memory is refused at first, and that the index is then built with less than `max_bytes_each` bytes for
// each symbol beside the index.
template <class Index>
void expect_same(const collection& of, const fm_build_options& options, double max_bytes_each) {
  const auto expected = built_index<Index>(of.references(), on_cpu(options, 0, 2));
  const std::uint64_t n = of.text.size(), fixed = expected.bytes.size() + (std::uint64_t{1} << 20);
  std::uint64_t least = 0;
  for (std::uint64_t memory = expected.bytes.size(); memory < fixed + 15 * n; memory += n)
    for (const int threads : {1, 2}) {
      try {
        const auto built = built_index<Index>(of.references(), on_cpu(options, memory, threads));
        ASSERT_TRUE(std::ranges::equal(built.bytes, expected.bytes)) << memory << ", threads " << threads;
        if (least == 0) least = memory;
      } catch (const memory_error&) {
        ASSERT_EQ(least, 0U) << memory << ", threads " << threads;
      }
    }
  EXPECT_GT(least, expected.bytes.size());
  EXPECT_LT(static_cast<double>(least), static_cast<double>(fixed) + max_bytes_each * static_cast<double>(n));
}

// Returns several records with stretches of N, an empty record and a short one between them.
collection records_of(std::mt19937_64& random, std::uint64_t size, const std::string& letters) {
  collection of;
  of.add(random_text(random, size / 2, letters));
  of.add("");
  of.add(letters.substr(0, 3));
  of.add(random_text(random, size / 4, letters) + std::string(100, 'N') +
         random_text(random, size / 4, letters));
  of.add(of.record(0).substr(100, size / 8));
  return of;
}

TEST(fm_order, of_dna_is_the_same_with_every_memory) {
  std::mt19937_64 random(1);
  const collection of = records_of(random, 600'000, "ACGT");
  expect_same<std::uint32_t>(of, {}, 4);
  expect_same<std::uint32_t>(of, {.sa_sample_rate = 7, .contexts = true}, 4);
  expect_same<std::uint64_t>(of, {.sa_sample_rate = 1}, 4);
}

TEST(fm_order, of_other_alphabets_is_the_same_with_every_memory) {
  std::mt19937_64 random(2);
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  expect_same<std::uint32_t>(records_of(random, 600'000, "ACDEFGHIKLMNPQRSTVWY"),
                             {.alphabet = fm_alphabet::protein}, 6);
  expect_same<std::uint64_t>(records_of(random, 600'000, "the words"), {.alphabet = fm_alphabet::bytes}, 6.5);
  expect_same<std::uint32_t>(records_of(random, 600'000, all), {.alphabet = fm_alphabet::bytes}, 8);
}

TEST(fm_order, of_repeats_is_the_same_with_every_memory) {
  std::mt19937_64 random(3);
  const std::uint64_t n = 200'000;
  collection copied, powered;
  std::string text = copies(random, n, n / 7 + 1, 1000);
  for (char& c : text) c = "ACGT"[static_cast<unsigned char>(c) % 4];
  copied.add(text);
  copied.add(text.substr(n / 3));
  powered.add(powers("AC", "GA", n));
  powered.add(powers("AC", "GA", n / 2));
  expect_same<std::uint32_t>(copied, {}, 7);
  expect_same<std::uint32_t>(powered, {}, 7);
}

TEST(fm_order, of_many_batches_is_the_same) {
  std::mt19937_64 random(4);
  const collection of = records_of(random, 3'000'000, "ACGT");
  const auto expected = built_index<std::uint32_t>(of.references(), on_cpu({}, 0, 2));
  const std::uint64_t n = of.text.size();
  for (const std::uint64_t memory : {expected.bytes.size() + 3 * n, expected.bytes.size() + 6 * n}) {
    const auto built = built_index<std::uint32_t>(of.references(), on_cpu({}, memory, 2));
    ASSERT_TRUE(std::ranges::equal(built.bytes, expected.bytes)) << memory;
  }
}

TEST(fm_order, by_ranges_reports_its_work) {
  std::mt19937_64 random(5);
  const std::uint64_t n = 300'000;
  for (const bool repeats : {false, true}) {
    collection of;
    of.add(random_text(random, n, "ACGT"));
    if (repeats) of.add(of.record(0));
    const auto memory = bwt_detail::memory_for_rows<std::uint32_t>(of.text.size() + 2, 5, true, 2);
    EXPECT_LT(memory.by_ranges, memory.with_array);
    const std::uint64_t kept = fm_index::build(of.references()).bytes().size() + of.text.size() + (3 << 20);
    task_monitor monitor;
    fm_build_options options = on_cpu({}, kept + 2 * n, 2);
    options.run.monitor = &monitor;
    (void)fm_index::build(of.references(), options);
    EXPECT_EQ(monitor.done(), of.text.size() + of.names.size());
  }
}

} // namespace
} // namespace weft::test
