// Tests texts of 16-bit and 32-bit symbols on a GPU: their codes, suffix arrays and transforms.
#include <bit>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <test/base/gpu_suite.hpp>
#include <test/reference/bwt_reference.hpp>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/error.hpp>
#include <weft/bwt/bwt.cuh>
#include <weft/bwt/cuda/suffix_sort/suffix_sort.hpp>
#include <weft/bwt/suffix_array.hpp>

#include "bwt_cases.hpp"
#include "collected_rows.hpp"

namespace weft::test {

namespace {

using bwt_detail::suffix_sort_options;

template <class Symbol> class gpu_symbols : public gpu_suite {
protected:
  using symbols = std::vector<Symbol>;
  static constexpr int width = 8 * sizeof(Symbol);
  static constexpr auto greatest = static_cast<Symbol>(~Symbol{0});

  // Returns bytes spread over all symbols, in the same order.
  static symbols spread(const std::string& text) {
    symbols result;
    for (const char c : text)
      result.push_back(static_cast<Symbol>(static_cast<unsigned char>(c) * (greatest / 255U)));
    return result;
  }
  static symbols random_symbols(std::size_t n, std::uint64_t below) {
    std::mt19937_64 random(n + below);
    symbols text(n);
    for (Symbol& symbol : text) symbol = static_cast<Symbol>(random() % below);
    return text;
  }
  static std::vector<std::uint32_t> expected_of(const symbols& text) {
    return suffix_array(std::span<const Symbol>(text), {.run = {.device = {device_kind::cpu, 0}}});
  }
  // Returns the suffix array that weft::gpu computes.
  template <class Index = std::uint32_t>
  static std::vector<Index> sorted(const symbols& text, const bwt_options& options = {}) {
    const gpu::stream work;
    const auto d_text = gpu::uploaded(std::span<const Symbol>(text), work.get(), "upload");
    const gpu::device_buffer<Index> d_sa(text.size(), work.get());
    gpu::suffix_array(d_text.data(), text.size(), d_sa.data(), options, work.get());
    return downloaded(d_sa, work);
  }
  // Returns the suffix array that bwt_detail::sort_suffixes_in_blocks computes.
  static std::vector<std::uint32_t> sorted_by(const symbols& text, const suffix_sort_options& options) {
    const gpu::stream work;
    const auto d_text = gpu::uploaded(std::span<const Symbol>(text), work.get(), "upload");
    const bwt_detail::packed_text packed(d_text.data(), text.size(), 0, work.get());
    return collected_rows<std::uint32_t>(
        text.size(), work, [&](const bwt_detail::row_sink<std::uint32_t>& sink) {
          bwt_detail::sort_suffixes_in_blocks<std::uint32_t>(packed, sink, options, work.get());
        });
  }
  template <class Item>
  static std::vector<Item> downloaded(const gpu::device_buffer<Item>& device_items, const gpu::stream& work) {
    std::vector<Item> items(device_items.size());
    gpu::copy(items.data(), device_items.data(), items.size(), work.get(), "download");
    work.wait();
    return items;
  }
  static void expect_codes(const symbols& text) {
    std::map<Symbol, std::uint64_t> codes;
    for (const Symbol symbol : text) codes[symbol] = 0;
    std::uint64_t letters = 0;
    for (auto& [symbol, code] : codes) code = letters++;
    const gpu::stream work;
    const auto d_text = gpu::uploaded(std::span<const Symbol>(text), work.get(), "upload");
    const bwt_detail::packed_text packed(d_text.data(), text.size(), 0, work.get());
    bwt_detail::bit_text view = packed.view();
    const auto bits = static_cast<std::uint32_t>(std::max(1, static_cast<int>(std::bit_width(letters - 1))));
    ASSERT_EQ(packed.letters(), letters);
    ASSERT_EQ(view.bits, bits);
    ASSERT_EQ(view.size, text.size());
    std::vector<std::uint64_t> words(bwt_detail::words_of_text(text.size(), bits));
    gpu::copy(words.data(), view.words, words.size(), work.get(), "download");
    work.wait();
    view.words = words.data();
    // Symbols that already fit in the number of bits of the codes are not replaced by codes.
    const bool as_they_are = static_cast<std::uint32_t>(std::bit_width(codes.rbegin()->first + 0ULL)) <= bits;
    for (std::size_t i = 0; i < text.size(); ++i)
      ASSERT_EQ(view.symbol(i), as_they_are ? text[i] : codes[text[i]]) << i;
  }
  static void expect_transform(const symbols& text) {
    const std::vector<std::uint32_t> sa = expected_of(text);
    symbols expected = {text.back()};
    std::uint64_t index = 0;
    for (std::uint64_t row = 0; row < sa.size(); ++row) {
      if (sa[row] == 0)
        index = row + 1;
      else
        expected.push_back(text[sa[row] - 1]);
    }
    const gpu::stream work;
    const auto d_text = gpu::uploaded(std::span<const Symbol>(text), work.get(), "upload");
    const gpu::device_buffer<Symbol> d_bwt(text.size(), work.get());
    ASSERT_EQ(gpu::bwt(d_text.data(), text.size(), d_bwt.data(), {}, work.get()), index);
    ASSERT_EQ(downloaded(d_bwt, work), expected);
  }
};

using both_symbols = testing::Types<std::uint16_t, std::uint32_t>;
TYPED_TEST_SUITE(gpu_symbols, both_symbols);

TYPED_TEST(gpu_symbols, of_every_short_text) {
  for_all_texts(2, 7, [](const std::string& text) {
    if (text.empty()) return;
    ASSERT_EQ(TestFixture::sorted(TestFixture::spread(text)), reference::suffix_array(text)) << text;
  });
  for_all_texts(3, 5, [](const std::string& text) {
    if (text.empty()) return;
    const typename TestFixture::symbols plain(text.begin(), text.end());
    ASSERT_EQ(TestFixture::sorted(plain), reference::suffix_array(text)) << text;
  });
}

TYPED_TEST(gpu_symbols, of_difficult_texts) {
  for (const std::size_t n : {31, 33, 64, 65, 1000, 70'000})
    for (const auto& [name, text] : texts(n))
      ASSERT_EQ(TestFixture::sorted(TestFixture::spread(text)),
                suffix_array(text, {.run = {.device = {device_kind::cpu, 0}}}))
          << name << ", " << n;
}

// Checks codes of each number of bits, with alphabets near powers of two and with gaps.
TYPED_TEST(gpu_symbols, of_alphabets_of_every_size) {
  for (int bits = 1; bits <= TestFixture::width; ++bits) {
    const auto text = TestFixture::random_symbols(20'000, std::uint64_t{1} << bits);
    TestFixture::expect_codes(text);
    ASSERT_EQ(TestFixture::sorted(text), TestFixture::expected_of(text)) << bits;
  }
  for (const std::uint64_t letters : {3, 255, 256, 257, 4095, 4097, 40'000}) {
    auto text = TestFixture::random_symbols(50'000, letters);
    TestFixture::expect_codes(text);
    ASSERT_EQ(TestFixture::sorted(text), TestFixture::expected_of(text)) << letters;
    for (auto& symbol : text) // the same alphabet with gaps
      symbol = static_cast<TypeParam>(symbol * ((std::uint64_t{TestFixture::greatest} + 1) / letters));
    TestFixture::expect_codes(text);
    ASSERT_EQ(TestFixture::sorted(text), TestFixture::expected_of(text)) << letters;
  }
}

TYPED_TEST(gpu_symbols, least_and_greatest) {
  using text_of = typename TestFixture::symbols;
  constexpr TypeParam max_symbol = TestFixture::greatest;
  for (const text_of& text :
       {text_of{0}, text_of{max_symbol}, text_of{max_symbol, 0}, text_of{0, max_symbol},
        text_of(100, max_symbol), text_of(100, 0), text_of{max_symbol, 0, max_symbol, 0, max_symbol - 1},
        text_of{256, 255, 256}}) {
    TestFixture::expect_codes(text);
    TestFixture::expect_transform(text);
    ASSERT_EQ(TestFixture::sorted(text), TestFixture::expected_of(text));
  }
}

TYPED_TEST(gpu_symbols, all_different) {
  typename TestFixture::symbols text(65'536);
  for (std::size_t i = 0; i < text.size(); ++i)
    text[i] = static_cast<TypeParam>(i * (TestFixture::greatest / 65'535U));
  std::mt19937_64 random(1);
  for (int order = 0; order < 3; ++order) {
    TestFixture::expect_codes(text);
    ASSERT_EQ(TestFixture::sorted(text), TestFixture::expected_of(text)) << order;
    if (order == 0) std::reverse(text.begin(), text.end());
    if (order == 1) std::shuffle(text.begin(), text.end(), random);
  }
}

// Sorts groups of every kind, whose members are separated early, late, or by the difference cover.
TYPED_TEST(gpu_symbols, copies) {
  std::mt19937_64 random(1);
  for (const std::size_t copies : {2, 4, 9, 33, 257, 600})
    for (const std::size_t length : {3, 40, 300}) {
      const auto unit = TestFixture::random_symbols(length, std::uint64_t{TestFixture::greatest} + 1);
      typename TestFixture::symbols text;
      for (std::size_t i = 0; i < copies; ++i) {
        text.insert(text.end(), unit.begin(), unit.end());
        for (std::uint64_t more = random() % 3; more > 0; --more)
          text.push_back(static_cast<TypeParam>(random()));
      }
      const std::vector<std::uint32_t> expected = TestFixture::expected_of(text);
      ASSERT_EQ(TestFixture::sorted(text), expected) << copies << " of " << length;
      ASSERT_EQ(TestFixture::sorted_by(text, {.text_rounds = 1, .deep_rounds = 1}), expected)
          << copies << " of " << length;
      ASSERT_EQ(TestFixture::sorted_by(text, {.block = text.size() / 3, .text_rounds = 1, .deep_rounds = 1}),
                expected)
          << copies << " of " << length;
    }
}

TYPED_TEST(gpu_symbols, in_blocks_and_in_64_bits) {
  for (const std::uint64_t letters : {2, 500, 60'000}) {
    const auto text = TestFixture::random_symbols(70'000, letters);
    const std::vector<std::uint32_t> expected = TestFixture::expected_of(text);
    for (const std::uint64_t block : {1000, 20'000, 69'999})
      ASSERT_EQ(TestFixture::sorted_by(text, {.block = block}), expected) << letters << ", " << block;
    ASSERT_EQ(TestFixture::template sorted<std::uint64_t>(text),
              std::vector<std::uint64_t>(expected.begin(), expected.end()));
  }
}

TYPED_TEST(gpu_symbols, transforms) {
  for (const std::size_t n : {1, 2, 33, 1000, 70'000})
    for (const std::uint64_t letters : {2, 500, 60'000})
      TestFixture::expect_transform(TestFixture::random_symbols(n, letters));
  for (const auto& [name, text] : texts(20'000)) TestFixture::expect_transform(TestFixture::spread(text));
}

TYPED_TEST(gpu_symbols, from_the_host) {
  const auto text = TestFixture::random_symbols(200'000, 50'000);
  run_info used;
  task_monitor monitor;
  EXPECT_EQ(suffix_array(std::span<const TypeParam>(text),
                         {.run = {.device = this->gpu_, .monitor = &monitor, .info = &used}}),
            TestFixture::expected_of(text));
  EXPECT_EQ(used.engine, "suffix-sort");
  EXPECT_EQ(gpu_of(used), this->gpu_.index);
  EXPECT_EQ(monitor.done(), text.size());
  const std::span<const TypeParam> none;
  EXPECT_TRUE(suffix_array(none, {.run = {.device = this->gpu_}}).empty());
  EXPECT_THROW((void)suffix_array(std::span<const TypeParam>(text),
                                  {.run = {.device = this->gpu_, .device_memory = 3'000'000}}),
               memory_error);
  monitor.cancel();
  EXPECT_THROW((void)suffix_array(std::span<const TypeParam>(text),
                                  {.run = {.device = this->gpu_, .monitor = &monitor}}),
               cancelled_error);
}

TYPED_TEST(gpu_symbols, bad_input) {
  const gpu::stream work;
  const gpu::device_buffer<TypeParam> d_text(4, work.get());
  const gpu::device_buffer<std::uint32_t> d_sa(4, work.get());
  const TypeParam* const nothing = nullptr;
  std::uint32_t* const nowhere = nullptr;
  EXPECT_NO_THROW(gpu::suffix_array(nothing, 0, nowhere, {}, work.get()));
  EXPECT_EQ(gpu::bwt(nothing, 0, static_cast<TypeParam*>(nullptr), {}, work.get()), 0U);
  EXPECT_THROW(gpu::suffix_array(nothing, 4, d_sa.data(), {}, work.get()), std::invalid_argument);
  EXPECT_THROW(gpu::suffix_array(d_text.data(), 4, nowhere, {}, work.get()), std::invalid_argument);
  EXPECT_THROW(gpu::suffix_array(d_text.data(), std::uint64_t{1} << 31, d_sa.data(), {}, work.get()),
               std::invalid_argument);
  EXPECT_THROW((void)gpu::bwt(d_text.data(), 4, static_cast<TypeParam*>(nullptr), {}, work.get()),
               std::invalid_argument);
  for (const char* engine : {"ternary-quicksort", "fast"}) {
    EXPECT_THROW(gpu::suffix_array(d_text.data(), 4, d_sa.data(), {.run = {.engine = engine}}, work.get()),
                 error);
    EXPECT_THROW((void)gpu::bwt(d_text.data(), 4, d_text.data(), {.run = {.engine = engine}}, work.get()),
                 error);
  }
}

// Checks that the limit includes the table of symbols.
TYPED_TEST(gpu_symbols, of_little_memory) {
  const typename TestFixture::symbols far = {TestFixture::greatest, 1, TestFixture::greatest};
  const std::uint64_t table = (std::uint64_t{TestFixture::greatest} + 1) / 64 * 9;
  EXPECT_THROW((void)TestFixture::sorted(far, {.run = {.device_memory = table - 1}}), memory_error);
  EXPECT_EQ(TestFixture::sorted(far, {.run = {.device_memory = table + 100'000}}),
            (std::vector<std::uint32_t>{1, 2, 0}));
}

// These texts are short enough for tools that check each memory access.
TYPED_TEST(gpu_symbols, short_texts_by_every_step) {
  for (const std::uint64_t letters : {2, 300, 60'000}) {
    auto text = TestFixture::random_symbols(700, letters);
    text.insert(text.end(), text.begin(), text.begin() + 300);
    TestFixture::expect_codes(text);
    TestFixture::expect_transform(text);
    ASSERT_EQ(TestFixture::sorted_by(text, {.block = 500, .text_rounds = 1, .deep_rounds = 1}),
              TestFixture::expected_of(text));
  }
}

} // namespace
} // namespace weft::test
