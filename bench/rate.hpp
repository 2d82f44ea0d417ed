// Benchmark counters that report rates.
#pragma once

#include <benchmark/benchmark.h>

namespace weft_bench {

// Returns a counter of `number` units per iteration, shown as units per second.
template <class Number> benchmark::Counter rate(Number number) {
  return {static_cast<double>(number), benchmark::Counter::kIsIterationInvariantRate};
}

} // namespace weft_bench
