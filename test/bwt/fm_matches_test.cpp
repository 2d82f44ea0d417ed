// Tests fm_index::matches() against the definitions of test/reference/match_reference.hpp.
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/bwt/fm_index.hpp>

#include "match_cases.hpp"

namespace weft::test {

namespace {

constexpr match_kind all_kinds[] = {match_kind::mem, match_kind::mum, match_kind::mum_ref, match_kind::smem};

void check(const texts& records, const texts& queries, const match_options& options) {
  const fm_index index = fm_index::build(batch_of(records));
  const auto found = rows_of(index.matches(batch_of(queries), options));
  const auto expected = expected_matches(records, queries, options);
  if (found == expected) return;
  std::string inputs;
  for (const std::string& each : records) inputs += "record " + each + "\n";
  for (const std::string& each : queries) inputs += "query " + each + "\n";
  FAIL() << inputs << "kind " << static_cast<int>(options.kind) << ", min_length " << options.min_length
         << ", min_occurrences " << options.min_occurrences << "\nexpected\n"
         << shown(expected) << "found\n"
         << shown(found);
}

// Compares all queries with one reference, as records of one batch.
void check_all_queries(const std::string& letters, std::size_t reference_size, std::size_t query_size) {
  texts queries;
  for_each_text(letters, query_size, [&](const std::string& query) { queries.push_back(query); });
  for_each_text(letters, reference_size, [&](const std::string& text) {
    for (const match_kind kind : all_kinds)
      for (const std::uint64_t length : {1, 2, 3}) {
        match_options options{.kind = kind, .min_length = length, .both_strands = true};
        check({text}, queries, options);
        if (kind != match_kind::smem) continue;
        options.min_occurrences = 2;
        check({text}, queries, options);
      }
  });
}

TEST(fm_matches, of_all_short_texts_of_two_letters) { check_all_queries("AT", 6, 5); }
TEST(fm_matches, of_all_short_texts_of_two_letters_and_n) { check_all_queries("ACN", 4, 4); }

TEST(fm_matches, of_random_repetitive_texts) {
  std::mt19937_64 random(71);
  for (int round = 0; round < 150; ++round) {
    const texts units = {random_text(random, 40, "ACGT"), random_text(random, 7, "ACGT"),
                         random_text(random, 100, "AC"), "A"};
    texts records, queries;
    for (std::uint64_t i = random() % 3 + 1; i > 0; --i)
      records.push_back(repetitive_text(random, units, random() % 20));
    for (std::uint64_t i = random() % 4 + 1; i > 0; --i)
      queries.push_back(repetitive_text(random, units, random() % 8));
    const match_options options{.kind = all_kinds[round % 4],
                                .min_length = 1 + random() % (round % 3 == 0 ? 60 : 12),
                                .min_occurrences = round % 4 == 3 ? 1 + random() % 4 : 1,
                                .both_strands = random() % 2 == 0};
    check(records, queries, options);
  }
}

// More than 32 copies of the units, so that windows replace seeds.
TEST(fm_matches, of_stretches_that_occur_often) {
  std::mt19937_64 random(72);
  for (int round = 0; round < 24; ++round) {
    const texts units = {random_text(random, 30, "ACGT"), random_text(random, 3, "ACGT")};
    const texts records = {repetitive_text(random, units, 150)},
                queries = {repetitive_text(random, units, 6)};
    check(records, queries,
          {.kind = all_kinds[round % 4],
           .min_length = 2 + random() % 24,
           .min_occurrences = round % 8 == 7 ? 1 + random() % 40 : 1,
           .both_strands = true});
  }
}

// Long records are cut into ranges, and short ones are searched together.
TEST(fm_matches, do_not_depend_on_threads_or_memory) {
  std::mt19937_64 random(73);
  const std::string shared = random_text(random, 60'000, "ACGT");
  texts records = {shared + std::string(300, 'A') + shared.substr(10'000, 9'000)}, queries = {shared};
  for (std::size_t i = 0; i < queries[0].size(); i += 1 + random() % 200)
    queries[0][i] = "ACGTN"[random() % 5];
  queries[0] += reverse_complement(queries[0].substr(0, 30'000));
  for (int i = 0; i < 300; ++i) queries.push_back(queries[0].substr(random() % 50'000, random() % 300));
  const fm_index index = fm_index::build(batch_of(records));
  for (const match_kind kind : all_kinds) {
    match_options options{.kind = kind, .min_length = 15, .both_strands = true, .run = {.threads = 1}};
    const auto alone = rows_of(index.matches(batch_of(queries), options));
    EXPECT_GT(alone.size(), 1000U);
    options.run.threads = 3;
    EXPECT_EQ(rows_of(index.matches(batch_of(queries), options)), alone);
    // With this memory, only 1,024 matches are held at once.
    options.run.memory = 256 << 10;
    std::vector<exact_match> parts;
    index.visit_matches(batch_of(queries), options, [&](const fm_matches& part) {
      EXPECT_LE(part.size(), kind == match_kind::mum ? 5000U : 1024U);
      const auto rows = rows_of(part);
      parts.insert(parts.end(), rows.begin(), rows.end());
    });
    EXPECT_EQ(parts, alone);
    if (alone.size() > 2000) {
      EXPECT_THROW((void)index.matches(batch_of(queries), options), memory_error);
    }
  }
}

// Each of 300 queries matches each of 300 references, which several threads write.
TEST(fm_matches, are_appended_by_several_threads) {
  std::mt19937_64 random(75);
  const texts copies(300, random_text(random, 25, "ACGT"));
  const fm_index index = fm_index::build(batch_of(copies));
  const fm_matches found = index.matches(batch_of(copies), {.min_length = 20, .run = {.threads = 3}});
  ASSERT_EQ(found.size(), 90'000U);
  for (std::uint64_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found.query[i], i / 300);
    ASSERT_EQ(found.record[i], i % 300);
    ASSERT_EQ(found.query_begin[i], 0U);
    ASSERT_EQ(found.begin[i], 0U);
    ASSERT_EQ(found.length[i], 25U);
    ASSERT_EQ(found.reverse[i], 0U);
  }
}

TEST(fm_matches, are_exact_between_a_genome_and_a_copy_of_it) {
  std::mt19937_64 random(74);
  const std::string genome = random_text(random, 200'000, "ACGT");
  const fm_index index = fm_index::build(batch_of({genome}));
  const fm_matches found = index.matches(batch_of({genome}), {.min_length = 30});
  EXPECT_EQ(shown(rows_of(found)), "query 0+0 record 0 0 length 200000\n");
  const fm_matches reverse = index.matches(batch_of({reverse_complement(genome)}), {.both_strands = true});
  EXPECT_EQ(shown(rows_of(reverse)), "query 0-0 record 0 0 length 200000\n");
}

TEST(fm_matches, of_lower_case_and_of_nothing) {
  const fm_index index = fm_index::build(batch_of({"acgtnACGT", ""}));
  EXPECT_EQ(shown(rows_of(index.matches(batch_of({"", "ggAcGtaa", "NN"}), {.min_length = 4}))),
            "query 1+2 record 0 0 length 4\nquery 1+2 record 0 5 length 4\n");
  EXPECT_EQ(index.matches(sequences(), {}).size(), 0U);
  EXPECT_EQ(fm_index::build(sequences()).matches(batch_of({"ACGT"}), {.min_length = 1}).size(), 0U);
}

TEST(fm_matches, refuse_wrong_options) {
  const fm_index index = fm_index::build(batch_of({"ACGT"}));
  EXPECT_THROW((void)index.matches(batch_of({"ACGT"}), {.min_length = 0}), std::invalid_argument);
  EXPECT_THROW((void)index.matches(batch_of({"ACGT"}), {.min_occurrences = 0}), std::invalid_argument);
  EXPECT_THROW((void)index.matches(batch_of({"ACGT"}), {.run = {.engine = "none"}}), error);
  EXPECT_THROW((void)index.matches(batch_of({"ACGT"}),
                                   {.kind = match_kind::mum, .run = {.device = {device_kind::gpu}}}),
               error);
  const fm_index protein = fm_index::build(batch_of({"ACGT"}), {.alphabet = fm_alphabet::protein});
  EXPECT_THROW((void)protein.matches(batch_of({"ACGT"})), std::invalid_argument);
  EXPECT_EQ(fm_match_engines().at(0).name, "seeds");
}

TEST(fm_matches, count_letters_and_can_be_cancelled) {
  task_monitor monitor;
  run_info info;
  const fm_index index = fm_index::build(batch_of({"ACGT"}));
  (void)index.matches(batch_of({"ACGT", "GG"}),
                      {.both_strands = true, .run = {.monitor = &monitor, .info = &info}});
  EXPECT_EQ(monitor.done(), 12U);
  EXPECT_EQ(info.work, 12U);
  EXPECT_EQ(info.engine, "seeds");
  monitor.cancel();
  EXPECT_THROW((void)index.matches(batch_of({"ACGT"}), {.run = {.monitor = &monitor}}), cancelled_error);
}

} // namespace

} // namespace weft::test
