// Checks fm_index::locate_near() on the first GPU against the CPU.
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <test/base/gpu_suite.hpp>
#include <vector>
#include <weft/base/device.hpp>
#include <weft/base/error.hpp>
#include <weft/bwt/fm_index.hpp>

#include "bwt_cases.hpp"
#include "near_batches.hpp"
#include "near_cases.hpp"

namespace weft::test {

namespace {

class gpu_near_search : public gpu_suite {};

// Checks that the GPU finds what the CPU finds. Returns how many hits there are.
std::uint64_t compare(const fm_index& index, const std::vector<std::string>& patterns, near_options options,
                      std::uint64_t device_memory = 0) {
  sequences batch;
  for (const std::string& pattern : patterns) batch.add(pattern);
  options.run = {.device = {device_kind::cpu}};
  const near_hits expected = index.locate_near(batch, options);
  run_info used;
  options.run = {.device = {device_kind::gpu, 0}, .device_memory = device_memory, .info = &used};
  const near_hits found = index.locate_near(batch, options);
  EXPECT_TRUE(used.on_gpu());
  expect_equal_hits(found, expected);
  return found.record.size();
}

TEST_F(gpu_near_search, of_short_texts) {
  const std::vector<std::vector<std::string>> patterns = all_short_patterns();
  std::vector<std::string> records; // all texts in one index
  for_all_texts(3, 6, [&](std::string text) {
    for (char& c : text) c = "ACN"[c - 'a'];
    records.push_back(text);
  });
  const fm_index index = index_of(records);
  for (unsigned k = 0; k < 4; ++k)
    for (const near_metric metric : {near_metric::mismatches, near_metric::errors})
      for (const bool iupac : {false, true})
        (void)compare(index, patterns[k],
                      {.metric = metric, .max_distance = k, .both_strands = true, .iupac = iupac});
}

TEST_F(gpu_near_search, of_random_batches) {
  std::mt19937 random(37);
  std::uint64_t num_hits = 0;
  for (int round = 0; round < 60; ++round) {
    const near_random_batch batch(random);
    num_hits += compare(index_of(batch.records, batch.sample_rate), batch.patterns, batch.options);
  }
  EXPECT_GT(num_hits, 500U);
}

// Guides, for which contexts are made once enough rows have been looked up, and reads with errors.
TEST_F(gpu_near_search, of_large_batches) {
  std::mt19937 random(41);
  const std::string text = random_letters(random, 2000000, 3000, "NR");
  const fm_index index = index_of({text, text.substr(1000, 70), random_letters(random, 300000, 50, "N")});
  const auto pieces = [&](std::size_t size, int count) {
    std::vector<std::string> patterns;
    for (int p = 0; p < count; ++p) {
      std::string piece = text.substr(random() % (text.size() - size), size);
      for (unsigned i = random() % 4; i > 0; --i) piece[random() % size] = "ACGT"[random() % 4];
      if (p % 3 == 0) piece.erase(random() % size, 1);
      patterns.push_back(piece);
    }
    return patterns;
  };
  std::uint64_t num_hits = 0;
  const std::vector<std::string> guides = pieces(21, 3000), reads = pieces(150, 5000);
  for (int repeated = 0; repeated < 3; ++repeated) {
    num_hits += compare(index, guides, {.max_distance = 3, .both_strands = true});
    num_hits += compare(index, reads, {.max_distance = 4, .both_strands = true});
    num_hits +=
        compare(index, reads, {.metric = near_metric::errors, .max_distance = 4, .both_strands = true});
  }
  EXPECT_GT(num_hits, 30000U);
  // Little memory for many patterns: they are searched in pieces.
  const std::uint64_t little = std::uint64_t{16} << 20;
  for (const near_metric metric : {near_metric::mismatches, near_metric::errors})
    num_hits += compare(index, reads, {.metric = metric, .max_distance = 4, .both_strands = true}, little);
  (void)compare(index, guides, {.max_distance = 3, .both_strands = true}, little);
}

// Seeds with many rows, regions that a thread does not search, and more hits than were expected.
TEST_F(gpu_near_search, of_repeats) {
  std::mt19937 random(43);
  const std::string letters = random_letters(random, 50000, 1000, "N");
  const std::string text = letters + std::string(2500000, 'A') + letters + letters;
  const fm_index index = index_of({text}), smaller = index_of({letters + std::string(200000, 'A') + letters});
  std::vector<std::string> patterns = {std::string(20, 'A'), std::string(40, 'A') + "C"};
  for (int p = 0; p < 50; ++p) patterns.push_back(text.substr(random() % 49000, 100));
  EXPECT_GT(compare(index, patterns, {.max_distance = 1, .both_strands = true}), 4900000U);
  EXPECT_GT(compare(smaller, patterns, {.metric = near_metric::errors, .max_distance = 2}), 10000U);
  (void)compare(index, patterns, {.max_distance = 2, .best = true, .max_hits = 7});
}

TEST_F(gpu_near_search, with_too_little_memory) {
  std::mt19937 random(47);
  const fm_index index = index_of({random_letters(random, 100000, 1000, "N")});
  sequences patterns;
  patterns.add("GATTACAGATTACA");
  EXPECT_THROW(
      (void)index.locate_near(
          patterns, {.max_distance = 1, .run = {.device = {device_kind::gpu, 0}, .device_memory = 1000}}),
      memory_error);
}

} // namespace

} // namespace weft::test
