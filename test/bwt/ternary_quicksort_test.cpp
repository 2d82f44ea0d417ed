// Tests the bodies of ternary-quicksort in every order of threads, and the engine.
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <test/reference/bwt_reference.hpp>
#include <weft/base/block.hpp>
#include <weft/base/error.hpp>
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/published/ternary_partition.hpp>
#include <weft/bwt/suffix_array.hpp>

#include "bwt_cases.hpp"

namespace weft::test {

namespace {

using bwt_detail::part_numbers;
using bwt_detail::row_text;

// Runs one level over one segment cut into tiles. Checks that the rows are split into three parts; the order
// within a part is not stated.
template <class Index>
std::vector<Index> split(const host_block& block, const row_text<Index>& text, const std::vector<Index>& rows,
                         Index depth, Index pivot, Index tile_size) {
  const auto n = static_cast<Index>(rows.size());
  std::vector<part_numbers<Index>> scratch(static_cast<std::size_t>(block.threads)), sizes;
  for (Index first = 0; first < n; first += tile_size) {
    sizes.emplace_back();
    bwt_detail::count_parts(block, text, rows.data(),
                            {first, std::min<Index>(n, first + tile_size), depth, pivot}, scratch.data(),
                            &sizes.back());
  }
  part_numbers<Index> next{0, 0, 0};
  for (const auto& each : sizes) {
    next.equal += each.less;
    next.greater += each.less + each.equal;
  }
  std::vector<Index> to(n, n);
  for (Index tile = 0; tile * tile_size < n; ++tile) {
    bwt_detail::scatter_parts(block, text, rows.data(), to.data(),
                              {tile * tile_size, std::min<Index>(n, (tile + 1) * tile_size), depth, pivot},
                              scratch.data(), next);
    next.less += sizes[tile].less;
    next.equal += sizes[tile].equal;
    next.greater += sizes[tile].greater;
  }
  return to;
}

template <class Index> void check_all_splits(const std::string& text, bool cyclic, int threads) {
  const row_text<Index> symbols{reinterpret_cast<const unsigned char*>(text.data()),
                                static_cast<Index>(text.size()), cyclic};
  std::vector<Index> rows(text.size());
  std::iota(rows.begin(), rows.end(), Index{0});
  std::vector<int> shuffled(static_cast<std::size_t>(threads));
  std::iota(shuffled.begin(), shuffled.end(), 0);
  std::mt19937_64 random(text.size());
  std::shuffle(shuffled.begin(), shuffled.end(), random);
  for (Index depth = 0; depth < text.size(); ++depth) {
    std::vector<Index> in; // the rows that have a symbol at this depth
    for (const Index row : rows)
      if (cyclic || row + depth <= text.size()) in.push_back(row);
    const auto part_of = [&](Index row, Index pivot) {
      const auto byte = static_cast<unsigned char>(text[(row + depth) % text.size()]);
      const Index symbol = cyclic || row + depth < text.size() ? byte + Index{1} : 0;
      return symbol < pivot ? 0 : symbol == pivot ? 1 : 2;
    };
    for (const Index pivot : {Index{0}, Index{'a' + 1}, Index{'b' + 1}, Index{'c' + 1}})
      for (const Index tile_size : {Index{1}, Index{3}, Index{100}}) {
        const auto out = split({threads, thread_order::ascending}, symbols, in, depth, pivot, tile_size);
        ASSERT_TRUE(std::is_sorted(out.begin(), out.end(), [&](Index a, Index b) {
          return part_of(a, pivot) < part_of(b, pivot);
        })) << text;
        std::vector<Index> sorted = out;
        std::sort(sorted.begin(), sorted.end());
        ASSERT_EQ(sorted, in) << text;
        ASSERT_EQ(split({threads, thread_order::descending}, symbols, in, depth, pivot, tile_size), out);
        ASSERT_EQ(split({threads, thread_order::ascending, shuffled}, symbols, in, depth, pivot, tile_size),
                  out);
      }
  }
}

TEST(ternary_partition, of_every_short_text_in_every_order_of_threads) {
  for (const int threads : {1, 2, 3, 32})
    for (const bool cyclic : {false, true}) {
      for_all_texts(3, 5,
                    [&](const std::string& text) { check_all_splits<std::uint32_t>(text, cyclic, threads); });
      for_all_texts(2, 8,
                    [&](const std::string& text) { check_all_splits<std::uint64_t>(text, cyclic, threads); });
    }
}

TEST(ternary_quicksort, of_large_texts) {
  for (const std::size_t n : {31, 32, 33, 64, 3000, 20'000})
    for (const auto& [name, text] : texts(n))
      for (const bwt_form form : {bwt_form::sentinel, bwt_form::rotation})
        for (const int threads : {1, 3})
          ASSERT_EQ(bwt(text, form, {.run = {.engine = "ternary-quicksort", .threads = threads}}),
                    bwt(text, form))
              << name << ", " << n;
}

TEST(ternary_quicksort, suffix_arrays) {
  const bwt_options options{.run = {.engine = "ternary-quicksort", .threads = 2}};
  for_all_texts(3, 8, [&](const std::string& text) {
    ASSERT_EQ(suffix_array(text, options), reference::suffix_array(text)) << text;
  });
  for (const auto& [name, text] : texts(50'000)) {
    if (name == "all equal" || name == "zeros" || name.starts_with("period") || name.starts_with("one"))
      continue; // quadratic: takes seconds
    ASSERT_EQ(suffix_array(text, options), suffix_array(text)) << name;
    ASSERT_EQ(suffix_array<std::uint64_t>(text, options), suffix_array<std::uint64_t>(text)) << name;
  }
  EXPECT_THROW((void)suffix_array("abc", {.run = {.engine = "fast"}}), error);
}

TEST(ternary_quicksort, can_be_cancelled) {
  task_monitor monitor;
  monitor.cancel();
  const std::string text(1000, 'a');
  EXPECT_THROW(
      (void)bwt(text, bwt_form::sentinel, {.run = {.engine = "ternary-quicksort", .monitor = &monitor}}),
      cancelled_error);
}

} // namespace
} // namespace weft::test
