// Checks the search with differences in circular records against its definition, which turns each record to
// every letter.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/files/find/near_origin_search.hpp>

#include "test/reference/near_reference.hpp"

namespace weft::test {

namespace {

using std::string;
using strings = std::vector<string>;

sequences batch_of(const strings& texts) {
  sequences batch;
  for (const string& text : texts) batch.add(text);
  return batch;
}

std::vector<plain_near_hit> plain_circular_hits(const strings& records, const string& pattern,
                                                const near_options& options) {
  return options.metric == near_metric::errors ? plain_circular_error_hits(records, pattern, options)
                                               : plain_circular_mismatch_hits(records, pattern, options);
}

// A circular index and its records.
struct circular_index {
  explicit circular_index(strings texts)
      : records(std::move(texts)),
        index(fm_index::build(batch_of(records), {.run = {.device = {device_kind::cpu}, .threads = 1}})),
        junctions(index, std::uint64_t{1} << 30), search(index, junctions) {}

  strings records;
  fm_index index;
  files::origin_search junctions;
  files::near_origin_search search;
};

// Checks the hits of all patterns, and their totals. Returns the number of hits over an origin.
std::size_t check_circular(circular_index& circular, const strings& patterns, const near_options& options) {
  const near_hits found = circular.search.locate(batch_of(patterns), options);
  std::size_t num_over = 0;
  EXPECT_EQ(found.offsets.size(), patterns.size() + 1);
  for (std::size_t p = 0; p < patterns.size(); ++p) {
    std::vector<plain_near_hit> hits = plain_circular_hits(circular.records, patterns[p], options);
    string all;
    for (const string& record : circular.records) all += record + ' ';
    for (unsigned d = 0; d <= options.max_distance; ++d)
      EXPECT_EQ(found.totals[p * (options.max_distance + 1) + d], num_with_distance(hits, d))
          << patterns[p] << " in " << all << " distance " << d;
    hits = plain_listed_hits(std::move(hits), options);
    std::vector<plain_near_hit> listed;
    for (std::uint64_t i = found.offsets[p]; i < found.offsets[p + 1]; ++i) {
      listed.emplace_back(found.record[i], found.begin[i], found.reverse[i], found.end[i], found.distance[i]);
      num_over += found.end[i] > circular.index.length(found.record[i]) ? 1 : 0;
    }
    EXPECT_EQ(listed, hits) << patterns[p] << " in " << all << "with " << options.max_distance;
  }
  return num_over;
}

string random_letters(std::mt19937& random, std::size_t size, std::string_view letters) {
  string text(size, 'A');
  for (char& c : text) c = letters[random() % letters.size()];
  return text;
}

// Returns a stretch of a circular record with a few differences.
string changed_stretch(std::mt19937& random, const string& record, std::size_t size, unsigned differences) {
  string text = record;
  while (text.size() < record.size() + size) text += record.empty() ? "A" : record;
  string pattern = text.substr(record.empty() ? 0 : random() % record.size(), size);
  for (unsigned i = 0; i < differences; ++i) {
    const std::size_t at = random() % pattern.size();
    if (random() % 3 == 0 && pattern.size() > 1)
      pattern.erase(at, 1);
    else if (random() % 2 == 0)
      pattern.insert(at, 1, "ACGT"[random() % 4]);
    else
      pattern[at] = "ACGTNRx"[random() % 7];
  }
  while (pattern.size() < 6) pattern += 'A';
  return pattern;
}

near_options random_options(std::mt19937& random) {
  const auto k = static_cast<unsigned>(random() % 5);
  return {.metric = random() % 3 == 0 ? near_metric::mismatches : near_metric::errors,
          .max_distance = k,
          .both_strands = random() % 2 == 0,
          .iupac = random() % 2 == 0,
          .all_ends = random() % 3 == 0,
          .best = random() % 4 == 0,
          .exact_prefix = random() % 3 == 0 ? random() % (k + 2) : 0,
          .exact_suffix = random() % 3 == 0 ? random() % (k + 2) : 0,
          .max_hits = random() % 3 == 0 ? random() % 5 : ~std::uint64_t{0},
          .run = {.threads = 1 + static_cast<int>(random() % 3)}};
}

TEST(near_origin_search, of_random_short_records) {
  std::mt19937 random(71);
  std::size_t num_over = 0;
  for (int round = 0; round < 400 && !testing::Test::HasFailure(); ++round) {
    const std::string_view letters =
        std::vector<std::string_view>{"A", "AC", "ACGT", "ACN", "ACGTN"}[random() % 5];
    strings records;
    for (unsigned r = 0; r < 1 + random() % 5; ++r)
      records.push_back(random_letters(random, random() % (1U << (random() % 6 + 1)), letters));
    circular_index circular(records);
    for (int search = 0; search < 4; ++search) {
      const near_options options = random_options(random);
      strings patterns;
      for (int p = 0; p < 4; ++p) {
        const std::size_t size = 6 + random() % 12;
        patterns.push_back(changed_stretch(random, records[random() % records.size()], size, random() % 4));
      }
      num_over += check_circular(circular, patterns, options);
    }
  }
  EXPECT_GT(num_over, 1000U);
}

// In these records, the letters next to the origin do not suffice to tell which stretches are hits, because
// repeats extend over the origin, to different lengths.
TEST(near_origin_search, of_repeats_over_the_origin) {
  std::mt19937 random(72);
  std::size_t num_over = 0;
  for (int round = 0; round < 60 && !testing::Test::HasFailure(); ++round) {
    strings records;
    for (int r = 0; r < 2; ++r) {
      const string unit = random_letters(random, 1 + random() % 9, "ACGTN");
      string record = random_letters(random, random() % 500, "ACGT");
      const std::size_t size = 20 + random() % 500;
      for (std::size_t i = 0; i < size; ++i) record += unit[i % unit.size()];
      for (int i = 0; i < 5; ++i) record[record.size() - 1 - random() % size] = "ACGT"[random() % 4];
      records.push_back(turned(record, record.size() - random() % size));
    }
    circular_index circular(records);
    for (int search = 0; search < 2; ++search) {
      const near_options options = random_options(random);
      strings patterns;
      for (int p = 0; p < 3; ++p) {
        const string around =
            records[p % 2].substr(records[p % 2].size() - 15) + records[p % 2].substr(0, 15);
        patterns.push_back(changed_stretch(random, around, 8 + random() % 12, random() % 3));
      }
      num_over += check_circular(circular, patterns, options);
    }
  }
  EXPECT_GT(num_over, 100U);
}

TEST(near_origin_search, of_every_short_record) {
  for (std::size_t length = 1; length <= 6; ++length)
    for (std::size_t number = 0; number < (std::size_t{1} << length); ++number) {
      string record;
      for (std::size_t i = 0; i < length; ++i) record += "AC"[number >> i & 1];
      circular_index circular({record});
      for (const near_metric metric : {near_metric::mismatches, near_metric::errors})
        for (unsigned k = 0; k < 3; ++k)
          check_circular(circular, {"AAC", "ACNA", "CCCCC", "ACACACA"},
                         {.metric = metric, .max_distance = k, .both_strands = true, .run = {.threads = 1}});
      ASSERT_FALSE(testing::Test::HasFailure());
    }
}

TEST(near_origin_search, needs_memory_for_the_letters_around_origins) {
  circular_index circular({string(1000, 'A')});
  EXPECT_THROW((void)circular.search.locate(
                   batch_of({string(20, 'A')}),
                   {.metric = near_metric::errors, .max_distance = 2, .run = {.memory = 20000}}),
               memory_error);
}

} // namespace

} // namespace weft::test
