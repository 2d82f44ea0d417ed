#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <numeric>
#include <system_error>
#include <thread>
#include <vector>
#include <weft/base/block.hpp>
#include <weft/base/device.hpp>
#include <weft/base/engines.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/monitor.hpp>
#include <weft/base/parallel.hpp>

#include "no_threads.hpp"

namespace {

TEST(error, names_file_line_and_column) {
  EXPECT_STREQ(weft::parse_error("x.fa", 3, 7, "bad").what(), "x.fa:3:7: bad");
  EXPECT_STREQ(weft::parse_error("x.fa", 3, 0, "bad").what(), "x.fa:3: bad");
  EXPECT_STREQ(weft::parse_error("x.fa", 0, 0, "bad").what(), "x.fa: bad");
  EXPECT_EQ(weft::parse_error("x.fa", 3, 7, "bad").code(), weft::errc::invalid_input);
}

TEST(error, exit_codes) {
  EXPECT_EQ(weft::exit_code(weft::errc::invalid_input), 2);
  EXPECT_EQ(weft::exit_code(weft::io_error("open", "x", 2).code()), 3);
  EXPECT_EQ(weft::exit_code(weft::errc::unavailable), 4);
  EXPECT_EQ(weft::exit_code(weft::errc::out_of_memory), 4);
  EXPECT_EQ(weft::exit_code(weft::cancelled_error().code()), 130);
}

TEST(memory, sizes_are_read) {
  EXPECT_EQ(weft::parse_size("4096"), 4096U);
  EXPECT_EQ(weft::parse_size("64K"), 65536U);
  EXPECT_EQ(weft::parse_size("1.5g"), 3U << 29);
  EXPECT_EQ(weft::parse_size("2GiB"), 2ULL << 30);
  EXPECT_EQ(weft::parse_size("3MB"), 3U << 20);
  for (const char* bad : {"", "K", "-1", "0", "1X", "1KK", "1e40", "nan", "inf", "4 K", "0.1"})
    EXPECT_THROW((void)weft::parse_size(bad), weft::error) << bad;
}

TEST(memory, sizes_are_printed) {
  EXPECT_EQ(weft::format_size(0), "0 B");
  EXPECT_EQ(weft::format_size(1023), "1023 B");
  EXPECT_EQ(weft::format_size(1536), "1.5 KiB");
  EXPECT_EQ(weft::format_size(20ULL << 30), "20 GiB");
  EXPECT_GT(weft::peak_memory(), 0U);
  EXPECT_EQ(weft::memory_limit(5), 5U);
  EXPECT_GT(weft::memory_limit(0), 0U);
}

TEST(device, choices_are_read) {
  EXPECT_EQ(weft::parse_device("gpu:3").index, 3);
  EXPECT_EQ(weft::parse_device("cpu").kind, weft::device_kind::cpu);
  for (const char* bad : {"", "gpu:", "gpu:-1", "gpu:x", "GPU", "gpu:1x"})
    EXPECT_THROW((void)weft::parse_device(bad), weft::error) << bad;
}

TEST(device, a_missing_gpu_is_an_error_with_a_reason) {
  const weft::gpu_report report = weft::list_gpus();
  EXPECT_EQ(report.devices.empty(), !report.unavailable.empty());
  EXPECT_NO_THROW(weft::require_device({weft::device_kind::automatic, 0}));
  EXPECT_THROW(weft::require_device({weft::device_kind::gpu, 9999}), weft::unavailable_error);
}

TEST(parallel_for, covers_each_item_once) {
  for (const int threads : {1, 2, 7})
    for (const std::uint64_t grain : {1, 3, 1000})
      for (const std::uint64_t size : {0, 1, 2, 100, 1001}) {
        std::vector<std::atomic<int>> seen(size);
        weft::parallel_for(0, size, grain, threads, [&](std::uint64_t first, std::uint64_t last) {
          ASSERT_LE(last - first, grain);
          for (; first < last; ++first) ++seen[first];
        });
        for (const auto& count : seen) ASSERT_EQ(count, 1);
      }
}

TEST(parallel_for, rethrows) {
  EXPECT_THROW(weft::parallel_for(0, 100, 1, 2,
                                  [](std::uint64_t first, std::uint64_t) {
                                    if (first == 50) throw weft::cancelled_error();
                                  }),
               weft::cancelled_error);
}

TEST(run_team, members_run_together) {
  std::atomic<int> arrived{0};
  weft::run_team(3, [&](int) {
    ++arrived;
    while (arrived < 3) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 3);
  EXPECT_THROW(weft::run_team(2,
                              [](int member) {
                                if (member == 1) throw weft::memory_error("x");
                              }),
               weft::memory_error);
}

// Checks that the bodies run on the caller's thread, in order, if no thread can be created.
TEST(run_team, does_without_threads) {
  const weft::test::no_threads none;
  EXPECT_THROW(std::thread([] {}), std::system_error);
  std::vector<int> called;
  weft::run_team(5, [&](int member) { called.push_back(member); });
  EXPECT_EQ(called, (std::vector<int>{0, 1, 2, 3, 4}));
  std::vector<std::uint64_t> begins;
  weft::parallel_for(3, 1000, 10, 8, [&](std::uint64_t first, std::uint64_t) { begins.push_back(first); });
  ASSERT_EQ(begins.size(), 100U);
  for (std::uint64_t i = 0; i < begins.size(); ++i) EXPECT_EQ(begins[i], 3 + 10 * i);
  int calls = 0;
  EXPECT_THROW(weft::run_team(5,
                              [&](int member) {
                                ++calls;
                                if (member == 3) throw weft::memory_error("x");
                              }),
               weft::memory_error);
  EXPECT_EQ(calls, 5);
}

TEST(monitor, cancels) {
  weft::task_monitor monitor;
  EXPECT_NO_THROW(monitor.check());
  monitor.cancel();
  EXPECT_THROW(monitor.check(), weft::cancelled_error);
}

// Runs a tree reduction as a block body: its result must not depend on the order of the threads, as for every
// body.
TEST(block, phases_are_barriers) {
  const std::vector<int> shuffled = {2, 0, 3, 1, 7, 6, 4, 5};
  std::vector<weft::host_block> blocks = {{8}, {8, weft::thread_order::descending}, {8, {}, shuffled}};
  for (const auto& block : blocks) {
    std::vector<int> values(8);
    std::iota(values.begin(), values.end(), 1);
    for (int step = 4; step > 0; step /= 2)
      block.phase([&](int t) {
        if (t < step) values[static_cast<unsigned>(t)] += values[static_cast<unsigned>(t + step)];
      });
    EXPECT_EQ(values[0], 36);
  }
}

// Checks that reserving memory does not change the text.
TEST(memory, texts_grow_within_a_limit) {
  for (const std::uint64_t limit : {std::uint64_t{0}, std::uint64_t{1'000}, std::uint64_t{100'000}}) {
    std::string text;
    std::uint64_t moves = 0, touched = 0;
    for (std::uint64_t i = 0; i < 100'000 && (limit == 0 || i < limit); ++i) {
      if (text.size() == text.capacity()) {
        weft::reserve_within(text, i + 1, limit);
        ++moves;
        touched = 2 * i;
        ASSERT_TRUE(limit == 0 || std::max<std::uint64_t>(touched, text.capacity()) <= limit);
      }
      text += 'x';
    }
    EXPECT_LE(moves, 20U);
  }
  std::string text;
  weft::reserve_within(text, 500, 100); // the size that is needed has priority over the limit
  EXPECT_GE(text.capacity(), 500U);
}

TEST(memory, large_pages_change_nothing) {
  weft::prefer_large_pages(nullptr, 0);
  std::string text(10'000'000, 'a');
  weft::prefer_large_pages(text.data() + 1, 100);
  weft::prefer_large_pages(text.data() + 4'095, text.size() - 5'000);
  EXPECT_EQ(text, std::string(10'000'000, 'a'));
}

// Checks that populating keeps the contents of whole pages and of the bytes beside them, even while others
// write there.
TEST(memory, populating_changes_nothing) {
  weft::populate(nullptr, 0);
  std::vector<char> some(100, 'b');
  weft::populate(some.data(), some.size()); // less than a page
  EXPECT_EQ(some, std::vector<char>(100, 'b'));
  std::vector<char> bytes;
  bytes.reserve(50'000'000);
  bytes.assign(20'000'000, 'a');
  {
    const std::jthread other([&] { weft::populate(bytes.data() + 1, bytes.capacity() - 2); });
    bytes.insert(bytes.end(), 30'000'000, 'c');
  }
  EXPECT_EQ(std::count(bytes.begin(), bytes.begin() + 20'000'000, 'a'), 20'000'000);
  EXPECT_EQ(std::count(bytes.begin() + 20'000'000, bytes.end(), 'c'), 30'000'000);
}

TEST(monitor, takes_work_back) {
  weft::task_monitor monitor;
  monitor.add(7);
  monitor.take_back(5);
  EXPECT_EQ(monitor.done(), 2U);
}

TEST(try_within_memory, catches_only_a_lack_of_memory) {
  using weft::base_detail::try_within_memory;
  weft::task_monitor monitor;
  monitor.add(2);
  const auto some = [&] {
    monitor.add(4);
    return 5;
  };
  const auto none = [&]() -> int {
    monitor.add(4);
    throw weft::memory_error("full");
  };
  const auto broken = []() -> int { throw weft::device_error(1, "broken"); };
  EXPECT_EQ(try_within_memory(false, nullptr, none), std::nullopt);
  EXPECT_EQ(monitor.done(), 6U); // the call has no monitor to take the work back from
  EXPECT_EQ(try_within_memory(false, &monitor, none), std::nullopt);
  EXPECT_EQ(monitor.done(), 6U);
  EXPECT_EQ(try_within_memory(false, &monitor, some), 5);
  EXPECT_EQ(monitor.done(), 10U);
  EXPECT_THROW((void)try_within_memory(true, &monitor, none), weft::memory_error);
  EXPECT_THROW((void)try_within_memory(false, &monitor, broken), weft::device_error);
}

} // namespace
