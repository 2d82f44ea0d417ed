// Tests what ranks send while they sort, how sorts of many ranks fail, and cuts of arrays of more items than
// memory holds.
#include "sort_cases.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <numeric>
#include <stdexcept>
#include <string>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/multi/cuts.hpp>
#include <weft/multi/sort.hpp>

namespace {

using namespace weft::test;
using weft::multi::communicator;
using weft::multi::sizes;
using weft::multi::traffic;

// The largest number of bytes that a rank sends beside its items: sizes and agreements, pivots and their
// positions in four rounds, and the numbers of items of 16 groups.
template <class T> std::uint64_t max_control_bytes(std::uint64_t num_ranks) {
  constexpr std::uint64_t word = sizeof(std::uint64_t), max_pivots = weft::multi_detail::max_pivots;
  const std::uint64_t round =
      word + max_pivots * sizeof(weft::multi_detail::pivot<T>) + max_pivots * num_ranks * word;
  return 6 * word + 4 * round + 16 * (num_ranks - 1) * word;
}

// Sorts parts whose items have their rank as their mark, and checks what each rank sends.
void expect_each_item_sent_once(parts_of<marked> parts, sizes wanted) {
  const std::size_t num_ranks = parts.size();
  for (std::size_t r = 0; r < num_ranks; ++r)
    for (marked& item : parts[r]) item.mark = static_cast<std::uint32_t>(r);
  std::vector<traffic> sent(num_ranks);
  const auto sorted = on_ranks<marked>(parts, [&](auto& ranks, auto& own) {
    weft::multi::stable_sort(ranks, own, wanted, by_key, {.run = {.threads = 1}});
    sent[static_cast<std::size_t>(ranks.rank())] = ranks.sent();
  });
  std::vector<std::uint64_t> left(num_ranks); // bytes of the items that have left each rank
  for (std::size_t r = 0; r < num_ranks; ++r)
    for (const marked& item : sorted[r]) left[item.mark] += item.mark == r ? 0 : sizeof(marked);
  for (std::size_t r = 0; r < num_ranks; ++r) {
    EXPECT_GE(sent[r].bytes, left[r]);
    EXPECT_LE(sent[r].bytes, left[r] + max_control_bytes<marked>(num_ranks));
    EXPECT_LE(sent[r].calls, 6U + 4 * 3 + 1 + 16);
  }
}

TEST(multi_sort_traffic, every_item_travels_once) {
  std::mt19937_64 random(5);
  constexpr std::size_t per_rank = 300'000;
  for (const std::size_t num_ranks : {2, 4, 8}) {
    parts_of<marked> mixed(num_ranks, std::vector<marked>(per_rank)), ordered = mixed, equal = mixed;
    parts_of<marked> on_one(num_ranks);
    for (auto& part : mixed)
      for (marked& item : part) item.key = static_cast<int>(random() >> 33);
    for (std::size_t r = 0; r < num_ranks; ++r)
      for (std::size_t i = 0; i < per_rank; ++i) ordered[r][i].key = static_cast<int>(r * per_rank + i);
    on_one.back() = mixed[0];
    for (const auto& parts : {mixed, ordered, equal, on_one}) {
      expect_each_item_sent_once(parts, sizes::keep);
      expect_each_item_sent_once(parts, sizes::natural);
    }
  }
}

TEST(multi_sort_failure, all_ranks_throw_the_same_error_of_memory) {
  for (std::size_t poor = 0; poor < 3; ++poor) {
    parts_of<int> parts(3, std::vector<int>(1000));
    for (auto& part : parts) std::iota(part.rbegin(), part.rend(), 0);
    std::vector<std::string> messages(3);
    const auto left = on_ranks<int>(parts, [&](auto& ranks, auto& own) {
      const auto self = static_cast<std::size_t>(ranks.rank());
      weft::sort_options options;
      if (self == poor) options.run.memory = 100;
      const auto expect_error = [&](const auto& call) {
        try {
          call();
          ADD_FAILURE() << "no error";
        } catch (const weft::memory_error& fault) {
          messages[self] += fault.what();
        }
      };
      expect_error([&] { weft::multi::sort(ranks, std::span(own), weft::ascending(), options); });
      expect_error([&] { weft::multi::sort(ranks, std::span(own), std::greater<>(), options); });
      const std::span items(own);
      expect_error([&] { (void)weft::multi::argsort(ranks, items, weft::ascending(), options); });
      expect_error([&] { weft::multi::sort_by_key(ranks, std::span(own), std::span(own), {}, options); });
      ranks.barrier(); // the communicator is still in use
    });
    EXPECT_EQ(left, parts); // no item has moved
    const std::string begin = "rank " + std::to_string(poor) + ": sorting needs ";
    for (const std::string& message : messages) {
      EXPECT_EQ(message, messages[0]);
      EXPECT_TRUE(message.starts_with(begin)) << message;
      EXPECT_NE(message.find(" of memory beside the items, but only 100 B is allowed"), std::string::npos);
    }
  }
}

TEST(multi_sort_failure, keys_without_values) {
  EXPECT_THROW(weft::multi::run_ranks(3,
                                      [](communicator& ranks) {
                                        std::vector<int> keys(5), values(ranks.rank() == 1 ? 4 : 5);
                                        weft::multi::sort_by_key(ranks, std::span(keys), std::span(values));
                                      }),
               std::exception);
}

// Sorts many items on three ranks; event() is called at the comparison of this number on one of them.
void sort_until(int bad_rank, std::uint64_t event_number, weft::task_monitor* monitor,
                const std::function<void()>& event) {
  std::mt19937_64 random(8);
  parts_of<marked> parts(3, std::vector<marked>(150'000));
  for (auto& part : parts)
    for (marked& item : part) item.key = static_cast<int>(random() >> 33);
  std::atomic<std::uint64_t> num_comparisons{0};
  (void)on_ranks<marked>(parts, [&](auto& ranks, auto& own) {
    const bool is_bad = ranks.rank() == bad_rank;
    const auto less = [&, is_bad](const marked& a, const marked& b) {
      if (is_bad && ++num_comparisons == event_number) event();
      return a.key < b.key;
    };
    weft::sort_options options{.run = {.threads = 1}};
    if (is_bad) options.run.monitor = monitor;
    weft::multi::stable_sort(ranks, std::span(own), less, options);
  });
}

// A rank makes 2.51 to 2.53 million comparisons to sort its items, 36 thousand to find the cuts, and 250
// thousand to merge the groups.
constexpr std::uint64_t some_comparisons[] = {1, 1000, 2'535'000, 2'600'000, 2'700'000, 2'780'000};

TEST(multi_sort_failure, an_exception_of_one_rank_ends_all) {
  for (int bad = 0; bad < 3; ++bad)
    for (const std::uint64_t number : some_comparisons) try {
        sort_until(bad, number, nullptr, [] { throw std::domain_error("no order"); });
        ADD_FAILURE() << "no error at comparison " << number;
      } catch (const std::exception& fault) { // the exception itself, or what other ranks throw for it
        EXPECT_TRUE(std::string(fault.what()).ends_with("no order")) << fault.what();
      }
}

TEST(multi_sort_failure, a_cancelled_rank_ends_all) {
  for (int bad = 0; bad < 3; ++bad)
    for (const std::uint64_t number : {1, 1000, 2'535'000, 2'600'000}) {
      weft::task_monitor monitor;
      EXPECT_THROW(sort_until(bad, number, &monitor, [&] { monitor.cancel(); }), weft::cancelled_error)
          << number;
    }
}

TEST(multi_sort_failure, numbers_are_put_back_after_a_cancellation) {
  weft::task_monitor monitor;
  monitor.cancel();
  std::vector<double> all;
  const parts_of<double> parts(2, {2.5, -1, 0});
  parts_of<double> left = parts;
  EXPECT_THROW(weft::multi::run_ranks(2,
                                      [&](communicator& ranks) {
                                        auto& own = left[static_cast<std::size_t>(ranks.rank())];
                                        weft::multi::sort(ranks, std::span(own), weft::descending(),
                                                          {.run = {.threads = 1, .monitor = &monitor}});
                                      }),
               weft::cancelled_error);
  for (auto& part : left) std::sort(part.begin(), part.end());
  EXPECT_EQ(left, (parts_of<double>(2, {-1, 0, 2.5})));
}

// A comparator that is no order gives any order or an error, but neither a crash nor a wait for ever.
TEST(multi_sort_failure, comparators_that_contradict_themselves) {
  std::mt19937_64 random(9);
  for (int round = 0; round < 20; ++round) {
    const auto parts = cut(numbers_of<double>(3000, random), 4, random);
    try {
      (void)on_ranks<double>(parts, [](auto& ranks, auto& own) {
        weft::multi::stable_sort(ranks, own, sizes::natural, std::less<>(), {.run = {.threads = 1}});
      });
    } catch (const std::invalid_argument&) {
    } catch (const std::runtime_error&) { // of another rank
    }
  }
}

// Arrays of zeros of which only the pages that are read exist.
TEST(multi_sort_cuts, positions_beyond_32_bits) {
  using weft::multi_detail::cut_target;
  constexpr std::uint64_t per_rank = (std::uint64_t{5} << 30) + 3;
  const std::vector<cut_target> targets = {{0, 0},
                                           {7, 0},
                                           {(std::uint64_t{1} << 32) - 1, 0},
                                           {std::uint64_t{1} << 32, 0},
                                           {per_rank - 1, 0},
                                           {per_rank, 0},
                                           {per_rank + 1, 0},
                                           {per_rank + (std::uint64_t{1} << 32) + 5, 0},
                                           {2 * per_rank - 1, 0},
                                           {2 * per_rank, 0}};
  weft::multi::run_ranks(2, [&](communicator& ranks) {
    const weft::reserved_memory zeros(per_rank);
    const std::span<const char> own(zeros.data(), per_rank);
    const std::vector<std::uint64_t> cuts = weft::multi_detail::find_cuts(
        ranks, own, std::span<const cut_target>(targets), std::less<>(), weft::run_options());
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const std::uint64_t on_first = std::min(targets[t].position, per_rank); // equal items, by rank
      EXPECT_EQ(cuts[t], ranks.rank() == 0 ? on_first : targets[t].position - on_first);
    }
    EXPECT_LE(ranks.sent().calls, 1U + 3 * 6);
  });
}

TEST(multi_sort_cuts, plans_of_parts_beyond_32_bits) {
  constexpr std::uint64_t size = (std::uint64_t{1} << 40) + 11;
  const auto plan = weft::multi_detail::part_plan::of({size, 0, 2 * size}, 16);
  const auto targets = plan.targets();
  ASSERT_EQ(targets.size(), 3 * plan.num_groups - 1);
  EXPECT_TRUE(std::is_sorted(targets.begin(), targets.end(),
                             [](const auto& a, const auto& b) { return a.position < b.position; }));
  EXPECT_EQ(targets[plan.num_groups - 1].position, size);
  EXPECT_EQ(targets[plan.num_groups - 1].tolerance, 0U);
  EXPECT_EQ(targets[2 * plan.num_groups - 1].position, size);
  EXPECT_LE(targets.back().position, 3 * size);
  EXPECT_LE(plan.max_group(), 2 * size / 16 + 2 * size / 100);
}

} // namespace
