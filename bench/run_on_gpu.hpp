// Rows of benchmarks that need a GPU.
#pragma once

#include <benchmark/benchmark.h>
#include <exception>
#include <weft/base/device.hpp>

namespace weft_bench {

// Returns true if there is no GPU, after skipping the row with the reason.
inline bool skip_without_gpu(benchmark::State& state) {
  if (!weft::known_gpus().devices.empty()) return false;
  state.SkipWithError(("no GPU can be used: " + weft::known_gpus().unavailable).c_str());
  return true;
}

// Runs body(), which measures the row. Skips the row with the reason if there is no GPU or body() throws.
template <class Body> void run_on_gpu(benchmark::State& state, const Body& body) {
  if (skip_without_gpu(state)) return;
  try {
    body();
  } catch (const std::exception& failure) {
    state.SkipWithError(failure.what());
  }
}

} // namespace weft_bench
