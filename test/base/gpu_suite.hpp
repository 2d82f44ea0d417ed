// The base fixture of all tests on a GPU.
#pragma once

#include <gtest/gtest.h>
#include <weft/base/device.hpp>

namespace weft::test {

// Skips its tests, and says why, if there is no GPU. A SetUp() that overrides this one must return if
// IsSkipped().
class gpu_suite : public testing::Test {
protected:
  void SetUp() override {
    if (known_gpus().devices.empty()) GTEST_SKIP() << "no GPU can be used: " << known_gpus().unavailable;
    gpu_ = {device_kind::gpu, known_gpus().devices.front().index};
  }
  device_choice gpu_;
};

} // namespace weft::test
