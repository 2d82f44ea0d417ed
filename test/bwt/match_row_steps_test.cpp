// Runs the steps of the threads of a GPU that finds maximal matches on the CPU, in the order of the kernels
// and of their host code (cuda/fm/fm_match_search.cpp), and compares the matches with their definition and
// with the engine of the CPU.
#include <algorithm>
#include <bit>
#include <gtest/gtest.h>
#include <random>
#include <utility>
#include <weft/bwt/core/match_row_steps.hpp>
#include <weft/bwt/cpu/fm_match.hpp>
#include <weft/bwt/entry/match_blocks.hpp>
#include <weft/bwt/entry/match_queries.hpp>

#include "match_cases.hpp"

namespace weft::test {

namespace {

using namespace bwt_detail;

// The limits that decide how a search is cut.
struct search_limits {
  std::uint64_t block_letters = 1 << 20, matches = 1 << 20, max_right = 64;
};

class host_match_search {
public:
  host_match_search(const fm_index& index, const sequences_view& queries, const match_options& options,
                    const search_limits& limits)
      : index_(index.parts()), view_(queries), queries_(queries, options.both_strands, {}), options_(options),
        limits_(limits), plan_(index_.num_rows, options.min_length, 1, false) {}

  std::vector<exact_match> run() {
    match_blocks blocks(view_, options_.both_strands, limits_.block_letters);
    while (!blocks.empty()) {
      const match_block block = blocks[0];
      if (!search(blocks, block, 0, index_.num_rows)) {
        if (blocks.cut_first()) continue;
        search_halves(blocks, block, 0, index_.num_rows);
      }
      blocks.drop_first(1);
    }
    return std::move(found_);
  }

private:
  struct sorted_match {
    std::uint64_t key, length;
    bool unfinished;
    friend bool operator<(const sorted_match& a, const sorted_match& b) { return a.key < b.key; }
  };

  void search_halves(const match_blocks& blocks, const match_block& block, std::uint64_t first,
                     std::uint64_t last) {
    ASSERT_GT(last - first, 1U);
    const std::uint64_t middle = first + (last - first) / 2;
    if (!search(blocks, block, first, middle)) search_halves(blocks, block, first, middle);
    if (!search(blocks, block, middle, last)) search_halves(blocks, block, middle, last);
  }

  bool search(const match_blocks& blocks, const match_block& block, std::uint64_t first, std::uint64_t last) {
    const match_records records{view_.offsets.data(), view_.count()};
    const match_keys keys{records,
                          block.last_record != 0 ? 2 * view_.offsets[block.first_record]
                                                 : records.order_of(block.range.reverse, block.range.first),
                          static_cast<int>(std::bit_width(index_.num_rows))};
    matches_.clear();
    blocks.for_each_range(block, [&](const match_range& range) {
      search_range({index_, queries_.strand(range.reverse), plan_, range, first, last,
                    std::max(limits_.max_right, plan_.min_length)},
                   keys);
    });
    if (matches_.size() > limits_.matches) return false;
    std::sort(matches_.begin(), matches_.end());
    for (const sorted_match& each : matches_) {
      const record_match match = keys.match_of(each.key, each.length);
      const fm_segment& segment = index_.segment_of(match.text);
      found_.push_back({match.record, match.reverse ? 1U : 0U, match.begin, segment.record,
                        segment.begin + (match.text - segment.start), match.length});
    }
    return true;
  }

  void search_range(const match_row_job& job, const match_keys& keys) {
    const std::uint64_t first = matches_.size();
    for (std::uint64_t s = 0; s < num_seeds_of(plan_, job.range); ++s) {
      match_anchor seed;
      const seed_tasks tasks = make_seed(job, (first_seed_of(plan_, job.range) + s) * plan_.step, seed);
      EXPECT_TRUE(tasks.rows == 0 || tasks.windows == 0);
      look_up(job, keys, seed, tasks.rows);
      for (std::uint64_t w = 0; w < tasks.windows; ++w) {
        const match_anchor window = make_window(job, seed, w);
        look_up(job, keys, window, window.high - window.low);
      }
    }
    for (std::uint64_t i = first; i < matches_.size(); ++i) {
      if (!matches_[i].unfinished) continue;
      const record_match match = keys.match_of(matches_[i].key, matches_[i].length);
      matches_[i].length +=
          common_letters_from(index_.packed_text, match.text + match.length, job.strand.words,
                              match.position + match.length, letters_behind(job, match));
    }
  }

  void look_up(const match_row_job& job, const match_keys& keys, const match_anchor& anchor,
               std::uint64_t rows) {
    for (std::uint64_t row = anchor.low; row < anchor.low + rows; ++row) {
      found_match match{};
      const row_outcome outcome = match_at_row(job, anchor, row, match);
      ASSERT_NE(outcome, row_outcome::damaged);
      if (outcome != row_outcome::no_match)
        matches_.push_back(
            {keys.key_of(job.strand.reverse, match), match.length, outcome == row_outcome::unfinished});
    }
  }

  const fm_parts& index_;
  sequences_view view_;
  match_queries queries_;
  match_options options_;
  search_limits limits_;
  match_plan plan_;
  std::vector<sorted_match> matches_; // of the block
  std::vector<exact_match> found_;
};

void check(const texts& records, const texts& queries, const match_options& options,
           const search_limits& limits) {
  const fm_index index = fm_index::build(batch_of(records));
  const sequences batch = batch_of(queries);
  if (index.num_symbols() == 0 || batch.view().data.empty()) return;
  const auto found = host_match_search(index, batch.view(), options, limits).run();
  ASSERT_EQ(shown(found), shown(rows_of(index.matches(batch, options))));
}

// Few letters in a block and few matches, so that blocks and the text are cut.
constexpr search_limits all_limits[] = {
    {}, {.block_letters = 7, .matches = 3}, {.block_letters = 1, .matches = 1}, {.max_right = 1}};

TEST(match_row_steps, of_all_short_texts) {
  texts queries;
  for_each_text("ACN", 4, [&](const std::string& query) { queries.push_back(query); });
  for_each_text("ACN", 4, [&](const std::string& text) {
    for (const std::uint64_t length : {1, 2, 3})
      for (const search_limits& limits : all_limits)
        ASSERT_NO_FATAL_FAILURE(check({text}, queries, {.min_length = length, .both_strands = true}, limits));
  });
}

TEST(match_row_steps, of_random_repetitive_texts) {
  std::mt19937_64 random(81);
  for (int round = 0; round < 200; ++round) {
    const texts units = {random_text(random, 40, "ACGT"), random_text(random, 7, "ACGT"),
                         random_text(random, 100, "AC"), "A"};
    texts records, queries;
    for (std::uint64_t i = random() % 3 + 1; i > 0; --i)
      records.push_back(repetitive_text(random, units, random() % 60));
    for (std::uint64_t i = random() % 4 + 1; i > 0; --i)
      queries.push_back(repetitive_text(random, units, random() % 12));
    const match_options options{.min_length = 1 + random() % (round % 3 == 0 ? 60 : 12),
                                .both_strands = random() % 2 == 0};
    const search_limits limits{
        .block_letters = 1 + random() % 300, .matches = 1 + random() % 200, .max_right = 1 + random() % 40};
    ASSERT_NO_FATAL_FAILURE(check(records, queries, options, limits));
  }
}

// More than 32 copies of the units, so that windows replace seeds.
TEST(match_row_steps, of_stretches_that_occur_often) {
  std::mt19937_64 random(82);
  for (int round = 0; round < 40; ++round) {
    const texts units = {random_text(random, 30, "ACGT"), random_text(random, 3, "ACGT")};
    ASSERT_NO_FATAL_FAILURE(check(
        {repetitive_text(random, units, 300)}, {repetitive_text(random, units, 20), "A"},
        {.min_length = 2 + random() % 24, .both_strands = true}, {.matches = 100 + random() % 100'000}));
  }
}

// Both searches narrow an anchor to the same rows.
TEST(match_row_steps, narrow_as_the_cpu_does) {
  std::mt19937_64 random(83);
  const std::string text = random_text(random, 50'000, "ACGT");
  const fm_index index = fm_index::build(batch_of({text + text.substr(100, 20'000)}));
  const auto& view = static_cast<const fm_index::view&>(index.parts());
  const sequences batch = batch_of({text.substr(0, 30'000) + random_text(random, 2000, "ACGT")});
  const match_queries queries(batch.view(), false, {});
  std::vector<match_anchor> anchors, narrowed;
  for (int i = 0; i < 20'000; ++i)
    anchors.push_back({random() % 31'000, 1 + random() % 900, 0, 1 + random() % 20, 0, 0});
  narrowed = anchors;
  narrow_anchors(view, queries.words(false), anchors);
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < anchors.size(); ++i) {
    narrow_anchor(view, queries.words(false), narrowed[i]);
    ASSERT_EQ(narrowed[i].low, anchors[i].low);
    ASSERT_EQ(narrowed[i].high, anchors[i].high);
    ASSERT_EQ(narrowed[i].begin, anchors[i].begin);
    ASSERT_EQ(narrowed[i].length, anchors[i].length);
    ASSERT_EQ(narrowed[i].min_left, anchors[i].min_left);
    ASSERT_EQ(narrowed[i].max_left, anchors[i].max_left);
    found += anchors[i].high > anchors[i].low ? 1 : 0;
  }
  EXPECT_GT(found, 1000U);
}

// The order numbers of all positions ascend in the order of matches, and lead back to the positions.
TEST(match_row_steps, order_numbers_of_records) {
  const std::vector<std::uint64_t> offsets = {0, 0, 3, 3, 4, 9, 9};
  const match_records records{offsets.data(), offsets.size() - 1};
  const match_keys keys{records, 0, 5};
  std::uint64_t order = 0;
  for (std::uint64_t r = 0; r + 1 < offsets.size(); ++r)
    for (const bool reverse : {false, true})
      for (std::uint64_t i = 0; i < offsets[r + 1] - offsets[r]; ++i, ++order) {
        const std::uint64_t position = reverse ? 9 - offsets[r + 1] + i : offsets[r] + i;
        ASSERT_EQ(records.order_of(reverse, position), order);
        const record_match match = keys.match_of(keys.key_of(reverse, {position, 17, 0}), 1);
        ASSERT_EQ(match.record, r);
        ASSERT_EQ(match.reverse, reverse);
        ASSERT_EQ(match.position, position);
        ASSERT_EQ(match.text, 17U);
        ASSERT_EQ(match.begin, reverse ? offsets[r + 1] - offsets[r] - i - 1 : i);
      }
}

} // namespace

} // namespace weft::test
