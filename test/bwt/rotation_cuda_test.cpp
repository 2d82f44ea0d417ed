// Checks shortest roots and smallest rotations on a GPU against those of the host, and the rotation form of
// the transform.
#include <gtest/gtest.h>
#include <test/base/gpu_suite.hpp>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/error.hpp>
#include <weft/bwt/bwt.cuh>
#include <weft/bwt/core/min_rotation.hpp>
#include <weft/bwt/cuda/text/text_circle.hpp>

#include "bwt_cases.hpp"

namespace weft::test {

namespace {

class gpu_rotation : public gpu_suite {
protected:
  // Checks one text, which starts `offset` bytes after the start of its memory.
  static void expect_same(const std::string& name, const std::string& text, std::uint64_t offset = 0) {
    const gpu::stream work;
    const gpu::device_buffer<unsigned char> d_text(text.size() + offset, work.get());
    gpu::copy(d_text.data() + offset, reinterpret_cast<const unsigned char*>(text.data()), text.size(),
              work.get(), "upload");
    const bwt_detail::text_circle circle(d_text.data() + offset, text.size(), work.get());
    const std::uint64_t root = bwt_detail::shortest_root(text);
    ASSERT_EQ(circle.shortest_root(), root) << name << ", " << text.size();
    ASSERT_EQ(circle.min_rotation(root), bwt_detail::min_rotation(std::string_view(text).substr(0, root)))
        << name << ", " << text.size();
  }
  static std::string times(const std::string& unit, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += unit;
    return text;
  }
};

TEST_F(gpu_rotation, of_every_short_text) {
  for_all_texts(2, 9, [](const std::string& text) {
    if (!text.empty()) expect_same("short", text);
  });
  for_all_texts(3, 5, [](const std::string& text) {
    if (!text.empty()) expect_same("short", text);
  });
}

TEST_F(gpu_rotation, of_difficult_texts) {
  for (const std::size_t n : {63, 64, 65, 127, 128, 129, 193, 1000, 4095, 4096, 4097, 8193, 70'000})
    for (const auto& [name, text] : texts(n)) expect_same(name, text);
}

TEST_F(gpu_rotation, of_large_texts) {
  for (const auto& [name, text] : texts(3'000'000)) expect_same(name, text);
}

TEST_F(gpu_rotation, wherever_the_text_stands) {
  for (const auto& [name, text] : texts(10'000))
    for (const std::uint64_t offset : {1, 3, 7}) expect_same(name, text, offset);
}

TEST_F(gpu_rotation, of_powers) {
  for (const std::size_t length : {1, 2, 7, 63, 64, 65, 1000, 20'011})
    for (const auto& [name, unit] : texts(length))
      for (const std::size_t count : {2, 3, 8, 12, 49}) {
        std::string text = times(unit, count);
        expect_same(name, text);
        text[text.size() / 2] ^= 1; // the text is no power any more
        expect_same(name, text);
      }
}

// Checks texts whose candidates agree over their whole distance again and again; the byte that decides is
// near or far.
TEST_F(gpu_rotation, of_equal_bytes_but_one) {
  for (const std::size_t n : {64, 1000, 300'000, 2'000'003})
    for (const char other : {'\0', '\xff'})
      for (const std::size_t at : {std::size_t{0}, std::size_t{1}, n / 3, n - 2, n - 1}) {
        std::string text(n, 'a');
        text[at] = other;
        expect_same("equal but one", text);
      }
}

TEST_F(gpu_rotation, of_periods_with_a_change) {
  for (const std::string unit : {"ab", "abcabcb", "aab"})
    for (const std::size_t at : {0, 5, 77'777, 200'000}) {
      std::string text = times(unit, 100'000);
      text[at] = 'z';
      expect_same("periods", text);
      text[at] = 'A';
      expect_same("periods", text);
    }
}

// Checks that all rotations of a text have the same smallest rotation.
TEST_F(gpu_rotation, of_rotated_texts) {
  const std::string fibonacci = texts(100'000)[8].second;
  for (const std::size_t by : {1, 63, 4096, 50'000, 99'999})
    expect_same("Fibonacci", fibonacci.substr(by) + fibonacci.substr(0, by));
}

TEST_F(gpu_rotation, of_very_large_texts) {
  constexpr std::size_t n = 50'000'000;
  std::string fibonacci = "a", before = "b", bases(n, 'a'), runs(n, 'a');
  while (fibonacci.size() < n) before = std::exchange(fibonacci, fibonacci + before);
  expect_same("Fibonacci", fibonacci.substr(0, n));
  std::mt19937_64 random(1);
  for (char& c : bases) c = "ACGT"[random() % 4];
  expect_same("DNA", bases);
  runs[n / 2] = 'b';
  expect_same("equal but one", runs);
}

// These texts are short enough for tools that check each memory access.
TEST_F(gpu_rotation, short_texts_by_every_step) {
  for (const auto& [name, text] : texts(9001)) expect_same(name, text, 1);
}

// Checks a text whose bytes are equal except for one, made in device memory alone.
TEST_F(gpu_rotation, of_more_than_2_to_the_32_bytes) {
  const std::uint64_t n = (std::uint64_t{1} << 32) + 1000, at = n - 123;
  if (gpu::free_device_memory() < 3 * n) GTEST_SKIP() << "less than 13 GB of the GPU's memory are free";
  const gpu::stream work;
  const gpu::device_buffer<unsigned char> d_text(n, work.get());
  gpu::check(cudaMemsetAsync(d_text.data(), 'b', n, work.get()), "fill");
  gpu::check(cudaMemsetAsync(d_text.data() + at, 'a', 1, work.get()), "fill");
  const bwt_detail::text_circle circle(d_text.data(), n, work.get());
  EXPECT_EQ(circle.shortest_root(), n);
  EXPECT_EQ(circle.min_rotation(n), at);
}

TEST_F(gpu_rotation, forms) {
  for (const std::size_t n : {1, 2, 64, 129, 20'000})
    for (const auto& [name, text] : texts(n))
      for (const std::size_t count : {1, 3})
        for (const char* const engine : {"suffix-sort", "ternary-quicksort"})
          ASSERT_EQ(bwt(times(text, count), bwt_form::rotation, {.run = {.engine = engine, .device = gpu_}}),
                    bwt(times(text, count), bwt_form::rotation, {.run = {.device = {device_kind::cpu, 0}}}))
              << name << ", " << engine;
}

TEST_F(gpu_rotation, of_little_memory) {
  const std::uint64_t n = 100'000;
  const gpu::stream work;
  const gpu::device_buffer<unsigned char> d_text(n, work.get()), d_bwt(n, work.get());
  gpu::check(cudaMemsetAsync(d_text.data(), 'b', n, work.get()), "fill");
  for (const char* const engine : {"suffix-sort", "ternary-quicksort"})
    EXPECT_THROW((void)gpu::bwt(d_text.data(), n, bwt_form::rotation, d_bwt.data(),
                                {.run = {.engine = engine, .device_memory = 100'000}}, work.get()),
                 memory_error);
}

} // namespace
} // namespace weft::test
