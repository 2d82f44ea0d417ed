// Registers benchmarks that are all run in the same way: in real time, with five repetitions unless a row
// says otherwise. Medians and spreads are reported.
#pragma once

#include <benchmark/benchmark.h>
#include <string>

namespace weft_bench {

template <class Function, class... Arguments>
auto* define(const std::string& name, Function function, Arguments... arguments) {
  return benchmark::RegisterBenchmark(name.c_str(), function, arguments...)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime()
      ->Repetitions(5)
      ->ReportAggregatesOnly();
}

} // namespace weft_bench
