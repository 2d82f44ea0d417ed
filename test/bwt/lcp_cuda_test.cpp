// Checks LCP arrays on a GPU against those of the CPU: in device memory, with limits of every size, and from
// host memory.
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <stdexcept>
#include <test/base/gpu_suite.hpp>
#include <thread>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/device.hpp>
#include <weft/base/error.hpp>
#include <weft/bwt/bwt.cuh>
#include <weft/bwt/cuda/lcp/lcp.hpp>
#include <weft/bwt/suffix_array.hpp>

#include "bwt_cases.hpp"

namespace weft::test {

namespace {

using bwt_detail::lcp_options;

constexpr device_choice on_cpu = {device_kind::cpu, 0};

// These limits are so low that single threads, blocks and the whole grid all get work in short texts.
const lcp_options low = {.thread_limit = 8, .block_limit = 64},
                  at_once = {.thread_limit = 1, .block_limit = 1};

class gpu_lcp_array : public gpu_suite {};
class gpu_lcp_array_small : public gpu_lcp_array {};
class gpu_lcp_array_host : public gpu_lcp_array {};

// Holds text and arrays in device memory. The text starts `moved` bytes after an aligned address and nothing
// follows it; the result lies between guard entries that must not change.
template <class Index> class device_lcp {
public:
  device_lcp(const std::string& text, const std::vector<Index>& sa, std::size_t moved, cudaStream_t stream)
      : stream_(stream), n_(text.size()), moved_(moved), text_(n_ + moved, stream),
        sa_(gpu::uploaded(std::span<const Index>(sa), stream, "copy")), lcp_(n_ + 2 * guard, stream) {
    gpu::copy(text_.data() + moved, reinterpret_cast<const unsigned char*>(text.data()), n_, stream, "copy");
    gpu::check(cudaMemsetAsync(lcp_.data(), 0x5a, lcp_.bytes(), stream), "prepare");
  }
  std::vector<Index> with(const lcp_options& options) {
    bwt_detail::lcp_array(text(), n_, sa_.data(), lcp_.data() + guard, options, stream_);
    return read();
  }
  std::vector<Index> by_interface() {
    gpu::lcp_array(text(), n_, sa_.data(), lcp_.data() + guard, {}, stream_);
    return read();
  }
  std::vector<Index> in_place() {
    gpu::lcp_array(text(), n_, sa_.data(), sa_.data(), {}, stream_);
    std::vector<Index> lcp(n_);
    gpu::copy(lcp.data(), sa_.data(), n_, stream_, "copy");
    gpu::check(cudaStreamSynchronize(stream_), "wait");
    return lcp;
  }
  [[nodiscard]] bool untouched() {
    const std::vector<Index> lcp = read();
    return std::all_of(lcp.begin(), lcp.end(), [](Index item) { return item == unwritten; });
  }

private:
  static constexpr std::size_t guard = 64;
  static constexpr Index unwritten = static_cast<Index>(0x5a5a5a5a5a5a5a5aULL);

  [[nodiscard]] const unsigned char* text() const { return text_.data() + moved_; }
  std::vector<Index> read() {
    std::vector<Index> all(lcp_.size());
    gpu::copy(all.data(), lcp_.data(), all.size(), stream_, "copy");
    gpu::check(cudaStreamSynchronize(stream_), "wait");
    for (std::size_t i = 0; i < guard; ++i) {
      EXPECT_EQ(all[i], unwritten);
      EXPECT_EQ(all[guard + n_ + i], unwritten);
    }
    return {all.begin() + guard, all.end() - guard};
  }

  cudaStream_t stream_;
  std::size_t n_, moved_;
  gpu::device_buffer<unsigned char> text_;
  gpu::device_buffer<Index> sa_, lcp_;
};

template <class Index> std::vector<Index> sa_of(const std::string& text) {
  return suffix_array<Index>(text, {.run = {.device = on_cpu}});
}
template <class Index> std::vector<Index> lcp_of(const std::string& text, const std::vector<Index>& sa) {
  return lcp_array<Index>(text, std::span<const Index>(sa), {.run = {.device = on_cpu}});
}

template <class Index>
void expect_same(const std::string& name, const std::string& text, std::size_t moved,
                 const std::vector<lcp_options>& all_options) {
  const gpu::stream work;
  const std::vector<Index> sa = sa_of<Index>(text), expected = lcp_of(text, sa);
  device_lcp<Index> on_device(text, sa, moved, work.get());
  for (const lcp_options& options : all_options) {
    const std::vector<Index> found = on_device.with(options);
    for (std::size_t row = 0; row < text.size(); ++row)
      ASSERT_EQ(found[row], expected[row])
          << name << ", " << text.size() << " symbols, row " << row << ", limit " << options.thread_limit;
  }
}

TEST_F(gpu_lcp_array_small, a_few_texts_by_all_limits) {
  for (const char* text : {"a", "ab", "ba", "aa", "banana", "mississippi", "abababababababababababab"})
    for (const std::size_t moved : {0, 1, 7}) {
      expect_same<std::uint32_t>(text, text, moved, {{}, low, at_once});
      expect_same<std::uint64_t>(text, text, moved, {{}, low, at_once});
    }
}

TEST_F(gpu_lcp_array_small, one_long_comparison_a_level) {
  const std::string text = 'b' + std::string(20'000, 'a');
  expect_same<std::uint32_t>("b and many a", text, 3, {{}, low, at_once});
  expect_same<std::uint64_t>("b and many a", text, 5, {low});
}

TEST_F(gpu_lcp_array_small, at_its_place) {
  const gpu::stream work;
  const std::string text = texts(3000)[5].second;
  const auto sa = sa_of<std::uint32_t>(text);
  const auto expected = lcp_of(text, sa);
  device_lcp<std::uint32_t> on_device(text, sa, 2, work.get());
  EXPECT_EQ(on_device.by_interface(), expected);
  EXPECT_EQ(on_device.in_place(), expected);
}

TEST_F(gpu_lcp_array_small, entries_out_of_range_are_refused) {
  const gpu::stream work;
  const std::string text = texts(1000)[1].second;
  for (const std::uint64_t entry : {std::uint64_t{1000}, std::uint64_t{1001}, ~std::uint64_t{0}})
    for (const std::size_t row : {0, 1, 500, 999}) {
      auto narrow = sa_of<std::uint32_t>(text);
      narrow[row] = static_cast<std::uint32_t>(entry);
      device_lcp<std::uint32_t> on_device(text, narrow, 0, work.get());
      EXPECT_THROW((void)on_device.by_interface(), std::invalid_argument) << entry << ' ' << row;
      EXPECT_TRUE(on_device.untouched());
      auto wide = sa_of<std::uint64_t>(text);
      wide[row] = entry;
      EXPECT_THROW((void)device_lcp<std::uint64_t>(text, wide, 0, work.get()).by_interface(),
                   std::invalid_argument);
    }
}

// Checks that arrays of other values in range, which do not point outside the text, give some numbers and do
// no harm.
TEST_F(gpu_lcp_array_small, other_arrays_do_no_harm) {
  const gpu::stream work;
  std::mt19937_64 random(1);
  for (const auto& [name, text] : texts(2000))
    for (const lcp_options& options : {lcp_options{}, low, at_once}) {
      std::vector<std::uint32_t> wrong(text.size());
      for (std::uint32_t& suffix : wrong) suffix = static_cast<std::uint32_t>(random() % text.size());
      const auto lcp = device_lcp<std::uint32_t>(text, wrong, 1, work.get()).with(options);
      for (std::size_t row = 0; row < lcp.size(); ++row)
        ASSERT_LE(lcp[row], text.size() - wrong[row]) << name;
    }
}

TEST_F(gpu_lcp_array_small, faults_and_nothing) {
  const gpu::stream work;
  const gpu::device_buffer<unsigned char> text(8, work.get());
  const gpu::device_buffer<std::uint32_t> array(8, work.get());
  const auto call = [&](const unsigned char* d_text, std::uint64_t n, const std::uint32_t* d_sa,
                        std::uint32_t* d_lcp, const bwt_options& options = {}) {
    gpu::lcp_array(d_text, n, d_sa, d_lcp, options, work.get());
  };
  EXPECT_NO_THROW(call(nullptr, 0, nullptr, nullptr));
  EXPECT_THROW(call(nullptr, 8, array.data(), array.data()), std::invalid_argument);
  EXPECT_THROW(call(text.data(), 8, nullptr, array.data()), std::invalid_argument);
  EXPECT_THROW(call(text.data(), 8, array.data(), nullptr), std::invalid_argument);
  EXPECT_THROW(call(text.data(), std::uint64_t{1} << 31, array.data(), array.data()), std::invalid_argument);
  EXPECT_THROW(call(text.data(), 8, array.data(), array.data(), {.run = {.device_memory = 31}}),
               memory_error);
  task_monitor monitor;
  monitor.cancel();
  EXPECT_THROW(call(text.data(), 8, array.data(), array.data(), {.run = {.monitor = &monitor}}),
               cancelled_error);
}

TEST_F(gpu_lcp_array, of_every_short_text) {
  for_all_texts(2, 10, [](const std::string& text) {
    if (!text.empty()) expect_same<std::uint32_t>(text, text, text.size() % 8, {low});
  });
  for_all_texts(3, 5, [](const std::string& text) {
    if (!text.empty()) expect_same<std::uint64_t>(text, text, 0, {at_once});
  });
}

TEST_F(gpu_lcp_array, of_difficult_texts) {
  for (const std::size_t n : {31, 32, 33, 255, 256, 257, 1000, 70'000})
    for (const auto& [name, text] : texts(n)) {
      expect_same<std::uint32_t>(name, text, n % 8, {{}, low, {.thread_limit = 100, .block_limit = 1000}});
      expect_same<std::uint64_t>(name, text, 3, {{}, {.thread_limit = 16, .block_limit = 9000}});
    }
}

TEST_F(gpu_lcp_array, sizes_around_powers_of_two) {
  for (std::size_t power = 2; power <= std::size_t{1} << 17; power *= 2)
    for (const std::size_t n : {power - 1, power, power + 1}) {
      const std::string bases = texts(n)[1].second, equal(n, 'a');
      expect_same<std::uint32_t>("DNA", bases, 0, {{}, low});
      expect_same<std::uint32_t>("all equal", equal, 1, {{}, low});
    }
}

TEST_F(gpu_lcp_array, of_large_texts) {
  for (const auto& [name, text] : texts(1'500'000))
    expect_same<std::uint32_t>(name, text, 1, {{}, {.thread_limit = 100, .block_limit = 20'000}});
}

// Checks that, with the default limits, comparisons of a length that needs all blocks are correct.
TEST_F(gpu_lcp_array, long_comparisons) {
  constexpr std::size_t n = 3'000'000;
  const std::string equal(n, 'a'), bases = texts(n / 2)[1].second;
  expect_same<std::uint32_t>("all equal", equal, 0, {{}});
  expect_same<std::uint32_t>("b and many a", 'b' + equal, 0, {{}});
  expect_same<std::uint64_t>("many a, b and many a", equal + 'b' + equal, 7, {{}});
  expect_same<std::uint32_t>("twice", bases + bases, 2, {{}});
  expect_same<std::uint64_t>("twice, one different", bases + 'N' + bases, 0, {{}});
}

TEST_F(gpu_lcp_array, runs_of_n) {
  std::mt19937_64 random(1);
  std::string text;
  for (const std::size_t run : {10, 1000, 100'000, 300, 99'999, 1'200'000}) {
    for (int i = 0; i < 20'000; ++i) text += "ACGT"[random() % 4];
    text.append(run, 'N');
  }
  expect_same<std::uint32_t>("runs of N", text, 0, {{}, {.thread_limit = 64, .block_limit = 10'000}});
}

TEST_F(gpu_lcp_array, memory_that_is_enough_is_what_is_said) {
  const gpu::stream work;
  const std::string text(50'000, 'a');
  const auto sa = sa_of<std::uint32_t>(text);
  device_lcp<std::uint32_t> on_device(text, sa, 0, work.get());
  lcp_options options;
  options.device_memory = bwt_detail::lcp_memory<std::uint32_t>(text.size(), options);
  EXPECT_EQ(on_device.with(options), lcp_of(text, sa));
  --options.device_memory;
  EXPECT_THROW((void)on_device.with(options), memory_error);
  for (const std::uint64_t n : {1'000'000'000ULL, 20'000'000'000ULL}) {
    EXPECT_LT(bwt_detail::lcp_memory<std::uint32_t>(n, {}), n / 100 * 403);
    EXPECT_LT(bwt_detail::lcp_memory<std::uint64_t>(n, {}), n / 100 * 806);
  }
}

TEST_F(gpu_lcp_array, threads_and_the_default_stream) {
  std::vector<std::jthread> team;
  for (int member = 0; member < 4; ++member)
    team.emplace_back([member] {
      const gpu::stream own;
      for (const auto& [name, text] : texts(20'000)) {
        const auto sa = sa_of<std::uint32_t>(text);
        device_lcp<std::uint32_t> on_device(text, sa, 3, member == 0 ? nullptr : own.get());
        EXPECT_EQ(on_device.with(low), lcp_of(text, sa)) << name;
      }
    });
}

TEST_F(gpu_lcp_array_host, as_on_the_cpu) {
  for (const std::size_t n : {1, 33, 1000, 1'000'000})
    for (const auto& [name, text] : texts(n)) {
      const auto sa = sa_of<std::uint32_t>(text);
      const auto expected = lcp_of(text, sa);
      run_info used;
      ASSERT_EQ(lcp_array<std::uint32_t>(text, sa, {.run = {.device = gpu_, .info = &used}}), expected)
          << name;
      ASSERT_EQ(gpu_of(used), gpu_.index);
      ASSERT_EQ(used.engine, "permuted-lcp");
      const auto both = suffix_and_lcp_array(text, {.run = {.device = gpu_, .info = &used}});
      ASSERT_EQ(both.sa, sa) << name;
      ASSERT_EQ(both.lcp, expected) << name;
      ASSERT_EQ(gpu_of(used), gpu_.index);
      ASSERT_EQ(used.engine, "suffix-sort");
      if (n > 1000) continue;
      const auto wide = sa_of<std::uint64_t>(text);
      ASSERT_EQ(lcp_array<std::uint64_t>(text, wide, {.run = {.device = gpu_}}), lcp_of(text, wide)) << name;
      ASSERT_EQ(suffix_and_lcp_array<std::uint64_t>(text, {.run = {.device = gpu_}}).lcp, lcp_of(text, wide))
          << name;
    }
  EXPECT_EQ(lcp_array<std::uint32_t>("", {}, {.run = {.device = gpu_}}), std::vector<std::uint32_t>());
  const std::vector<std::uint32_t> wrong = {0, 3, 1};
  EXPECT_THROW((void)lcp_array<std::uint32_t>("abc", wrong, {.run = {.device = gpu_}}),
               std::invalid_argument);
}

TEST_F(gpu_lcp_array_host, auto_takes_a_gpu_for_large_texts_that_fit) {
  const std::string text((std::size_t{1} << 26) + 100, 'a');
  std::vector<std::uint32_t> sa(text.size()), expected(text.size());
  std::iota(sa.rbegin(), sa.rend(), 0U);
  std::iota(expected.begin(), expected.end(), 0U); // the suffix of row r has r + 1 times 'a'
  run_info used;
  EXPECT_TRUE(lcp_array<std::uint32_t>(text, sa, {.run = {.info = &used}}) == expected);
  EXPECT_EQ(gpu_of(used), gpu_.index);
  EXPECT_TRUE(lcp_array<std::uint32_t>(text, sa, {.run = {.device_memory = 1 << 20, .info = &used}}) ==
              expected);
  EXPECT_EQ(gpu_of(used), -1);
  EXPECT_THROW((void)lcp_array<std::uint32_t>(text, sa, {.run = {.device = gpu_, .device_memory = 1 << 20}}),
               memory_error);
  EXPECT_THROW((void)lcp_array<std::uint32_t>(text, sa, {.run = {.device = gpu_, .memory = 1 << 20}}),
               memory_error);
  task_monitor cancelled;
  cancelled.cancel();
  EXPECT_THROW((void)lcp_array<std::uint32_t>(text, sa, {.run = {.device = gpu_, .monitor = &cancelled}}),
               cancelled_error);
}

} // namespace
} // namespace weft::test
