// How every benchmark of weft is run: real time, five repetitions (or what a row says instead), medians and
// spread.
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
