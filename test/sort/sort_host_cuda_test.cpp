// Sorts numbers and lines of host memory on a GPU: runs the cases of the CPU, and cases that only a GPU has.
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <test/base/gpu_suite.hpp>
#include <thread>
#include <weft/base/error.hpp>
#include <weft/sort/engines.hpp>

#include "sort_number_cases.hpp"

namespace weft::test {

namespace {

constexpr device_choice on_gpu{device_kind::gpu, 0};

template <class T> class gpu_host_numbers : public gpu_suite {};
TYPED_TEST_SUITE(gpu_host_numbers, number_types);

TYPED_TEST(gpu_host_numbers, of_any_distribution_and_size) {
  check_distributions_and_sizes<TypeParam>({.run = {.device = on_gpu}});
}

TYPED_TEST(gpu_host_numbers, of_ranges_that_begin_anywhere) {
  check_ranges_that_begin_anywhere<TypeParam>({.run = {.device = on_gpu}});
  check_ranges_that_begin_anywhere<TypeParam>({.run = {.engine = "gpu"}});
}

TYPED_TEST(gpu_host_numbers, argsort_is_that_of_a_stable_sort) {
  check_argsort<TypeParam>({.run = {.device = on_gpu}});
  check_argsort<TypeParam>({.run = {.engine = "gpu"}});
}

TYPED_TEST(gpu_host_numbers, top_k_is_the_front_of_a_sort) {
  check_top_k<TypeParam>({.run = {.device = on_gpu}});
}

// Checks that less memory gives more runs, in even and odd numbers of merge rounds, and that progress ends at
// n.
TYPED_TEST(gpu_host_numbers, in_little_device_memory) {
  for (const auto& [name, values] : distributions(200'003)) {
    const std::vector<TypeParam> items = as<TypeParam>(values);
    std::vector<TypeParam> sorted = items;
    std::stable_sort(sorted.begin(), sorted.end(), descending());
    const std::vector<std::uint64_t> order = stable_order_of(items, ascending());
    std::uint64_t min_bytes = 0;
    for (std::uint64_t limit = std::uint64_t{16} << 20; limit > 0; limit /= 3) {
      task_monitor monitor;
      const sort_options how{.run = {.device = on_gpu, .device_memory = limit, .monitor = &monitor}};
      try {
        std::vector<TypeParam> copy = items;
        weft::sort(copy, descending(), how);
        ASSERT_TRUE(copy == sorted) << name << ", " << limit;
        ASSERT_EQ(monitor.done(), items.size()) << limit;
        ASSERT_EQ(argsort(items, ascending(), how), order) << name << ", " << limit;
        for (const std::uint64_t k : {std::uint64_t{1}, std::uint64_t{9'999}, std::uint64_t{150'000}})
          ASSERT_TRUE(top_k(items, k, descending(), how) ==
                      std::vector<TypeParam>(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(k)))
              << name << ", " << limit;
        min_bytes = limit;
      } catch (const memory_error& failure) {
        EXPECT_NE(std::string(failure.what()).find("of device memory, but only"), std::string::npos)
            << failure.what();
        break;
      }
    }
    EXPECT_GT(min_bytes, 0U);
    EXPECT_LT(min_bytes, std::uint64_t{1} << 20);
  }
}

class gpu_host_sort : public gpu_suite {};

TEST_F(gpu_host_sort, minus_zero_before_zero_and_nan_last) {
  check_special_floats<float>({.run = {.device = on_gpu}});
  check_special_floats<double>({.run = {.device = on_gpu}});
}

TEST_F(gpu_host_sort, by_key_moves_both_and_is_stable) { check_sort_by_key({.run = {.device = on_gpu}}); }

TEST_F(gpu_host_sort, by_comparators_of_the_standard_library) {
  for (const auto& [name, values] : distributions(10'000)) {
    std::vector<std::int32_t> items = as<std::int32_t>(values), expected = items;
    std::stable_sort(expected.begin(), expected.end(), std::greater<>());
    const std::vector<std::uint64_t> order = stable_order_of(items, std::greater<>());
    EXPECT_EQ(argsort(items, std::greater<>(), {.run = {.device = on_gpu}}), order) << name;
    weft::stable_sort(items, std::greater<std::int32_t>(), {.run = {.device = on_gpu}});
    EXPECT_EQ(items, expected) << name;
    std::vector<double> reals = as<double>(values), in_order = reals;
    std::sort(in_order.begin(), in_order.end());
    weft::sort(reals, std::ranges::less(), {.run = {.device = on_gpu}});
    EXPECT_EQ(reals, in_order) << name;
  }
}

// Sorts so many items that they are copied in many pieces, the last of which is short.
TEST_F(gpu_host_sort, many_items_on_any_number_of_threads) {
  std::vector<std::uint64_t> items = distributions(9'000'001)[0].second, expected = items;
  std::sort(expected.begin(), expected.end());
  for (const int threads : {0, 1, 2, 5, 16}) {
    std::vector<std::uint64_t> copy = items;
    weft::sort(copy, ascending(), {.run = {.device = on_gpu, .threads = threads}});
    ASSERT_TRUE(copy == expected) << threads;
    const std::vector<std::uint64_t> order =
        argsort(items, ascending(), {.run = {.device = on_gpu, .threads = threads}});
    for (std::uint64_t i = 0; i < order.size(); ++i) ASSERT_EQ(items[order[i]], expected[i]) << threads;
  }
}

TEST_F(gpu_host_sort, what_was_used_is_told) {
  std::vector<std::uint32_t> items = {3, 1, 2};
  run_info used;
  weft::sort(items, ascending(), {.run = {.device = on_gpu, .info = &used}});
  EXPECT_EQ(used.engine, "gpu");
  EXPECT_EQ(used.device.index, 0);
  EXPECT_TRUE(used.on_gpu());
  EXPECT_EQ(used.work, 3U);
  EXPECT_GT(used.peak_device_bytes, 0U);
  used = {};
  (void)argsort(items, ascending(), {.run = {.engine = "gpu", .info = &used}});
  EXPECT_EQ(used.engine, "gpu");
  EXPECT_EQ(used.device.index, known_gpus().devices.front().index);
  weft::sort(items, ascending(), {.run = {.info = &used}}); // few items: sorted on the CPU
  EXPECT_FALSE(used.on_gpu());
}

TEST_F(gpu_host_sort, automatic_takes_a_gpu_where_all_fits_it) {
  std::vector<std::uint32_t> items(sort_detail::min_gpu_items);
  const auto fill = [&] {
    for (std::uint64_t i = 0; i < items.size(); ++i)
      items[i] = static_cast<std::uint32_t>(i * 0x9E3779B97F4A7C15ULL >> 32);
  };
  const int first = known_gpus().devices.front().index;
  for (const auto& [memory, gpu] : {std::pair(std::uint64_t{0}, first), {std::uint64_t{1} << 26, -1}}) {
    run_info used;
    fill();
    weft::sort(items, ascending(), {.run = {.device_memory = memory, .info = &used}});
    EXPECT_TRUE(weft::is_sorted(items));
    EXPECT_EQ(used.on_gpu() ? used.device.index : -1, gpu) << memory;
  }
}

TEST_F(gpu_host_sort, a_cancelled_sort_leaves_the_items_that_were_there) {
  for (const std::uint64_t memory : {std::uint64_t{0}, std::uint64_t{2} << 20}) {
    check_cancelled<int128>({.run = {.device = on_gpu, .device_memory = memory}});
    check_cancelled<double>({.run = {.device = on_gpu, .device_memory = memory}});
  }
}

// Cancels a sort at various points of time.
TEST_F(gpu_host_sort, can_be_cancelled_at_any_time) {
  const std::vector<std::uint64_t> items = distributions(4'000'000)[0].second;
  std::vector<std::uint64_t> expected = items;
  std::sort(expected.begin(), expected.end());
  for (int microseconds = 0; microseconds < 100'000; microseconds = 2 * microseconds + 100) {
    task_monitor monitor;
    std::vector<std::uint64_t> copy = items;
    std::jthread canceller([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
      monitor.cancel();
    });
    try {
      weft::sort(copy, ascending(),
                 {.run = {.device = on_gpu, .device_memory = std::uint64_t{16} << 20, .monitor = &monitor}});
      EXPECT_TRUE(copy == expected);
    } catch (const cancelled_error&) {
      std::sort(copy.begin(), copy.end());
      EXPECT_TRUE(copy == expected) << microseconds;
    }
  }
}

TEST_F(gpu_host_sort, on_several_threads_at_once) {
  std::vector<std::jthread> callers;
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    callers.emplace_back([seed] {
      const std::vector<std::uint64_t> items = distributions(500'000 + seed)[0].second;
      std::vector<std::uint64_t> expected = items;
      std::sort(expected.begin(), expected.end());
      for (int round = 0; round < 5; ++round) {
        std::vector<std::uint64_t> copy = items;
        weft::sort(copy, ascending(),
                   {.run = {.device = on_gpu, .threads = 2, .device_memory = std::uint64_t{64} << 20}});
        EXPECT_TRUE(copy == expected);
      }
    });
}

// Sorts runs of 1.25 * 2^20 + 1 and of 1.25 * 2^20 items, for which the device uses algorithms that need
// different memory.
TEST_F(gpu_host_sort, runs_of_different_needs) {
  std::vector<std::uint64_t> items((std::size_t{5} << 19) + 1);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = i * 0x9E3779B97F4A7C15ULL;
  std::vector<std::uint64_t> expected = items;
  std::sort(expected.begin(), expected.end());
  weft::sort(items, ascending(), {.run = {.device = on_gpu, .device_memory = std::uint64_t{24} << 20}});
  EXPECT_TRUE(items == expected);
}

TEST_F(gpu_host_sort, more_than_2_to_the_32_items) {
  if (std::getenv("WEFT_TEST_LARGE") == nullptr) GTEST_SKIP() << "WEFT_TEST_LARGE is not set: takes 10 GB";
  for (const std::uint64_t memory :
       {std::uint64_t{0}, std::uint64_t{8} << 30}) { // one run, if it fits, or several
    std::vector<std::uint8_t> items((std::uint64_t{1} << 32) + 1000);
    std::vector<std::uint64_t> counts(256), seen(256);
    for (std::uint64_t i = 0; i < items.size(); ++i)
      ++counts[items[i] = static_cast<std::uint8_t>(i * 0x9E3779B97F4A7C15ULL >> 56)];
    weft::sort(items, ascending(), {.run = {.device = on_gpu, .device_memory = memory}});
    EXPECT_TRUE(weft::is_sorted(items));
    for (const std::uint8_t x : items) ++seen[x];
    EXPECT_EQ(seen, counts);
  }
}

TEST_F(gpu_host_sort, a_gpu_that_is_not_there_is_unavailable) {
  std::vector<int> items = {2, 1};
  EXPECT_THROW(weft::sort(items, ascending(), {.run = {.device = {device_kind::gpu, 99}}}),
               unavailable_error);
}

} // namespace
} // namespace weft::test
