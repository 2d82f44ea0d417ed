#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <stdexcept>
#include <test/reference/bwt_reference.hpp>
#include <weft/base/error.hpp>
#include <weft/bwt/suffix_array.hpp>

#include "bwt_cases.hpp"

namespace weft::test {

namespace {

template <class Symbol> std::vector<Symbol> widened(const std::string& text) {
  std::vector<Symbol> symbols;
  for (const char c : text) symbols.push_back(static_cast<Symbol>(static_cast<unsigned char>(c) * 257U));
  return symbols;
}

// Checks a suffix array in O(n): it is a permutation, first bytes ascend, and neighbours with equal first
// bytes are in the order of the suffixes after these bytes.
void expect_suffix_array(const std::string& text, const std::vector<std::uint32_t>& sa,
                         const std::string& name) {
  const std::size_t n = text.size();
  ASSERT_EQ(sa.size(), n) << name;
  std::vector<std::uint32_t> row(n + 1, 0);
  std::vector<bool> seen(n);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_LT(sa[i], n) << name;
    ASSERT_FALSE(seen[sa[i]]) << name;
    seen[sa[i]] = true;
    row[sa[i]] = static_cast<std::uint32_t>(i + 1); // row 0 is the empty suffix
  }
  for (std::size_t i = 1; i < n; ++i) {
    const auto a = static_cast<unsigned char>(text[sa[i - 1]]), b = static_cast<unsigned char>(text[sa[i]]);
    ASSERT_TRUE(a < b || (a == b && row[sa[i - 1] + 1] < row[sa[i] + 1])) << name << ", row " << i;
  }
}

TEST(suffix_array, of_every_short_text) {
  for_all_texts(3, 9, [](const std::string& text) {
    const std::vector<std::uint32_t> expected = reference::suffix_array(text);
    const std::vector<std::uint64_t> wide(expected.begin(), expected.end());
    ASSERT_EQ(suffix_array(text), expected) << text;
    ASSERT_EQ(suffix_array<std::uint64_t>(text), wide) << text;
    ASSERT_EQ(
        suffix_array(std::span<const std::uint16_t>(widened<std::uint16_t>(text)), {.run = {.threads = 1}}),
        expected);
    ASSERT_EQ(suffix_array<std::uint64_t>(std::span<const std::uint32_t>(widened<std::uint32_t>(text)),
                                          {.run = {.threads = 1}}),
              wide);
  });
}

TEST(suffix_array, of_large_texts) {
  for (const std::size_t n : {31, 32, 33, 1000, 100'000})
    for (const auto& [name, text] : texts(n)) {
      const std::vector<std::uint32_t> sa = suffix_array(text);
      expect_suffix_array(text, sa, name);
      for (const int threads : {1, 3}) {
        ASSERT_EQ(suffix_array(std::span<const std::uint16_t>(widened<std::uint16_t>(text)),
                               {.run = {.threads = threads}}),
                  sa)
            << name;
        ASSERT_EQ(suffix_array(std::span<const std::uint32_t>(widened<std::uint32_t>(text)),
                               {.run = {.threads = threads}}),
                  sa)
            << name;
      }
    }
}

TEST(suffix_array, of_numbers_beyond_bytes) {
  const std::vector<std::uint32_t> text = {4'000'000'000U, 5, 4'000'000'000U, 5, 0, 4'294'967'295U};
  EXPECT_EQ(suffix_array(std::span<const std::uint32_t>(text)),
            (std::vector<std::uint32_t>{4, 3, 1, 2, 0, 5}));
}

TEST(suffix_array, engines_of_numbers) {
  const std::vector<std::uint16_t> text = {300, 2, 300, 2};
  const std::span<const std::uint16_t> numbers(text);
  run_info used;
  EXPECT_EQ(suffix_array(numbers, {.run = {.engine = "suffix-sort", .info = &used}}),
            (std::vector<std::uint32_t>{3, 1, 2, 0}));
  EXPECT_EQ(used.engine, "suffix-sort");
  EXPECT_EQ(gpu_of(used), -1);
  EXPECT_THROW((void)suffix_array(numbers, {.run = {.engine = "ternary-quicksort"}}), error);
  EXPECT_THROW((void)suffix_array(numbers, {.run = {.engine = "fast"}}), error);
  if (known_gpus().devices.empty()) {
    EXPECT_THROW((void)suffix_array(numbers, {.run = {.device = {device_kind::gpu, 0}}}), unavailable_error);
    EXPECT_EQ(suffix_array(numbers, {.run = {.info = &used}}), (std::vector<std::uint32_t>{3, 1, 2, 0}));
    EXPECT_EQ(used.engine, "suffix-sort");
  }
}

TEST(suffix_array, of_collections) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 400; ++round) {
    std::string text;
    std::vector<std::uint64_t> offsets = {0};
    for (std::uint64_t records = random() % 6; records > 0; --records) {
      for (std::uint64_t n = random() % 8; n > 0; --n) text += "ab\xff"[random() % 3];
      offsets.push_back(text.size());
    }
    const std::vector<std::uint32_t> expected = reference::collection_suffix_array(text, offsets);
    ASSERT_EQ(collection_suffix_array({text, offsets}), expected) << text;
    ASSERT_EQ(collection_suffix_array<std::uint64_t>({text, offsets}),
              std::vector<std::uint64_t>(expected.begin(), expected.end()));
  }
  const std::vector<std::uint64_t> bad = {0, 2};
  EXPECT_THROW((void)collection_suffix_array({"abc", bad}), std::invalid_argument);
}

TEST(suffix_array, says_what_it_needs) {
  const std::string text(100'000, 'a');
  try {
    (void)suffix_array(text, {.run = {.memory = 1000}});
    FAIL();
  } catch (const memory_error& failure) {
    EXPECT_NE(std::string(failure.what()).find("needs 391 KiB"), std::string::npos) << failure.what();
  }
}

TEST(lcp_array, by_definition) {
  const auto check = [](const std::string& text) {
    const std::vector<std::uint32_t> sa = suffix_array(text);
    for (const int threads : {1, 3}) {
      const std::vector<std::uint32_t> lcp =
          lcp_array<std::uint32_t>(text, sa, {.run = {.threads = threads}});
      ASSERT_EQ(lcp.size(), text.size());
      for (std::size_t i = 0; i < text.size(); ++i) {
        std::uint32_t common = 0;
        if (i > 0)
          while (sa[i - 1] + common < text.size() && sa[i] + common < text.size() &&
                 text[sa[i - 1] + common] == text[sa[i] + common])
            ++common;
        ASSERT_EQ(lcp[i], common) << text << ", row " << i;
      }
    }
  };
  for_all_texts(2, 9, check);
  for (const auto& [name, text] : texts(3000)) check(text);
}

TEST(lcp_array, with_the_suffix_array) {
  const device_choice on_cpu = {device_kind::cpu, 0};
  for (const std::size_t n : {0, 1, 2, 3000})
    for (const auto& [name, text] : texts(n)) {
      run_info used;
      const auto both = suffix_and_lcp_array(text, {.run = {.device = on_cpu, .info = &used}});
      ASSERT_EQ(both.sa, suffix_array(text)) << name;
      ASSERT_EQ(both.lcp, lcp_array<std::uint32_t>(text, both.sa)) << name;
      ASSERT_EQ(used.engine, "suffix-sort");
      ASSERT_EQ(gpu_of(used), -1);
    }
  run_info used;
  const std::vector<std::uint32_t> sa = {5, 3, 1, 0, 4, 2};
  EXPECT_EQ(lcp_array<std::uint32_t>("banana", sa, {.run = {.device = on_cpu, .info = &used}}),
            (std::vector<std::uint32_t>{0, 1, 3, 0, 0, 2}));
  EXPECT_EQ(used.engine, "permuted-lcp");
  EXPECT_THROW((void)suffix_and_lcp_array("banana", {.run = {.engine = "none"}}), error);
  EXPECT_THROW((void)suffix_and_lcp_array(std::string(100'000, 'a'), {.run = {.memory = 500'000}}),
               memory_error);
}

} // namespace
} // namespace weft::test
