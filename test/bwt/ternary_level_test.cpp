// Tests on the CPU the components of the GPU's ternary quicksort other than the two steps of a level: words,
// small numbers of rows in every order of threads, ranks, and the positions of tiles and parts.
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <test/reference/bwt_reference.hpp>
#include <test/reference/row_order.hpp>
#include <weft/base/block.hpp>
#include <weft/bwt/core/min_rotation.hpp>
#include <weft/bwt/published/ternary_level.hpp>

#include "bwt_cases.hpp"

namespace weft::test {

namespace {

using namespace bwt_detail;

template <class Index> row_text<Index> symbols_of(const std::string& text, bool cyclic) {
  return {reinterpret_cast<const unsigned char*>(text.data()), static_cast<Index>(text.size()), cyclic};
}

// Sorts all rows of a text of up to 32 symbols by words, and then by ranks if some are still equal.
template <class Index> struct small_sorter {
  row_text<Index> text;
  Index limit;
  host_block block;
  std::vector<Index> rows{};
  std::vector<std::uint32_t> tied = std::vector<std::uint32_t>(3);
  Index tied_depth = 0;
  int times_ranked = 0;

  template <class Keys> void sort(const Keys& keys, const row_segment<Index>& segment, int rounds) {
    small_segment_scratch<Index> scratch;
    sort_small_segment(block, keys, rows.data(), rows.data(), segment, limit, rounds, &scratch,
                       [&](Index position, Index depth) {
                         tied[position / 32] |= 1U << position % 32;
                         tied_depth = std::min(tied_depth, depth);
                       });
  }

  std::vector<Index> run(int rounds) {
    const Index n = text.size;
    rows.resize(n);
    std::iota(rows.begin(), rows.end(), Index{0});
    tied_depth = limit;
    sort(text, {0, n, 0}, rounds);
    while (tied_depth < limit) {
      std::vector<Index> ranks(n);
      for (Index i = 0; i < n; ++i) ranks[rows[i]] = first_of_tied(tied.data(), i) + 1;
      const std::vector<std::uint32_t> before = std::exchange(tied, std::vector<std::uint32_t>(3));
      const Index known = std::exchange(tied_depth, limit);
      for (std::uint64_t word = 0; word < 2; ++word)
        for (std::uint32_t heads = heads_of_tied(before.data(), word); heads != 0; heads &= heads - 1) {
          const auto row = static_cast<Index>(32 * word) + static_cast<Index>(__builtin_ctz(heads));
          sort(rank_keys<Index>{ranks.data(), n, text.cyclic, known},
               {row, end_of_tied(before.data(), row), known}, rounds);
        }
      ++times_ranked;
    }
    return rows;
  }
};

template <class Index> void check_small(const std::string& text, const host_block& block, int rounds) {
  const auto n = static_cast<Index>(text.size());
  ASSERT_TRUE(reference::is_suffix_array<Index>(
      text, small_sorter<Index>{symbols_of<Index>(text, false), n, block}.run(rounds)))
      << text;
  const auto root = static_cast<Index>(bwt_detail::shortest_root(text));
  ASSERT_TRUE(reference::is_rotation_order<Index>(
      text, root, small_sorter<Index>{symbols_of<Index>(text, true), root, block}.run(rounds)))
      << text;
}

TEST(ternary_few, of_every_short_text_in_every_order_of_threads) {
  for (const int threads : {1, 2, 3, 32}) {
    std::vector<int> shuffled(static_cast<std::size_t>(threads));
    std::iota(shuffled.begin(), shuffled.end(), 0);
    std::mt19937_64 random(5);
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    for (const host_block& block :
         {host_block{threads, thread_order::ascending}, host_block{threads, thread_order::descending},
          host_block{threads, thread_order::ascending, shuffled}})
      for (const int rounds : {1, 64}) {
        for_all_texts(3, 6,
                      [&](const std::string& text) { check_small<std::uint32_t>(text, block, rounds); });
        for_all_texts(2, 9,
                      [&](const std::string& text) { check_small<std::uint64_t>(text, block, rounds); });
      }
  }
}

TEST(ternary_few, of_texts_that_stumble) {
  for (const std::size_t n : {7, 8, 14, 31, 32})
    for (const auto& [name, text] : texts(n))
      for (const int rounds : {1, 2, 64}) {
        check_small<std::uint32_t>(text, {32, thread_order::ascending}, rounds);
        check_small<std::uint64_t>(text, {32, thread_order::ascending}, rounds);
      }
}

TEST(ternary_few, ranks_multiply_what_is_known) {
  const std::string text(32, 'a');
  small_sorter<std::uint32_t> sorter{symbols_of<std::uint32_t>(text, false), 32, {32}};
  EXPECT_TRUE(reference::is_suffix_array<std::uint32_t>(text, sorter.run(1)));
  EXPECT_EQ(sorter.times_ranked, 3); // by 7, 14 and 28 symbols
}

TEST(ternary_few, order_is_stable_among_equal_rows) {
  const std::string text = "abababab";
  EXPECT_EQ((small_sorter<std::uint32_t>{symbols_of<std::uint32_t>(text, true), 2, {32}}.run(64)),
            (std::vector<std::uint32_t>{0, 2, 4, 6, 1, 3, 5, 7}));
}

// Checks that words of two rows compare as their next seven symbols do.
TEST(ternary_words, are_in_the_order_of_the_symbols) {
  const std::string text = std::string("\0\0\1\xff\0\xff\xff\1\0", 9) + std::string(9, '\0');
  for (const bool cyclic : {false, true}) {
    const auto keys = symbols_of<std::uint32_t>(text, cyclic);
    const std::uint32_t n = keys.size;
    const auto next = [&](std::uint32_t row, std::uint32_t depth) {
      std::vector<std::uint32_t> symbols;
      for (std::uint32_t i = depth; i < depth + keys.word_step(); ++i) {
        symbols.push_back(!cyclic && row + i > n ? 0 : keys.symbol(row, cyclic ? i % n : i));
      }
      return symbols;
    };
    for (std::uint32_t depth = 0; depth < n; ++depth)
      for (std::uint32_t a = 0; a < n; ++a)
        for (std::uint32_t b = 0; b < n; ++b) {
          if (!cyclic && std::max(a, b) + depth > n) continue;
          ASSERT_EQ(keys.word(a, depth) < keys.word(b, depth), next(a, depth) < next(b, depth))
              << a << " " << b << " " << depth;
        }
  }
}

TEST(ternary_tied, groups_across_words) {
  for (std::uint32_t first = 0; first < 64; ++first)
    for (std::uint32_t size = 1; size <= 32; ++size) {
      std::vector<std::uint32_t> tied(96 / 32 + 2);
      for (std::uint32_t row = first + 1; row < first + size; ++row) tied[row / 32] |= 1U << row % 32;
      for (std::uint32_t row = first; row < first + size; ++row) {
        ASSERT_EQ(first_of_tied(tied.data(), row), first);
        ASSERT_EQ(end_of_tied(tied.data(), row), first + size);
      }
      for (std::uint64_t word = 0; word < 4; ++word)
        ASSERT_EQ(heads_of_tied(tied.data(), word), size > 1 && first / 32 == word ? 1U << first % 32 : 0U);
    }
}

TEST(ternary_level, tiles_and_parts_cover_a_segment) {
  for (std::uint32_t size = 1; size < 40; ++size) {
    const open_segment<std::uint32_t> segment{{100, 100 + size, 7}, 9, 20};
    std::uint32_t at = 100;
    for (std::uint32_t i = 0; i < segment.tiles(8); ++i) {
      const auto tile = segment.tile(20 + i, 8);
      EXPECT_EQ(tile.first, at);
      EXPECT_TRUE(tile.last > at && tile.last - at <= 8);
      EXPECT_TRUE(tile.depth == 7 && tile.pivot == 9);
      at = tile.last;
    }
    EXPECT_EQ(at, 100 + size);
    for (std::uint32_t less = 0; less <= size; ++less)
      for (std::uint32_t equal = 0; less + equal <= size; ++equal) {
        const part_numbers<std::uint32_t> sizes{less, equal, size - less - equal}, before{less / 2, equal, 0};
        std::uint32_t end = 100;
        for (int which = 0; which < 3; ++which) {
          const auto part = part_of(segment.rows, sizes, which, 5U);
          EXPECT_EQ(part.begin, end);
          EXPECT_EQ(part.depth, which == 1 ? 12U : 7U);
          end = part.end;
        }
        EXPECT_EQ(end, 100 + size);
        const auto offsets = part_offsets(100U, sizes, before);
        EXPECT_EQ(offsets.less, 100 + less / 2);
        EXPECT_EQ(offsets.equal, 100 + less + equal);
        EXPECT_EQ(offsets.greater, 100 + less + equal);
      }
  }
}

TEST(ternary_level, parts_are_noted_as_they_are_counted_and_scattered) {
  const std::string text = texts(100)[1].second;
  const auto keys = symbols_of<std::uint32_t>(text, true);
  std::vector<std::uint32_t> rows(100);
  std::iota(rows.begin(), rows.end(), 0U);
  for (const std::uint32_t threads : {4U, 5U, 128U}) // each thread has 25 rows, 20 rows, and at most one row
    for (std::uint32_t thread = 0; thread < threads; ++thread)
      for (const char pivot : {'A', 'B', 'C', 'G', 'T'}) {
        const row_tile<std::uint32_t> tile{0, 100, 3, static_cast<unsigned char>(pivot) + 1U};
        std::vector<std::uint32_t> to(300, 100), noted_to = to;
        std::uint64_t parts = 0;
        const auto counts = count_rows(keys, rows.data(), tile, thread, threads),
                   noted = note_parts(keys, rows.data(), tile, thread, threads, parts);
        EXPECT_TRUE(counts.less == noted.less && counts.equal == noted.equal &&
                    counts.greater == noted.greater);
        scatter_rows(keys, rows.data(), to.data(), tile, thread, threads, {0, 100, 200});
        scatter_noted(parts, rows.data(), noted_to.data(), tile, thread, threads, {0, 100, 200});
        EXPECT_EQ(to, noted_to);
      }
}

TEST(ternary_level, counts_are_packed_and_added_up) {
  const part_numbers<std::uint64_t> a{1, 2047, 2048}, b{2047, 1, 2048};
  const auto both = unpacked<std::uint64_t>(packed(a) + packed(b));
  EXPECT_TRUE(both.less == 2048 && both.equal == 2048 && both.greater == 4096);
}

TEST(ternary_level, pivot_is_the_median) {
  std::string text = "abc";
  do {
    const std::vector<std::uint32_t> rows = {0, 1, 2};
    EXPECT_EQ(choose_pivot(symbols_of<std::uint32_t>(text, false), rows.data(), {0, 3, 0}), 'b' + 1U);
  } while (std::next_permutation(text.begin(), text.end()));
}

} // namespace
} // namespace weft::test
