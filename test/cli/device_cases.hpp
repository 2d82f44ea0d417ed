// Helpers that the tests of verbs on GPUs share.
#pragma once

#include <gtest/gtest.h>
#include <string>
#include <test/base/gpu_suite.hpp>
#include <vector>

#include "process.hpp"

namespace weft::test {

using words = std::vector<std::string>;

inline words with(words given, const words& more) {
  given.insert(given.end(), more.begin(), more.end());
  return given;
}

// Checks that a device, an amount of its memory or an engine that does not exist is a usage error.
inline void expect_wrong_devices_to_be_2(const words& call) {
  for (const words& flags : {words{"--device", "tpu"}, {"--device-memory", "lots"}, {"--engine", "warp"}}) {
    const outcome result = weft_run(with(call, flags));
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_NE(result.err.find(flags.back()), std::string::npos) << result.err;
  }
}

} // namespace weft::test
