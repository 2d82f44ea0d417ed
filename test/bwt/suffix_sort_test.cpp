// Tests the engine suffix-sort of the CPU: suffix arrays of bytes and of larger symbols, and transforms, are
// compared with those by libdivsufsort, and of short texts with those by their definitions.
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <test/reference/bwt_reference.hpp>
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/bwt_batch.hpp>
#include <weft/bwt/cpu/suffix_sort.hpp>

#include "suffix_texts.hpp"

namespace weft::test {

namespace {

using namespace bwt_detail;

template <class Index = std::uint32_t>
std::vector<Index> sorted(const std::string& text, const run_options& run = {.threads = 1}) {
  std::vector<Index> sa(text.size());
  sort_suffixes<Index>(symbols_of(text), sa, run);
  return sa;
}

// Returns the suffix array of the text with each byte c replaced by c * factor.
template <class Symbol> std::vector<std::uint32_t> sorted_symbols(const std::string& text, unsigned factor) {
  std::vector<Symbol> symbols;
  for (const unsigned char c : text) symbols.push_back(static_cast<Symbol>(c * factor));
  return suffix_array(std::span<const Symbol>(symbols), {.run = {.engine = "suffix-sort", .threads = 2}});
}

TEST(suffix_sort, of_every_short_text) {
  for_all_texts(3, 10, [](const std::string& text) {
    if (text.empty()) return;
    const std::vector<std::uint32_t> expected = reference::suffix_array(text);
    ASSERT_EQ(sorted(text), expected) << text;
    ASSERT_EQ(sorted_in_ranges(suffix_string(symbols_of(text), {.threads = 1}), 1, {.threads = 1}), expected)
        << text;
    if (text.size() > 8) return;
    ASSERT_EQ(sorted<std::uint64_t>(text), (std::vector<std::uint64_t>{expected.begin(), expected.end()}))
        << text;
    ASSERT_EQ(sorted_symbols<std::uint16_t>(text, 257), expected);
    ASSERT_EQ(sorted_symbols<std::uint32_t>(text, 16'843'009), expected);
  });
}

TEST(suffix_sort, of_every_short_sequence_of_long_words) {
  for (const auto& [a, b] : word_pairs())
    for_all_sequences(a, b, 7, [](const std::string& text) {
      const std::vector<std::uint32_t> expected = sorted_by_divsufsort(text);
      ASSERT_EQ(sorted(text), expected) << text;
      ASSERT_EQ(sorted_in_ranges(suffix_string(symbols_of(text), {.threads = 1}), text.size() / 20 + 1,
                                 {.threads = 1}),
                expected)
          << text;
    });
}

TEST(suffix_sort, of_texts_of_every_kind) {
  for (const std::size_t n : {2, 3, 30, 300, 3000, 20'000})
    for (const auto& [name, text] : suffix_texts(n)) {
      const std::vector<std::uint32_t> expected = sorted_by_divsufsort(text);
      const std::vector<std::uint64_t> wide(expected.begin(), expected.end());
      ASSERT_EQ(sorted(text), expected) << name << ", size " << n;
      ASSERT_EQ(sorted<std::uint64_t>(text, {.threads = 3}), wide) << name << ", size " << n;
      const suffix_string packed(symbols_of(text), {.threads = 2});
      ASSERT_EQ(sorted_in_ranges(packed, n / 3, {.threads = 2}), expected) << name << ", size " << n;
    }
}

// Most suffixes of these texts have the same first symbols, and fewer than a range holds agree in 72 of them.
TEST(suffix_sort, of_ranges_that_divide_buckets) {
  std::mt19937_64 random(17);
  for (const int others : {4, 20}) {
    std::string text(60'000, 'a');
    for (char& c : text)
      if (random() % 100 < static_cast<unsigned>(others)) c = static_cast<char>('b' + random() % 20);
    const std::vector<std::uint32_t> expected = sorted_by_divsufsort(text);
    const suffix_string packed(symbols_of(text), {.threads = 2});
    for (const std::uint64_t max_items : {10'000U, 6000U})
      ASSERT_EQ(sorted_in_ranges(packed, max_items, {.threads = 2}, true), expected)
          << others << " % others, " << max_items << " items";
  }
}

// The constants of the engine: symbols of a word of positions, of the shortest text that it sorts, of a probe
// for periods, of a bucket, and of the slices and ranges of threads.
TEST(suffix_sort, of_sizes_around_its_constants) {
  for (const std::size_t size : {64, 256, 300, 4096, 8192, 16'384, 65'536, 131'072})
    for (const std::size_t n : {size - 1, size, size + 1})
      for (const auto& [name, text] : texts(n)) {
        const std::vector<std::uint32_t> expected = sorted_by_divsufsort(text);
        ASSERT_EQ(sorted(text, {.threads = 2}), expected) << name << ", size " << n;
        const bwt_options options{.run = {.engine = "suffix-sort", .device = {device_kind::cpu, 0}}};
        ASSERT_EQ(suffix_array(text, options), expected) << name << ", size " << n;
      }
}

// A period of at most a quarter of the text is found by its first 64 symbols, unless they occur too often.
TEST(suffix_sort, of_periods_around_a_quarter) {
  std::mt19937_64 random(7);
  for (const std::size_t n : {255, 256, 257, 1000, 5000})
    for (const std::size_t period : {n / 5, n / 4 - 1, n / 4, n / 4 + 1, n / 3, n / 2}) {
      const std::string text = repeated(random_letters(random, period, 3), n);
      ASSERT_EQ(sorted(text), sorted_by_divsufsort(text)) << n << ", period " << period;
    }
  for (const std::size_t times : {1, 7, 8, 9, 30}) {
    const std::string unit = repeated(std::string(64, 'b') + 'a', 65 * times) + 'c';
    for (const std::size_t n : {4 * unit.size(), 5 * unit.size() + 3, 9 * unit.size() - 1}) {
      const std::string text = repeated(unit, n);
      ASSERT_EQ(sorted(text), sorted_by_divsufsort(text)) << times;
      ASSERT_EQ(sorted(text + 'a'), sorted_by_divsufsort(text + 'a')) << times;
    }
  }
}

TEST(suffix_sort, of_random_texts) {
  std::mt19937_64 random(seed(11));
  for (int round = 0; round < 400; ++round) {
    const std::string text = random_text(random, round % 20 == 0 ? 50'000 : 3000);
    const run_options run{.threads = 1 + static_cast<int>(random() % 4)};
    const std::vector<std::uint32_t> expected = sorted_by_divsufsort(text);
    ASSERT_EQ(sorted(text, run), expected) << "round " << round;
    ASSERT_EQ(sorted_in_ranges(suffix_string(symbols_of(text), run), 1 + random() % text.size(), run),
              expected)
        << "round " << round;
    ASSERT_EQ(sorted_symbols<std::uint16_t>(text, 1), expected) << "round " << round;
    ASSERT_EQ(sorted_symbols<std::uint32_t>(text, 16'843'009), expected) << "round " << round;
  }
}

template <class Symbol> void expect_sorted(const std::vector<Symbol>& symbols) {
  std::vector<std::uint32_t> expected(symbols.size());
  std::iota(expected.begin(), expected.end(), 0U);
  std::sort(expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::lexicographical_compare(symbols.begin() + a, symbols.end(), symbols.begin() + b,
                                        symbols.end());
  });
  const std::span<const Symbol> text(symbols);
  for (const int threads : {1, 3}) {
    const bwt_options options{.run = {.engine = "suffix-sort", .threads = threads}};
    ASSERT_EQ(suffix_array(text, options), expected);
    ASSERT_EQ(suffix_array<std::uint64_t>(text, options),
              (std::vector<std::uint64_t>{expected.begin(), expected.end()}));
  }
}

template <class Symbol> void sort_large_alphabets() {
  std::mt19937_64 random(5);
  for (const std::size_t n : {1, 2, 63, 64, 65, 4097, 70'000})
    for (const unsigned bits : {1U, 8U, 9U, 13U, 16U, 19U, 27U, 31U, 32U}) {
      if (bits > 8 * sizeof(Symbol)) continue;
      std::vector<Symbol> symbols(n);
      for (Symbol& each : symbols) each = static_cast<Symbol>(random() >> (64 - bits));
      expect_sorted(symbols);
      if (n > 5000 && bits < 32 && bits != 16) continue;
      // Few different symbols, the greatest ones of this width, in long words that occur again.
      const Symbol last = static_cast<Symbol>(~std::uint64_t{0} >> (64 - bits));
      for (std::size_t i = 0; i < n; ++i)
        symbols[i] = i % 500 == 499 || i < 500 ? static_cast<Symbol>(last - random() % 2) : symbols[i - 500];
      expect_sorted(symbols);
    }
}

TEST(suffix_sort, of_large_alphabets_of_16_bits) { sort_large_alphabets<std::uint16_t>(); }
TEST(suffix_sort, of_large_alphabets_of_32_bits) { sort_large_alphabets<std::uint32_t>(); }

TEST(suffix_sort, into_rows_that_are_not_aligned) {
  std::mt19937_64 random(9);
  for (const std::size_t n : {300, 301, 5000, 5001}) {
    // Every second suffix is a star, so the items of the stars need the whole array.
    for (const std::string& text : {repeated("ab", n - 2) + "cb", random_letters(random, n, 3)})
      for (const std::size_t before : {0, 1, 2, 3}) {
        std::vector<std::uint32_t> rows(n + before);
        sort_suffixes<std::uint32_t>(symbols_of(text), std::span(rows).subspan(before), {.threads = 2});
        const std::vector<std::uint32_t> expected = sorted_by_divsufsort(text);
        ASSERT_TRUE(
            std::equal(expected.begin(), expected.end(), rows.begin() + static_cast<std::ptrdiff_t>(before)));
      }
  }
}

TEST(suffix_sort, transforms_as_libdivsufsort) {
  for (const std::size_t n : {299, 300, 301, 2000, 66'000})
    for (const auto& [name, text] : n < 10'000 ? suffix_texts(n) : texts(n))
      for (const bwt_form form : {bwt_form::sentinel, bwt_form::rotation})
        ASSERT_EQ(bwt(text, form, {.run = {.engine = "suffix-sort", .threads = 2}}),
                  bwt(text, form, {.run = {.engine = "libdivsufsort"}}))
            << name << ", size " << n;
}

TEST(suffix_sort, of_batches_of_texts_of_every_size) {
  std::mt19937_64 random(13);
  text_parts of;
  for (int round = 0; round < 60; ++round) of.add(random_text(random, round % 3 == 0 ? 5000 : 400));
  text_parts one_large = of;
  one_large.add(random_text(random, 1) + copies(random, 200'000, 700, 300)); // sorted on all threads
  for (const text_parts& each : {of, one_large})
    for (const int threads : {1, 2, 5}) {
      const sequences_view view{each.text, each.offsets};
      const bwt_options options{.run = {.engine = "suffix-sort", .threads = threads}},
          divsufsort{.run = {.engine = "libdivsufsort", .threads = 1}};
      ASSERT_EQ(suffix_array_batch(view, options), suffix_array_batch(view, divsufsort));
      ASSERT_EQ(suffix_array_batch<std::uint64_t>(view, options),
                suffix_array_batch<std::uint64_t>(view, divsufsort));
      for (const bwt_form form : {bwt_form::sentinel, bwt_form::rotation})
        ASSERT_EQ(bwt_batch(view, form, options), bwt_batch(view, form, divsufsort));
    }
}

} // namespace
} // namespace weft::test
