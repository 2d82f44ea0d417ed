// Checks what every sort of numbers in host memory must do, with the engine and on the device that `how`
// selects.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>
#include <vector>
#include <weft/sort/sort.hpp>

#include "sort_cases.hpp"

namespace weft::test {

using number_types =
    testing::Types<std::uint8_t, std::int8_t, char, std::uint16_t, std::int16_t, std::uint32_t, std::int32_t,
                   std::uint64_t, std::int64_t, long long, uint128, int128, float, double>;
template <class T> std::vector<T> as(const std::vector<std::uint64_t>& numbers) {
  std::vector<T> items;
  items.reserve(numbers.size());
  for (const std::uint64_t x : numbers)
    if constexpr (std::floating_point<T>)
      items.push_back(static_cast<T>(static_cast<std::int64_t>(x)) / 3);
    else if constexpr (sizeof(T) == 16)
      items.push_back(static_cast<T>(static_cast<uint128>(x) << 64 | x * 0x9E3779B97F4A7C15ULL));
    else
      items.push_back(static_cast<T>(x));
  return items;
}

template <class T> void check_distributions_and_sizes(sort_options how) {
  for (const std::uint64_t n : sizes())
    for (const auto& [name, values] : distributions(n))
      for (const int threads : {1, 3}) {
        how.run.threads = threads;
        std::vector<T> items = as<T>(values), expected = items, down = items;
        std::stable_sort(expected.begin(), expected.end());
        weft::sort(items, ascending(), how);
        ASSERT_TRUE(items == expected) << name << ", n " << n << ", threads " << threads;
        weft::sort(down, descending(), how);
        std::reverse(expected.begin(), expected.end());
        ASSERT_TRUE(down == expected) << name << ", n " << n << ", threads " << threads << ", descending";
      }
}

template <class T> void check_ranges_that_begin_anywhere(const sort_options& how) {
  const std::vector<T> items = as<T>(distributions(300'000)[0].second);
  for (const std::uint64_t first : {1, 3, 7}) {
    std::vector<T> copy = items, expected = items;
    std::sort(expected.begin() + static_cast<std::ptrdiff_t>(first), expected.end() - 5);
    weft::sort(std::span(copy).subspan(first, copy.size() - first - 5), ascending(), how);
    ASSERT_TRUE(copy == expected) << first;
  }
}

template <class T, class Less>
std::vector<std::uint64_t> stable_order_of(const std::vector<T>& items, Less less) {
  std::vector<std::uint64_t> order(items.size());
  for (std::uint64_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return less(items[a], items[b]); });
  return order;
}

template <class T> void check_argsort(const sort_options& how) {
  for (const std::uint64_t n :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{100}, std::uint64_t{70'000}})
    for (const auto& [name, values] : distributions(n)) {
      const std::vector<T> items = as<T>(values);
      ASSERT_EQ(argsort(items, ascending(), how), stable_order_of(items, ascending())) << name;
      ASSERT_EQ(argsort(items, descending(), how), stable_order_of(items, descending())) << name;
    }
}

template <class T> void check_top_k(const sort_options& how) {
  for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{20'000}})
    for (const auto& [name, values] : distributions(n)) {
      const std::vector<T> items = as<T>(values);
      std::vector<T> up = items, down = items;
      std::stable_sort(up.begin(), up.end(), ascending());
      std::stable_sort(down.begin(), down.end(), descending());
      for (const std::uint64_t k : {std::uint64_t{0}, std::uint64_t{10}, n / 3, n, n + 5}) {
        const auto count = static_cast<std::ptrdiff_t>(std::min(k, n));
        ASSERT_TRUE(top_k(items, k, ascending(), how) == std::vector<T>(up.begin(), up.begin() + count))
            << name << ", k " << k;
        ASSERT_TRUE(top_k(items, k, descending(), how) == std::vector<T>(down.begin(), down.begin() + count))
            << name << ", k " << k;
      }
    }
}

template <class T> std::vector<T> special_floats() {
  using limits = std::numeric_limits<T>;
  std::vector<T> items = {
      -limits::infinity(),  limits::lowest(), T(-1), -limits::denorm_min(), T(-0.0),           T(0.0),
      limits::denorm_min(), limits::min(),    T(1),  limits::max(),         limits::infinity()};
  using bits = ordered_bits_t<T>;
  for (const bits payload : {bits{0}, bits{1}, bits{77}})
    items.push_back(std::bit_cast<T>(static_cast<bits>(std::bit_cast<bits>(limits::quiet_NaN()) + payload)));
  for (const bits payload : {bits{77}, bits{1}, bits{0}})
    items.push_back(std::bit_cast<T>(
        static_cast<bits>(std::bit_cast<bits>(std::copysign(limits::quiet_NaN(), T(-1))) + payload)));
  return items; // already in order
}

template <class T> void check_special_floats(const sort_options& how) {
  using bits = ordered_bits_t<T>;
  const std::vector<T> order = special_floats<T>();
  std::mt19937_64 random(5);
  for (const std::uint64_t n : {std::uint64_t{17}, std::uint64_t{1000}, std::uint64_t{200'000}}) {
    std::vector<std::size_t> ranks(n);
    std::vector<T> items;
    for (std::size_t& rank : ranks) items.push_back(order[rank = random() % order.size()]);
    std::sort(ranks.begin(), ranks.end());
    std::vector<T> up = items, down = items;
    weft::stable_sort(up, ascending(), how);
    weft::stable_sort(down, descending(), how);
    for (std::uint64_t i = 0; i < n; ++i) {
      ASSERT_EQ(std::bit_cast<bits>(up[i]), std::bit_cast<bits>(order[ranks[i]])) << "item " << i;
      ASSERT_EQ(std::bit_cast<bits>(down[i]), std::bit_cast<bits>(order[ranks[n - 1 - i]])) << "item " << i;
    }
  }
}

inline void check_sort_by_key(const sort_options& how) {
  for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{50'000}}) {
    std::vector<std::int32_t> keys;
    std::vector<std::string> values;
    for (std::uint64_t i = 0; i < n; ++i) {
      keys.push_back(static_cast<std::int32_t>(i * 7919 % 100) - 50);
      values.push_back(std::to_string(i));
    }
    weft::sort_by_key(keys, values, ascending(), how);
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
    for (std::uint64_t i = 0; i < n; ++i)
      ASSERT_EQ(static_cast<std::int32_t>(std::stoull(values[i]) * 7919 % 100) - 50, keys[i]);
    for (std::uint64_t i = 1; i < n; ++i)
      if (keys[i] == keys[i - 1]) {
        ASSERT_LT(std::stoull(values[i - 1]), std::stoull(values[i]));
      }
  }
}

// Checks that a cancelled sort leaves the same items, in any order.
template <class T> void check_cancelled(sort_options how) {
  task_monitor monitor;
  monitor.cancel();
  how.run.monitor = &monitor;
  std::vector<T> items = as<T>(distributions(300'000)[0].second), before = items;
  EXPECT_THROW(weft::sort(items, ascending(), how), cancelled_error);
  std::sort(items.begin(), items.end());
  std::sort(before.begin(), before.end());
  EXPECT_TRUE(items == before);
}

} // namespace weft::test
