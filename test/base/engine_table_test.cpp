#include <array>
#include <gtest/gtest.h>
#include <string>
#include <weft/base/engine_table.hpp>
#include <weft/base/error.hpp>

namespace weft::base_detail {
namespace {

constexpr std::array entries = {engine_entry<int>{"plain", 1, "any processor"},
                                engine_entry<int>{"wide", 2, "a CUDA GPU", true},
                                engine_entry<int>{"deep", 3, "a CUDA GPU, too", true}};
constexpr engine_table<int> table("weave", entries);
constexpr device_choice automatic{}, cpu{device_kind::cpu, 0}, second_gpu{device_kind::gpu, 1};

template <class Call> std::string refusal(Call call) {
  try {
    call();
  } catch (const error& refused) {
    EXPECT_EQ(refused.code(), errc::invalid_input);
    return refused.what();
  }
  return "";
}

TEST(engine_table, names) {
  EXPECT_EQ(table.find("auto"), nullptr);
  for (const auto& each : entries) EXPECT_EQ(table.find(each.name)->id, each.id);
  EXPECT_EQ(refusal([] { (void)table.find("Wide"); }),
            "weave has no engine 'Wide': use auto, plain, wide, deep");
}

TEST(engine_table, list) {
  const std::vector<engine_info> infos = table.list();
  ASSERT_EQ(infos.size(), entries.size());
  EXPECT_EQ(infos[0].name, "plain");
  EXPECT_EQ(infos[0].unavailable, "");
  EXPECT_EQ(infos[2].needs, "a CUDA GPU, too");
  EXPECT_EQ(infos[2].unavailable, known_gpus().unavailable);
}

TEST(engine_table, devices_that_match) {
  EXPECT_EQ(table.match(nullptr, automatic).kind, device_kind::automatic);
  EXPECT_EQ(table.match(nullptr, second_gpu).index, 1);
  EXPECT_EQ(table.match(table.find("plain"), automatic).kind, device_kind::cpu);
  EXPECT_EQ(table.match(table.find("plain"), cpu).kind, device_kind::cpu);
  EXPECT_EQ(table.match(table.find("wide"), automatic).kind, device_kind::automatic);
  EXPECT_EQ(table.match(table.find("wide"), second_gpu).index, 1);
}

TEST(engine_table, devices_that_do_not_match) {
  EXPECT_EQ(refusal([] { (void)table.match(table.find("wide"), cpu); }),
            "weave engine 'wide' runs only on a GPU, but the device is cpu: choose another device or "
            "another engine");
  EXPECT_EQ(
      refusal([] { (void)table.match(table.find("plain"), second_gpu); }),
      "weave engine 'plain' runs only on the CPU, but the device is a GPU: choose another device, or an "
      "engine for the GPU (wide, deep)");
}

TEST(engine_table, devices_that_are_there) {
  const auto* const wide = table.find("wide");
  EXPECT_EQ(table.resolve_device(nullptr, automatic).kind, device_kind::automatic);
  EXPECT_EQ(table.resolve_device(table.find("plain"), cpu).kind, device_kind::cpu);
  EXPECT_THROW((void)table.resolve_device(nullptr, {device_kind::gpu, 1000}), unavailable_error);
  if (known_gpus().devices.empty()) {
    EXPECT_EQ(first_gpu(), 0);
    EXPECT_THROW((void)table.resolve_device(wide, automatic), unavailable_error);
  } else {
    EXPECT_EQ(table.resolve_device(wide, automatic).kind, device_kind::gpu);
    EXPECT_EQ(table.resolve_device(wide, automatic).index, known_gpus().devices.front().index);
  }
}

} // namespace
} // namespace weft::base_detail
