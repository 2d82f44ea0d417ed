// Tests the exchange of a half table between rank 0 and rank 1, with an engine that needs no GPU.
#include <atomic>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/multi/half_table.hpp>
#include <weft/multi/lcs.hpp>
#include <weft/multi/thread_ranks.hpp>

namespace {

using weft::device_kind;
using weft::lcs_detail::half_shape;
using weft::lcs_detail::sweep_check;
using weft::multi::communicator;
using symbols = weft::lcs_detail::text<std::uint8_t>;

// An engine whose border tells which texts have arrived.
class fake_engine final : public weft::lcs_detail::gpu_table_engine {
public:
  fake_engine() : gpu_table_engine("fake", "nothing", device_kind::gpu) {}
  [[nodiscard]] double estimated_seconds(const weft::lcs_detail::lcs_problem&) const override { return 0; }
  void run(weft::lcs_detail::lcs_problem&) const override {}
  [[nodiscard]] bool is_usable() const override { return usable; }
  [[nodiscard]] std::vector<std::uint64_t> all_pairs(const weft::sequences_view&,
                                                     const weft::lcs_options&) const override {
    return {};
  }
  [[nodiscard]] bool is_worthwhile(std::uint64_t, std::uint64_t) const override { return true; }
  [[nodiscard]] bool can_sweep_half(const half_shape&, const weft::run_options&) const override {
    if (missing) throw weft::unavailable_error("there is no GPU 3");
    return fits;
  }
  [[nodiscard]] std::vector<std::uint32_t> sweep_half(const half_shape& shape, symbols a, symbols b,
                                                      const weft::run_options& run,
                                                      const sweep_check& check) const override {
    if (fault) throw weft::device_error(1, "the card is broken");
    while (endless) pause(run, check);
    std::vector<std::uint32_t> border(shape.border_words());
    border[0] = static_cast<std::uint32_t>(a.size());
    border[1] = static_cast<std::uint32_t>(b.size());
    border[2] = a.back();
    border[3] = b.front();
    border.back() = static_cast<std::uint32_t>(shape.sigma);
    return border;
  }
  // Does what a sweep does while it waits for the GPU.
  static void pause(const weft::run_options& run, const sweep_check& check) {
    weft::base_detail::check_cancelled(run);
    check();
    std::this_thread::yield();
  }

  bool usable = true, fits = true, missing = false, fault = false, endless = false;
};

constexpr half_shape shape{5000, 3000, 7, 2};
const std::vector<std::uint8_t> rows(shape.m, 4), columns(shape.n, 6);
const weft::run_options on_gpu{.device = {device_kind::gpu, 0}};

// Runs rank 0 with `own` as its sweep, and rank 1 with an engine. Returns the border that rank 0 gets.
std::vector<std::uint32_t> border_of(const weft::lcs_detail::gpu_table_engine* engine,
                                     const weft::run_options& run,
                                     const std::function<void(const sweep_check&)>& own,
                                     std::uint64_t memory = 0) {
  std::vector<std::uint32_t> border;
  weft::multi::run_ranks(2, [&](communicator& ranks) {
    if (ranks.rank() == 0)
      border = weft::multi_detail::lead_half(ranks, shape, rows, columns, memory, own);
    else
      weft::multi_detail::help_with_half(ranks, engine, run);
    ranks.barrier(); // the ranks can go on
  });
  return border;
}

TEST(multi_half_table, the_border_has_a_bit_for_each_row_of_all_strips) {
  EXPECT_EQ((half_shape{1, 1, 4, 16}.border_words()), 512U);
  EXPECT_EQ((half_shape{16384, 1, 4, 16}.border_words()), 512U);
  EXPECT_EQ((half_shape{16385, 1, 4, 16}.border_words()), 1024U);
  EXPECT_EQ((half_shape{5000, 1, 4, 2}.border_words()), 192U);
}

TEST(multi_half_table, texts_reach_the_helper_and_the_border_comes_back) {
  const fake_engine engine;
  int calls = 0;
  const auto border = border_of(&engine, on_gpu, [&](const sweep_check& check) { check(), ++calls; });
  ASSERT_EQ(border.size(), shape.border_words());
  EXPECT_EQ(border[0], shape.m);
  EXPECT_EQ(border[1], shape.n);
  EXPECT_EQ(border[2], 4U);
  EXPECT_EQ(border[3], 6U);
  EXPECT_EQ(border.back(), shape.sigma);
  EXPECT_EQ(calls, 1);
}

TEST(multi_half_table, a_helper_that_cannot_do_it_says_so_before_the_sweep) {
  const auto own = [](const sweep_check&) { FAIL() << "rank 0 has begun"; };
  fake_engine engine;
  EXPECT_TRUE(border_of(nullptr, on_gpu, own).empty());
  EXPECT_TRUE(border_of(&engine, {}, own).empty()) << "no GPU is named";
  EXPECT_TRUE(border_of(&engine, on_gpu, own, 8000).empty()) << "too little memory of the host";
  engine.fits = false;
  EXPECT_TRUE(border_of(&engine, on_gpu, own).empty());
  engine.fits = true, engine.usable = false;
  EXPECT_TRUE(border_of(&engine, on_gpu, own).empty());
  engine.usable = true, engine.missing = true;
  EXPECT_TRUE(border_of(&engine, on_gpu, own).empty()) << "the GPU does not exist";
}

TEST(multi_half_table, a_helper_that_fails_ends_the_sweep_of_rank_0) {
  fake_engine engine;
  engine.fault = true;
  EXPECT_THROW((void)border_of(&engine, on_gpu,
                               [](const sweep_check& check) {
                                 for (;;) fake_engine::pause({}, check);
                               }),
               weft::error);
}

TEST(multi_half_table, a_failure_of_rank_0_ends_the_sweep_of_the_helper) {
  fake_engine engine;
  engine.endless = true;
  EXPECT_THROW(
      (void)border_of(&engine, on_gpu, [](const sweep_check&) { throw weft::device_error(1, "broken"); }),
      weft::error);
  try {
    (void)border_of(&engine, on_gpu, [](const sweep_check&) { throw weft::memory_error("no memory"); });
    FAIL() << "nothing was thrown";
  } catch (const weft::error& fault) {
    EXPECT_EQ(fault.code(), weft::errc::out_of_memory);
  }
}

TEST(multi_half_table, each_rank_can_be_cancelled) {
  fake_engine engine;
  engine.endless = true;
  for (const int cancelled : {0, 1}) {
    weft::task_monitor monitor;
    weft::run_options run = on_gpu;
    if (cancelled == 1) run.monitor = &monitor;
    const weft::run_options own_run{.monitor = cancelled == 0 ? &monitor : nullptr};
    EXPECT_THROW((void)border_of(&engine, run,
                                 [&](const sweep_check& check) {
                                   monitor.cancel();
                                   for (;;) fake_engine::pause(own_run, check);
                                 }),
                 weft::cancelled_error);
  }
}

// The helpers of a job without GPUs refuse, and ranks that take no part wait for what comes next.
TEST(multi_half_table, a_team_without_gpus_goes_on_without_halves) {
  for (const int count : {1, 2, 4})
    weft::multi::run_ranks(count, [&](communicator& ranks) {
      weft::multi::lcs_team team(ranks, {.min_gpu_cells = 1000});
      if (ranks.rank() != 0) return team.help({.device = {device_kind::cpu, 0}});
      weft::lcs_detail::table_helpers& helpers = *team.helpers();
      EXPECT_FALSE(helpers.is_worthwhile_on_gpu(9, 100));
      EXPECT_EQ(helpers.is_worthwhile_on_gpu(10, 100), count > 1);
      for (int i = 0; count > 1 && i < 3; ++i)
        EXPECT_TRUE(
            helpers
                .sweep_half(shape, rows, columns, 0, [](const sweep_check&) { FAIL() << "rank 0 has begun"; })
                .empty());
      team.dismiss();
    });
}

} // namespace
