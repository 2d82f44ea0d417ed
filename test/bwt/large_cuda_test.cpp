// Transforms and restores texts on a GPU whose number of symbols does not fit in 31 or 32 bits.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <test/base/gpu_suite.hpp>
#include <test/reference/bwt_reference.hpp>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/bwt/bwt.cuh>

namespace weft::test {

namespace {

class gpu_large_texts : public gpu_suite {
protected:
  void SetUp() override {
    gpu_suite::SetUp();
    if (IsSkipped()) return;
    if (std::getenv("WEFT_TEST_LARGE") == nullptr)
      GTEST_SKIP() << "WEFT_TEST_LARGE is not set: takes 13 GB, and 45 of a GPU";
  }
  // Returns random bases, with runs of ten million N and a copy of fifty million bases.
  static std::string bases(std::uint64_t n) {
    std::string text(n, 'N');
    constexpr std::uint64_t grain = 1 << 20;
    parallel_for(0, (n + grain - 1) / grain, 1, 0, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t piece = first; piece < last; ++piece) {
        std::mt19937_64 random(piece);
        for (std::uint64_t i = piece * grain, bits = 0; i < std::min(n, (piece + 1) * grain);
             ++i, bits >>= 2) {
          if (i % 32 == 0) bits = random();
          text[i] = "ACGT"[bits % 4];
        }
      }
    });
    constexpr std::uint64_t run = 10'000'000, copy = 50'000'000;
    for (const std::uint64_t at : {n / 7, n / 3, n - run}) std::memset(text.data() + at, 'N', run);
    std::memcpy(text.data() + n / 2, text.data() + n / 5, copy);
    return text;
  }
  // Checks that text[0 .. n-1] is restored.
  static void expect_inverse(const std::string& text, std::uint64_t n) {
    const gpu::stream work;
    const gpu::device_buffer<unsigned char> d_text(n, work.get()), d_bwt(n, work.get());
    gpu::copy(d_text.data(), reinterpret_cast<const unsigned char*>(text.data()), n, work.get(), "upload");
    const std::uint64_t index = gpu::bwt(d_text.data(), n, bwt_form::sentinel, d_bwt.data(), {}, work.get());
    gpu::check(cudaMemsetAsync(d_text.data(), 0, n, work.get()), "clear");
    gpu::inverse_bwt(d_bwt.data(), n, index, bwt_form::sentinel, d_text.data(), {}, work.get());
    std::string back(n, '\0');
    gpu::copy(reinterpret_cast<unsigned char*>(back.data()), d_text.data(), n, work.get(), "download");
    work.wait();
    EXPECT_EQ(std::memcmp(back.data(), text.data(), n), 0) << n;
  }
};

TEST_F(gpu_large_texts, round_2_to_the_31) {
  constexpr std::uint64_t n = std::uint64_t{1} << 31;
  const std::string text = bases(n + 1);
  for (const std::uint64_t size : {n - 1, n, n + 1}) expect_inverse(text, size);
}

TEST_F(gpu_large_texts, round_2_to_the_32) {
  constexpr std::uint64_t n = std::uint64_t{1} << 32;
  const std::string text = bases(n + 1);
  for (const std::uint64_t size : {n - 2, n - 1, n, n + 1}) expect_inverse(text, size);
}

} // namespace

} // namespace weft::test
