// What all tests on a GPU begin with.
#pragma once

#include <gtest/gtest.h>
#include <weft/base/device.hpp>

namespace weft::test {

// Skips, saying why, where there is no GPU. A SetUp() that does more ends where this one has skipped.
class gpu_suite : public testing::Test {
protected:
  void SetUp() override {
    if (known_gpus().devices.empty()) GTEST_SKIP() << "no GPU can be used: " << known_gpus().unavailable;
    gpu_ = {device_kind::gpu, known_gpus().devices.front().index};
  }
  device_choice gpu_;
};

} // namespace weft::test
