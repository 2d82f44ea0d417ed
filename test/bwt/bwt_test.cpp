#include <divsufsort.h>
#include <gtest/gtest.h>
#include <test/reference/bwt_reference.hpp>
#include <weft/base/error.hpp>
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/cpu/text_algorithms.hpp>
#include <weft/bwt/entry/solve.hpp>
#include <weft/bwt/suffix_array.hpp>

#include "bwt_cases.hpp"

namespace weft::test {

namespace {

constexpr auto forms = {bwt_form::sentinel, bwt_form::rotation};

TEST(bwt, of_every_short_text_by_every_engine_and_back) {
  for_all_texts(3, 10, [](const std::string& text) {
    for (const bwt_form form : forms) {
      const bwt_text expected = reference::bwt(text, form);
      for (const engine_info& engine : bwt_engines())
        ASSERT_EQ(bwt(text, form, {.run = {.engine = engine.name, .threads = 1}}), expected)
            << text << ", " << engine.name;
      ASSERT_EQ(inverse_bwt(expected, {.run = {.threads = 1}}), text);
    }
  });
}

TEST(bwt, of_short_texts_by_every_engine_in_rows_of_64_bits) {
  for_all_texts(3, 7, [](const std::string& text) {
    if (text.empty()) return;
    for (const bwt_form form : forms)
      for (const auto sorter :
           {bwt_detail::text_sorter::suffix_sort, bwt_detail::text_sorter::ternary_quicksort})
        ASSERT_EQ(bwt_detail::transform<std::uint64_t>(text, form, sorter, {.threads = 1}),
                  reference::bwt(text, form))
            << text << ", " << static_cast<int>(sorter);
  });
}

TEST(bwt, of_large_texts_and_back) {
  for (const std::size_t n : {31, 32, 33, 1000, 70'000})
    for (const auto& [name, text] : texts(n))
      for (const bwt_form form : forms) {
        const bwt_text transformed = bwt(text, form);
        ASSERT_EQ(bwt_detail::transform<std::uint64_t>(text, form, bwt_detail::text_sorter::suffix_sort, {}),
                  transformed)
            << name;
        if (n <= 1000) {
          ASSERT_EQ(transformed, reference::bwt(text, form)) << name;
        }
        for (const int threads : {1, 3})
          ASSERT_EQ(inverse_bwt(transformed, {.run = {.threads = threads}}), text) << name;
        for (const std::uint64_t chains : {1, 5, 100'000}) {
          const auto invert = [&](auto index) {
            return bwt_detail::inverse_by_chains<decltype(index)>(
                transformed.bytes, transformed.primary_index, form, chains, {.threads = 2});
          };
          ASSERT_EQ(invert(std::uint32_t{}), text) << name << ", chains " << chains;
          ASSERT_EQ(invert(std::uint64_t{}), text) << name << ", chains " << chains;
        }
      }
}

TEST(bwt, sentinel_form_is_that_of_divbwt) {
  for (const auto& [name, text] : texts(10'000)) {
    std::string bytes(text.size(), '\0');
    std::vector<saidx_t> capacity(text.size() + 1);
    const saidx_t index =
        divbwt(reinterpret_cast<const sauchar_t*>(text.data()), reinterpret_cast<sauchar_t*>(bytes.data()),
               capacity.data(), static_cast<saidx_t>(text.size()));
    EXPECT_EQ(bwt(text), (bwt_text{bytes, static_cast<std::uint64_t>(index), bwt_form::sentinel})) << name;
  }
}

// Checks that, of all pairs of bytes and index, exactly the transforms of texts are accepted.
TEST(inverse_bwt, takes_transforms_and_nothing_else) {
  for (const bwt_form form : forms)
    for_all_texts(2, 9, [&](const std::string& bytes) {
      for (std::uint64_t index = 0; index <= bytes.size() + 1; ++index) {
        const bwt_text given{bytes, index, form};
        std::string text;
        try {
          text = inverse_bwt(given, {.run = {.threads = 1}});
        } catch (const error& failure) {
          ASSERT_EQ(failure.code(), errc::invalid_input);
          bool transform = false;
          for_all_texts(2, static_cast<int>(bytes.size()), [&](const std::string& each) {
            transform = transform || (each.size() == bytes.size() && reference::bwt(each, form) == given);
          });
          ASSERT_FALSE(transform) << bytes << ' ' << index;
          continue;
        }
        ASSERT_EQ(reference::bwt(text, form), given) << bytes << ' ' << index;
      }
    });
}

TEST(bwt, cancelled_before_it_begins) {
  task_monitor monitor;
  monitor.cancel();
  const bwt_options options = {.run = {.monitor = &monitor}};
  const std::string text(100'000, 'a');
  for (const bwt_form form : forms) EXPECT_THROW((void)bwt(text, form, options), cancelled_error);
  EXPECT_THROW((void)suffix_array(text, options), cancelled_error);
  const std::vector<std::uint32_t> sa = suffix_array(text);
  EXPECT_THROW((void)lcp_array<std::uint32_t>(text, sa, options), cancelled_error);
}

TEST(bwt, tells_of_its_work_and_what_did_it) {
  for (const engine_info& engine : bwt_engines())
    for (const std::string text : {"", "banana", "abababab"}) {
      task_monitor monitor;
      run_info used;
      const bwt_options options = {.run = {.engine = engine.name, .monitor = &monitor, .info = &used}};
      for (const bwt_form form : forms) {
        used = {};
        (void)bwt(text, form, options);
        EXPECT_EQ(used.engine, engine.name);
      }
      EXPECT_EQ(monitor.done(), 2 * text.size());
      used = {};
      (void)suffix_array(text, options);
      EXPECT_EQ(used.engine, engine.name);
      EXPECT_EQ(monitor.done(), 3 * text.size());
    }
}

TEST(bwt, the_inverse_tells_of_its_work_and_has_its_own_engine) {
  run_info used;
  EXPECT_EQ(inverse_bwt("annbaa", 4, bwt_form::sentinel, {.run = {.engine = "chains", .info = &used}}),
            "banana");
  EXPECT_EQ(used.engine, "chains");
  EXPECT_EQ(used.work, 6U);
  EXPECT_EQ(used.work_unit, "symbols");
  EXPECT_THROW((void)inverse_bwt("annbaa", 4, bwt_form::sentinel, {.run = {.engine = "suffix-sort"}}), error);
}

// Checks that auto takes libdivsufsort only if the memory excludes suffix-sort, and that a sentinel form
// needs no suffix array.
TEST(bwt, auto_takes_the_engine_that_has_enough_memory) {
  const std::uint64_t n = 500'000;
  const std::string text = texts(n)[1].second;
  run_info used;
  const auto options = [&](std::uint64_t memory) {
    return bwt_options{
        .run = {.device = {device_kind::cpu, 0}, .threads = 2, .memory = memory, .info = &used}};
  };
  const std::vector<std::uint32_t> sa = suffix_array(text);
  for (const std::uint64_t each : {5, 7, 9}) {
    EXPECT_EQ(suffix_array(text, options(each * n)), sa);
    EXPECT_EQ(used.engine, each < 9 ? "libdivsufsort" : "suffix-sort");
  }
  EXPECT_THROW((void)suffix_array(text, options(3 * n)), memory_error);
  const bwt_text sentinel = bwt(text), rotation = bwt(text, bwt_form::rotation);
  for (const std::uint64_t each : {3, 5, 8, 10}) {
    EXPECT_EQ(bwt(text, bwt_form::sentinel, options(each * n)), sentinel);
    EXPECT_EQ(used.engine, "suffix-sort");
  }
  EXPECT_THROW((void)bwt(text, bwt_form::sentinel, options(5 * n / 4)), memory_error);
  for (const std::uint64_t each : {6, 11}) {
    EXPECT_EQ(bwt(text, bwt_form::rotation, options(each * n)), rotation);
    EXPECT_EQ(used.engine, each < 11 ? "libdivsufsort" : "suffix-sort");
  }
  EXPECT_THROW((void)bwt(text, bwt_form::rotation, options(5 * n)), memory_error);
}

TEST(bwt, unknown_engine_and_little_memory) {
  EXPECT_THROW((void)bwt("abc", bwt_form::sentinel, {.run = {.engine = "fast"}}), error);
  const std::string text(10'000, 'a');
  EXPECT_THROW((void)bwt(text, bwt_form::sentinel, {.run = {.memory = 1000}}), memory_error);
  EXPECT_THROW((void)inverse_bwt(bwt(text), {.run = {.memory = 1000}}), memory_error);
}

} // namespace
} // namespace weft::test
