// Batches of texts and collections whose offsets are in device memory, against those with offsets in host
// memory.
#include <gtest/gtest.h>
#include <test/base/gpu_suite.hpp>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/bwt/bwt_batch.cuh>

#include "part_cases.hpp"

namespace weft::test {

namespace {

constexpr auto forms = {bwt_form::sentinel, bwt_form::rotation};

using gpu_batch_view = gpu_suite;

// Random texts in device memory, and memory for results.
struct device_texts {
  template <class T> std::vector<T> read(const gpu::device_buffer<T>& from) const {
    return gpu::downloaded(from.data(), from.size(), work.get(), "download");
  }
  template <class T> gpu::device_buffer<T> uploaded(const T* from, std::size_t count) const {
    return gpu::uploaded(std::span<const T>(from, count), work.get(), "upload");
  }

  std::mt19937_64 random{11};
  text_parts texts = random_parts(random, 40, 60);
  std::uint64_t size = texts.text.size();
  gpu::stream work;
  gpu::device_buffer<unsigned char> d_text =
      uploaded(reinterpret_cast<const unsigned char*>(texts.text.data()), size);
  gpu::device_buffer<std::uint64_t> d_offsets = uploaded(texts.offsets.data(), texts.offsets.size());
  gpu::sequences_view view{reinterpret_cast<const char*>(d_text.data()), d_offsets.data(), texts.parts(),
                           size};
  gpu::device_buffer<unsigned char> d_bwt{size, work.get()};
  gpu::device_buffer<std::uint32_t> d_sa{size, work.get()};
};

TEST_F(gpu_batch_view, has_the_transforms_of_offsets_in_host_memory) {
  const device_texts on;
  std::vector<std::uint64_t> numbers(on.texts.parts()), expected_numbers(on.texts.parts());
  for (const bwt_form form : forms) {
    gpu::bwt_batch(on.d_text.data(), on.texts.offsets, form, on.d_bwt.data(), expected_numbers, {},
                   on.work.get());
    const auto expected = on.read(on.d_bwt);
    gpu::bwt_batch(on.view, form, on.d_bwt.data(), numbers, {}, on.work.get());
    EXPECT_EQ(on.read(on.d_bwt), expected);
    EXPECT_EQ(numbers, expected_numbers);
  }
  gpu::collection_bwt(on.d_text.data(), on.texts.offsets, on.d_bwt.data(), expected_numbers, {},
                      on.work.get());
  const auto expected = on.read(on.d_bwt);
  gpu::collection_bwt(on.view, on.d_bwt.data(), numbers, {}, on.work.get());
  EXPECT_EQ(on.read(on.d_bwt), expected);
  EXPECT_EQ(numbers, expected_numbers);
}

TEST_F(gpu_batch_view, has_the_suffix_arrays_of_offsets_in_host_memory) {
  const device_texts on;
  gpu::suffix_array_batch(on.d_text.data(), on.texts.offsets, on.d_sa.data(), {}, on.work.get());
  auto expected = on.read(on.d_sa);
  gpu::suffix_array_batch(on.view, on.d_sa.data(), {}, on.work.get());
  EXPECT_EQ(on.read(on.d_sa), expected);
  gpu::collection_suffix_array(on.d_text.data(), on.texts.offsets, on.d_sa.data(), {}, on.work.get());
  expected = on.read(on.d_sa);
  gpu::collection_suffix_array(on.view, on.d_sa.data(), {}, on.work.get());
  EXPECT_EQ(on.read(on.d_sa), expected);
}

TEST_F(gpu_batch_view, of_nothing_and_of_bad_arguments) {
  const device_texts on;
  gpu::bwt_batch(gpu::sequences_view(), bwt_form::sentinel, nullptr, {}, {}, on.work.get());
  gpu::collection_suffix_array<std::uint32_t>(gpu::sequences_view(), nullptr, {}, on.work.get());
  const auto sort = [&](const gpu::sequences_view& view) {
    gpu::collection_suffix_array(view, on.d_sa.data(), {}, on.work.get());
  };
  gpu::sequences_view wrong = on.view;
  wrong.size = on.size - 1;
  EXPECT_THROW(sort(wrong), std::invalid_argument);
  wrong = on.view;
  wrong.d_offsets = nullptr;
  EXPECT_THROW(sort(wrong), std::invalid_argument);
  wrong = on.view;
  wrong.d_data = nullptr;
  EXPECT_THROW(sort(wrong), std::invalid_argument);
}

} // namespace
} // namespace weft::test
