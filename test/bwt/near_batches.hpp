// Batches of patterns for a search with differences, as the tests of its engines share them.
#pragma once

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>
#include <weft/bwt/fm_index.hpp>

#include "near_cases.hpp"

namespace weft::test {

inline fm_index index_of(const std::vector<std::string>& records, std::uint32_t sample_rate = 0) {
  sequences batch;
  for (const std::string& record : records) batch.add(record);
  return fm_index::build(
      batch, {.sa_sample_rate = sample_rate, .run = {.device = {device_kind::cpu}, .threads = 1}});
}

inline void expect_equal_hits(const near_hits& found, const near_hits& expected) {
  ASSERT_EQ(found.totals, expected.totals);
  ASSERT_EQ(found.offsets, expected.offsets);
  ASSERT_EQ(found.record, expected.record);
  ASSERT_EQ(found.begin, expected.begin);
  ASSERT_EQ(found.end, expected.end);
  ASSERT_EQ(found.distance, expected.distance);
  ASSERT_EQ(found.reverse, expected.reverse);
}

// Random records with repeats, patterns that occur in them with some differences, and options.
struct near_random_batch {
  explicit near_random_batch(std::mt19937& random) {
    const unsigned rare = 1 + random() % 60;
    for (unsigned r = 0; r < 1 + random() % 4; ++r) {
      std::string text = random_letters(random, random() % 1200, rare, "ACGTNNRnacgt");
      if (!text.empty())
        for (int copies = 0; copies < 4; ++copies) text += text.substr(random() % text.size(), 200);
      records.push_back(text);
    }
    const unsigned k = random() % (max_near_distance + 1);
    for (int p = 0; p < 40; ++p) {
      const std::string& from = records[random() % records.size()];
      const std::size_t size = k + 1 + random() % (p % 8 == 0 ? 400 : 80);
      std::string pattern = from.size() > size ? from.substr(random() % (from.size() - size), size)
                                               : random_letters(random, size, 20, "NRYacgt");
      for (unsigned i = 0; i < random() % (k + 3); ++i)
        pattern[random() % size] = "ACGTACGTACGTNRYKx"[random() % 17];
      if (random() % 3 == 0) { // a letter that is missing, and one more
        pattern.erase(random() % size, 1);
        pattern.insert(random() % size, 1, "ACGT"[random() % 4]);
      }
      patterns.push_back(pattern);
    }
    options = {.metric = random() % 2 == 0 ? near_metric::errors : near_metric::mismatches,
               .max_distance = k,
               .both_strands = random() % 2 == 0,
               .iupac = random() % 2 == 0,
               .all_ends = random() % 3 == 0};
    if (random() % 3 == 0) options.exact_prefix = random() % (k + 2);
    if (random() % 3 == 0) options.exact_suffix = random() % (k + 2);
    options.best = random() % 3 == 0;
    if (random() % 3 == 0) options.max_hits = random() % 4;
    sample_rate = 1 + random() % 6;
  }

  std::vector<std::string> records, patterns;
  near_options options;
  std::uint32_t sample_rate = 0;
};

} // namespace weft::test
