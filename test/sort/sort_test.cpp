// Checks weft::sort and its family against std::stable_sort, for every engine, type and number of threads.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <weft/base/error.hpp>
#include <weft/sort/sort.hpp>

#include "sort_number_cases.hpp"

namespace weft::test {

namespace {

constexpr device_choice on_cpu{device_kind::cpu, 0};

template <class T> struct numbers : testing::Test {};
TYPED_TEST_SUITE(numbers, number_types);

TYPED_TEST(numbers, of_any_distribution_and_size) {
  check_distributions_and_sizes<TypeParam>({.run = {.device = on_cpu}});
}

TYPED_TEST(numbers, by_every_engine_alike) {
  for (const auto& [name, values] : distributions(40'000)) {
    std::vector<TypeParam> expected = as<TypeParam>(values);
    std::stable_sort(expected.begin(), expected.end());
    for (const engine_info& engine : sort_engines()) {
      if (engine.name == "gpu") continue; // gpu has these cases in a test of its own
      std::vector<TypeParam> items = as<TypeParam>(values);
      weft::sort(items, std::less<>(), {.run = {.engine = engine.name, .threads = 2}});
      ASSERT_TRUE(items == expected) << name << ", " << engine.name;
    }
  }
}

TYPED_TEST(numbers, of_ranges_that_begin_anywhere) {
  check_ranges_that_begin_anywhere<TypeParam>({.run = {.device = on_cpu}});
}

TYPED_TEST(numbers, argsort_is_that_of_a_stable_sort) {
  check_argsort<TypeParam>({.run = {.device = on_cpu}});
  check_argsort<TypeParam>({.run = {.engine = "merge"}});
}

TYPED_TEST(numbers, top_k_is_the_front_of_a_sort) { check_top_k<TypeParam>({.run = {.device = on_cpu}}); }

TEST(floats, minus_zero_before_zero_and_nan_last) {
  for (const std::string engine : {"auto", "merge"}) {
    SCOPED_TRACE(engine);
    check_special_floats<float>({.run = {.engine = engine}});
    check_special_floats<double>({.run = {.engine = engine}});
  }
}
template <class T> void check_bits_and_back(std::span<const T> items) {
  for (const T item : items) {
    const T back = number_of_ordered_bits<T>(ordered_bits(item));
    ASSERT_EQ(std::bit_cast<ordered_bits_t<T>>(back), std::bit_cast<ordered_bits_t<T>>(item));
  }
}
TEST(ordered_bits, lead_back_to_the_number) {
  check_bits_and_back<float>(special_floats<float>());
  check_bits_and_back<double>(special_floats<double>());
  std::vector<std::int8_t> bytes;
  for (int i = -128; i < 128; ++i) bytes.push_back(static_cast<std::int8_t>(i));
  check_bits_and_back<std::int8_t>(bytes);
  const std::vector<std::uint64_t> numbers = {0, 1, ~std::uint64_t{0}};
  check_bits_and_back<std::uint64_t>(numbers);
  const std::vector<int128> large = {0, -1, static_cast<int128>(uint128{1} << 127)};
  check_bits_and_back<int128>(large);
}
TEST(floats, stable_by_less_keeps_zeros_where_they_are) {
  std::vector<double> items = {0.0, -0.0, 0.0, -1.0, -0.0};
  weft::stable_sort(items, std::less<>());
  std::vector<bool> signs;
  for (const double x : items) signs.push_back(std::signbit(x));
  EXPECT_EQ(signs, (std::vector<bool>{true, false, true, false, true}));
}

struct record {
  std::uint32_t key, origin;
  std::uint64_t payload;
  friend bool operator==(const record&, const record&) = default;
};
const auto by_key = [](const record& a, const record& b) { return a.key < b.key; };

std::vector<record> records(const std::vector<std::uint64_t>& values) {
  std::vector<record> items;
  for (const std::uint64_t x : values)
    items.push_back({static_cast<std::uint32_t>(x % 1000), static_cast<std::uint32_t>(items.size()), x});
  return items;
}

TEST(structs, stable_for_any_distribution_and_size) {
  for (const std::uint64_t n : sizes())
    for (const auto& [name, values] : distributions(n))
      for (const int threads : {1, 2, 3, 5}) {
        std::vector<record> items = records(values), expected = items;
        std::stable_sort(expected.begin(), expected.end(), by_key);
        weft::stable_sort(items, by_key, {.run = {.threads = threads}});
        ASSERT_TRUE(items == expected) << name << ", n " << n << ", threads " << threads;
      }
}

TEST(structs, every_sequence_of_up_to_eight_items_of_three_keys) {
  for (std::uint32_t n = 0; n <= 8; ++n) {
    std::uint32_t sequences = 1;
    for (std::uint32_t i = 0; i < n; ++i) sequences *= 3;
    for (std::uint32_t code = 0; code < sequences; ++code) {
      std::vector<record> items;
      for (std::uint32_t i = 0, rest = code; i < n; ++i, rest /= 3) items.push_back({rest % 3, i, 0});
      std::vector<record> expected = items, halves(n);
      std::stable_sort(expected.begin(), expected.end(), by_key);
      weft::stable_sort(items, by_key);
      ASSERT_EQ(items, expected);
      // Tests merging from both ends by itself, because insertion sort would take all of such short inputs.
      std::vector<record> parts = records({});
      for (std::uint32_t i = 0, rest = code; i < n; ++i, rest /= 3) parts.push_back({rest % 3, i, 0});
      std::stable_sort(parts.begin(), parts.begin() + n / 2, by_key);
      std::stable_sort(parts.begin() + n / 2, parts.end(), by_key);
      auto less = by_key;
      if (n > 0) sort_detail::merge_halves(parts.data(), n, halves.data(), less);
      ASSERT_EQ(halves, expected);
    }
  }
}

TEST(structs, a_comparator_with_state) {
  std::vector<std::uint32_t> rank(1000);
  for (std::uint32_t i = 0; i < 1000; ++i) rank[i] = (i * 7919) % 1000;
  const auto less = [&rank](const record& a, const record& b) { return rank[a.key] < rank[b.key]; };
  std::vector<record> items = records(distributions(100'000)[0].second), expected = items;
  std::stable_sort(expected.begin(), expected.end(), less);
  weft::stable_sort(items, less);
  EXPECT_TRUE(items == expected);
}

TEST(structs, what_the_comparator_throws_arrives) {
  std::vector<std::string> words;
  for (int i = 0; i < 50'000; ++i) words.push_back("word " + std::to_string(i * 7919 % 50'000));
  const std::vector<std::string> before = words;
  const auto less = [](const std::string& a, const std::string& b) {
    if (a == "word 4711" || b == "word 4711") throw std::runtime_error("4711");
    return a < b;
  };
  EXPECT_THROW(weft::sort(words, less), std::runtime_error);
  EXPECT_EQ(words, before); // strings are moved only after their order is known
}

TEST(other_types, strings_move_only_and_large) {
  std::mt19937_64 random(3);
  std::vector<std::string> words;
  std::vector<std::unique_ptr<int>> pointers;
  struct large {
    std::uint64_t key, rest[20];
  };
  std::vector<large> items;
  for (int i = 0; i < 40'000; ++i) {
    words.push_back(std::string(random() % 30, 'x') + std::to_string(random() % 1000));
    pointers.push_back(std::make_unique<int>(static_cast<int>(random() % 1000)));
    items.push_back({random() % 500, {static_cast<std::uint64_t>(i)}});
  }
  std::vector<std::string> expected = words;
  std::stable_sort(expected.begin(), expected.end());
  weft::sort(words);
  EXPECT_EQ(words, expected);
  weft::sort(pointers, [](const auto& a, const auto& b) { return *a < *b; });
  EXPECT_TRUE(
      std::is_sorted(pointers.begin(), pointers.end(), [](const auto& a, const auto& b) { return *a < *b; }));
  weft::stable_sort(items, [](const large& a, const large& b) { return a.key < b.key; });
  for (std::size_t i = 1; i < items.size(); ++i)
    ASSERT_TRUE(items[i - 1].key < items[i].key ||
                (items[i - 1].key == items[i].key && items[i - 1].rest[0] < items[i].rest[0]));
}

TEST(sort_by_key, moves_both_and_is_stable) {
  check_sort_by_key({.run = {.device = on_cpu}});
  std::vector<int> two = {1, 2}, three = {1, 2, 3};
  EXPECT_THROW(weft::sort_by_key(two, three), std::invalid_argument);
}

TEST(segmented_sort, sorts_each_segment) {
  std::mt19937_64 random(9);
  for (const std::uint64_t longest : {2, 40, 5000, 200'000}) {
    std::vector<std::uint64_t> offsets = {0};
    while (offsets.back() < 400'000) offsets.push_back(offsets.back() + random() % longest);
    std::vector<record> items = records(distributions(offsets.back())[0].second), expected = items;
    std::vector<std::uint64_t> numbers(offsets.back()), sorted(offsets.back());
    for (std::uint64_t& x : numbers) x = random();
    sorted = numbers;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      const auto first = static_cast<std::ptrdiff_t>(offsets[s]),
                 last = static_cast<std::ptrdiff_t>(offsets[s + 1]);
      std::stable_sort(expected.begin() + first, expected.begin() + last, by_key);
      std::sort(sorted.begin() + first, sorted.begin() + last);
    }
    for (const int threads : {1, 3}) {
      std::vector<record> copy = items;
      weft::segmented_sort(copy, offsets, by_key, {.run = {.threads = threads}});
      EXPECT_TRUE(copy == expected) << longest;
      std::vector<std::uint64_t> plain = numbers;
      weft::segmented_sort(plain, offsets, ascending(), {.run = {.threads = threads}});
      EXPECT_TRUE(plain == sorted) << longest;
    }
  }
  std::vector<int> items = {3, 2, 1}, none;
  const std::vector<std::uint64_t> bad = {0, 2}, falling = {0, 3, 2, 3}, empty;
  EXPECT_THROW(weft::segmented_sort(items, bad), std::invalid_argument);
  EXPECT_THROW(weft::segmented_sort(items, falling), std::invalid_argument);
  EXPECT_THROW(weft::segmented_sort(items, empty), std::invalid_argument);
  weft::segmented_sort(none, empty);
}

TEST(top_k, is_the_front_of_a_stable_sort) {
  for (const std::uint64_t n :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{100'000}})
    for (const auto& [name, values] : distributions(n)) {
      const std::vector<record> items = records(values);
      std::vector<record> sorted = items;
      std::stable_sort(sorted.begin(), sorted.end(), by_key);
      for (const std::uint64_t k :
           {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{10}, n / 20, n / 3, n, n + 5})
        for (const int threads : {1, 3}) {
          const std::vector<record> expected(sorted.begin(),
                                             sorted.begin() + static_cast<std::ptrdiff_t>(std::min(k, n)));
          ASSERT_EQ(top_k(items, k, by_key, {.run = {.threads = threads}}), expected) << name << ", k " << k;
        }
    }
}

TEST(is_sorted, sees_every_place) {
  std::vector<int> items(300'000);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<int>(i / 2);
  EXPECT_TRUE(weft::is_sorted(items));
  EXPECT_FALSE(weft::is_sorted(items, descending()));
  for (const std::size_t at : {std::size_t{2}, std::size_t{65'536}, std::size_t{65'537}, items.size() - 2}) {
    std::vector<int> copy = items;
    copy[at] = 1 << 30;
    EXPECT_FALSE(weft::is_sorted(copy)) << at;
  }
  EXPECT_TRUE(weft::is_sorted(std::vector<int>()));
  EXPECT_TRUE(weft::is_sorted(std::vector<int>{1}));
}

TEST(engines, that_do_not_apply_say_so) {
  std::vector<record> items = records({3, 2, 1});
  std::vector<std::string> words = {"b", "a"};
  EXPECT_THROW(weft::sort(items, by_key, {.run = {.engine = "vqsort"}}), error);
  EXPECT_THROW(weft::sort(words, ascending(), {.run = {.engine = "sample-merge"}}), error);
  EXPECT_THROW(weft::stable_sort(items, by_key, {.run = {.engine = "sample-merge"}}), error);
  EXPECT_THROW(weft::sort(items, by_key, {.run = {.engine = "quick"}}), error);
  EXPECT_THROW((void)weft::argsort(items, by_key, {.run = {.engine = "vqsort"}}), error);
}

TEST(monitors, stop_a_sort) {
  task_monitor monitor;
  monitor.cancel();
  std::vector<std::uint64_t> items = distributions(300'000)[0].second;
  EXPECT_THROW(weft::sort(items, ascending(), {.run = {.monitor = &monitor}}), cancelled_error);
  EXPECT_THROW(weft::sort(items, [](auto a, auto b) { return a < b; }, {.run = {.monitor = &monitor}}),
               cancelled_error);
}

TEST(monitors, leave_the_items_that_were_there) {
  check_cancelled<int128>({.run = {.device = on_cpu}});
  check_cancelled<double>({.run = {.device = on_cpu}});
}

// Checks that a cancelled monitor stops every function that looks at all items.
TEST(monitors, stop_every_function) {
  task_monitor monitor;
  monitor.cancel();
  const sort_options how{.run = {.device = on_cpu, .monitor = &monitor}};
  std::vector<std::uint64_t> items = distributions(300'000)[0].second, values = items;
  const std::vector<std::uint64_t> offsets = {0, 10, 300'000};
  const auto less = [](auto a, auto b) { return a < b; };
  EXPECT_THROW((void)argsort(items, ascending(), how), cancelled_error);
  EXPECT_THROW((void)argsort(items, less, how), cancelled_error);
  EXPECT_THROW(sort_by_key(items, values, ascending(), how), cancelled_error);
  EXPECT_THROW(segmented_sort(items, offsets, ascending(), how), cancelled_error);
  EXPECT_THROW((void)top_k(items, 10, less, how), cancelled_error);
  EXPECT_THROW((void)weft::is_sorted(items, less, how), cancelled_error);
}

TEST(reports, name_the_engine_the_work_and_the_progress) {
  std::vector<std::uint64_t> items = distributions(300'000)[0].second;
  const std::vector<std::uint64_t> offsets = {0, 10, 300'000};
  const auto less = [](auto a, auto b) { return a < b; };
  const auto check = [](const std::string& engine, const auto& call) {
    run_info info;
    task_monitor monitor;
    call(sort_options{.run = {.device = on_cpu, .monitor = &monitor, .info = &info}});
    EXPECT_EQ(info.engine, engine);
    EXPECT_FALSE(info.on_gpu());
    EXPECT_EQ(info.work, 300'000U);
    EXPECT_EQ(info.work_unit, "items");
    EXPECT_GT(info.seconds, 0);
    EXPECT_EQ(monitor.done(), 300'000U);
  };
  check("vqsort", [&](const sort_options& how) { weft::sort(std::vector(items), ascending(), how); });
  check("merge", [&](const sort_options& how) { weft::sort(std::vector(items), less, how); });
  check("vqsort", [&](const sort_options& how) { weft::stable_sort(std::vector(items), descending(), how); });
  check("vqsort", [&](const sort_options& how) { (void)argsort(items, ascending(), how); });
  check("merge", [&](const sort_options& how) { (void)argsort(items, less, how); });
  check("vqsort", [&](const sort_options& how) {
    std::vector<std::uint64_t> keys = items, values = items;
    sort_by_key(keys, values, ascending(), how);
    EXPECT_EQ(keys, values);
  });
  check("merge", [&](const sort_options& how) { segmented_sort(std::vector(items), offsets, less, how); });
  check("merge", [&](const sort_options& how) { (void)top_k(items, 10, less, how); });
  check("", [&](const sort_options& how) { (void)weft::is_sorted(items, less, how); });
}

TEST(large, more_than_2_to_the_32_items) {
  if (std::getenv("WEFT_TEST_LARGE") == nullptr) GTEST_SKIP() << "WEFT_TEST_LARGE is not set: takes 5 GB";
  std::vector<std::uint8_t> items((std::uint64_t{1} << 32) + 1000);
  for (std::uint64_t i = 0; i < items.size(); ++i)
    items[i] = static_cast<std::uint8_t>(i * 0x9E3779B97F4A7C15ULL >> 56);
  std::vector<std::uint64_t> counts(256), seen(256);
  for (const std::uint8_t x : items) ++counts[x];
  weft::sort(items);
  EXPECT_TRUE(weft::is_sorted(items));
  for (const std::uint8_t x : items) ++seen[x];
  EXPECT_EQ(seen, counts);
}

} // namespace
} // namespace weft::test
