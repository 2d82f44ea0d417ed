// Tests the steps of core/bit_vector.hpp and the components of the CPU engines by themselves.
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <weft/lcs/core/bit_vector.hpp>
#include <weft/lcs/cpu/affixes.hpp>
#include <weft/lcs/cpu/batch.hpp>
#include <weft/lcs/cpu/common_run.hpp>
#include <weft/lcs/cpu/furthest_reaching.hpp>
#include <weft/lcs/engines.hpp>
#include <weft/lcs/entry/call.hpp>
#include <weft/lcs/entry/pair_codes.hpp>
#include <weft/lcs/entry/path_memory.hpp>

namespace {

using namespace weft::lcs_detail;
namespace cpu = weft::lcs_detail;
using bytes = weft::lcs_detail::text<std::uint8_t>;

// A row of one word's columns, computed cell by cell from the row above (as differences), the difference at
// the left edge, and the matches.
struct cell_row {
  std::vector<int> differences; // along the new row
  int right;                    // the new row minus the old row at the right edge
};

cell_row row_by_cells(const std::vector<int>& old, int left, word match, bool edit) {
  cell_row row;
  int above = 0, here = left, before = 0; // D of the old row, of the new row, of the old row one column back
  for (std::size_t j = 0; j < old.size(); ++j) {
    before = above;
    above += old[j];
    const int previous = here;
    here = 1 + std::min(above, previous);
    if (edit) here = std::min(here, 1 + before);
    if (match >> j & 1) here = before;
    row.differences.push_back(here - previous);
  }
  row.right = here - above;
  return row;
}

TEST(bit_vector, addition_carries) {
  std::mt19937_64 random(1);
  const word corners[] = {0, 1, 2, word{1} << 63, ~word{0}, ~word{0} - 1, random(), random()};
  for (const word x : corners)
    for (const word y : corners)
      for (const word in : {word{0}, word{1}}) {
        word carry = in;
        const word sum = add_with_carry(x, y, carry);
        EXPECT_EQ(sum, x + y + in);
        EXPECT_EQ(carry == 1, in == 1 ? x + y + 1 <= x : x + y < x) << x << " " << y << " " << in;
      }
}

TEST(bit_vector, lcs_step_is_a_row_of_the_table) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 2000; ++round) {
    const word v = random(), match = random() & random();
    std::vector<int> old;
    for (int j = 0; j < word_bits; ++j) old.push_back(v >> j & 1 ? 1 : -1);
    for (const word in : {word{0}, word{1}}) {
      // A carry means that the row has one more match at the left edge: D then differs by -1, otherwise by
      // +1.
      const cell_row expected = row_by_cells(old, in == 1 ? -1 : 1, match, false);
      word next = v, carry = in;
      lcs_step(next, match, carry);
      for (std::size_t j = 0; j < 64; ++j) ASSERT_EQ(next >> j & 1 ? 1 : -1, expected.differences[j]) << j;
      ASSERT_EQ(carry == 1 ? -1 : 1, expected.right);
    }
  }
}

TEST(bit_vector, edit_step_is_a_row_of_the_table) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 2000; ++round) {
    const word plus = random() & random(), minus = random() & random() & ~plus, match = random() & random();
    std::vector<int> old;
    for (int j = 0; j < word_bits; ++j)
      old.push_back(static_cast<int>(plus >> j & 1) - static_cast<int>(minus >> j & 1));
    for (const int left : {-1, 0, 1}) {
      const cell_row expected = row_by_cells(old, left, match, true);
      word p = plus, q = minus;
      edit_carry carry{left == 1 ? word{1} : word{0}, left == -1 ? word{1} : word{0}};
      edit_step(p, q, match, carry);
      for (std::size_t j = 0; j < 64; ++j)
        ASSERT_EQ(static_cast<int>(p >> j & 1) - static_cast<int>(q >> j & 1), expected.differences[j]) << j;
      ASSERT_EQ(static_cast<int>(carry.plus) - static_cast<int>(carry.minus), expected.right);
    }
  }
}

TEST(batch, lanes_are_words) {
  std::mt19937_64 random(4);
  for (std::size_t words = 1; words <= 5; ++words) {
    std::vector<word> masks(3 * words * cpu::batch_lanes);
    for (word& mask : masks) mask = random() & random();
    std::vector<std::uint8_t> rows(100);
    for (std::uint8_t& symbol : rows) symbol = static_cast<std::uint8_t>(random() % 3);
    std::vector<word> vector(words * cpu::batch_lanes, ~word{0}), plus = vector, minus(vector.size());
    cpu::lcs_batch({masks.data(), words}, rows.data(), rows.size(), vector.data());
    cpu::edit_batch({masks.data(), words}, rows.data(), rows.size(), plus.data(), minus.data());
    for (std::size_t lane = 0; lane < cpu::batch_lanes; ++lane) {
      std::vector<word> v(words, ~word{0}), p = v, q(words);
      for (const std::uint8_t symbol : rows) {
        word carry = 0;
        edit_carry edges{1, 0};
        for (std::size_t w = 0; w < words; ++w) {
          const word match = masks[(symbol * words + w) * cpu::batch_lanes + lane];
          lcs_step(v[w], match, carry);
          edit_step(p[w], q[w], match, edges);
        }
      }
      for (std::size_t w = 0; w < words; ++w) {
        ASSERT_EQ(vector[w * cpu::batch_lanes + lane], v[w]);
        ASSERT_EQ(plus[w * cpu::batch_lanes + lane], p[w]);
        ASSERT_EQ(minus[w * cpu::batch_lanes + lane], q[w]);
      }
    }
  }
}

template <class Symbol> void check_runs() {
  for (std::size_t n = 0; n <= 40; ++n)
    for (std::size_t different = 0; different <= n; ++different) {
      std::vector<Symbol> a(n, Symbol(7)), b(n, Symbol(7));
      if (different < n) b[different] = Symbol(8);
      EXPECT_EQ(cpu::common_prefix(a.data(), b.data(), n), different);
      EXPECT_EQ(cpu::common_suffix(a.data() + n, b.data() + n, n), different < n ? n - 1 - different : n);
      EXPECT_EQ(cpu::common_prefix(a.data(), b.data(), different), different);
    }
}

TEST(common_run, every_length_and_place) {
  check_runs<std::uint8_t>();
  check_runs<std::uint32_t>();
}

TEST(pair_codes, dense_and_equal_where_equal) {
  for (const std::uint32_t spread : {1U, 1U << 28}) {
    const std::vector<std::uint32_t> a = {5 * spread, 3 * spread, 5 * spread}, b = {3 * spread, 9 * spread};
    const weft::lcs_detail::coded_pair coded = weft::lcs_detail::dense_codes(a, b);
    EXPECT_EQ(coded.sigma, 3U);
    EXPECT_EQ(coded.a, (std::vector<std::uint32_t>{1, 0, 1}));
    EXPECT_EQ(coded.b, (std::vector<std::uint32_t>{0, 2}));
  }
}

// Checks that cells of a part are counted by the task that owns it: the part itself can only be cancelled.
TEST(lcs_progress, a_part_does_not_count) {
  weft::task_monitor monitor;
  weft::lcs_detail::cell_counter part(&monitor, false);
  part.expect(std::uint64_t{1} << 30);
  part.add(std::uint64_t{1} << 25);
  part.finish();
  EXPECT_EQ(monitor.total(), 0U);
  EXPECT_EQ(monitor.done(), 0U);
  monitor.cancel();
  EXPECT_THROW(part.add(1), weft::cancelled_error);
}

// Checks that work that is discarded and repeated is part of the total.
TEST(lcs_progress, work_that_is_begun_again) {
  weft::task_monitor monitor;
  weft::lcs_detail::cell_counter first(&monitor), second(&monitor);
  first.expect(8 << 20);
  first.add(3 << 20);
  second.expect(8 << 20);
  EXPECT_EQ(monitor.total(), 11U);
  second.add(5 << 20);
  second.finish();
  EXPECT_EQ(monitor.done(), 11U);
  first.finish();
  EXPECT_EQ(monitor.done(), 11U);
}

// A search counts no cells, so it reports how far it is. This progress is taken back if the search is
// abandoned.
TEST(lcs_progress, searches_for_near_texts_are_seen) {
  std::mt19937_64 random(4);
  std::vector<std::uint8_t> a(4000), b(4000);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = random() % 4, b[i] = random() % 4;
  weft::task_monitor monitor;
  weft::lcs_detail::cell_counter work(&monitor);
  work.expect(std::uint64_t{1} << 40);
  cpu::furthest_reaching<std::uint8_t, std::int32_t, false> engine(bytes(a), bytes(b), work);
  std::vector<std::uint64_t> seen;
  const auto found = engine.search([&](std::uint64_t d, std::uint64_t, std::uint64_t) {
    if (d % 100 == 0) seen.push_back(monitor.done());
    return d < 1000;
  });
  EXPECT_FALSE(found);
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_GT(seen[i], seen[i - 1]);
  EXPECT_LT(seen.back(), monitor.total());
  work.drop_estimate();
  EXPECT_EQ(monitor.done(), 0U);
}

// Compares the search from both ends with the search from one end, which is compared with the definition
// elsewhere, over all small texts and over random ones that differ little.
template <bool Edit> void expect_equal_searches(std::string_view a, std::string_view b) {
  weft::lcs_detail::cell_counter work(nullptr);
  const auto bytes_of = [](std::string_view text) {
    return std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  };
  const auto search = [&](auto call) {
    cpu::furthest_reaching<std::uint8_t, std::int32_t, Edit> engine(bytes_of(a), bytes_of(b), work);
    return call(engine);
  };
  const auto unlimited = [](std::uint64_t, std::uint64_t, std::uint64_t) { return true; };
  ASSERT_EQ(search([&](auto& engine) { return engine.search_from_both_ends(unlimited); }),
            search([&](auto& engine) { return engine.search(unlimited); }))
      << a << ' ' << b << (Edit ? " edit" : " indel");
}

TEST(furthest_reaching, from_both_ends_equals_from_one) {
  std::vector<std::string> texts{""};
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (texts[i].size() < 5)
      for (const char letter : {'a', 'b'}) texts.push_back(texts[i] + letter);
  for (const std::string& a : texts)
    for (const std::string& b : texts) {
      expect_equal_searches<true>(a, b);
      expect_equal_searches<false>(a, b);
    }
  std::mt19937_64 random(7);
  for (int round = 0; round < 400; ++round) {
    std::string a(random() % 300, ' '), b;
    for (char& letter : a) letter = static_cast<char>('a' + random() % (1 + round % 4));
    for (const char letter : a) {
      const std::uint64_t kind = random() % 20;
      if (kind == 0) continue;
      b += kind == 1 ? 'x' : letter;
      if (kind == 2) b += letter;
    }
    expect_equal_searches<true>(a, b);
    expect_equal_searches<false>(a, b);
  }
}

// Checks that progress of one long pair of a batch is visible before the pair is finished.
TEST(lcs_progress, a_part_with_a_monitor_counts_for_the_whole) {
  weft::task_monitor whole, part(&whole);
  part.set_total(7);
  part.add(5);
  part.take_back(2);
  EXPECT_EQ(part.done(), 3U);
  EXPECT_EQ(whole.done(), 3U);
  EXPECT_EQ(whole.total(), 0U);
  whole.cancel();
  EXPECT_THROW(part.check(), weft::cancelled_error);
}

// An engine of a GPU that has no memory left.
class full_memory final : public weft::lcs_detail::gpu_table_engine {
public:
  explicit full_memory(weft::task_monitor* monitor = nullptr)
      : gpu_table_engine("full", "nothing", weft::device_kind::gpu), monitor_(monitor) {}
  [[nodiscard]] bool is_worthwhile(std::uint64_t, std::uint64_t) const override { return true; }
  [[nodiscard]] bool is_usable() const override { return true; }
  [[nodiscard]] double estimated_seconds(const weft::lcs_detail::lcs_problem&) const override { return 1e-9; }
  void run(weft::lcs_detail::lcs_problem&) const override { fail(); }
  [[nodiscard]] std::vector<std::uint64_t> all_pairs(const weft::sequences_view&,
                                                     const weft::lcs_options&) const override {
    fail();
  }
  [[nodiscard]] bool can_sweep_half(const weft::lcs_detail::half_shape&,
                                    const weft::run_options&) const override {
    return false;
  }
  [[nodiscard]] std::vector<std::uint32_t> sweep_half(const weft::lcs_detail::half_shape&, bytes, bytes,
                                                      const weft::run_options&,
                                                      const weft::lcs_detail::sweep_check&) const override {
    fail();
  }

private:
  [[noreturn]] void fail() const {
    if (monitor_ != nullptr) monitor_->add(1000);
    throw weft::memory_error("full");
  }

  weft::task_monitor* monitor_;
};

bytes symbols_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// Returns the edit distance that engine auto computes if `gpu` is the engine of the GPU; with `path`, the
// cost of the path.
std::uint64_t automatic_distance(const std::string& a, const std::string& b, const full_memory& gpu,
                                 bool required, bool path, const weft::lcs_options& options) {
  weft::lcs_detail::cell_counter uncounted(nullptr);
  weft::lcs_detail::lcs_problem problem{
      {options, uncounted}, weft::lcs_detail::symbol_texts<std::uint8_t>{symbols_of(a), symbols_of(b)}, path};
  solve_automatically(problem, &gpu, required);
  return path ? problem.path.insertions + problem.path.deletions + problem.path.substitutions
              : problem.distance;
}

TEST(lcs_full_table, what_does_not_fit_is_filled_here_unless_it_must_not) {
  const std::string a(1000, 'a'), b(900, 'b');
  weft::task_monitor monitor;
  const weft::lcs_options options{.metric = weft::lcs_metric::edit},
      watched{.metric = weft::lcs_metric::edit, .run = {.monitor = &monitor}};
  for (const bool path : {false, true}) {
    EXPECT_EQ(automatic_distance(a, b, full_memory(), false, path, options), 1000U);
    EXPECT_THROW((void)automatic_distance(a, b, full_memory(), true, path, options), weft::memory_error);
    EXPECT_EQ(automatic_distance(a, b, full_memory(&monitor), false, path, watched), 1000U);
    EXPECT_EQ(monitor.done(), 1000ULL * 900 >> 20); // discarded work does not count
    monitor.take_back(monitor.done());
  }
}

// Checks for all pairs of texts of up to six symbols from an alphabet of three that no path has more runs
// than are reserved for it.
TEST(max_runs, of_all_short_texts) {
  std::vector<std::string> texts = {""};
  for (std::size_t i = 0; texts[i].size() < 6; ++i)
    for (const char symbol : {'a', 'b', 'c'}) texts.push_back(texts[i] + symbol);
  for (const weft::lcs_metric metric : {weft::lcs_metric::lcs, weft::lcs_metric::edit})
    for (std::size_t i = 0; i < texts.size(); i += 3)
      for (std::size_t j = 0; j < texts.size(); j += 5) {
        const std::string &a = texts[i], &b = texts[j];
        const bool edit = metric == weft::lcs_metric::edit;
        const weft::edit_script path =
            weft::lcs(a, b, {.metric = metric, .run = {.engine = "hirschberg-dp"}});
        const std::uint64_t distance = path.insertions + path.deletions + path.substitutions,
                            max_num_runs = weft::lcs_detail::max_runs(a.size(), b.size(), distance, edit);
        ASSERT_LE(path.runs.size(), max_num_runs) << a << ' ' << b;
        ASSERT_LE(max_num_runs, weft::lcs_detail::max_runs(a.size(), b.size(), edit)) << a << ' ' << b;
      }
}

// Checks that the memory must hold the actual runs of the path, not the most runs that a path of this
// distance can have.
TEST(path_memory, bit_sliced_counts_runs) {
  std::mt19937 random(18);
  std::string a(200000, 'A'), b(200000, 'A');
  for (std::string* text : {&a, &b})
    for (char& c : *text) c = "ACGT"[random() % 4];
  weft::lcs_options options{.run = {.engine = "bit-sliced", .threads = 2}}; // each thread needs memory
  const weft::edit_script right = weft::lcs(a, b, options);
  const std::uint64_t max_num_runs =
      weft::lcs_detail::max_runs(a.size(), b.size(), right.insertions + right.deletions, false) *
      sizeof(weft::edit_run);
  const std::uint64_t bit_planes = a.size() / 4 * 2 + b.size() / 4 * 2 + 65536;
  options.run.memory = bit_planes + max_num_runs;
  EXPECT_EQ(weft::lcs(a, b, options).runs, right.runs);
  options.run.memory = right.runs.size() * sizeof(weft::edit_run);
  EXPECT_THROW((void)weft::lcs(a, b, options), weft::memory_error);
}

// Checks that with any memory limit an engine returns the same path as without, or says what it needs.
TEST(path_memory, gives_the_same_path_or_an_error) {
  std::mt19937 random(17);
  for (const bool unshared : {false, true}) {
    std::string a(3000, 'A'), b(2500, 'A');
    for (char& c : a) c = "ACGTx"[random() % (unshared ? 5 : 4)];
    for (char& c : b) c = "ACGTy"[random() % (unshared ? 5 : 4)];
    b += a.substr(2000); // a common suffix
    for (const std::string engine :
         {"auto", "bit-sliced", "bit-parallel", "hirschberg-dp", "furthest-reaching", "hunt-szymanski"})
      for (const int threads : {1, 3}) {
        const weft::edit_script right = weft::lcs(a, b, {.run = {.engine = engine, .threads = threads}});
        int refused = 0, solved = 0;
        for (std::uint64_t memory = 1 << 12; memory < 1 << 25; memory += memory / 4) try {
            const auto found =
                weft::lcs(a, b, {.run = {.engine = engine, .threads = threads, .memory = memory}});
            ASSERT_EQ(found.runs, right.runs) << engine << ' ' << memory;
            ASSERT_LE(found.runs.size() * sizeof(weft::edit_run), memory) << engine;
            ++solved;
          } catch (const weft::memory_error& failure) {
            ASSERT_EQ(solved, 0) << engine << ' ' << memory << ": " << failure.what();
            ++refused;
          }
        EXPECT_GT(refused, 0) << engine;
        EXPECT_GT(solved, 0) << engine;
      }
  }
}

} // namespace
