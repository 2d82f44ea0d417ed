// sort on the GPU: items per second of what is in device memory, beside CUB in the same run. Rows are there
// where a GPU is. Also the program's main: the CUDA runtime must not be called before it.
//
//   gpu/ENGINE/TYPE/DISTRIBUTION/SIZE
//
// ENGINE        weft's (automatic, radix, merge), and the yardsticks: cub-radix-32, cub-radix-64,
// cub-merge-32,
//               cub-merge-64 (the bits of the count), radix between two buffers, its quickest form; copy is
//               one copy of the items: no sort is quicker
// TYPE          keys, keys+values; record16: 16 bytes, by a comparator of the first 8
// DISTRIBUTION  gpu_inputs.cuh
//
// An iteration is the time between two events around one call, its temporary storage allocated before; one
// goes before that is not counted. items/s and median_us are of the median iteration; `spread` is the slowest
// by the quickest; `extra` the temporary storage in items. Every result is checked outside of the timing: in
// order, the same items, and stable.
#include <algorithm>
#include <bench/sort/gpu_inputs.cuh>
#include <benchmark/benchmark.h>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <vector>
#include <weft/base/device.hpp>
#include <weft/sort/sort.cuh>

namespace {

using namespace weft_bench;
using weft::gpu::check, weft::gpu::device_buffer;
using weft::gpu::detail::device_engine;

template <class Value> constexpr bool has_values = !std::is_same_v<Value, no_value>;

// The arrays of a call, which may point them to where the result is.
template <class Key, class Value> struct arrays {
  Key* keys;
  Value* values;
  std::uint64_t n;
  template <class Count> [[nodiscard]] Count count() const { return static_cast<Count>(n); }
};

template <device_engine Engine> struct weft_engine {
  template <class Key, class Value, class Less>
  cudaError_t operator()(void* d_temp, std::size_t& bytes, arrays<Key, Value>& at, Less less,
                         cudaStream_t stream) const {
    if constexpr (has_values<Value>)
      return weft::gpu::detail::sort_pairs<Engine>(d_temp, bytes, at.keys, at.values, at.n, less, stream);
    else
      return weft::gpu::detail::sort_items<Engine>(d_temp, bytes, at.keys, at.n, less, stream);
  }
};

template <class Count> struct cub_radix {
  template <class Key, class Value, class Less>
  cudaError_t operator()(void* d_temp, std::size_t& bytes, arrays<Key, Value>& at, Less,
                         cudaStream_t stream) const {
    using value = std::conditional_t<has_values<Value>, Value, cub::NullType>;
    constexpr int bits = sizeof(Key) * 8;
    auto* const values = reinterpret_cast<value*>(at.values);
    std::size_t radix_bytes = 0;
    cub::DoubleBuffer<Key> key_buffers(at.keys, nullptr);
    cub::DoubleBuffer<value> value_buffers(values, nullptr);
    const auto call = [&](void* d_own) {
      return weft::gpu::detail::call_radix<false>(d_own, radix_bytes, key_buffers, value_buffers,
                                                  at.template count<Count>(), bits, stream);
    };
    if (const cudaError_t status = call(nullptr)) return status;
    void* parts[3] = {};
    const std::size_t sizes[] = {at.n * sizeof(Key), has_values<Value> ? at.n * sizeof(Value) : 0,
                                 radix_bytes};
    const cudaError_t cut = weft::gpu::detail::cut_storage(d_temp, bytes, sizes, parts);
    if (cut != cudaSuccess || d_temp == nullptr) return cut;
    key_buffers = {at.keys, static_cast<Key*>(parts[0])};
    value_buffers = {values, static_cast<value*>(parts[1])};
    const cudaError_t status = call(parts[2]);
    at.keys = key_buffers.Current();
    at.values = reinterpret_cast<Value*>(value_buffers.Current());
    return status;
  }
};

template <class Count> struct cub_merge {
  template <class Key, class Value, class Less>
  cudaError_t operator()(void* d_temp, std::size_t& bytes, arrays<Key, Value>& at, Less less,
                         cudaStream_t stream) const {
    const auto count = at.template count<Count>();
    if constexpr (has_values<Value>)
      return cub::DeviceMergeSort::StableSortPairs(d_temp, bytes, at.keys, at.values, count, less, stream);
    else
      return cub::DeviceMergeSort::StableSortKeys(d_temp, bytes, at.keys, count, less, stream);
  }
};

struct copy_items {
  template <class Key, class Value, class Less>
  cudaError_t operator()(void* d_temp, std::size_t& bytes, arrays<Key, Value>& at, Less,
                         cudaStream_t stream) const {
    const std::size_t key_bytes = at.n * sizeof(Key),
                      value_bytes = has_values<Value> ? at.n * sizeof(Value) : 0;
    if (d_temp == nullptr) bytes = key_bytes + value_bytes;
    if (d_temp == nullptr) return cudaSuccess;
    const cudaError_t status = cudaMemcpyAsync(d_temp, at.keys, key_bytes, cudaMemcpyDeviceToDevice, stream);
    if (status != cudaSuccess || value_bytes == 0) return status;
    return cudaMemcpyAsync(static_cast<char*>(d_temp) + key_bytes, at.values, value_bytes,
                           cudaMemcpyDeviceToDevice, stream);
  }
};

class timer {
public:
  timer() {
    check(cudaEventCreate(&begin_), "make an event");
    check(cudaEventCreate(&end_), "make an event");
  }
  ~timer() {
    (void)cudaEventDestroy(begin_);
    (void)cudaEventDestroy(end_);
  }
  timer(const timer&) = delete;
  timer& operator=(const timer&) = delete;
  // Seconds that the device takes for the call; waits for it.
  template <class Call> double seconds(Call call, cudaStream_t stream) {
    check(cudaEventRecord(begin_, stream), "record an event");
    const cudaError_t status = call();
    check(cudaEventRecord(end_, stream), "record an event");
    check(status, "sort");
    check(cudaEventSynchronize(end_), "sort");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_), "read a time");
    return milliseconds / 1e3;
  }

private:
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

// The last input asked for, with room for one to sort.
template <class Key, class Value> struct workspace {
  distribution kind;
  device_input<Key, Value> input;
  device_buffer<Key> keys;
  device_buffer<Value> values;
};
std::shared_ptr<void> kept; // one workspace of any type: they are large
template <class Key, class Value, class Less>
workspace<Key, Value>& workspace_of(distribution kind, std::uint64_t n, Less less, cudaStream_t stream) {
  static std::weak_ptr<workspace<Key, Value>> known;
  std::shared_ptr<workspace<Key, Value>> own = known.lock();
  if (own == nullptr || own->kind != kind || own->keys.size() != n) {
    own.reset();
    kept.reset();
    own = std::make_shared<workspace<Key, Value>>(
        workspace<Key, Value>{kind,
                              {kind, n, less, stream},
                              {n, stream},
                              {static_cast<std::size_t>(has_values<Value> ? n : 0), stream}});
    known = own;
    kept = own;
  }
  return *own;
}

int iterations_for(std::uint64_t n) {
  return n <= 1 << 16 ? 101 : n <= 1 << 20 ? 51 : n <= 1 << 25 ? 21 : 11;
}

template <class Value> constexpr std::size_t value_size = has_values<Value> ? sizeof(Value) : 0;

template <class Key, class Value, class Less, class Engine>
void time_sort(benchmark::State& state, distribution kind, std::uint64_t n, Less less, Engine engine) {
  constexpr bool sorts = !std::is_same_v<Engine, copy_items>;
  const cudaStream_t stream = nullptr;
  auto& [unused, input, keys, values] = workspace_of<Key, Value>(kind, n, less, stream);
  arrays<Key, Value> at{keys.data(), values.data(), n};
  std::size_t bytes = 0;
  check(engine(nullptr, bytes, at, less, stream), "plan");
  const device_buffer<char> temp(bytes, stream);
  timer clock;
  std::vector<double> times;
  const auto run = [&] {
    weft::gpu::copy(keys.data(), input.keys.data(), n, stream, "copy an input");
    weft::gpu::copy(values.data(), input.values.data(), input.values.size(), stream, "copy an input");
    at = {keys.data(), values.data(), n};
    const double seconds =
        clock.seconds([&] { return engine(temp.data(), bytes, at, less, stream); }, stream);
    const summary found = summarise(at.keys, at.values, n, less, stream);
    if (found.hash != input.expected.hash || (sorts && (found.misplaced != 0 || found.unstable != 0)))
      throw std::runtime_error("wrong answer");
    return seconds;
  };
  (void)run();
  for (auto _ : state) {
    times.push_back(run());
    state.SetIterationTime(times.back());
  }
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2], items = static_cast<double>(n);
  constexpr std::size_t item_size = sizeof(Key) + value_size<Value>;
  state.counters["items/s"] = items / median;
  state.counters["median_us"] = median * 1e6;
  state.counters["spread"] = times.back() / times.front();
  state.counters["extra"] = static_cast<double>(bytes) / (items * static_cast<double>(item_size));
}

template <class Key, class Value, class Less, class Engine>
void define_row(const std::string& engine_name, const std::string& rest, distribution kind, std::uint64_t n,
                Less less, Engine engine) {
  const auto body = [=](benchmark::State& state) {
    try {
      time_sort<Key, Value>(state, kind, n, less, engine);
    } catch (const std::exception& failure) {
      kept.reset();
      state.SkipWithError(failure.what());
    }
  };
  benchmark::RegisterBenchmark(("gpu/" + engine_name + rest).c_str(), body)
      ->Unit(benchmark::kMillisecond)
      ->UseManualTime()
      ->Iterations(iterations_for(n));
}

template <class Key, class Value, class Less>
void define_engines(const std::string& rest, distribution kind, std::uint64_t n, Less less) {
  const auto define = [&](const std::string& name, auto engine) {
    define_row<Key, Value>(name, rest, kind, n, less, engine);
  };
  define("copy", copy_items());
  define("automatic", weft_engine<device_engine::automatic>());
  if constexpr (weft::gpu::detail::radix_sorts<Key, Less>) {
    define("radix", weft_engine<device_engine::radix>());
    define("cub-radix-32", cub_radix<std::uint32_t>());
    define("cub-radix-64", cub_radix<std::uint64_t>());
  }
  define("merge", weft_engine<device_engine::merge>());
  define("cub-merge-32", cub_merge<std::uint32_t>());
  define("cub-merge-64", cub_merge<std::uint64_t>());
}

template <class Key, class Value = no_value, class Less = weft::ascending>
void define_type(const std::string& type, Less less = {}) {
  struct size {
    const char* name;
    std::uint64_t items;
  };
  constexpr size sizes[] = {
      {"2^16", 1 << 16}, {"2^20", 1 << 20}, {"2^25", 1 << 25}, {"250M", 250'000'000}, {"2^28", 1 << 28}};
  for (const named_distribution& each : distributions)
    for (const size& at : sizes)
      define_engines<Key, Value>("/" + type + "/" + each.name + "/" + at.name, each.kind, at.items, less);
}

void define_gpu() {
  if (const weft::gpu_report& gpus = weft::known_gpus(); gpus.devices.empty()) {
    std::fprintf(stderr, "no rows for a GPU: %s\n", gpus.unavailable.c_str());
    return;
  }
  define_type<std::uint32_t>("u32");
  define_type<std::uint64_t>("u64");
  define_type<std::uint32_t, std::uint32_t>("u32+u32");
  define_type<std::uint64_t, std::uint32_t>("u64+u32");
  define_type<std::uint64_t, std::uint64_t>("u64+u64");
  define_type<weft::int128>("i128");
  define_type<record16>("record16", record_less());
}

} // namespace

int main(int count, char** arguments) {
  define_gpu();
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  kept.reset();
  benchmark::Shutdown();
}
