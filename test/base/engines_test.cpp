#include <gtest/gtest.h>
#include <string>
#include <weft/base/engines.hpp>
#include <weft/base/error.hpp>

namespace weft::base_detail {
namespace {

struct sum {
  std::uint64_t size = 0;
  std::string solved_by = {};
};

class adder final : public engine<sum> {
public:
  adder(std::string_view name, device_kind device, double start, double rate, std::uint64_t limit)
      : engine(name, device == device_kind::gpu ? "a CUDA GPU" : "any processor", device), start_(start),
        rate_(rate), limit_(limit) {}
  [[nodiscard]] std::string why_not(const sum& problem) const override {
    return problem.size > limit_ ? "it adds few numbers only" : "";
  }
  [[nodiscard]] double estimated_seconds(const sum& problem) const override {
    return start_ + rate_ * static_cast<double>(problem.size);
  }
  void run(sum& problem) const override { problem.solved_by = name(); }

private:
  double start_, rate_;
  std::uint64_t limit_;
};

const adder plain("plain", device_kind::cpu, 0, 1, 1'000'000), fast("fast", device_kind::cpu, 10, 0.1, 100),
    wide("wide", device_kind::gpu, 1000, 0.001, 10'000'000),
    also_plain("plain", device_kind::gpu, 5000, 0.01, 10'000'000);
const engine_list<sum> list("weave", {&plain, &fast, &wide, &also_plain});

std::string chosen(std::uint64_t size, const run_options& run = {}) {
  sum problem{size};
  return std::string(list.solve(problem, run).name());
}

template <class Call> std::string refusal(Call call) {
  try {
    call();
  } catch (const error& refused) {
    EXPECT_EQ(refused.code(), errc::invalid_input);
    return refused.what();
  }
  return "";
}

TEST(engine_list, auto_takes_the_cheapest_engine_that_solves_the_problem) {
  EXPECT_EQ(chosen(5), "plain");
  EXPECT_EQ(chosen(50), "fast");
  EXPECT_EQ(chosen(500), "plain"); // "fast" does not solve the problem
  if (known_gpus().devices.empty()) {
    EXPECT_EQ(chosen(500'000), "plain");
    EXPECT_EQ(refusal([] { (void)chosen(2'000'000); }),
              "no engine of weave can do this: it adds few numbers only");
  } else {
    EXPECT_EQ(chosen(500'000), "wide");
  }
}

TEST(engine_list, names_and_devices) {
  const std::string hint =
      built_with_cuda() ? "" : " (this weft was built without CUDA: it has no engines for GPUs)";
  EXPECT_EQ(chosen(50, {.engine = "plain"}), "plain");
  EXPECT_EQ(chosen(50, {.device = {device_kind::cpu}}), "fast");
  EXPECT_EQ(refusal([] { (void)chosen(1, {.engine = "Plain"}); }),
            "weave has no engine 'Plain': use auto, plain, fast, wide" + hint);
  EXPECT_EQ(refusal([] { (void)chosen(1, {.engine = "wide", .device = {device_kind::cpu}}); }),
            "weave engine 'wide' runs only on a GPU, but the device is cpu: choose another device or "
            "another engine");
  EXPECT_EQ(refusal([] { (void)chosen(1, {.engine = "fast", .device = {device_kind::gpu}}); }),
            "weave engine 'fast' runs only on the CPU, but the device is a GPU: choose another device, or an "
            "engine for the GPU (wide, plain)" +
                hint); // the message is the same on a machine without a GPU
  EXPECT_EQ(refusal([] { (void)chosen(500, {.engine = "fast"}); }),
            "engine 'fast' cannot do this: it adds few numbers only");
  EXPECT_THROW(list.check({.device = {device_kind::gpu, 1000}}), unavailable_error);
  if (known_gpus().devices.empty()) {
    EXPECT_THROW((void)chosen(1, {.engine = "wide"}), unavailable_error);
    EXPECT_THROW(list.check({.engine = "wide"}), unavailable_error);
  } else {
    EXPECT_EQ(chosen(1, {.engine = "wide"}), "wide");
  }
}

TEST(engine_list, checking_names_does_not_look_for_a_gpu) {
  EXPECT_NO_THROW(list.check_names({.device = {device_kind::gpu, 1000}}));
  EXPECT_NO_THROW(list.check_names({.engine = "wide", .device = {device_kind::gpu, 1000}}));
  for (const run_options& wrong : {run_options{.engine = "Plain"},
                                   {.engine = "wide", .device = {device_kind::cpu}},
                                   {.engine = "fast", .device = {device_kind::gpu, 1000}}}) {
    const std::string why = refusal([&] { list.check_names(wrong); });
    EXPECT_NE(why, "");
    EXPECT_EQ(why, refusal([&] { list.check(wrong); }));
  }
}

TEST(engine_list, engines_of_one_name_are_one_row) {
  const std::vector<engine_info> rows = list.list();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].name, "plain");
  EXPECT_EQ(rows[0].needs, "any processor, or a CUDA GPU");
  EXPECT_EQ(rows[0].unavailable, "");
  EXPECT_EQ(rows[2].name, "wide");
  EXPECT_EQ(rows[2].unavailable, known_gpus().unavailable);
}

TEST(run_record, fills_the_report) {
  run_info info{.engine = "left from before", .work = 7};
  {
    run_record record({.info = &info}, "items");
    record.set_engine("plain");
    record.set_work(12);
  }
  EXPECT_EQ(info.engine, "plain");
  EXPECT_FALSE(info.on_gpu());
  EXPECT_EQ(info.work, 12U);
  EXPECT_EQ(info.work_unit, "items");
  EXPECT_GT(info.seconds, 0);
  EXPECT_GT(info.peak_bytes, 0U);
  EXPECT_EQ(info.peak_device_bytes, 0U);
  run_record({}, "items").set_engine("nothing to fill");
}

} // namespace
} // namespace weft::base_detail
