// Tests sorts of the items of many ranks, which are threads here, against a sort of all items at once.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/multi/cuts.hpp>
#include <weft/multi/sort.hpp>
#include <weft/multi/thread_ranks.hpp>

namespace {

using namespace weft::multi;
using weft::uint128;

// The items of each rank.
template <class T> using parts_of = std::vector<std::vector<T>>;

template <class T> std::vector<T> joined(const parts_of<T>& parts) {
  std::vector<T> all;
  for (const std::vector<T>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

template <class T> bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// Calls body(ranks, part of the rank) on as many ranks as there are parts, and returns the parts afterwards.
template <class T>
parts_of<T> on_ranks(parts_of<T> parts, const std::function<void(communicator&, std::vector<T>&)>& body) {
  run_ranks(static_cast<int>(parts.size()),
            [&](communicator& ranks) { body(ranks, parts[static_cast<std::size_t>(ranks.rank())]); });
  return parts;
}

// Cuts items into parts of random sizes, some of which are empty.
template <class T>
parts_of<T> cut(const std::vector<T>& items, std::size_t num_ranks, std::mt19937_64& random) {
  std::vector<std::size_t> bounds = {0, items.size()};
  for (std::size_t r = 1; r < num_ranks; ++r) bounds.push_back(random() % (items.size() + 1));
  std::sort(bounds.begin(), bounds.end());
  parts_of<T> parts;
  for (std::size_t r = 0; r < num_ranks; ++r)
    parts.emplace_back(items.begin() + static_cast<std::ptrdiff_t>(bounds[r]),
                       items.begin() + static_cast<std::ptrdiff_t>(bounds[r + 1]));
  return parts;
}

// A key and a mark that shows in which order equal keys come.
struct marked {
  int key;
  std::uint32_t mark;
};
constexpr auto by_key = [](const marked& a, const marked& b) { return a.key < b.key; };

std::vector<marked> marked_items(const std::vector<int>& keys) {
  std::vector<marked> items;
  for (const int key : keys) items.push_back({key, static_cast<std::uint32_t>(items.size())});
  return items;
}

// Checks a stable sort that keeps the sizes, and one that balances them.
void expect_stable_sort(const parts_of<marked>& parts) {
  std::vector<marked> expected = joined(parts);
  std::stable_sort(expected.begin(), expected.end(), by_key);
  const auto kept = on_ranks<marked>(parts, [](communicator& ranks, std::vector<marked>& own) {
    weft::multi::stable_sort(ranks, std::span(own), by_key, {.run = {.threads = 1}});
  });
  EXPECT_TRUE(same_bytes(joined(kept), expected));
  for (std::size_t r = 0; r < parts.size(); ++r) EXPECT_EQ(kept[r].size(), parts[r].size());
  const auto balanced = on_ranks<marked>(parts, [](communicator& ranks, std::vector<marked>& own) {
    weft::multi::stable_sort(ranks, own, sizes::natural, by_key, {.run = {.threads = 1}});
  });
  EXPECT_TRUE(same_bytes(joined(balanced), expected));
  for (const auto& part : balanced) {
    EXPECT_GE(part.size(), expected.size() / parts.size());
    EXPECT_LE(part.size(), (expected.size() + parts.size() - 1) / parts.size());
  }
}

TEST(multi_sort, all_small_inputs_over_all_divisions) {
  for (std::size_t size = 0; size <= 5; ++size)
    for (std::size_t code = 0; code < std::pow(3, size); ++code) {
      std::vector<int> keys;
      for (std::size_t i = 0, rest = code; i < size; ++i, rest /= 3)
        keys.push_back(static_cast<int>(rest % 3));
      const std::vector<marked> items = marked_items(keys);
      for (std::size_t first = 0; first <= size; ++first)
        for (std::size_t second = first; second <= size; second += 2)
          expect_stable_sort({{items.begin(), items.begin() + static_cast<std::ptrdiff_t>(first)},
                              {items.begin() + static_cast<std::ptrdiff_t>(first),
                               items.begin() + static_cast<std::ptrdiff_t>(second)},
                              {items.begin() + static_cast<std::ptrdiff_t>(second), items.end()}});
    }
}

TEST(multi_sort, skewed_inputs) {
  constexpr std::size_t count = 4000;
  std::mt19937_64 random(1);
  std::vector<std::vector<int>> inputs(6, std::vector<int>(count));
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

// Returns numbers of a type: random bits, of which some are equal and some special.
template <class T> std::vector<T> numbers_of(std::size_t count, std::mt19937_64& random) {
  std::vector<T> items(count);
  for (T& item : items) {
    const uint128 bits = (uint128{random()} << 64) + random();
    std::memcpy(&item, &bits, sizeof item);
    if (random() % 4 == 0) item = static_cast<T>(random() % 3);
    if constexpr (std::is_floating_point_v<T>)
      if (random() % 8 == 0) item = random() % 2 == 0 ? -T{0} : std::numeric_limits<T>::quiet_NaN();
  }
  return items;
}

template <class T> class multi_sort_of : public testing::Test {};
using number_types = testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, std::int8_t,
                                    std::int16_t, std::int32_t, std::int64_t, float, double, uint128>;
TYPED_TEST_SUITE(multi_sort_of, number_types);

TYPED_TEST(multi_sort_of, numbers_in_both_orders) {
  std::mt19937_64 random(sizeof(TypeParam));
  for (const std::size_t num_ranks : {1, 2, 3, 5, 8})
    for (const std::size_t count : {0, 1, 7, 1000}) {
      const std::vector<TypeParam> items = numbers_of<TypeParam>(count, random);
      const parts_of<TypeParam> parts = cut(items, num_ranks, random);
      std::vector<TypeParam> up = items, down = items;
      weft::sort(up);
      weft::sort(down, weft::descending());
      const auto check = [&](const auto& less, const std::vector<TypeParam>& expected, bool descends) {
        EXPECT_TRUE(same_bytes(
            joined(on_ranks<TypeParam>(
                parts, [&](auto& ranks, auto& own) { weft::multi::sort(ranks, std::span(own), less); })),
            expected));
        EXPECT_EQ(joined(on_ranks<std::uint64_t>(parts_of<std::uint64_t>(num_ranks),
                                                 [&](auto& ranks, auto& order) {
                                                   const auto& own =
                                                       parts[static_cast<std::size_t>(ranks.rank())];
                                                   order = weft::multi::argsort(ranks, std::span(own), less);
                                                 })),
                  weft::argsort(items, less));
        // The same with a type that is known at run time.
        const weft::number_type type = weft::number_type_of<TypeParam>(descends);
        EXPECT_TRUE(same_bytes(
            joined(on_ranks<TypeParam>(parts,
                                       [&](auto& ranks, auto& own) {
                                         const auto bytes = weft::multi_detail::sorted_numbers(
                                             ranks, own.data(), own.size(), type, sizes::natural, {});
                                         own.resize(bytes.size() / sizeof(TypeParam));
                                         if (!own.empty())
                                           std::memcpy(own.data(), bytes.data(), bytes.size());
                                       })),
            expected));
        EXPECT_EQ(
            joined(on_ranks<std::uint64_t>(parts_of<std::uint64_t>(num_ranks),
                                           [&](auto& ranks, auto& order) {
                                             const auto& own = parts[static_cast<std::size_t>(ranks.rank())];
                                             order = weft::multi_detail::order_of_numbers(
                                                 ranks, own.data(), own.size(), type, sizes::natural, {});
                                           })),
            weft::argsort(items, less));
      };
      check(weft::ascending(), up, false);
      check(weft::descending(), down, true);
    }
}

TEST(multi_sort, values_by_keys) {
  std::mt19937_64 random(3);
  const std::vector<std::uint64_t> all = numbers_of<std::uint64_t>(500, random);
  for (const std::size_t num_ranks : {1, 3, 8}) {
    parts_of<std::uint64_t> keys = cut(all, num_ranks, random), values = keys;
    std::uint64_t next = 0;
    for (auto& part : values)
      for (std::uint64_t& value : part) value = next++;
    run_ranks(static_cast<int>(num_ranks), [&](communicator& ranks) {
      const auto self = static_cast<std::size_t>(ranks.rank());
      weft::multi::sort_by_key(ranks, std::span(keys[self]), std::span(values[self]));
    });
    EXPECT_EQ(joined(values), weft::argsort(all));
    const std::vector<std::uint64_t> sorted = joined(keys);
    EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
  }
}

// Groups travel one after another if there are enough items.
TEST(multi_sort, many_items_in_groups) {
  std::mt19937_64 random(4);
  const auto items = numbers_of<std::uint64_t>(std::size_t{1} << 21, random);
  std::vector<std::uint64_t> expected = items;
  weft::sort(expected);
  for (const std::size_t num_ranks : {1, 2, 3}) {
    const auto parts = cut(items, num_ranks, random);
    const auto sorted = on_ranks<std::uint64_t>(
        parts, [](auto& ranks, auto& own) { weft::multi::sort(ranks, std::span(own)); });
    EXPECT_TRUE(same_bytes(joined(sorted), expected)) << num_ranks;
  }
}

// Counts the bytes that leave a rank: each item that changes its rank once, the sizes of pieces, and pivots.
TEST(multi_sort, every_item_travels_once) {
  std::mt19937_64 random(5);
  constexpr std::size_t per_rank = 100'000;
  for (const std::size_t num_ranks : {2, 4, 8}) {
    parts_of<std::uint64_t> parts(num_ranks);
    for (auto& part : parts) part = numbers_of<std::uint64_t>(per_rank, random);
    std::vector<traffic> sent(num_ranks);
    (void)on_ranks<std::uint64_t>(parts, [&](auto& ranks, auto& own) {
      weft::multi::sort(ranks, std::span(own));
      sent[static_cast<std::size_t>(ranks.rank())] = ranks.sent();
    });
    for (const traffic& each : sent) {
      const std::uint64_t item_bytes = per_rank * sizeof(std::uint64_t);
      constexpr std::uint64_t pivot_bytes = 40, max_pivots = std::uint64_t{1} << 17, max_rounds = 6;
      EXPECT_LE(each.bytes, item_bytes + max_rounds * max_pivots * pivot_bytes / num_ranks +
                                max_rounds * max_pivots * sizeof(std::uint64_t));
      EXPECT_LE(each.calls, 4 + 4 * max_rounds + 2 * 16 + 3);
    }
  }
}

TEST(multi_sort, an_array_that_is_sorted_stays_where_it_is) {
  constexpr std::size_t per_rank = 100'000;
  parts_of<std::uint64_t> parts(4, std::vector<std::uint64_t>(per_rank));
  for (std::size_t r = 0; r < parts.size(); ++r) std::iota(parts[r].begin(), parts[r].end(), r * per_rank);
  (void)on_ranks<std::uint64_t>(parts, [&](auto& ranks, auto& own) {
    weft::multi::sort(ranks, std::span(own));
    const std::uint64_t before = ranks.sent().bytes;
    weft::multi::sort(ranks, std::span(own));
    EXPECT_LT(ranks.sent().bytes - before, 8U << 20); // pivots alone
  });
}

TEST(multi_sort, all_ranks_throw_the_same_error_of_memory) {
  for (std::size_t poor = 0; poor < 3; ++poor) {
    parts_of<int> parts(3, std::vector<int>(1000, 7));
    std::atomic<int> num_errors{0};
    (void)on_ranks<int>(parts, [&](auto& ranks, auto& own) {
      weft::sort_options options;
      if (static_cast<std::size_t>(ranks.rank()) == poor) options.run.memory = 100;
      try {
        weft::multi::sort(ranks, std::span(own), weft::ascending(), options);
      } catch (const weft::memory_error& fault) {
        EXPECT_EQ(std::string(fault.what()).rfind("rank " + std::to_string(poor) + ": sorting needs", 0), 0U)
            << fault.what();
        ++num_errors;
      }
      ranks.barrier(); // the communicator is still in use
    });
    EXPECT_EQ(num_errors, 3);
  }
}

TEST(multi_sort, an_exception_of_one_rank_ends_all) {
  for (int bad = 0; bad < 3; ++bad) {
    parts_of<int> parts(3, std::vector<int>(1000));
    for (auto& part : parts) std::iota(part.rbegin(), part.rend(), 0);
    EXPECT_THROW(on_ranks<int>(parts,
                               [&](auto& ranks, auto& own) {
                                 const auto less = [&](int a, int b) {
                                   if (ranks.rank() == bad) throw std::runtime_error("no order");
                                   return a < b;
                                 };
                                 weft::multi::sort(ranks, std::span(own), less, {.run = {.threads = 1}});
                               }),
                 std::runtime_error);
  }
}

TEST(multi_sort, a_cancelled_rank_ends_all) {
  weft::task_monitor monitor;
  monitor.cancel();
  parts_of<int> parts(3, std::vector<int>(1000, 1));
  EXPECT_THROW(on_ranks<int>(parts,
                             [&](auto& ranks, auto& own) {
                               weft::sort_options options;
                               if (ranks.rank() == 1) options.run.monitor = &monitor;
                               weft::multi::sort(ranks, std::span(own), weft::ascending(), options);
                             }),
               weft::cancelled_error);
}

} // namespace
