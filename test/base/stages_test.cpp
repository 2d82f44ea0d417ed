// Tests how threads pass items to each other: queues, and stages that end together.
#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>
#include <weft/base/bounded_queue.hpp>
#include <weft/base/stages.hpp>

#include "no_threads.hpp"

namespace {

using weft::bounded_queue;

TEST(bounded_queue, keeps_the_order_and_its_size) {
  bounded_queue<int> queue(3);
  std::atomic<int> pushed{0};
  const std::jthread other([&] {
    for (int i = 0; i < 1000; ++i) {
      EXPECT_TRUE(queue.push(i));
      ++pushed;
    }
    queue.finish();
  });
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(queue.pop(), i);
    // the queue holds three, and one push may succeed before it is counted here
    EXPECT_LE(pushed, i + 1 + 4);
  }
  EXPECT_EQ(queue.pop(), std::nullopt);
  EXPECT_FALSE(queue.push(1));
}

TEST(bounded_queue, finished_has_what_was_there) {
  bounded_queue<int> queue(2);
  EXPECT_TRUE(queue.push(1));
  EXPECT_TRUE(queue.push(2));
  queue.finish();
  EXPECT_FALSE(queue.push(3));
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.pop(), 2);
  EXPECT_EQ(queue.pop(), std::nullopt);
}

TEST(bounded_queue, closed_has_nothing) {
  const auto item = std::make_shared<int>(1);
  bounded_queue<std::shared_ptr<int>> queue(2);
  EXPECT_TRUE(queue.push(item));
  EXPECT_EQ(item.use_count(), 2);
  queue.close();
  EXPECT_EQ(item.use_count(), 1);
  EXPECT_FALSE(queue.push(item));
  EXPECT_EQ(queue.pop(), std::nullopt);
}

TEST(bounded_queue, lets_go_who_waits) {
  for (const bool close : {true, false}) {
    bounded_queue<int> full(1), empty(1);
    EXPECT_TRUE(full.push(1));
    const std::jthread pusher([&] { EXPECT_FALSE(full.push(2)); });
    const std::jthread popper([&] { EXPECT_EQ(empty.pop(), std::nullopt); });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    close ? full.close() : full.finish();
    close ? empty.close() : empty.finish();
  }
}

TEST(stages, do_all_in_order) {
  for (const std::uint64_t count : {0U, 1U, 2U, 500U}) {
    std::vector<std::uint64_t> done;
    const auto caller = std::this_thread::get_id();
    weft::run_stages(
        count, [](std::uint64_t i) { return std::make_unique<std::uint64_t>(i); },
        [](const std::unique_ptr<std::uint64_t>& i) { return std::make_unique<std::uint64_t>(*i + 7); },
        [&](const std::unique_ptr<std::uint64_t>& i) {
          EXPECT_EQ(std::this_thread::get_id(), caller);
          done.push_back(*i);
        });
    std::vector<std::uint64_t> want(count);
    std::iota(want.begin(), want.end(), 7);
    EXPECT_EQ(done, want);
  }
}

TEST(stages, do_all_without_threads) {
  const weft::test::no_threads none;
  std::vector<std::uint64_t> done;
  weft::run_stages(
      10, [](std::uint64_t i) { return i; }, [](std::uint64_t i) { return i + 7; },
      [&](std::uint64_t i) { done.push_back(i); });
  EXPECT_EQ(done, (std::vector<std::uint64_t>{7, 8, 9, 10, 11, 12, 13, 14, 15, 16}));
  const auto fail = [](std::uint64_t i) -> std::uint64_t { throw std::runtime_error(std::to_string(i)); };
  EXPECT_THROW(weft::run_stages(3, fail, fail, fail), std::runtime_error);
}

// Counts the objects of this type that are alive, and the largest number that was alive at a time.
struct counted {
  explicit counted(std::atomic<int>& of, std::atomic<int>& max_alive) : alive(&of) {
    const int now = ++*alive;
    for (int seen = max_alive; seen < now && !max_alive.compare_exchange_weak(seen, now);) {
    }
  }
  counted(counted&& other) noexcept : alive(std::exchange(other.alive, nullptr)) {}
  counted& operator=(counted&&) = delete;
  ~counted() {
    if (alive != nullptr) --*alive;
  }
  std::atomic<int>* alive;
};

TEST(stages, have_few_items) {
  for (const int slow : {1, 2, 3}) {
    std::atomic<int> made{0}, max_made{0}, done{0}, max_done{0};
    const auto wait = [slow](int stage) {
      if (stage == slow) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    weft::run_stages(
        50,
        [&](std::uint64_t) {
          counted item(made, max_made);
          wait(1);
          return item;
        },
        [&](const counted&) {
          counted item(done, max_done);
          wait(2);
          return item;
        },
        [&](const counted&) { wait(3); });
    EXPECT_LE(max_made, 3);
    EXPECT_LE(max_done, 3);
    EXPECT_EQ(made + done, 0);
  }
}

TEST(stages, end_when_one_throws) {
  for (const int which : {1, 2, 3})
    for (const std::uint64_t when : {0U, 1U, 2U, 3U, 10U, 99U})
      for (int round = 0; round < 20; ++round) {
        std::atomic<int> alive{0}, max_alive{0}, last{0};
        const auto maybe = [&](int stage, std::uint64_t i) {
          if (stage == which && i == when) throw std::runtime_error(std::to_string(i));
        };
        std::uint64_t second = 0, third = 0;
        try {
          weft::run_stages(
              100,
              [&](std::uint64_t i) {
                maybe(1, i);
                return counted(alive, max_alive);
              },
              [&](const counted&) {
                maybe(2, second++);
                return counted(alive, max_alive);
              },
              [&](const counted&) {
                maybe(3, third++);
                ++last;
              });
          ADD_FAILURE();
        } catch (const std::runtime_error& failure) {
          EXPECT_EQ(failure.what(), std::to_string(when));
        }
        EXPECT_LE(last, static_cast<int>(when));
        EXPECT_EQ(alive, 0);
      }
}

TEST(stages, throw_once_where_all_fail) {
  const auto fail = [](const auto&) -> int { throw std::runtime_error("failed"); };
  EXPECT_THROW(weft::run_stages(5, fail, fail, fail), std::runtime_error);
}

} // namespace
