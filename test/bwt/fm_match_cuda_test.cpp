// Checks fm_index::matches() on the first GPU against the definitions and against the CPU.
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <test/base/gpu_suite.hpp>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/bwt/fm_index.cuh>

#include "match_cases.hpp"

namespace weft::test {

namespace {

class gpu_fm_matches : public gpu_suite {
protected:
  [[nodiscard]] match_options on_gpu(match_options options, std::uint64_t device_memory = 0) const {
    options.run.device = gpu_;
    options.run.device_memory = device_memory;
    return options;
  }
  static match_options on_cpu(match_options options) {
    options.run.device = {device_kind::cpu};
    options.run.device_memory = 0;
    return options;
  }
  void check(const texts& records, const texts& queries, const match_options& options) const {
    const fm_index index = fm_index::build(batch_of(records), {.run = {.device = {device_kind::cpu}}});
    ASSERT_EQ(shown(rows_of(index.matches(batch_of(queries), on_gpu(options)))),
              shown(expected_matches(records, queries, options)));
  }
  // Compares the matches with those of the CPU, and returns their number.
  std::uint64_t compare(const fm_index& index, const sequences& queries, const match_options& options,
                        std::uint64_t device_memory = 0) const {
    run_info used;
    match_options asked = on_gpu(options, device_memory);
    asked.run.info = &used;
    const auto found = rows_of(index.matches(queries, asked));
    EXPECT_EQ(used.device.kind, device_kind::gpu);
    EXPECT_EQ(used.engine, "seeds");
    const auto expected = rows_of(index.matches(queries, on_cpu(options)));
    EXPECT_EQ(found.size(), expected.size());
    EXPECT_TRUE(found == expected);
    return found.size();
  }
};

// Returns the memory of a GPU in which a search has the smallest buffers.
std::uint64_t least_memory(const fm_index& index, const sequences& queries) {
  const std::uint64_t letters = queries.view().data.size();
  return gpu::device_fm_index::bytes_of(index) + letters / 2 + 64 * letters / 32 + 24 * queries.count() +
         (std::uint64_t{5} << 20);
}

TEST_F(gpu_fm_matches, of_all_short_texts) {
  texts queries;
  for_each_text("ACN", 4, [&](const std::string& query) { queries.push_back(query); });
  for_each_text("ACN", 4, [&](const std::string& text) {
    for (const std::uint64_t length : {1, 2, 3})
      ASSERT_NO_FATAL_FAILURE(check({text}, queries, {.min_length = length, .both_strands = true}));
  });
}

TEST_F(gpu_fm_matches, of_random_repetitive_texts) {
  std::mt19937_64 random(91);
  for (int round = 0; round < 100; ++round) {
    const texts units = {random_text(random, 40, "ACGT"), random_text(random, 7, "ACGT"),
                         random_text(random, 100, "AC"), "A"};
    texts records, queries;
    for (std::uint64_t i = random() % 3 + 1; i > 0; --i)
      records.push_back(repetitive_text(random, units, random() % 20));
    for (std::uint64_t i = random() % 4 + 1; i > 0; --i)
      queries.push_back(repetitive_text(random, units, random() % 8));
    ASSERT_NO_FATAL_FAILURE(
        check(records, queries,
              {.min_length = 1 + random() % (round % 3 == 0 ? 60 : 12), .both_strands = random() % 2 == 0}));
  }
}

// More than 32 copies of the units, so that windows replace seeds; with little memory, blocks are cut.
TEST_F(gpu_fm_matches, of_stretches_that_occur_often) {
  std::mt19937_64 random(92);
  for (int round = 0; round < 24; ++round) {
    const texts units = {random_text(random, 30, "ACGT"), random_text(random, 3, "ACGT")};
    const fm_index index = fm_index::build(batch_of({repetitive_text(random, units, 400)}));
    const sequences queries = batch_of({repetitive_text(random, units, 40), "A", "", "NN"});
    const match_options options{.min_length = 2 + random() % 24, .both_strands = true};
    ASSERT_GT(compare(index, queries, options), 0U);
    (void)compare(index, queries, options, least_memory(index, queries));
  }
}

TEST_F(gpu_fm_matches, of_one_letter_at_many_positions) {
  const fm_index index = fm_index::build(batch_of({std::string(5000, 'A'), std::string(90, 'A')}));
  const sequences queries = batch_of({std::string(30, 'A'), std::string(70, 'a') + "C"});
  const match_options options{.min_length = 20, .both_strands = true};
  EXPECT_GT(compare(index, queries, options), 10'000U);
  EXPECT_GT(compare(index, queries, options, least_memory(index, queries)), 10'000U);
}

TEST_F(gpu_fm_matches, of_long_texts) {
  std::mt19937_64 random(93);
  const std::string genome = random_text(random, 3'000'000, "ACGT");
  std::string changed = genome;
  for (std::size_t i = 0; i < 2'000'000; i += 1 + random() % 200) changed[i] = "ACGTN"[random() % 5];
  const fm_index index = fm_index::build(
      batch_of({genome.substr(0, 1'000'000), genome.substr(1'000'000) + std::string(3000, 'A')}));
  sequences queries = batch_of({changed, reverse_complement(genome), std::string(2000, 'A'), ""});
  for (int i = 0; i < 20'000; ++i) queries.add(genome.substr(random() % 2'900'000, random() % 200));
  for (const std::uint64_t length : {12, 20, 50, 300, 20'000}) {
    const match_options options{.min_length = length, .both_strands = length != 20};
    EXPECT_GT(compare(index, queries, options), 0U);
    (void)compare(index, queries, options, least_memory(index, queries));
  }
}

// Matches that a block of threads extends.
TEST_F(gpu_fm_matches, of_a_genome_with_itself) {
  std::mt19937_64 random(94);
  const std::string genome = random_text(random, 1'000'003, "ACGT");
  const fm_index index = fm_index::build(batch_of({genome}));
  EXPECT_EQ(shown(rows_of(index.matches(batch_of({genome}), on_gpu({.min_length = 50})))),
            "query 0+0 record 0 0 length 1000003\n");
  for (const std::size_t size : {4095, 4096, 4097, 5000, 36'864, 36'865, 70'000}) {
    const sequences queries = batch_of({genome.substr(77, size) + "N", genome.substr(5, size)});
    EXPECT_GE(compare(index, queries, {.min_length = 50, .both_strands = true}), 2U);
  }
}

TEST_F(gpu_fm_matches, come_in_parts_and_can_be_cancelled) {
  std::mt19937_64 random(95);
  const std::string genome = random_text(random, 200'000, "ACGT");
  const fm_index index = fm_index::build(batch_of({genome}));
  const sequences queries = batch_of({genome});
  task_monitor monitor;
  match_options options = on_gpu({.min_length = 8, .both_strands = true});
  options.run.memory = 512 << 10; // parts of 2,048 matches
  options.run.monitor = &monitor;
  std::vector<exact_match> parts;
  index.visit_matches(queries, options, [&](const fm_matches& part) {
    EXPECT_LE(part.size(), 2048U);
    const auto rows = rows_of(part);
    parts.insert(parts.end(), rows.begin(), rows.end());
  });
  EXPECT_TRUE(parts ==
              rows_of(index.matches(
                  queries, {.min_length = 8, .both_strands = true, .run = {.device = {device_kind::cpu}}})));
  EXPECT_EQ(monitor.done(), 400'000U);
  monitor.cancel();
  EXPECT_THROW(index.visit_matches(queries, options, [](const fm_matches&) {}), cancelled_error);
}

TEST_F(gpu_fm_matches, refuse_what_a_gpu_cannot_do) {
  const fm_index index = fm_index::build(batch_of({"ACGTACGT"}));
  const sequences queries = batch_of({"ACGT"});
  for (const match_kind kind : {match_kind::mum, match_kind::mum_ref, match_kind::smem}) {
    const match_options options{.kind = kind, .min_length = 2};
    EXPECT_THROW((void)index.matches(queries, on_gpu(options)), error);
  }
  const match_options options{.min_length = 2};
  EXPECT_THROW((void)index.matches(queries, on_gpu(options, 1 << 20)), memory_error);
  // If any device may be used, the CPU does what does not fit the memory of a GPU.
  match_options any{.min_length = 2, .expected_letters = std::uint64_t{1} << 40};
  any.run.device_memory = 1 << 20;
  EXPECT_EQ(shown(rows_of(index.matches(queries, any))),
            shown(rows_of(index.matches(queries, on_cpu(options)))));
}

} // namespace

} // namespace weft::test
