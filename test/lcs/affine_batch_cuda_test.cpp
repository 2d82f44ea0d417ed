// Tests engine affine-batch: what its kernels do, on the host thread by thread, and the engine on a GPU
// against engine affine-table.
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <test/lcs/lcs_cases.hpp>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/lcs/cuda/affine_batch.hpp>
#include <weft/lcs/entry/call.hpp>
#include <weft/lcs/lcs.hpp>

namespace {

using weft::affine_penalties;
using weft::lcs_metric;
using weft_test::random_text;

// Sequences, one after the other.
struct batch {
  std::string text;
  std::vector<std::uint64_t> offsets = {0};
  void add(const std::string& sequence) {
    text += sequence;
    offsets.push_back(text.size());
  }
};

// Returns `count` random sequences of at most `longest` letters, half of them mutated copies of another one.
batch random_batch(std::mt19937_64& random, std::size_t count, std::size_t longest, unsigned sigma) {
  batch made;
  for (std::size_t i = 0; i < count; ++i) {
    std::string sequence = random_text(random, random() % (longest + 1), sigma);
    if (i % 2 == 1) {
      const std::size_t from = random() % i;
      sequence = made.text.substr(made.offsets[from], made.offsets[from + 1] - made.offsets[from]);
      sequence =
          weft_test::mutate(random, sequence, 10, [&] { return static_cast<char>('a' + random() % sigma); });
      sequence.resize(std::min(sequence.size(), longest));
    }
    made.add(sequence);
  }
  return made;
}

// Returns all texts of up to `longest` of the first `sigma` letters.
batch all_texts(unsigned sigma, std::size_t longest) {
  std::vector<std::string> texts = {""};
  for (std::size_t begin = 0; texts[begin].size() < longest; ++begin)
    for (unsigned letter = 0; letter < sigma; ++letter)
      texts.push_back(texts[begin] + static_cast<char>('a' + letter));
  batch made;
  for (const std::string& each : texts) made.add(each);
  return made;
}

weft::lcs_options options(const std::string& engine, const affine_penalties& cost = {},
                          const std::string& unmatched = "") {
  return {.metric = lcs_metric::affine,
          .unmatched = unmatched,
          .penalties = cost,
          .run = {.engine = engine, .threads = 0}};
}

std::vector<std::uint64_t> expected_values(const batch& of, const affine_penalties& cost = {},
                                           const std::string& unmatched = "") {
  return weft::lcs_all_pairs({of.text, of.offsets}, options("affine-table", cost, unmatched));
}

constexpr affine_penalties many_penalties[] = {{6, 2, 4}, {0, 1, 1},  {0, 1, 5},    {5, 1, 1},
                                               {1, 3, 2}, {9, 1, 20}, {40, 8, 130}, {200, 100, 50}};

// Computes all pairs as the kernels do, one thread after another, with `num_warps` warps and pieces of at
// most `capacity` values. Gaps and mismatches must have no common divisor.
std::vector<std::uint64_t> emulated_values(const batch& of, const affine_penalties& cost,
                                           const std::string& unmatched, unsigned num_warps,
                                           std::int64_t capacity) {
  using namespace weft::lcs_detail;
  const auto* const text = reinterpret_cast<const std::uint8_t*>(of.text.data());
  const auto size = static_cast<std::int64_t>(of.text.size());
  const affine_pair_penalties penalties{cost.gap_open, cost.gap_extend, cost.mismatch};
  affine_alphabet alphabet;
  for (const char letter : of.text) alphabet.occurs[static_cast<std::uint8_t>(letter)] = true;
  for (const char letter : unmatched) alphabet.is_unmatched[static_cast<std::uint8_t>(letter)] = true;
  const std::uint64_t max_length = affine_pair_length(penalties, alphabet.count_codes());
  const affine_codes codes = make_affine_codes(alphabet, penalties);
  const batch_plan plan = plan_short_pairs(of.offsets, max_length);
  const affine_layout layout(plan, of.offsets);
  std::vector<std::uint32_t> rows, columns;
  for (std::int64_t i = 0; i <= size; ++i) rows.push_back(row_word(text, size, codes, i));
  for (int k = 0; k < static_cast<int>(layout.chunks.size()); ++k) {
    const affine_chunk& chunk = layout.chunks[static_cast<std::size_t>(k)];
    EXPECT_EQ(chunk.begin, static_cast<std::int64_t>(columns.size()));
    for (int i = 0; i < chunk.stripes * chunk.columns * 32; ++i)
      columns.push_back(column_word(text, layout.items.data(), plan.count(), k, codes, i));
  }
  EXPECT_EQ(layout.column_words, static_cast<std::int64_t>(columns.size()));
  std::vector<std::uint64_t> all((of.offsets.size() - 1) * (of.offsets.size() - 2) / 2);
  for (const batch_piece& piece :
       cut_into_pieces(plan, capacity, 1e300, [](std::int64_t) { return batch_shape{}; })) {
    const auto value_of = [&](int p) { return plan.begins[to_size(p)] - plan.begins[to_size(piece.first)]; };
    affine_job job = plain_affine_job(penalties, layout, piece);
    std::vector<affine_border> borders(num_warps * to_size(job.border_rows) * 32, {0x12345678, 0x87654321});
    std::vector<std::uint32_t> values(to_size(value_of(piece.last)), 0xeeeeeeee);
    job.row_letters = rows.data(), job.column_letters = columns.data();
    job.items = layout.items.data(), job.chunks = layout.chunks.data(), job.begins = plan.begins.data();
    job.borders = borders.data(), job.values = values.data();
    for (unsigned task = 0; task < job.num_tasks(); ++task)
      for (int lane = 0; job.has_pairs(task) && lane < 32; ++lane)
        if (codes.form == letter_form::four)
          compute_affine_lane<letter_form::four>(job, task, task % num_warps, lane);
        else
          compute_affine_lane<letter_form::any>(job, task, task % num_warps, lane);
    for (int p = piece.first; p < piece.last; ++p)
      for (int q = 0; q < p; ++q)
        all[pair_index(plan.order[to_size(p)], plan.order[to_size(q)])] = values[to_size(value_of(p) + q)];
  }
  return all;
}

TEST(affine_batch_steps, equal_the_table) {
  std::mt19937_64 random(1);
  EXPECT_EQ(emulated_values(all_texts(2, 5), {3, 1, 2}, "", 2, 500),
            expected_values(all_texts(2, 5), {3, 1, 2}));
  for (int round = 0; round < 10; ++round) {
    const unsigned sigma = std::vector<unsigned>{1, 2, 4, 5, 20, 26}[random() % 6];
    const affine_penalties cost{static_cast<std::uint32_t>(random() % 12),
                                static_cast<std::uint32_t>(1 + random() % 5),
                                static_cast<std::uint32_t>(1 + random() % 9)};
    const batch of = random_batch(random, 2 + random() % 100, round % 3 == 0 ? 130 : 40, sigma);
    for (const std::string unmatched : {"", "ac"})
      ASSERT_EQ(emulated_values(of, cost, unmatched, 1 + random() % 5,
                                1 + static_cast<std::int64_t>(random() % 3000)),
                expected_values(of, cost, unmatched))
          << "round " << round << ", sigma " << sigma;
  }
}

class gpu_affine_batch : public testing::Test {
protected:
  void SetUp() override {
    if (const std::string reason = weft_test::reason_to_skip("systolic"); !reason.empty())
      GTEST_SKIP() << reason;
  }
  static void check(const batch& of, const affine_penalties& cost = {}, const std::string& unmatched = "") {
    weft::run_info used;
    weft::lcs_options chosen = options("affine-batch", cost, unmatched);
    chosen.run.info = &used;
    ASSERT_EQ(weft::lcs_all_pairs({of.text, of.offsets}, chosen), expected_values(of, cost, unmatched))
        << cost.gap_open << " " << cost.gap_extend << " " << cost.mismatch << " '" << unmatched << "'";
    ASSERT_EQ(used.engine, "affine-batch");
    ASSERT_TRUE(used.on_gpu());
  }
};

TEST_F(gpu_affine_batch, all_short_texts) {
  for (const affine_penalties& cost : many_penalties) {
    ASSERT_NO_FATAL_FAILURE(check(all_texts(2, 7), cost));
    ASSERT_NO_FATAL_FAILURE(check(all_texts(3, 4), cost));
    ASSERT_NO_FATAL_FAILURE(check(all_texts(5, 3), cost));
  }
}

TEST_F(gpu_affine_batch, random_texts) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 60; ++round) {
    const unsigned sigma = std::vector<unsigned>{1, 2, 4, 5, 20, 26}[random() % 6];
    const batch of = random_batch(random, 2 + random() % 300, round % 4 == 0 ? 500 : 150, sigma);
    const affine_penalties& cost = many_penalties[random() % std::size(many_penalties)];
    ASSERT_NO_FATAL_FAILURE(check(of, cost)) << "sigma " << sigma;
    ASSERT_NO_FATAL_FAILURE(check(of, cost, "a")) << "sigma " << sigma;
  }
}

TEST_F(gpu_affine_batch, all_bytes) {
  std::mt19937_64 random(3);
  batch of;
  for (int i = 0; i < 90; ++i) {
    std::string sequence(random() % 700, ' ');
    for (char& c : sequence) c = static_cast<char>(random());
    of.add(sequence);
    of.add(sequence.substr(sequence.size() / 3) + "0123456789");
  }
  ASSERT_NO_FATAL_FAILURE(check(of, {6, 2, 128}));
  for (char& c : of.text) c = static_cast<char>(static_cast<std::uint8_t>(c) % 250);
  ASSERT_NO_FATAL_FAILURE(check(of, {6, 2, 64}, "\x01\x03"));
}

// The lengths at which stripes and chunks end, and the number of sequences in a chunk.
TEST_F(gpu_affine_batch, edges_of_stripes_and_chunks) {
  std::mt19937_64 random(4);
  for (const int count : {2, 3, 63, 64, 65, 66, 128, 129}) {
    batch of;
    for (int i = 0; i < count; ++i) {
      const std::size_t edges[] = {1, 16, 20, 24, 28, 32, 38, 40, 60, 76, 114, 150, 152};
      of.add(random_text(random, edges[random() % std::size(edges)] + random() % 3 - 1, 4));
    }
    ASSERT_NO_FATAL_FAILURE(check(of)) << count;
  }
}

// The largest penalties and lengths that fit 16 bits.
TEST_F(gpu_affine_batch, limits_of_16_bits) {
  std::mt19937_64 random(5);
  for (const affine_penalties& cost : {affine_penalties{10922, 1, 3},
                                       {0, 1, 8192},
                                       {10001, 4, 1000},
                                       {3, 1, 2},
                                       {1000000, 1000000, 1000000}})
    for (const unsigned sigma : {2U, 4U}) {
      batch of;
      for (const std::size_t length : {4096, 4095, 4000, 1, 2, 300}) {
        of.add(random_text(random, length, sigma));
        of.add(std::string(length, 'a'));
        of.add(std::string(length, 'b'));
      }
      ASSERT_NO_FATAL_FAILURE(check(of, cost)) << "sigma " << sigma;
    }
}

// Pairs with sequences that are too long are computed on the CPU.
TEST_F(gpu_affine_batch, sequences_that_are_too_long) {
  std::mt19937_64 random(6);
  batch of = random_batch(random, 150, 400, 4);
  of.add(random_text(random, 4097, 4));
  of.add("");
  of.add(random_text(random, 6000, 4));
  of.add(random_text(random, 4096, 4));
  weft::task_monitor monitor;
  weft::lcs_options chosen = options("auto");
  chosen.run.device = {weft::device_kind::gpu, weft::known_gpus().devices.front().index};
  chosen.run.monitor = &monitor;
  EXPECT_EQ(weft::lcs_all_pairs({of.text, of.offsets}, chosen), expected_values(of));
  EXPECT_EQ(monitor.done(), monitor.total());
  for (const std::uint64_t count : {2, 5, 200})
    EXPECT_EQ(weft_test::sum_of_shares({of.text, of.offsets}, chosen, count), expected_values(of)) << count;
  batch two;
  two.add(random_text(random, 5000, 4));
  two.add("");
  EXPECT_EQ(weft::lcs_all_pairs({two.text, two.offsets}, chosen), expected_values(two));
}

// The shares of a plan divide its rows, and have about as many cells each.
TEST(affine_batch_plan, is_divided_into_shares) {
  using namespace weft::lcs_detail;
  std::mt19937_64 random(8);
  for (const std::size_t num_sequences : {0, 1, 2, 3, 500}) {
    const batch of = random_batch(random, num_sequences, 300, 4);
    const batch_plan all = plan_short_pairs(of.offsets, 4096);
    EXPECT_EQ(all.cells, cells_of_all_pairs(of.offsets));
    for (const std::uint64_t count : {1, 2, 3, 7, 900}) {
      std::uint64_t cells = 0;
      int last = 0;
      for (std::uint64_t index = 0; index < count; ++index) {
        const batch_plan part = plan_short_pairs(of.offsets, 4096, {index, count});
        EXPECT_EQ(part.first, last);
        last = part.last;
        cells += part.cells;
        if (num_sequences == 500 && count < 8) {
          EXPECT_NEAR(static_cast<double>(part.cells), static_cast<double>(all.cells) / count,
                      all.cells / 100.0);
        }
        for (int p = 0; p < part.count(); ++p)
          EXPECT_EQ(part.begins[to_size(p) + 1] - part.begins[to_size(p)],
                    p >= part.first && p < part.last ? all.cuts[to_size(p)] : 0);
      }
      EXPECT_EQ(last, all.count());
      EXPECT_EQ(cells, all.cells);
    }
  }
}

TEST_F(gpu_affine_batch, little_memory) {
  std::mt19937_64 random(7);
  const batch of = random_batch(random, 700, 250, 4);
  const std::vector<std::uint64_t> expected = expected_values(of);
  int done = 0, refused = 0;
  for (std::uint64_t memory = std::uint64_t{1} << 32; memory >= 1000; memory /= 4) {
    weft::lcs_options chosen = options("affine-batch");
    chosen.run.device_memory = memory;
    try {
      ASSERT_EQ(weft::lcs_all_pairs({of.text, of.offsets}, chosen), expected) << memory;
      ASSERT_EQ(refused, 0) << memory;
      ++done;
    } catch (const weft::memory_error&) {
      ++refused;
    }
  }
  EXPECT_GT(done, 3);
  EXPECT_GT(refused, 1);
}

TEST_F(gpu_affine_batch, automatic_device_and_progress) {
  std::mt19937_64 random(8);
  batch of;
  for (int i = 0; i < 1000; ++i) of.add(random_text(random, 100 + random() % 51, 4));
  weft::run_info used;
  weft::task_monitor monitor;
  weft::lcs_options chosen = options("auto");
  chosen.run.threads = 1;
  chosen.run.info = &used;
  chosen.run.monitor = &monitor;
  EXPECT_EQ(weft::lcs_all_pairs({of.text, of.offsets}, chosen), expected_values(of));
  EXPECT_EQ(used.engine, "affine-batch");
  EXPECT_EQ(monitor.done(), monitor.total());
  monitor.cancel();
  EXPECT_THROW((void)weft::lcs_all_pairs({of.text, of.offsets}, chosen), weft::cancelled_error);
  batch few;
  few.add("GATTACA");
  few.add("GCATGCA");
  chosen.run.monitor = nullptr;
  EXPECT_EQ(weft::lcs_all_pairs({few.text, few.offsets}, chosen), expected_values(few));
  EXPECT_FALSE(used.on_gpu());
}

TEST_F(gpu_affine_batch, single_pairs_by_name) {
  std::mt19937_64 random(9);
  const std::string a = random_text(random, 900, 4), b = random_text(random, 700, 4);
  EXPECT_EQ(weft::lcs_value(a, b, options("affine-batch")), weft::lcs_value(a, b, options("affine-table")));
  EXPECT_EQ(weft::lcs_value(a, "", options("affine-batch")), 6U + 900 * 2);
  const std::vector<std::uint32_t> x = {1000, 2, 70000, 5}, y = {2, 70000, 6};
  EXPECT_EQ(weft::lcs_value(x, y, options("affine-batch")), weft::lcs_value(x, y, options("affine-table")));
  const auto refuses = [](const std::string& reason, const auto& call) {
    try {
      call();
      ADD_FAILURE() << "no error: " << reason;
    } catch (const weft::error& failure) {
      EXPECT_EQ(failure.code(), weft::errc::invalid_input);
      EXPECT_NE(std::string(failure.what()).find(reason), std::string::npos) << failure.what();
    }
  };
  refuses("not paths", [&] { (void)weft::lcs(a, b, options("affine-batch")); });
  refuses("at most 4096 symbols",
          [&] { (void)weft::lcs_value(std::string(4097, 'a'), b, options("affine-batch")); });
  refuses("16 bits", [&] { (void)weft::lcs_value(a, b, options("affine-batch", {20000, 1, 3})); });
  weft::lcs_options wild = options("affine-batch");
  wild.wildcards = "a";
  refuses("letters that match any letter", [&] { (void)weft::lcs_value(a, b, wild); });
}

} // namespace
