// A fixture for cases that run weft::scan on each engine of the CPU or of the first GPU.
#pragma once

#include "scan_cases.hpp"

#include <gtest/gtest.h>

namespace weft_test {

// Skips its tests, and says why, if the engine cannot run on this machine.
class engine_suite : public testing::TestWithParam<engine_on> {
protected:
  void SetUp() override {
    if (const std::string reason = GetParam().reason_to_skip(); !reason.empty()) GTEST_SKIP() << reason;
  }
  static weft::scan_options with(const weft::scan_options& options) { return GetParam().with(options); }
  // A step of nfa-array is a loop over the positions of a motif, in memory, so its cases have less text.
  static bool is_nfa_array() { return GetParam().engine == "nfa-array"; }
  // Returns a limit of device memory with which texts are cut every 44,000 residues (shift-and: 52,000,
  // nfa-array: 16,000). 4 MiB of it are for other purposes; bit-stream takes 0.66 MiB and nfa-array a
  // sixteenth for themselves.
  static std::uint64_t little_memory() {
    return (std::uint64_t{1} << 20) * (GetParam().engine == "bit-stream" ? 50 : 44) / 10;
  }
};

inline std::string name_of_engine(const testing::TestParamInfo<engine_on>& tested) {
  std::string name = tested.param.engine;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

inline const weft::scan_options scan_rules[] = {
    {}, {.overlap = false, .max_x = 1}, {.rule = weft::match_rule::starts}, {.rule = weft::match_rule::ends}};

inline weft::scan_options on_cpu(weft::scan_options options, const std::string& engine = "auto") {
  options.run.engine = engine;
  options.run.device = {weft::device_kind::cpu, 0};
  return options;
}

} // namespace weft_test
