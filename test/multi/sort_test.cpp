// Tests sorts of the items of many ranks, which are threads here, against a sort of all items at once.
#include "sort_cases.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <weft/base/error.hpp>
#include <weft/multi/sort.hpp>

namespace {

using namespace weft::test;
using weft::uint128;
using weft::multi::communicator;
using weft::multi::sizes;

const weft::sort_options one_thread = {.run = {.threads = 1}};

// Checks a stable sort of any sizes of parts on the own rank: one that keeps the sizes, and one that balances
// them.
void expect_own_parts(communicator& ranks, const std::vector<marked>& items,
                      const std::vector<std::size_t>& bounds, const std::vector<marked>& expected) {
  const auto self = static_cast<std::size_t>(ranks.rank()),
             num_ranks = static_cast<std::size_t>(ranks.size());
  std::vector<marked> kept = slice(items, bounds[self], bounds[self + 1]), balanced = kept;
  weft::multi::stable_sort(ranks, std::span(kept), by_key, one_thread);
  EXPECT_TRUE(same_bytes(kept, slice(expected, bounds[self], bounds[self + 1])));
  weft::multi::stable_sort(ranks, balanced, sizes::natural, by_key, one_thread);
  const auto begin_of = [&](std::size_t rank) { // the first parts have one item more
    return expected.size() / num_ranks * rank + std::min(rank, expected.size() % num_ranks);
  };
  EXPECT_TRUE(same_bytes(balanced, slice(expected, begin_of(self), begin_of(self + 1))));
}

// Checks an input over {0, 1, 2}, given by its number, in all divisions among up to three ranks.
void expect_all_divisions(communicator& ranks, std::size_t size, std::size_t number) {
  std::vector<int> keys;
  for (std::size_t i = 0; i < size; ++i, number /= 3) keys.push_back(static_cast<int>(number % 3));
  const std::vector<marked> items = marked_items(keys);
  std::vector<marked> expected = items;
  std::stable_sort(expected.begin(), expected.end(), by_key);
  if (ranks.size() == 1) return expect_own_parts(ranks, items, {0, size}, expected);
  for (std::size_t first = 0; first <= size; ++first) {
    if (ranks.size() == 2) expect_own_parts(ranks, items, {0, first, size}, expected);
    for (std::size_t second = first; ranks.size() == 3 && second <= size; ++second)
      expect_own_parts(ranks, items, {0, first, second, size}, expected);
  }
}

TEST(multi_sort, all_small_inputs_over_all_divisions) {
  for (const int num_ranks : {1, 2, 3})
    weft::multi::run_ranks(num_ranks, [](communicator& ranks) {
      const std::size_t max_size = ranks.size() == 3 ? 5 : 6;
      for (std::size_t size = 0, count = 1; size <= max_size; ++size, count *= 3)
        for (std::size_t number = 0; number < count; ++number) expect_all_divisions(ranks, size, number);
    });
}

void expect_stable_sort(const parts_of<marked>& parts) {
  const std::vector<marked> items = joined(parts);
  std::vector<marked> expected = items;
  std::stable_sort(expected.begin(), expected.end(), by_key);
  std::vector<std::size_t> bounds = {0};
  for (const auto& part : parts) bounds.push_back(bounds.back() + part.size());
  weft::multi::run_ranks(static_cast<int>(parts.size()),
                         [&](communicator& ranks) { expect_own_parts(ranks, items, bounds, expected); });
}

TEST(multi_sort, skewed_inputs) {
  constexpr std::size_t count = 4000;
  std::mt19937_64 random(1);
  std::vector<std::vector<int>> inputs(6, std::vector<int>(count)); // the first one has equal items only
  for (std::size_t i = 0; i < count; ++i) {
    inputs[1][i] = static_cast<int>(i % 2);
    inputs[2][i] = static_cast<int>(i);
    inputs[3][i] = static_cast<int>(count - i);
    inputs[4][i] = static_cast<int>(random() % 50);
    inputs[5][i] = static_cast<int>(random());
  }
  for (const std::vector<int>& keys : inputs)
    for (std::size_t num_ranks = 1; num_ranks <= 8; ++num_ranks) {
      expect_stable_sort(cut(marked_items(keys), num_ranks, random));
      parts_of<marked> on_one(num_ranks); // all items on one rank
      on_one[num_ranks / 2] = marked_items(keys);
      expect_stable_sort(on_one);
    }
  expect_stable_sort(cut(marked_items({3, 1, 2}), 8, random)); // more ranks than items
  expect_stable_sort(parts_of<marked>(8));
}

template <class T> class multi_sort_of : public testing::Test {};
using number_types = testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, std::int8_t,
                                    std::int16_t, std::int32_t, std::int64_t, float, double, uint128>;
TYPED_TEST_SUITE(multi_sort_of, number_types);

// Checks all functions for numbers in one order, and those whose type is known at run time.
template <class T, class Less>
void expect_sorts_of_numbers(const parts_of<T>& parts, Less less, bool descending) {
  std::vector<T> expected = joined(parts);
  weft::sort(expected, less);
  const std::vector<std::uint64_t> expected_order = weft::argsort(joined(parts), less);
  const weft::number_type type = weft::number_type_of<T>(descending);
  std::array<parts_of<T>, 4> sorted;
  sorted.fill(parts);
  std::array<parts_of<std::uint64_t>, 2> orders;
  orders.fill(parts_of<std::uint64_t>(parts.size()));
  weft::multi::run_ranks(static_cast<int>(parts.size()), [&](communicator& ranks) {
    const auto self = static_cast<std::size_t>(ranks.rank());
    std::vector<T> own = parts[self];
    weft::multi::sort(ranks, std::span(sorted[0][self]), less, one_thread);
    weft::multi::stable_sort(ranks, std::span(sorted[1][self]), less, one_thread);
    weft::multi::sort(ranks, sorted[2][self], sizes::natural, less, one_thread);
    orders[0][self] = weft::multi::argsort(ranks, std::span<const T>(own), less, one_thread);
    orders[1][self] = weft::multi_detail::order_of_numbers(ranks, own.data(), own.size(), type,
                                                           sizes::natural, one_thread.run);
    const auto bytes = weft::multi_detail::sorted_numbers(ranks, own.data(), own.size(), type, sizes::natural,
                                                          one_thread.run);
    sorted[3][self].resize(bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(sorted[3][self].data(), bytes.data(), bytes.size());
  });
  for (const parts_of<T>& each : sorted) EXPECT_TRUE(same_bytes(joined(each), expected));
  for (const auto& each : orders) EXPECT_EQ(joined(each), expected_order);
  const std::size_t average = expected.size() / parts.size();
  for (std::size_t r = 0; r < parts.size(); ++r) {
    EXPECT_EQ(sorted[0][r].size(), parts[r].size());
    EXPECT_EQ(orders[0][r].size(), parts[r].size());
    for (const std::size_t size : {sorted[2][r].size(), sorted[3][r].size(), orders[1][r].size()})
      EXPECT_TRUE(size == average || size == average + 1);
  }
}

TYPED_TEST(multi_sort_of, numbers_in_both_orders) {
  std::mt19937_64 random(sizeof(TypeParam));
  for (std::size_t num_ranks = 1; num_ranks <= 8; ++num_ranks)
    for (const std::size_t count : {0, 1, 7, 1000}) {
      const auto parts = cut(numbers_of<TypeParam>(count, random), num_ranks, random);
      expect_sorts_of_numbers(parts, weft::ascending(), false);
      expect_sorts_of_numbers(parts, weft::descending(), true);
    }
}

// std::less is a natural order of numbers for an unstable sort, which therefore takes NaNs. It takes -0 and
// +0 as equal in a stable sort.
TEST(multi_sort, floating_point_numbers_by_std_less) {
  std::mt19937_64 random(6);
  const auto items = numbers_of<double>(3000, random);
  std::vector<double> expected = items;
  weft::sort(expected, std::less<>());
  const auto sorted = on_ranks<double>(cut(items, 4, random), [](auto& ranks, auto& own) {
    weft::multi::sort(ranks, std::span(own), std::less<>(), one_thread);
  });
  EXPECT_TRUE(same_bytes(joined(sorted), expected));
  std::vector<double> zeros(100);
  for (double& each : zeros) each = random() % 2 == 0 ? -0.0 : 0.0;
  const auto parts = cut(zeros, 3, random);
  const auto kept = on_ranks<double>(parts, [](auto& ranks, auto& own) {
    weft::multi::stable_sort(ranks, std::span(own), std::less<>(), one_thread);
  });
  EXPECT_TRUE(same_bytes(joined(kept), zeros));
}

TEST(multi_sort, values_by_keys) {
  std::mt19937_64 random(3);
  const std::vector<std::uint64_t> all = numbers_of<std::uint64_t>(500, random);
  for (std::size_t num_ranks = 1; num_ranks <= 8; ++num_ranks) {
    parts_of<std::uint64_t> keys = cut(all, num_ranks, random);
    parts_of<std::uint32_t> values(num_ranks);
    std::uint32_t next = 0;
    for (std::size_t r = 0; r < num_ranks; ++r)
      for (std::size_t i = 0; i < keys[r].size(); ++i) values[r].push_back(next++);
    weft::multi::run_ranks(static_cast<int>(num_ranks), [&](communicator& ranks) {
      const auto self = static_cast<std::size_t>(ranks.rank());
      weft::multi::sort_by_key(ranks, std::span(keys[self]), std::span(values[self]));
    });
    const std::vector<std::uint64_t> order = weft::argsort(all), sorted = joined(keys);
    const std::vector<std::uint32_t> moved = joined(values);
    EXPECT_TRUE(std::equal(moved.begin(), moved.end(), order.begin(), order.end()));
    EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
  }
}

// Checks values of a type, moved by numbers of another type, and what the ranks send for them.
template <class Key, class Value>
void expect_values_by_numbers(const parts_of<Key>& keys, bool descending, std::mt19937_64& random) {
  const std::vector<Key> all = joined(keys);
  const std::vector<Value> values = numbers_of<Value>(all.size(), random);
  std::vector<Value> expected;
  const auto order =
      descending ? weft::argsort(all, weft::descending()) : weft::argsort(all, weft::ascending());
  for (const std::uint64_t at : order) expected.push_back(values[at]);
  parts_of<Value> moved(keys.size());
  weft::multi::run_ranks(static_cast<int>(keys.size()), [&](communicator& ranks) {
    const auto self = static_cast<std::size_t>(ranks.rank());
    std::size_t begin = 0;
    for (std::size_t r = 0; r < self; ++r) begin += keys[r].size();
    const std::vector<Value> own = slice(values, begin, begin + keys[self].size());
    const weft::number_type type = weft::number_type_of<Key>(descending);
    (void)weft::multi_detail::order_of_numbers(ranks, keys[self].data(), own.size(), type, sizes::natural,
                                               one_thread.run);
    const std::uint64_t of_order = ranks.sent().bytes;
    const auto part =
        weft::multi_detail::values_by_numbers(ranks, keys[self].data(), own.size(), type, own.data(),
                                              sizeof(Value), sizes::natural, one_thread.run);
    moved[self].resize(part.size() / sizeof(Value));
    if (!part.empty()) std::memcpy(moved[self].data(), part.data(), part.size());
    const std::uint64_t agreed = 128 + 16 * keys.size();
    EXPECT_LE(ranks.sent().bytes,
              2 * of_order + 8 * moved[self].size() + sizeof(Value) * own.size() + agreed);
  });
  EXPECT_TRUE(same_bytes(joined(moved), expected));
  for (const auto& part : moved) EXPECT_LE(part.size(), expected.size() / keys.size() + 1);
}

TYPED_TEST(multi_sort_of, values_by_numbers_of_a_type) {
  std::mt19937_64 random(sizeof(TypeParam));
  for (const std::size_t num_ranks : {1, 2, 3, 5, 8})
    for (const std::size_t count : {0, 1, 7, 1000})
      for (const bool descending : {false, true}) {
        const auto keys = cut(numbers_of<TypeParam>(count, random), num_ranks, random);
        expect_values_by_numbers<TypeParam, std::uint8_t>(keys, descending, random);
        expect_values_by_numbers<TypeParam, std::int16_t>(keys, descending, random);
        expect_values_by_numbers<TypeParam, float>(keys, descending, random);
        expect_values_by_numbers<TypeParam, double>(keys, descending, random);
        expect_values_by_numbers<TypeParam, uint128>(keys, descending, random);
      }
}

// Each rank may take little, and all throw the same error before a value has moved.
TEST(multi_sort, values_by_numbers_respect_the_memory) {
  for (int poor = 0; poor < 3; ++poor)
    weft::multi::run_ranks(3, [&](communicator& ranks) {
      const std::vector<std::uint8_t> keys(1000);
      const std::vector<uint128> values(1000);
      const weft::number_type type = weft::number_type_of<std::uint8_t>(false);
      const auto moved_with = [&](std::uint64_t memory) {
        return weft::multi_detail::values_by_numbers(
            ranks, keys.data(), keys.size(), type, values.data(), sizeof(uint128), sizes::natural,
            {.threads = 1, .memory = ranks.rank() == poor ? memory : std::uint64_t{1} << 30});
      };
      try {
        (void)moved_with(39'000);
        ADD_FAILURE() << "no error";
      } catch (const weft::memory_error& fault) {
        EXPECT_TRUE(std::string(fault.what()).starts_with("rank " + std::to_string(poor))) << fault.what();
      }
      EXPECT_EQ(moved_with(41'000).size(), 16'000U);
    });
}

TEST(multi_sort, order_by_a_comparator) {
  std::mt19937_64 random(7);
  std::vector<int> keys(2000);
  for (int& key : keys) key = static_cast<int>(random() % 30);
  const std::vector<marked> items = marked_items(keys);
  const auto parts = cut(items, 5, random);
  parts_of<std::uint64_t> order(parts.size());
  weft::multi::run_ranks(5, [&](communicator& ranks) {
    const std::span<const marked> own = parts[static_cast<std::size_t>(ranks.rank())];
    order[static_cast<std::size_t>(ranks.rank())] =
        weft::multi::argsort(ranks, own, by_key, one_thread, sizes::natural);
  });
  EXPECT_EQ(joined(order), weft::argsort(items, by_key));
  for (const auto& part : order) EXPECT_EQ(part.size(), 400U);
}

// Groups travel one after another if there are enough items.
TEST(multi_sort, large_inputs_in_groups) {
  std::mt19937_64 random(4);
  const auto items = numbers_of<std::uint64_t>(std::size_t{1} << 21, random);
  std::vector<std::uint64_t> expected = items;
  weft::sort(expected);
  for (const std::size_t num_ranks : {1, 2, 3, 8}) {
    parts_of<std::uint64_t> on_one(num_ranks);
    on_one[0] = items;
    for (const auto& parts : {cut(items, num_ranks, random), on_one}) {
      const auto sorted = on_ranks<std::uint64_t>(
          parts, [](auto& ranks, auto& own) { weft::multi::sort(ranks, own, sizes::natural); });
      EXPECT_TRUE(same_bytes(joined(sorted), expected)) << num_ranks;
    }
  }
}

TEST(multi_sort, report_and_progress) {
  parts_of<int> parts(3);
  for (int i = 0; i < 3000; ++i) parts[1].push_back(i * 7919 % 3001);
  (void)on_ranks<int>(parts, [](auto& ranks, auto& own) {
    weft::run_info info;
    weft::task_monitor monitor;
    const std::size_t before = own.size();
    weft::multi::sort(ranks, own, sizes::natural, weft::ascending(),
                      {.run = {.threads = 1, .monitor = &monitor, .info = &info}});
    EXPECT_EQ(own.size(), 1000U);
    EXPECT_EQ(info.work, before);
    EXPECT_EQ(info.work_unit, "items");
    EXPECT_FALSE(info.engine.empty());
    EXPECT_GT(info.seconds, 0);
    EXPECT_EQ(monitor.done(), before + own.size()); // sorted, and merged
  });
}

} // namespace
