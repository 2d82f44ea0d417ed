// Tests that threads go on in the order of their numbers, and that a failure stops those that wait.
#include <atomic>
#include <gtest/gtest.h>
#include <stdexcept>
#include <vector>
#include <weft/base/parallel.hpp>
#include <weft/base/turns.hpp>

namespace {

TEST(turns, come_in_order) {
  constexpr std::uint64_t count = 5000;
  for (const int threads : {1, 2, 8}) {
    weft::turns order;
    std::atomic<std::uint64_t> next{0};
    std::vector<std::uint64_t> seen;
    weft::run_team(threads, [&](int) {
      for (std::uint64_t number; (number = next++) < count;) {
        order.wait(number);
        order.wait(number); // may be asked again
        seen.push_back(number);
        order.end();
      }
    });
    ASSERT_EQ(seen.size(), count);
    for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(seen[i], i);
  }
}

TEST(turns, stop_when_one_fails) {
  weft::turns order;
  std::atomic<std::uint64_t> next{0};
  std::atomic<int> stopped{0};
  const auto work = [&](int) {
    try {
      for (;;) {
        const std::uint64_t number = next++;
        order.wait(number);
        if (number == 100) throw std::runtime_error("100");
        order.end();
      }
    } catch (const weft::turns::stopped&) {
      ++stopped;
    } catch (...) {
      order.fail();
      throw;
    }
  };
  EXPECT_THROW(weft::run_team(4, work), std::runtime_error);
  EXPECT_EQ(stopped, 3);
}

} // namespace
