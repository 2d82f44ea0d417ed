// Checks the search with differences against its definition.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>
#include <weft/base/device.hpp>
#include <weft/base/error.hpp>
#include <weft/bwt/cpu/near_search.hpp>
#include <weft/bwt/fm_index.hpp>

#include "bwt_cases.hpp"
#include "near_cases.hpp"
#include "test/reference/near_reference.hpp"

namespace weft::test {

namespace {

// Checks that a CIGAR leads through a pattern, as it reads along the record, and through the letters of a
// hit, with as many differences as `distance`, none of them in the exact letters.
void check_cigar(const std::string& cigar, const std::string& pattern, const std::string& letters,
                 const plain_near_hit& hit, const near_options& options) {
  const bool reverse = std::get<2>(hit) == 1;
  const std::size_t size = pattern.size();
  std::size_t i = 0, j = 0, run = 0;
  unsigned differences = 0;
  for (const char c : cigar) {
    if (c >= '0' && c <= '9') {
      run = 10 * run + static_cast<std::size_t>(c - '0');
      continue;
    }
    for (; run > 0; --run) {
      if (c != 'D') {
        ASSERT_LT(i, size);
        const std::size_t given = reverse ? size - 1 - i : i;
        const bool exact = given < options.exact_prefix || given >= size - options.exact_suffix;
        ASSERT_TRUE(c == '=' || !exact) << cigar << ' ' << pattern << ' ' << letters;
        if (c != 'I') {
          ASSERT_EQ(near_letters_match(pattern[given], letters[j], reverse, options.iupac), c == '=')
              << cigar;
        }
      }
      differences += c == '=' ? 0 : 1;
      i += c == 'D' ? 0 : 1;
      j += c == 'I' ? 0 : 1;
    }
  }
  ASSERT_EQ(i, size) << cigar;
  ASSERT_EQ(j, letters.size()) << cigar;
  ASSERT_EQ(differences, std::get<4>(hit)) << cigar;
}

// Checks the hits of all patterns, and their totals, with these options.
void check_near(const fm_index& index, const std::vector<std::string>& records,
                const std::vector<std::string>& patterns, const near_options& options, bool cigars = true) {
  sequences batch;
  for (const std::string& pattern : patterns) batch.add(pattern);
  const near_hits found = index.locate_near(batch, options);
  ASSERT_EQ(found.offsets.size(), patterns.size() + 1);
  for (std::size_t p = 0; p < patterns.size(); ++p) {
    std::vector<plain_near_hit> hits = options.metric == near_metric::errors
                                           ? plain_error_hits(records, patterns[p], options)
                                           : plain_near_hits(records, patterns[p], options);
    for (unsigned d = 0; d <= options.max_distance; ++d)
      ASSERT_EQ(found.totals[p * (options.max_distance + 1) + d], num_with_distance(hits, d))
          << patterns[p] << ' ' << d;
    hits = plain_listed_hits(std::move(hits), options);
    std::vector<plain_near_hit> listed;
    for (std::uint64_t i = found.offsets[p]; i < found.offsets[p + 1]; ++i)
      listed.emplace_back(found.record[i], found.begin[i], found.reverse[i], found.end[i], found.distance[i]);
    ASSERT_EQ(listed, hits) << patterns[p] << " with " << options.max_distance;
    for (const plain_near_hit& hit : listed) {
      if (!cigars) break;
      const auto& [record, begin, reverse, end, distance] = hit;
      const std::string letters = records[record].substr(begin, end - begin);
      check_cigar(near_cigar(patterns[p], letters, distance, options, reverse == 1), patterns[p], letters,
                  hit, options);
    }
  }
}

fm_index index_of(const std::vector<std::string>& records) {
  sequences batch;
  for (const std::string& record : records) batch.add(record);
  return fm_index::build(batch, {.run = {.device = {device_kind::cpu}, .threads = 1}});
}

TEST(near_search, of_every_short_text) {
  const std::vector<std::vector<std::string>> patterns = all_short_patterns();
  for_all_texts(3, 6, [&](std::string text) {
    for (char& c : text) c = "ACN"[c - 'a'];
    const std::vector<std::string> records = {text.substr(0, text.size() / 2), text.substr(text.size() / 2)};
    const fm_index index = index_of(records);
    for (unsigned k = 0; k < 4; ++k)
      for (const near_metric metric : {near_metric::mismatches, near_metric::errors})
        check_near(index, records, patterns[k],
                   {.metric = metric,
                    .max_distance = k,
                    .both_strands = true,
                    .iupac = text.size() % 2 == 0,
                    .run = {.threads = 1}},
                   text.size() < 5);
  });
}

TEST(near_search, of_random_texts_with_repeats) {
  std::mt19937 random(29);
  for (int round = 0; round < 15; ++round) {
    std::vector<std::string> records;
    const unsigned rare = 1 + random() % 60;
    for (unsigned r = 0; r < 1 + random() % 4; ++r) {
      std::string text = random_letters(random, random() % 1200, rare, "ACGTNNRnacgt");
      if (!text.empty())
        for (int copies = 0; copies < 4; ++copies) text += text.substr(random() % text.size(), 200);
      records.push_back(text);
    }
    const fm_index index = index_of(records);
    for (unsigned k = 0; k <= max_near_distance; k += 1 + random() % 3) {
      std::vector<std::string> patterns;
      for (int p = 0; p < 12; ++p) {
        const std::string& from = records[random() % records.size()];
        const std::size_t size = k + 1 + random() % 80;
        std::string pattern = from.size() > size ? from.substr(random() % (from.size() - size), size)
                                                 : random_letters(random, size, 20, "NRYacgt");
        for (unsigned i = 0; i < random() % (k + 3); ++i)
          pattern[random() % size] = "ACGTNRYKMSWBDHVx"[random() % 16];
        patterns.push_back(pattern);
      }
      near_options options{.metric = round % 2 == 0 ? near_metric::errors : near_metric::mismatches,
                           .max_distance = k,
                           .both_strands = random() % 2 == 0,
                           .iupac = random() % 2 == 0,
                           .all_ends = random() % 3 == 0};
      check_near(index, records, patterns, options);
      options.exact_prefix = random() % (k + 2);
      options.exact_suffix = random() % 2 == 0 ? random() % (k + 2) : 0;
      options.best = random() % 2 == 0;
      options.max_hits = random() % 4;
      options.run.threads = 3;
      check_near(index, records, patterns, options);
    }
  }
}

// Checks the scan of only those positions where the exact letters match, which several patterns share.
TEST(near_search, of_guides) {
  std::mt19937 random(31);
  for (int round = 0; round < 6; ++round) {
    const std::vector<std::string> records = {random_letters(random, 30000, 40, "N"),
                                              random_letters(random, 17, 40, "N"),
                                              random_letters(random, 3000, 5, "GGN")};
    const fm_index index = index_of(records);
    std::vector<std::string> guides;
    for (int g = 0; g < 12; ++g) {
      const std::size_t size = 6 + random() % 8;
      guides.push_back(random_letters(random, size, 30, "NR") + (g % 3 == 2 ? "NAG" : "NGG"));
    }
    check_near(index, records, guides,
               {.max_distance = 1U + static_cast<unsigned>(round) % 4,
                .both_strands = true,
                .iupac = round % 3 != 2,
                .exact_suffix = 2,
                .run = {.threads = 1 + round % 2}});
  }
}

// Checks that both methods find the same, whichever the costs would choose.
TEST(near_search, scan_finds_what_seeds_find) {
  std::mt19937 random(30);
  std::vector<std::string> records;
  for (int r = 0; r < 5; ++r) records.push_back(random_letters(random, 60000, 9000, "N"));
  const fm_index index = index_of(records);
  for (unsigned k = 0; k <= max_near_distance; ++k) {
    sequences patterns;
    for (int p = 0; p < 30; ++p) {
      std::string pattern = records[random() % 5].substr(random() % 59000, 12 + random() % 300);
      std::replace(pattern.begin(), pattern.end(), 'N', 'A');
      for (unsigned i = 0; i < k; ++i) pattern[random() % pattern.size()] = "ACGT"[random() % 4];
      patterns.add(pattern);
    }
    for (const near_metric metric : {near_metric::mismatches, near_metric::errors}) {
      const near_options options{.metric = metric, .max_distance = k, .both_strands = true};
      const near_hits expected = index.locate_near(patterns, options);
      const bwt_detail::near_patterns coded(patterns, 0, patterns.count(), options);
      bwt_detail::near_collector by_scan(patterns.count(), options);
      bwt_detail::search_by_scan(static_cast<const fm_index::view&>(index.parts()), coded.strands(), options,
                                 by_scan);
      const near_hits scanned = by_scan.finish();
      EXPECT_EQ(scanned.begin, expected.begin);
      EXPECT_EQ(scanned.record, expected.record);
      EXPECT_EQ(scanned.distance, expected.distance);
      EXPECT_EQ(scanned.reverse, expected.reverse);
      EXPECT_EQ(scanned.end, expected.end);
      EXPECT_GE(expected.begin.size(), 25U);
    }
  }
}

// Checks that trees find what the other methods find, over all divisions of strands.
TEST(near_search, trees_find_what_a_scan_finds) {
  std::mt19937 random(32);
  std::size_t num_trees = 0; // strands that were searched by them
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> records;
    for (unsigned r = 0; r < 1 + random() % 3; ++r)
      records.push_back(random_letters(random, 20 + random() % 2000, 2 + random() % 40, "NACGT"));
    for (int copies = 0; copies < 3; ++copies)
      records[0] += records[0].substr(random() % records[0].size(), 200);
    const fm_index index = index_of(records);
    near_options options{.max_distance = 1U + static_cast<unsigned>(round) % 5,
                         .both_strands = true,
                         .iupac = random() % 2 == 0,
                         .exact_prefix = random() % 3 == 0 ? 2U : 0U,
                         .exact_suffix = random() % 3 == 0 ? 3U : 0U};
    sequences patterns;
    for (int p = 0; p < 20; ++p) {
      const std::size_t size = std::max<std::size_t>(4, options.max_distance + 1) + random() % 30;
      std::string pattern = random_letters(random, size, 12, "NRAC");
      if (records[0].size() > size) {
        pattern = records[0].substr(random() % (records[0].size() - size), size);
        for (unsigned i = 0; i < random() % 4; ++i) pattern[random() % size] = "ACGTR"[random() % 5];
      }
      patterns.add(pattern);
    }
    const near_hits expected = index.locate_near(patterns, options);
    const bwt_detail::near_patterns coded(patterns, 0, patterns.count(), options);
    const std::vector<bwt_detail::near_strand> possible = possible_strands(coded, options.max_distance);
    // In a text as large as this, a scan would take longer than most trees.
    const auto& view = static_cast<const fm_index::view&>(index.parts());
    bwt_detail::near_costs costs(view, options, std::uint64_t{1} << (20 + 4 * (round % 4)));
    bwt_detail::near_collector by_trees(patterns.count(), options);
    const std::vector<bwt_detail::near_strand> left =
        bwt_detail::search_by_trees(view, possible, options, costs, by_trees);
    num_trees += possible.size() - left.size();
    bwt_detail::search_by_scan(view, left, options, by_trees);
    const near_hits found = by_trees.finish();
    ASSERT_EQ(found.begin, expected.begin) << round;
    ASSERT_EQ(found.record, expected.record);
    ASSERT_EQ(found.distance, expected.distance);
    ASSERT_EQ(found.reverse, expected.reverse);
  }
  EXPECT_GT(num_trees, 700U);
}

TEST(near_search, a_cigar_has_no_difference_in_exact_letters) {
  const near_options options{
      .metric = near_metric::errors, .max_distance = 2, .all_ends = true, .exact_suffix = 1};
  check_near(index_of({"AAATC"}), {"AAATC"}, {"AAAAT"}, options);
  EXPECT_EQ(near_cigar("AAAAT", "AAATC", 2, {.max_distance = 2}, false), "3=2X");
  EXPECT_THROW((void)near_cigar("AAAAT", "AAATC", 1, options, false), std::invalid_argument);
  EXPECT_THROW((void)near_cigar("AAAAT", "C", 100, options, false), std::invalid_argument);
}

TEST(near_search, wrong_arguments) {
  const fm_index index = index_of({"GATTACA"});
  sequences patterns;
  patterns.add("ATT");
  EXPECT_THROW((void)index.locate_near(patterns, {.max_distance = 3}), std::invalid_argument);
  EXPECT_THROW((void)index.locate_near(patterns, {.max_distance = 9}), std::invalid_argument);
  EXPECT_THROW((void)index.locate_near(patterns, {.exact_suffix = 4}), std::invalid_argument);
  if (known_gpus().devices.empty()) {
    EXPECT_THROW((void)index.locate_near(patterns, {.run = {.device = {device_kind::gpu}}}),
                 unavailable_error);
  }
  sequences protein;
  protein.add("MKV");
  EXPECT_THROW((void)fm_index::build(protein, {.alphabet = fm_alphabet::protein}).locate_near(patterns, {}),
               std::invalid_argument);
  const std::string repeats(100000, 'A');
  EXPECT_THROW(
      (void)index_of({repeats}).locate_near(patterns, {.max_distance = 2, .run = {.memory = 1 << 20}}),
      memory_error);
}

} // namespace

} // namespace weft::test
