// Tests the steps of the stable sort by a comparator, and the sort on inputs that are difficult for samples.
#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <random>
#include <stdexcept>
#include <vector>
#include <weft/base/mixed.hpp>
#include <weft/sort/cpu/bucket_sort.hpp>
#include <weft/sort/sort.hpp>

#include "sort_cases.hpp"

namespace weft::test {

namespace {

using namespace weft::sort_detail;

struct item {
  std::uint32_t key = 0, origin = 0;
  std::uint64_t payload = 0;
  friend bool operator==(const item&, const item&) = default;
};
const auto by_key = [](const item& a, const item& b) { return a.key < b.key; };

std::vector<item> items_of(const std::vector<std::uint64_t>& values) {
  std::vector<item> result;
  for (const std::uint64_t x : values)
    result.push_back(
        {static_cast<std::uint32_t>(base_detail::mixed(x)), static_cast<std::uint32_t>(result.size()), x});
  return result;
}

template <class Item> void expect_sorted(std::vector<Item> items, const auto& less, const sort_options& how) {
  std::vector<Item> expected = items;
  std::stable_sort(expected.begin(), expected.end(), less);
  weft::stable_sort(items, less, how);
  ASSERT_TRUE(items == expected) << items.size() << " items, threads " << how.run.threads;
}

} // namespace

TEST(merge_steps, four_items_of_up_to_four_keys) {
  for (std::uint32_t code = 0; code < 256; ++code) {
    std::vector<item> items(4), sorted(4);
    for (std::uint32_t i = 0; i < 4; ++i) items[i] = {code >> (2 * i) & 3, i};
    auto less = by_key;
    sort_four(items.data(), sorted.data(), less);
    std::stable_sort(items.begin(), items.end(), less);
    ASSERT_EQ(sorted, items) << code;
  }
}

// A merge sort that is right for all sequences of two keys, in which equal keys keep their order, compares
// items only with each other, and so is right for all keys.
TEST(merge_steps, blocks_of_two_keys) {
  auto less = by_key;
  for (std::uint32_t code = 0; code < 1 << 16; ++code)
    for (const bool to_other : {false, true}) {
      std::vector<item> items(16), other(16);
      for (std::uint32_t i = 0; i < 16; ++i) items[i] = {code >> i & 1, i};
      std::vector<item> expected = items;
      std::stable_sort(expected.begin(), expected.end(), less);
      sort_block(items.data(), other.data(), to_other, less);
      ASSERT_EQ(to_other ? other : items, expected) << code;
    }
}

TEST(merge_steps, runs_of_unequal_sizes) {
  auto less = by_key;
  for (std::uint32_t left = 1; left <= 10; ++left)
    for (std::uint32_t right = 1; right <= 10; ++right)
      for (std::uint32_t code = 0; code < (left + 1) * (left + 1) * (right + 1) * (right + 1); ++code) {
        std::uint32_t rest = code;
        const auto cut = [&](std::uint32_t size) {
          return std::exchange(rest, rest / (size + 1)) % (size + 1);
        };
        std::vector<item> runs, merged(left + right);
        for (const std::uint32_t size : {left, right}) {
          const std::uint32_t a = cut(size), b = cut(size);
          for (std::uint32_t i = 0; i < size; ++i)
            runs.push_back(
                {(i >= a ? 1U : 0U) + (i >= b ? 1U : 0U), static_cast<std::uint32_t>(runs.size())});
        }
        merge_unequal(runs.data(), left, runs.data() + left, right, merged.data(), less);
        std::stable_sort(runs.begin(), runs.end(), less);
        ASSERT_EQ(merged, runs);
      }
}

TEST(merge_steps, sorts_of_every_small_size) {
  std::mt19937_64 random(5);
  auto less = by_key;
  for (std::uint64_t n = 0; n <= 600; ++n)
    for (const std::uint64_t keys : {3, 1'000'000})
      for (const bool to_other : {false, true}) {
        std::vector<item> items(n), other(n);
        for (std::uint32_t i = 0; i < n; ++i) items[i] = {static_cast<std::uint32_t>(random() % keys), i};
        std::vector<item> expected = items;
        std::stable_sort(expected.begin(), expected.end(), less);
        merge_sort(items.data(), other.data(), n, to_other, less, nullptr);
        ASSERT_EQ(to_other ? other : items, expected) << n;
      }
}

TEST(bucket_sort, sizes_around_every_limit) {
  constexpr std::uint64_t merged = max_merged_bytes / sizeof(item);
  for (const std::uint64_t n : {merged - 1, merged, merged + 1, 2 * merged + 7, 4 * merged, 40 * merged + 3})
    for (const auto& [name, values] : distributions(n))
      for (int threads = 1; threads <= 8; threads = threads < 3 ? threads + 1 : threads + 5) {
        SCOPED_TRACE(name);
        expect_sorted(items_of(values), by_key, {.run = {.threads = threads}});
      }
}

TEST(bucket_sort, items_of_one_to_64_bytes) {
  struct large {
    std::uint64_t key, rest[7];
    bool operator==(const large&) const = default;
  };
  std::mt19937_64 random(6);
  std::vector<std::uint8_t> bytes(700'000);
  std::vector<large> larges(50'000);
  for (std::uint8_t& each : bytes) each = static_cast<std::uint8_t>(random());
  for (large& each : larges) each = {random() % 10'000, {random()}};
  for (const int threads : {1, 3}) {
    expect_sorted(bytes, [](auto a, auto b) { return a / 16 > b / 16; }, {.run = {.threads = threads}});
    expect_sorted(larges, [](const large& a, const large& b) { return a.key < b.key; },
                  {.run = {.threads = threads}});
  }
}

// The sample is taken at positions that depend only on the number of items, so an input can mislead it.
TEST(bucket_sort, samples_that_mislead) {
  constexpr std::uint64_t n = 200'000;
  std::vector<item> items(n);
  for (const std::uint32_t sampled_key : {0U, 1U << 31, ~0U}) {
    std::mt19937_64 random(7);
    for (std::uint32_t i = 0; i < n; ++i) items[i] = {static_cast<std::uint32_t>(random()), i};
    for (std::uint64_t state = n, s = 0; s < 4096; ++s)
      items[(state = base_detail::mixed(state)) % n].key = sampled_key;
    for (const int threads : {1, 2, 5}) expect_sorted(items, by_key, {.run = {.threads = threads}});
  }
}

TEST(bucket_sort, no_order_touches_no_other_memory) {
  std::vector<item> items = items_of(distributions(100'000)[0].second);
  for (const int threads : {1, 4}) {
    std::atomic<std::uint64_t> state{1};
    weft::stable_sort(items, [&](const item&, const item&) { return base_detail::mixed(state++) % 2 == 0; },
                      {.run = {.threads = threads}});
  }
}

TEST(bucket_sort, stops_anywhere) {
  const std::vector<item> items = items_of(distributions(300'000)[0].second);
  for (const int threads : {1, 3})
    for (const std::uint64_t when : {1, 1000, 70'000, 1'000'000, 2'500'000, 3'500'000}) {
      std::atomic<std::uint64_t> calls{0};
      task_monitor monitor;
      const auto cancels = [&](const item& a, const item& b) {
        if (++calls == when) monitor.cancel();
        return a.key < b.key;
      };
      std::vector<item> cancelled = items, failed = items;
      EXPECT_THROW(weft::stable_sort(cancelled, cancels, {.run = {.threads = threads, .monitor = &monitor}}),
                   cancelled_error);
      calls = 0;
      const auto throws = [&](const item& a, const item& b) {
        if (++calls == when) throw std::runtime_error("stop");
        return a.key < b.key;
      };
      EXPECT_THROW(weft::stable_sort(failed, throws, {.run = {.threads = threads}}), std::runtime_error);
    }
}

} // namespace weft::test
