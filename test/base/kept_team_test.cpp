// Tests teams that keep their threads: each member runs once per run, and all members run at the same time.
#include <atomic>
#include <barrier>
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

TEST(kept_team, may_end_unused) { const kept_team team; }

} // namespace
