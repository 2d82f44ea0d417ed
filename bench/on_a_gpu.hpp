// Rows of benchmarks that need a GPU.
#pragma once

#include <benchmark/benchmark.h>
#include <exception>
#include <weft/base/device.hpp>

namespace weft_bench {

// Whether there is none; then the row tells why.
inline bool no_gpu(benchmark::State& state) {
  if (!weft::known_gpus().devices.empty()) return false;
  state.SkipWithError(("no GPU can be used: " + weft::known_gpus().unavailable).c_str());
  return true;
}

// body(), which is the row's; the row tells why not, if there is no GPU or the body fails.
template <class Body> void on_a_gpu(benchmark::State& state, const Body& body) {
  if (no_gpu(state)) return;
  try {
    body();
  } catch (const std::exception& failure) {
    state.SkipWithError(failure.what());
  }
}

} // namespace weft_bench
