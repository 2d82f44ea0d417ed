// Rows of benchmarks that need a GPU.
#pragma once

#include <benchmark/benchmark.h>
#include <exception>
#include <weft/base/device.hpp>

namespace weft_bench {

// body(state); the row tells why not, if there is no GPU or the body fails.
template <class Body> void on_a_gpu(benchmark::State& state, const Body& body) {
  if (weft::known_gpus().devices.empty()) {
    state.SkipWithError("no GPU can be used");
    return;
  }
  try {
    body(state);
  } catch (const std::exception& failure) {
    state.SkipWithError(failure.what());
  }
}

} // namespace weft_bench
