// Checks the suffix sort on a GPU against libdivsufsort: in one piece, in blocks, and where the difference
// cover decides.
#include <gtest/gtest.h>
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

constexpr device_choice on_cpu = {device_kind::cpu, 0};
constexpr auto forms = {bwt_form::sentinel, bwt_form::rotation};

class gpu_suffix_sort : public gpu_suite {
protected:
  static std::span<const unsigned char> bytes_of(const std::string& text) {
    return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
  }
  // Returns the rows that bwt_detail::sort_suffixes_in_blocks computes.
  template <class Index>
  static std::vector<Index> sorted(const std::string& text, const suffix_sort_options& options = {}) {
    const gpu::stream work;
    const auto d_text = gpu::uploaded(bytes_of(text), work.get(), "upload");
    const bwt_detail::packed_text packed(d_text.data(), text.size(), work.get());
    return collected_rows<Index>(text.size(), work, [&](const bwt_detail::row_sink<Index>& sink) {
      bwt_detail::sort_suffixes_in_blocks<Index>(packed, sink, options, work.get());
    });
  }
  static void expect_same(const std::string& name, const std::string& text,
                          const suffix_sort_options& options = {}) {
    const std::vector<std::uint32_t> expected = suffix_array(text, {.run = {.device = on_cpu}}),
                                     found = sorted<std::uint32_t>(text, options);
    for (std::size_t row = 0; row < text.size(); ++row)
      ASSERT_EQ(found[row], expected[row])
          << name << ", " << text.size() << " symbols, row " << row << ", block " << options.block;
  }
};

TEST_F(gpu_suffix_sort, a_few_letters) {
  for (const char* text : {"a", "ab", "ba", "aa", "banana", "mississippi"})
    EXPECT_EQ(sorted<std::uint32_t>(text), reference::suffix_array(text)) << text;
}

TEST_F(gpu_suffix_sort, of_every_short_text) {
  for_all_texts(2, 9, [](const std::string& text) {
    if (text.empty()) return;
    ASSERT_EQ(sorted<std::uint32_t>(text), reference::suffix_array(text)) << text;
  });
  for_all_texts(3, 5, [](const std::string& text) {
    if (text.empty()) return;
    ASSERT_EQ(sorted<std::uint32_t>(text), reference::suffix_array(text)) << text;
  });
}

TEST_F(gpu_suffix_sort, of_difficult_texts) {
  for (const std::size_t n : {31, 32, 33, 64, 65, 1000, 70'000})
    for (const auto& [name, text] : texts(n)) expect_same(name, text);
}

TEST_F(gpu_suffix_sort, of_large_texts) {
  for (const auto& [name, text] : texts(1'500'000)) expect_same(name, text);
}

TEST_F(gpu_suffix_sort, in_blocks) {
  for (const auto& [name, text] : texts(70'000))
    for (const std::uint64_t block : {1000, 20'000, 69'999}) expect_same(name, text, {.block = block});
}

// Switches to the cover so early that it also gets small groups that a few more keys would separate.
TEST_F(gpu_suffix_sort, by_the_difference_cover) {
  for (const std::size_t n : {33, 1000, 70'000})
    for (const auto& [name, text] : texts(n)) {
      expect_same(name, text, {.text_rounds = 1, .deep_rounds = 1});
      expect_same(name, text, {.block = n / 3 + 1, .text_rounds = 1, .deep_rounds = 1});
    }
}

TEST_F(gpu_suffix_sort, in_64_bits) {
  for (const std::size_t n : {33, 1000, 70'000})
    for (const auto& [name, text] : texts(n)) {
      const std::vector<std::uint64_t> expected =
          suffix_array<std::uint64_t>(text, {.run = {.device = on_cpu}});
      ASSERT_EQ(sorted<std::uint64_t>(text), expected) << name;
      ASSERT_EQ(sorted<std::uint64_t>(text, {.block = n / 2, .text_rounds = 1, .deep_rounds = 1}), expected)
          << name;
    }
}

// Sorts groups of every size around the thresholds between kernels; the members differ early or late.
TEST_F(gpu_suffix_sort, groups_of_every_size) {
  std::mt19937_64 random(1);
  for (const int copies : {2, 3, 4, 5, 8, 9, 16, 17, 31, 32, 33, 64, 65, 128, 129, 256, 257, 600})
    for (const std::size_t length : {5, 40, 300, 3000}) {
      std::string unit(length, ' '), text;
      for (char& c : unit) c = "ACGT"[random() % 4];
      for (int i = 0; i < copies; ++i) {
        text += unit;
        for (std::uint64_t more = random() % 4; more > 0; --more) text += "ACGT"[random() % 4];
      }
      expect_same("copies", text);
      expect_same("copies", text, {.text_rounds = 1, .deep_rounds = 1});
    }
}

// These texts are short enough for tools that check each memory access. They have groups of every kind,
// sorted by the text and by the cover.
TEST_F(gpu_suffix_sort, short_texts_by_every_step) {
  std::mt19937_64 random(2);
  for (const int copies : {2, 4, 7, 12, 30, 60, 100, 200, 300}) {
    std::string unit(70, ' '), text;
    for (char& c : unit) c = "ACGT"[random() % 4];
    for (int i = 0; i < copies; ++i) (text += unit) += "ACGT"[random() % 4];
    expect_same("copies", text, {.text_rounds = 1, .deep_rounds = 1});
    if (copies == 30) expect_same("copies", text, {.block = 500});
  }
  expect_same("all equal", std::string(700, 'a'));
}

TEST_F(gpu_suffix_sort, runs_of_n) {
  std::mt19937_64 random(1);
  std::string text;
  for (const std::size_t run : {10, 1000, 100'000, 300}) {
    for (int i = 0; i < 20'000; ++i) text += "ACGT"[random() % 4];
    text.append(run, 'N');
  }
  expect_same("runs of N", text);
  expect_same("runs of N", text, {.block = 30'000});
}

TEST_F(gpu_suffix_sort, transforms_of_host_and_device) {
  for (const std::size_t n : {1, 2, 33, 1000, 70'000})
    for (const auto& [name, text] : texts(n))
      for (const char* const engine : {"suffix-sort", "ternary-quicksort"}) {
        run_info used;
        ASSERT_EQ(suffix_array(text, {.run = {.engine = engine, .device = gpu_, .info = &used}}),
                  suffix_array(text, {.run = {.device = on_cpu}}))
            << name << ", " << engine;
        ASSERT_EQ(used.engine, engine);
        ASSERT_EQ(gpu_of(used), gpu_.index);
        for (const bwt_form form : forms) {
          const bwt_text expected = bwt(text, form, {.run = {.device = on_cpu}});
          ASSERT_EQ(bwt(text, form, {.run = {.engine = engine, .device = gpu_}}), expected)
              << name << ", " << engine;
          const gpu::stream work;
          const auto d_text = gpu::uploaded(bytes_of(text), work.get(), "upload");
          const gpu::device_buffer<unsigned char> d_bwt(n, work.get());
          bwt_text found{std::string(n, ' '), 0, form};
          found.primary_index =
              gpu::bwt(d_text.data(), n, form, d_bwt.data(), {.run = {.engine = engine}}, work.get());
          gpu::copy(reinterpret_cast<unsigned char*>(found.bytes.data()), d_bwt.data(), n, work.get(),
                    "download");
          work.wait();
          ASSERT_EQ(found, expected) << name << ", " << engine;
        }
      }
}

TEST_F(gpu_suffix_sort, of_nothing_and_of_bad_arguments) {
  EXPECT_TRUE(suffix_array("", {.run = {.device = gpu_}}).empty());
  EXPECT_EQ(bwt("", bwt_form::sentinel, {.run = {.device = gpu_}}).bytes, "");
  const gpu::stream work;
  EXPECT_EQ(gpu::bwt(nullptr, 0, bwt_form::sentinel, nullptr, {}, work.get()), 0U);
  EXPECT_THROW((void)gpu::bwt(nullptr, 1, bwt_form::sentinel, nullptr, {}, work.get()),
               std::invalid_argument);
  EXPECT_THROW((void)bwt("abc", bwt_form::sentinel, {.run = {.engine = "fast", .device = gpu_}}), error);
}

TEST_F(gpu_suffix_sort, in_little_memory_and_cancelled) {
  const std::string text = texts(3'000'000)[1].second;
  EXPECT_EQ(suffix_array(text, {.run = {.device = gpu_, .device_memory = std::uint64_t{40} << 20}}),
            suffix_array(text, {.run = {.device = on_cpu}}));
  EXPECT_THROW((void)suffix_array(text, {.run = {.device = gpu_, .device_memory = 1000}}), memory_error);
  task_monitor monitor;
  monitor.cancel();
  EXPECT_THROW((void)suffix_array(text, {.run = {.device = gpu_, .monitor = &monitor}}), cancelled_error);
}

// Checks that ranges of keys with more suffixes than fit in memory are halved, and that the range of a single
// key cannot be.
TEST_F(gpu_suffix_sort, many_alike_in_little_memory) {
  std::string text = texts(1'000'000)[1].second;
  text.insert(text.size() / 2, std::string(2'000'000, 'A'));
  const suffix_sort_options little = {.memory = std::uint64_t{120} << 20};
  expect_same("a run of A", text, little);
  expect_same("a run of T", std::string(text).replace(500'000, 2'000'000, std::string(2'000'000, 'T')),
              little);
  EXPECT_THROW((void)sorted<std::uint32_t>(std::string(3'000'000, 'a'), {.memory = std::uint64_t{40} << 20}),
               memory_error);
  EXPECT_THROW((void)sorted<std::uint32_t>(text, {.memory = std::uint64_t{60} << 20}), memory_error);
}

TEST_F(gpu_suffix_sort, needs_no_more_for_small_texts) {
  expect_same("DNA", texts(1000)[1].second, {.memory = 60'000});
  EXPECT_THROW((void)sorted<std::uint32_t>(std::string(1000, 'a'), {.memory = 40'000}), memory_error);
}

// Checks that the limit includes the text, the result, and the memory that engines take in addition.
TEST_F(gpu_suffix_sort, device_memory_is_for_all_of_a_call) {
  const std::string text = texts(100'000)[1].second;
  for (const char* const engine : {"suffix-sort", "ternary-quicksort"})
    for (const bwt_form form : forms) {
      EXPECT_THROW(
          (void)bwt(text, form, {.run = {.engine = engine, .device = gpu_, .device_memory = 200'000}}),
          memory_error);
      EXPECT_THROW(
          (void)bwt(text, form, {.run = {.engine = engine, .device = gpu_, .device_memory = 500'000}}),
          memory_error);
      EXPECT_EQ(bwt(text, form, {.run = {.engine = engine, .device = gpu_, .device_memory = 6'000'000}}),
                bwt(text, form, {.run = {.device = on_cpu}}));
    }
}

// Checks that progress counts each symbol once, also if the CPU has to repeat the work.
TEST_F(gpu_suffix_sort, tells_of_each_symbol_once) {
  for (const char* const engine : {"suffix-sort", "ternary-quicksort"})
    for (const char* text : {"banana", "abababab"}) {
      task_monitor monitor;
      for (const bwt_form form : forms)
        (void)bwt(text, form, {.run = {.engine = engine, .device = gpu_, .monitor = &monitor}});
      (void)suffix_array(text, {.run = {.engine = engine, .device = gpu_, .monitor = &monitor}});
      EXPECT_EQ(monitor.done(), 3 * std::string(text).size()) << engine;
    }
  std::string text = texts(4'200'000)[1].second; // auto takes a GPU for both halves
  text += std::string(4'200'000, 'T');           // these suffixes come last, and are too many
  task_monitor monitor;
  run_info used;
  EXPECT_EQ(
      suffix_array(text,
                   {.run = {.device_memory = std::uint64_t{100} << 20, .monitor = &monitor, .info = &used}}),
      suffix_array(text, {.run = {.device = on_cpu}}));
  EXPECT_EQ(gpu_of(used), -1);
  EXPECT_EQ(monitor.done(), text.size());
}

} // namespace
} // namespace weft::test
