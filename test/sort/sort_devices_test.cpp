// Checks on every machine what sorts of host memory say of devices and engines that do not apply.
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>
#include <weft/base/device.hpp>
#include <weft/base/error.hpp>
#include <weft/sort/engines.hpp>
#include <weft/sort/sort.hpp>

namespace weft::test {

namespace {

constexpr device_choice on_gpu{device_kind::gpu, 0};

template <class Call> void expect_refused(const Call& call, const std::string& part) {
  try {
    call();
    ADD_FAILURE() << part;
  } catch (const error& failure) {
    EXPECT_EQ(failure.code(), errc::invalid_input) << failure.what();
    EXPECT_NE(std::string(failure.what()).find(part), std::string::npos) << failure.what();
  }
}

// Checks on every machine that options are validated before weft looks for a GPU.
TEST(host_sort_devices, that_do_not_apply_say_so) {
  std::vector<std::uint32_t> items = {2, 1};
  std::vector<double> reals = {2, 1};
  const std::vector<std::uint64_t> offsets = {0, 2};
  const auto odd_first = [](std::uint32_t a, std::uint32_t b) { return a % 2 > b % 2; };
  const sort_options gpu{.run = {.device = on_gpu}}, engine{.run = {.engine = "gpu"}},
      cpu{.run = {.engine = "gpu", .device = {device_kind::cpu, 0}}};
  expect_refused([&] { weft::sort(items, odd_first, gpu); },
                 "a GPU cannot run this sort: it sorts only numbers");
  expect_refused([&] { weft::sort(items, odd_first, engine); },
                 "engine 'gpu' cannot do this: it sorts only numbers");
  expect_refused([&] { (void)argsort(items, odd_first, gpu); },
                 "it sorts only numbers, in ascending or descending order");
  expect_refused([&] { (void)top_k(items, 1, odd_first, gpu); },
                 "it sorts only numbers, in ascending or descending order");
  expect_refused([&] { weft::sort_by_key(items, reals, odd_first, gpu); }, "it sorts only numbers");
  expect_refused([&] { weft::stable_sort(reals, std::less<>(), gpu); }, "it sorts only numbers");
  expect_refused([&] { weft::segmented_sort(items, offsets, ascending(), gpu); },
                 "segmented_sort of host memory has no GPU engine");
  expect_refused([&] { weft::sort(items, ascending(), cpu); },
                 built_with_cuda() ? "runs only on a GPU, but the device is cpu" : "no engine 'gpu'");
  for (const char* name : {"vqsort", "merge", "sample-merge"}) {
    const sort_options both{.run = {.engine = name, .device = on_gpu}};
    expect_refused([&] { weft::sort(items, ascending(), both); },
                   "runs only on the CPU, but the device is a GPU");
    expect_refused([&] { check_sort_options(both); }, "runs only on the CPU, but the device is a GPU");
  }
}

TEST(host_sort_devices, without_a_gpu_say_why) {
  if (!known_gpus().devices.empty()) GTEST_SKIP() << "there is a GPU";
  std::vector<std::uint32_t> items = {2, 1}, none;
  for (const sort_options& how :
       {sort_options{.run = {.device = on_gpu}}, sort_options{.run = {.engine = "gpu"}}}) {
    if (how.run.engine == "gpu" && !built_with_cuda()) continue;
    EXPECT_THROW(check_sort_options(how), unavailable_error);
    EXPECT_THROW(weft::sort(items, ascending(), how), unavailable_error);
    EXPECT_THROW(weft::sort(none, ascending(), how), unavailable_error);
    EXPECT_THROW((void)argsort(items, ascending(), how), unavailable_error);
    EXPECT_THROW((void)top_k(items, 1, ascending(), how), unavailable_error);
    EXPECT_EQ(items, (std::vector<std::uint32_t>{2, 1}));
  }
}

} // namespace
} // namespace weft::test
