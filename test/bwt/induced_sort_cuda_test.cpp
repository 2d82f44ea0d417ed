// Checks the induced sort on a GPU against libdivsufsort.
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <test/base/gpu_suite.hpp>
#include <test/reference/bwt_reference.hpp>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/bwt/bwt.cuh>
#include <weft/bwt/cuda/induced_sort/induced_sort.hpp>
#include <weft/bwt/suffix_array.hpp>

#include "bwt_cases.hpp"

namespace weft::test {

namespace {

class gpu_induced_sort : public gpu_suite {
protected:
  static void expect_same(const std::string& name, const std::string& text,
                          const bwt_detail::suffix_sort_options& options = {}) {
    const std::vector<std::uint32_t> expected =
        suffix_array(text, {.run = {.device = {device_kind::cpu, 0}}});
    const gpu::stream work;
    const auto d_text = gpu::uploaded(
        std::span(reinterpret_cast<const unsigned char*>(text.data()), text.size()), work.get(), "upload");
    const bwt_detail::packed_text packed(d_text.data(), text.size(), work.get());
    bwt_detail::induced_sort sort(packed, options, work.get());
    const gpu::device_buffer<std::uint32_t> d_sa(text.size(), work.get());
    const gpu::device_buffer<unsigned char> d_before(text.size(), work.get());
    sort.write_sorted(d_sa.data());
    sort.induce(d_before.data());
    std::vector<std::uint32_t> sa(text.size());
    std::string before(text.size(), ' ');
    gpu::copy(sa.data(), d_sa.data(), sa.size(), work.get(), "download");
    gpu::copy(before.data(), reinterpret_cast<const char*>(d_before.data()), sa.size(), work.get(),
              "download");
    work.wait();
    for (std::size_t row = 0; row < text.size(); ++row) {
      ASSERT_EQ(sa[row], expected[row]) << name << ", " << text.size() << " symbols, row " << row;
      ASSERT_EQ(before[row], text[sa[row] == 0 ? text.size() - 1 : sa[row] - 1])
          << name << ", " << text.size() << " symbols, row " << row;
    }
  }
};

TEST_F(gpu_induced_sort, of_every_short_text) {
  for_all_texts(2, 8, [](const std::string& text) {
    if (!text.empty()) expect_same(text, text);
  });
  for_all_texts(3, 5, [](const std::string& text) {
    if (!text.empty()) expect_same(text, text);
  });
}

TEST_F(gpu_induced_sort, of_difficult_texts) {
  for (const std::size_t n : {31, 63, 64, 65, 1000, 70'000})
    for (const auto& [name, text] : texts(n)) expect_same(name, text);
}

TEST_F(gpu_induced_sort, of_large_texts) {
  for (const auto& [name, text] : texts(1'500'000)) expect_same(name, text);
}

TEST_F(gpu_induced_sort, in_blocks) {
  for (const auto& [name, text] : texts(70'000)) {
    expect_same(name, text, {.block = 7000});
    expect_same(name, text, {.block = 1000, .text_rounds = 1, .deep_rounds = 1});
  }
}

// Sorts runs of each length around the threshold at which the shortest run stores how far to go. The letters
// after the runs rise and fall.
TEST_F(gpu_induced_sort, runs_of_every_length) {
  std::mt19937_64 random(1);
  std::string text;
  for (int i = 0; i < 20'000; ++i) text.append(1 + random() % 40, "abcd"[random() % 4]);
  expect_same("runs", text);
  std::vector<std::size_t> lengths(2000); // more runs than the last step writes at once
  std::iota(lengths.begin(), lengths.end(), 1U);
  std::shuffle(lengths.begin(), lengths.end(), random);
  std::string different;
  for (const std::size_t run : lengths) (different += "acd"[random() % 3]).append(run, 'b');
  expect_same("as many lengths as runs", different);
  for (const std::size_t run : {100'000, 16, 17, 18, 1'000'000, 19, 999})
    (text += "abcd"[random() % 4]).append(run, 'b') += "abcd"[random() % 4];
  expect_same("long runs", text);
  expect_same("a run at the end", text + std::string(5000, 'a'));
  expect_same("a run at the end", text + std::string(5000, 'd'));
}

// These texts are short enough for tools that check each memory access.
TEST_F(gpu_induced_sort, of_short_texts) {
  std::mt19937_64 random(3);
  std::string text;
  for (int i = 0; i < 150; ++i) text.append(1 + random() % 25, "abc"[random() % 3]);
  expect_same("runs", text);
  expect_same("in blocks", text, {.block = 200, .text_rounds = 1, .deep_rounds = 1});
  expect_same("all equal", std::string(700, 'a'));
}

// Checks texts so large that transforms and suffix arrays are computed by the induced sort.
TEST_F(gpu_induced_sort, transforms_and_suffix_arrays_of_large_texts) {
  constexpr std::size_t n = (std::size_t{1} << 24) + 77;
  const device_choice gpu = {device_kind::gpu, known_gpus().devices.front().index};
  for (const auto& [name, text] : texts(n)) {
    if (name != "DNA" && name != "all equal" && name != "copies with changes") continue;
    ASSERT_EQ(suffix_array(text, {.run = {.device = gpu}}),
              suffix_array(text, {.run = {.device = {device_kind::cpu, 0}}}))
        << name;
    ASSERT_EQ(bwt(text, bwt_form::sentinel, {.run = {.device = gpu}}),
              bwt(text, bwt_form::sentinel, {.run = {.device = {device_kind::cpu, 0}}}))
        << name;
    const bwt_text rotated = bwt(text, bwt_form::rotation, {.run = {.device = gpu}});
    ASSERT_EQ(inverse_bwt(rotated, {.run = {.device = {device_kind::cpu, 0}}}), text) << name;
  }
}

} // namespace

} // namespace weft::test
