// Tests teams that keep their threads: each member runs once per run, and all members run at the same time.
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>
#include <vector>
#include <weft/base/parallel.hpp>

#include "no_threads.hpp"

namespace {

using weft::kept_team;

TEST(kept_team, calls_each_member_once_a_run) {
  kept_team team;
  for (int round = 0; round < 2000; ++round) {
    const int members = round * 7 % 6;
    std::vector<std::atomic<int>> calls(6);
    const auto caller = std::this_thread::get_id();
    team.run(members, [&](int member) {
      ++calls[static_cast<std::size_t>(member)];
      EXPECT_EQ(std::this_thread::get_id() == caller, member == 0);
    });
    for (int member = 0; member < 6; ++member)
      ASSERT_EQ(calls[static_cast<std::size_t>(member)], member < members ? 1 : 0) << round;
  }
}

TEST(kept_team, runs_all_members_at_the_same_time) {
  kept_team team;
  for (const int members : {5, 2, 1, 5}) {
    std::barrier all(members);
    std::atomic<int> passed{0};
    team.run(members, [&](int) {
      for (int i = 0; i < 100; ++i) all.arrive_and_wait();
      ++passed;
    });
    EXPECT_EQ(passed, members);
  }
}

TEST(kept_team, rethrows_when_all_have_returned) {
  kept_team team;
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> calls{0};
    EXPECT_THROW(team.run(4,
                          [&](int member) {
                            ++calls;
                            if (member == round % 4) throw std::runtime_error("no");
                          }),
                 std::runtime_error);
    EXPECT_EQ(calls, 4);
    EXPECT_NO_THROW(team.run(3, [](int) {}));
  }
}

// Checks that members without a thread of their own run on the caller's thread.
TEST(kept_team, does_with_the_threads_that_there_are) {
  for (const int kept : {1, 3}) {
    kept_team team;
    team.run(kept, [](int) {});
    const weft::test::no_threads none;
    for (int round = 0; round < 20; ++round) {
      std::vector<std::atomic<int>> calls(6);
      const auto caller = std::this_thread::get_id();
      team.run(6, [&](int member) {
        ++calls[static_cast<std::size_t>(member)];
        EXPECT_EQ(std::this_thread::get_id() == caller, member == 0 || member >= kept);
      });
      for (const auto& count : calls) EXPECT_EQ(count, 1);
    }
  }
}

// Runs follow one another at once, or after pauses that are longer than a thread waits before it blocks.
// There are several times more threads than processors.
TEST(kept_team, does_many_short_runs_on_more_threads_than_processors) {
  const int threads = 3 * weft::thread_count() + 5;
  kept_team team;
  std::uint64_t expected = 0;
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(threads)); // each is written by one member
  for (int round = 0; round < 600; ++round) {
    const int members = round % 5 == 0 ? 1 + round % threads : round % 2 == 0 ? 2 : threads;
    team.run(members, [&](int member) { sums[static_cast<std::size_t>(member)] += 1 + round % 3; });
    expected += static_cast<std::uint64_t>(members) * static_cast<std::uint64_t>(1 + round % 3);
    std::uint64_t sum = 0;
    for (const std::uint64_t each : sums) sum += each;
    ASSERT_EQ(sum, expected) << round;
    if (round % 50 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// Members take different times, so some still wait briefly when others already block.
TEST(kept_team, does_runs_whose_members_take_different_times) {
  kept_team team;
  for (int round = 0; round < 60; ++round) {
    std::vector<int> done(6);
    team.run(6, [&](int member) {
      if (member == round % 6) std::this_thread::sleep_for(std::chrono::microseconds(500));
      done[static_cast<std::size_t>(member)] = round + 1;
    });
    for (const int each : done) ASSERT_EQ(each, round + 1);
  }
}

TEST(kept_team, ends_directly_after_a_run_and_while_its_threads_block) {
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> calls{0};
    {
      kept_team team;
      for (int run = 0; run < round % 4; ++run) team.run(5, [&](int) { ++calls; });
      if (round % 20 == 1) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    ASSERT_EQ(calls, 5 * (round % 4));
  }
}

// Several teams at once, as calls on different threads have them.
TEST(kept_team, works_beside_other_teams) {
  std::vector<std::thread> callers;
  std::atomic<int> calls{0};
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      kept_team team;
      for (int run = 0; run < 200; ++run) team.run(3, [&](int) { ++calls; });
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(calls, 4 * 200 * 3);
}

TEST(kept_team, may_end_unused) { const kept_team team; }

} // namespace
