// Counters of rates.
#pragma once

#include <benchmark/benchmark.h>

namespace weft_bench {

// By the second, of so many in each iteration.
template <class Number> benchmark::Counter rate(Number number) {
  return {static_cast<double>(number), benchmark::Counter::kIsIterationInvariantRate};
}

} // namespace weft_bench
