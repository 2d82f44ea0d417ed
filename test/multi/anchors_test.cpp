// Tests anchors that many ranks sort together, against those that one process sorts.
#include <algorithm>
#include <atomic>
#include <functional>
#include <gtest/gtest.h>
#include <new>
#include <random>
#include <span>
#include <string>
#include <test/bwt/suffix_texts.hpp>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/bwt/cpu/suffix_anchors.hpp>
#include <weft/bwt/cpu/suffix_ranges.hpp>
#include <weft/multi/shared_pieces.hpp>
#include <weft/multi/suffixes.hpp>
#include <weft/multi/thread_ranks.hpp>

namespace weft::test {

namespace {

using bwt_detail::item_group;
using bwt_detail::item_layout;
using bwt_detail::range_limits;
using bwt_detail::sorted_range;
using bwt_detail::suffix_anchors;
using bwt_detail::suffix_string;
using multi::communicator;
using multi::run_ranks;
using multi_detail::rank_sharing;
using multi_detail::shared_pieces;

constexpr int max_ranks = 8;
const run_options one_thread{.threads = 1};

std::string fibonacci(std::size_t n) {
  std::string a = "a", b = "ab";
  while (b.size() < n) a = std::exchange(b, b + a);
  return b.substr(0, n);
}

// Returns texts of n symbols whose suffixes agree in long stretches, and a random one.
std::vector<named_text> anchor_texts(std::size_t n) {
  std::mt19937_64 random(seed(n));
  const std::string block = random_letters(random, n / 7 + 1, 4);
  return {{"all equal", std::string(n, 'x')},
          {"period 2", repeated("ab", n)},
          {"period 3", repeated("abb", n - 1) + "a"},
          {"period 1000", repeated(random_letters(random, 1000, 4), n)},
          {"Fibonacci", fibonacci(n)},
          {"copies of a block", repeated(block, n)},
          {"changed copies", copies(random, n, n / 5 + 1, 300)},
          {"runs between copies", powers(block.substr(0, 90), "ba", n / 2) + powers("ab", "cb", n - n / 2)},
          {"random", random_letters(random, n, 4)}};
}

// Suffixes in groups that agree in `depth` symbols, in another order than that of the suffix array.
struct tied_suffixes {
  std::vector<std::uint64_t> items;
  std::vector<item_group> groups;
  std::vector<std::uint32_t> expected;
  item_layout layout;

  tied_suffixes(const std::string& text, std::uint64_t depth)
      : expected(sorted_by_divsufsort(text)), layout{
                                                  static_cast<unsigned>(std::bit_width(text.size())),
                                                  static_cast<unsigned>(64 - std::bit_width(text.size()))} {
    items.assign(expected.begin(), expected.end());
    const auto agree = [&](std::uint64_t a, std::uint64_t b) {
      return std::max(a, b) + depth <= text.size() && text.compare(a, depth, text, b, depth) == 0;
    };
    for (std::uint64_t begin = 0, end = 0; begin < items.size(); begin = end) {
      for (end = begin + 1; end < items.size() && agree(items[begin], items[end]);) ++end;
      if (end - begin < 2) continue;
      groups.push_back(bwt_detail::make_group(begin, end));
      std::sort(items.begin() + static_cast<std::ptrdiff_t>(begin),
                items.begin() + static_cast<std::ptrdiff_t>(end));
    }
  }

  // Returns whether the anchors sort the groups.
  [[nodiscard]] bool are_sorted_by(const suffix_anchors& anchors) const {
    std::vector<std::uint64_t> resolved = items;
    bwt_detail::resolve_workspace work;
    anchors.resolve(resolved, layout, groups, work);
    return std::equal(resolved.begin(), resolved.end(), expected.begin(), expected.end(),
                      [&](std::uint64_t item, std::uint32_t i) { return layout.position(item) == i; });
  }
};

TEST(multi_anchors, of_all_ranks_are_those_of_one_process) {
  for (const std::size_t n : {3, 60, 1000, 6000})
    for (const auto& [name, text] : anchor_texts(n)) {
      const suffix_string packed(symbols_of(text), one_thread);
      for (const std::uint64_t depth : {2, 17, 72}) {
        const tied_suffixes tied(text, depth);
        const suffix_anchors expected(packed, depth, one_thread);
        ASSERT_TRUE(tied.are_sorted_by(expected)) << name;
        for (int count = 1; count <= max_ranks; ++count)
          run_ranks(count, [&, &name = name](communicator& ranks) {
            rank_sharing sharing(ranks, one_thread);
            const suffix_anchors anchors(packed, depth, one_thread, &sharing);
            EXPECT_EQ(anchors.count(), expected.count());
            EXPECT_EQ(anchors.bytes(), expected.bytes());
            EXPECT_TRUE(tied.are_sorted_by(anchors)) << name << ", " << n << ", " << depth << ", " << count;
          });
      }
    }
}

// Returns the suffixes that the ranks sort together, and the bytes that they send.
struct sorted_by_pieces {
  std::vector<std::uint32_t> sa;
  std::uint64_t bytes;
};
sorted_by_pieces sort_pieces(const suffix_string& text, const range_limits& limits, int count) {
  sorted_by_pieces sorted{std::vector<std::uint32_t>(text.size()), 0};
  std::atomic<std::uint64_t> bytes{0};
  run_ranks(count, [&](communicator& ranks) {
    shared_pieces pieces(ranks, text, limits, one_thread);
    for (std::uint64_t round = 0; round < pieces.num_rounds(); ++round) {
      pieces.exchange(round);
      pieces.sort(round, [&](const sorted_range& range) {
        for (std::uint64_t k = 0; k < range.items.size(); ++k) // of rows that no other rank has
          sorted.sa[range.first_row + k] = static_cast<std::uint32_t>(range.layout.position(range.items[k]));
      });
    }
    bytes += ranks.sent().bytes;
  });
  sorted.bytes = bytes;
  return sorted;
}

TEST(multi_anchors, pieces_of_all_texts_are_the_suffix_array) {
  for (const std::size_t n : {1, 2, 5, 300, 30000}) // the first ones have fewer symbols than there are ranks
    for (const auto& [name, text] : anchor_texts(n)) {
      const suffix_string packed(symbols_of(text), one_thread);
      const std::vector<std::uint32_t> expected = sorted_by_divsufsort(text);
      for (int count = 1; count <= max_ranks; ++count)
        ASSERT_EQ(sort_pieces(packed, {n, ~std::uint64_t{0}}, count).sa, expected)
            << name << ", " << n << " symbols, " << count << " ranks";
    }
}

// The anchors take the place of items, or of all copies of items, or are sorted by a rank that has no copies.
TEST(multi_anchors, pieces_are_sorted_in_any_memory_in_which_the_anchors_fit) {
  constexpr std::uint64_t n = 10000;
  for (const auto& [name, text] : anchor_texts(n)) {
    const suffix_string packed(symbols_of(text), one_thread);
    const std::vector<std::uint32_t> expected = sorted_by_divsufsort(text);
    for (const std::uint64_t bytes : {2 * n, 4 * n})
      for (const std::uint64_t fitting_items : {n, n / 4, n / 10, n / 40}) {
        range_limits limits(n, bytes);
        limits.fitting_items = limits.max_items = fitting_items;
        for (const int count : {3, 8})
          ASSERT_EQ(sort_pieces(packed, limits, count).sa, expected)
              << name << ", " << bytes << " bytes for " << fitting_items << " items, " << count << " ranks";
      }
  }
}

TEST(multi_anchors, memory_that_is_too_small_is_an_error_of_all_ranks) {
  const std::string text = repeated(fibonacci(1000) + "c", 30000);
  const suffix_string packed(symbols_of(text), one_thread);
  range_limits limits(text.size(), text.size());
  limits.fitting_items = limits.max_items = 1000;
  for (const int count : {1, 3}) EXPECT_THROW((void)sort_pieces(packed, limits, count), memory_error);
}

TEST(multi_anchors, of_equal_records_are_sorted) {
  std::mt19937_64 random(seed(2));
  for (int round = 0; round < 20; ++round) {
    text_parts of = random_parts(random, 1 + random() % 9, 400);
    for (int copy = 0; copy < 30; ++copy) of.add(of.part(random() % of.parts()));
    if (of.text.empty()) continue;
    const suffix_string packed(symbols_of(of.text), one_thread, of.offsets);
    for (const int count : {1, 2, 3, 8})
      ASSERT_EQ(sort_pieces(packed, {of.text.size(), ~std::uint64_t{0}}, count).sa, sorted_records(of));
  }
}

TEST(multi_anchors, empty_texts_have_empty_arrays) {
  run_ranks(3, [](communicator& ranks) {
    EXPECT_TRUE(
        multi::suffix_array(ranks, "", {.run = one_thread}, {.min_symbols = 1, .min_ranks = 2}).empty());
  });
}

// Returns the bytes that the ranks send for c anchors of n symbols, of which every second one changes its
// rank once: three bits of each position, the number of each anchor that another rank sorts, and the number
// and the rank of each anchor and of each change.
double bytes_of_anchors(std::uint64_t n, std::uint64_t c, int count) {
  const auto anchors = static_cast<double>(c);
  return 3.0 * static_cast<double>(n) / 8 + 8 * anchors * (1 - 1.0 / count) + 8 * anchors + 8 * anchors / 2;
}

// In a square, each anchor has the name of one other anchor, and pairs are decided in one round each.
TEST(multi_anchors, marks_numbers_and_changed_ranks_travel_once) {
  std::mt19937_64 random(seed(3));
  constexpr std::uint64_t n = std::uint64_t{3} << 20; // ranks travel in several batches
  const suffix_string packed(symbols_of(repeated(random_letters(random, n / 2, 4), n)), one_thread);
  const std::uint64_t num_anchors = suffix_anchors(packed, 72, one_thread).count();
  for (const int count : {2, 3, 8}) {
    std::atomic<std::uint64_t> bytes{0};
    run_ranks(count, [&](communicator& ranks) {
      rank_sharing sharing(ranks, one_thread);
      const suffix_anchors anchors(packed, 72, one_thread, &sharing);
      EXPECT_EQ(anchors.count(), num_anchors);
      bytes += ranks.sent().bytes;
    });
    const double expected = bytes_of_anchors(n, num_anchors, count);
    EXPECT_NEAR(static_cast<double>(bytes), expected, 0.02 * expected) << count;
  }
}

// Ranks sort the anchors only of texts that need them, together and once, in however many rounds.
TEST(multi_anchors, are_sorted_together_where_the_text_needs_them) {
  std::mt19937_64 random(seed(4));
  constexpr std::uint64_t n = std::uint64_t{1} << 19;
  const std::string half = random_letters(random, n / 2, 4), other = random_letters(random, n / 2, 4);
  for (const bool is_square : {true, false}) {
    const std::string text = half + (is_square ? half : other);
    const suffix_string packed(symbols_of(text), one_thread);
    const std::vector<std::uint32_t> expected = sorted_by_divsufsort(text);
    const std::uint64_t num_anchors = suffix_anchors(packed, 72, one_thread).count();
    for (const int count : {2, 3, 8})
      for (const std::uint64_t fitting_items : {n, n / 10}) {
        range_limits limits(n, ~std::uint64_t{0});
        limits.fitting_items = limits.max_items = fitting_items;
        const sorted_by_pieces sorted = sort_pieces(packed, limits, count);
        EXPECT_EQ(sorted.sa, expected);
        const double of_items = 8.0 * n * (1 - 1.0 / count),
                     of_all = of_items + (is_square ? bytes_of_anchors(n, num_anchors, count) : 0);
        EXPECT_NEAR(static_cast<double>(sorted.bytes), of_all, 0.03 * of_all) << count;
      }
  }
}

// Ranks of a job, of which one throws in one of the steps that all of them do together.
class failing_sharing final : public bwt_detail::position_sharing {
public:
  failing_sharing(rank_sharing& sharing, std::uint64_t failing_part, int failing_step)
      : position_sharing(sharing.part(), sharing.parts()), sharing_(sharing),
        steps_left_(sharing.part() == failing_part ? failing_step : -1) {}

  void run(const std::function<void()>& step) override {
    sharing_.run([&] {
      if (steps_left_-- == 0) throw std::bad_alloc();
      step();
    });
  }
  void sum(std::span<std::uint64_t> numbers) override { sharing_.sum(numbers); }
  unwritten_vector<std::uint64_t> gather(std::span<const std::uint64_t> numbers) override {
    return sharing_.gather(numbers);
  }
  unwritten_vector<std::uint64_t> exchange(const bwt_detail::suffix_buckets& buckets,
                                           std::span<const std::uint64_t> first_buckets) override {
    return sharing_.exchange(buckets, first_buckets);
  }

private:
  rank_sharing& sharing_;
  int steps_left_;
};

TEST(multi_anchors, an_allocation_that_fails_on_one_rank_fails_on_all) {
  const std::string text = powers("abc", "da", 5000) + repeated(fibonacci(700) + "d", 5000);
  const suffix_string packed(symbols_of(text), one_thread);
  const tied_suffixes tied(text, 72);
  int num_failing = 0;
  for (bool has_failed = true; has_failed; ++num_failing)
    for (std::uint64_t failing_part = 0; failing_part < 3; ++failing_part) {
      std::atomic<int> failed{0};
      run_ranks(3, [&](communicator& ranks) {
        rank_sharing sharing(ranks, one_thread);
        failing_sharing failing(sharing, failing_part, num_failing);
        try {
          const suffix_anchors anchors(packed, 72, one_thread, &failing);
          EXPECT_TRUE(tied.are_sorted_by(anchors));
        } catch (const memory_error&) {
          ++failed;
        }
        const suffix_anchors again(packed, 72, one_thread, &sharing); // the ranks can still exchange
        EXPECT_TRUE(tied.are_sorted_by(again));
      });
      has_failed = failed > 0;
      EXPECT_TRUE(failed == 0 || failed == 3) << failed;
    }
  EXPECT_GT(num_failing, 8); // blocks, marks (three times), kept ones, their numbers, ranks (twice), runs
}

TEST(multi_anchors, a_rank_that_is_cancelled_ends_all) {
  const std::string text = repeated(fibonacci(1000) + "c", 30000);
  const suffix_string packed(symbols_of(text), one_thread);
  for (int failing = 0; failing < 3; ++failing) {
    std::atomic<int> failed{0};
    run_ranks(3, [&](communicator& ranks) {
      task_monitor monitor;
      if (ranks.rank() == failing) monitor.cancel();
      const run_options run{.threads = 1, .monitor = &monitor};
      rank_sharing sharing(ranks, run);
      try {
        const suffix_anchors anchors(packed, 72, run, &sharing);
      } catch (const error&) {
        ranks.fail(multi::describe_failure(std::current_exception(), ranks.rank()));
        ++failed;
      }
    });
    EXPECT_EQ(failed, 3) << failing;
  }
}

} // namespace

} // namespace weft::test
