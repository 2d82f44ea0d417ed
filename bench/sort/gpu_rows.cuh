// The rows of sorts on the GPU: inputs are kept between rows, calls are timed, results are checked.
//
// An iteration is the time between two events around one call, whose temporary storage is allocated before.
// The first call is not counted. items/s and median_us are those of the median iteration; `spread` is
// (slowest - fastest) / median; `extra` is the temporary storage divided by the size of the input. Every
// result is checked outside of the timing: the items must be in order, the same as before, and stable if the
// engine is.
#pragma once

#include <algorithm>
#include <bench/sort/gpu_inputs.cuh>
#include <benchmark/benchmark.h>
#include <exception>
#include <memory>
#include <stdexcept>
#include <vector>

namespace weft_bench {

using weft::gpu::check, weft::gpu::device_buffer;

template <class Value> constexpr bool has_values = !std::is_same_v<Value, no_value>;

// The arrays that an engine sorts. The engine may set the pointers to other memory that holds the result.
template <class Key, class Value> struct arrays {
  Key* keys;
  Value* values;
  std::uint64_t n;
  template <class Count> [[nodiscard]] Count count() const { return static_cast<Count>(n); }
};

// Records points in the work of a stream, and returns the time between them.
class timer {
public:
  explicit timer(std::size_t points) : events_(points) {
    for (cudaEvent_t& event : events_) check(cudaEventCreate(&event), "make an event");
  }
  ~timer() {
    for (const cudaEvent_t event : events_) (void)cudaEventDestroy(event);
  }
  timer(const timer&) = delete;
  timer& operator=(const timer&) = delete;
  void mark(std::size_t point, cudaStream_t stream) {
    check(cudaEventRecord(events_[point], stream), "record an event");
  }
  // Returns the seconds between two points. Waits for the point `to`.
  [[nodiscard]] double seconds(std::size_t from, std::size_t to) const {
    check(cudaEventSynchronize(events_[to]), "sort");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, events_[from], events_[to]), "read a time");
    return milliseconds / 1e3;
  }

private:
  std::vector<cudaEvent_t> events_;
};

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The last requested input, and buffers for a copy of it that is sorted.
template <class Key, class Value> struct workspace {
  distribution kind;
  device_input<Key, Value> input;
  device_buffer<Key> keys;
  device_buffer<Value> values;
};
// The last workspace of any type; only one is kept because they are large.
inline std::shared_ptr<void> last_workspace;
template <class Key, class Value, class Less>
workspace<Key, Value>& workspace_of(distribution kind, std::uint64_t n, Less less, cudaStream_t stream) {
  static std::weak_ptr<workspace<Key, Value>> known;
  std::shared_ptr<workspace<Key, Value>> own = known.lock();
  if (own == nullptr || own->kind != kind || own->keys.size() != n) {
    own.reset();
    last_workspace.reset();
    own = std::make_shared<workspace<Key, Value>>(
        workspace<Key, Value>{kind,
                              {kind, n, less, stream},
                              {n, stream},
                              {static_cast<std::size_t>(has_values<Value> ? n : 0), stream}});
    known = own;
    last_workspace = own;
  }
  return *own;
}

inline int iterations_for(std::uint64_t n) {
  return n <= 1 << 16 ? 101 : n <= 1 << 20 ? 51 : n <= 1 << 25 ? 21 : 11;
}

template <class Value> constexpr std::size_t value_size = has_values<Value> ? sizeof(Value) : 0;

template <class Key, class Value, class Less>
void check_result(const device_input<Key, Value>& input, const arrays<Key, Value>& at, Less less, bool sorted,
                  bool stable, cudaStream_t stream) {
  const summary found = summarise(at.keys, at.values, at.n, less, stream);
  if (found.hash != input.expected.hash || (sorted && found.misplaced != 0) ||
      (stable && found.unstable != 0))
    throw std::runtime_error("wrong answer");
}

// Times run(), which returns the seconds of one call that uses `bytes` of temporary storage.
template <class Run>
void time_calls(benchmark::State& state, std::uint64_t n, std::size_t item_size, std::size_t bytes, Run run) {
  std::vector<double> times;
  (void)run();
  for (auto _ : state) {
    times.push_back(run());
    state.SetIterationTime(times.back());
  }
  const double middle = median(times), items = static_cast<double>(n);
  state.counters["items/s"] = items / middle;
  state.counters["median_us"] = middle * 1e6;
  const auto [quickest, slowest] = std::minmax_element(times.begin(), times.end());
  state.counters["spread"] = (*slowest - *quickest) / middle;
  state.counters["extra"] = static_cast<double>(bytes) / (items * static_cast<double>(item_size));
}

template <class Key, class Value, class Less, class Engine>
void time_sort(benchmark::State& state, distribution kind, std::uint64_t n, Less less, Engine engine) {
  const cudaStream_t stream = nullptr;
  auto& [unused, input, keys, values] = workspace_of<Key, Value>(kind, n, less, stream);
  arrays<Key, Value> at{keys.data(), values.data(), n};
  std::size_t bytes = 0;
  check(engine(nullptr, bytes, at, less, stream), "plan");
  const device_buffer<char> temp(bytes, stream);
  timer clock(2);
  time_calls(state, n, sizeof(Key) + value_size<Value>, bytes, [&] {
    weft::gpu::copy(keys.data(), input.keys.data(), n, stream, "copy an input");
    weft::gpu::copy(values.data(), input.values.data(), input.values.size(), stream, "copy an input");
    at = {keys.data(), values.data(), n};
    clock.mark(0, stream);
    check(engine(temp.data(), bytes, at, less, stream), "sort");
    clock.mark(1, stream);
    const double seconds = clock.seconds(0, 1);
    check_result(input, at, less, Engine::sorts, Engine::stable, stream);
    return seconds;
  });
}

// Registers a row. If body() throws, the row is skipped with the error message.
template <class Body> void define_row(const std::string& name, std::uint64_t n, Body body) {
  const auto guarded = [=](benchmark::State& state) {
    try {
      body(state);
    } catch (const std::exception& failure) {
      last_workspace.reset();
      state.SkipWithError(failure.what());
    }
  };
  benchmark::RegisterBenchmark(name.c_str(), guarded)
      ->Unit(benchmark::kMillisecond)
      ->UseManualTime()
      ->Iterations(iterations_for(n));
}

template <class Key, class Value, class Less, class Engine>
void define_sort(const std::string& name, distribution kind, std::uint64_t n, Less less, Engine engine) {
  define_row(name, n, [=](benchmark::State& state) { time_sort<Key, Value>(state, kind, n, less, engine); });
}

} // namespace weft_bench
