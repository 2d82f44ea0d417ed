// Runs every engine of weft/sort/cuda over items in device memory, and compares it with std::stable_sort.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <span>
#include <string>
#include <test/base/gpu_suite.hpp>
#include <test/sort/sort_cases.hpp>
#include <tuple>
#include <vector>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/device.hpp>
#include <weft/sort/published/cuda/sample_merge_pairs.cuh>
#include <weft/sort/sort.cuh>

namespace weft::test {

using gpu::check;
using sort_detail::device_engine;

// An engine of the library, as a type under test: it has a name, says what it sorts and whether it runs on
// this GPU, and sorts in two phases.
template <device_engine Engine> struct engine_constant {
  static constexpr device_engine value = Engine;
  static constexpr bool stable = sort_detail::engine_is_stable<Engine>;
  template <class T, class Less> static constexpr bool sorts = sort_detail::engine_sorts<Engine, T, Less>;
  template <class Key, class Value> static constexpr bool carries = true;

  static const char* name() {
    switch (Engine) {
    case device_engine::automatic_stable:
      return "automatic";
    case device_engine::radix:
      return "radix";
    case device_engine::merge:
      return "merge";
    case device_engine::automatic_unstable:
      return "automatic, unstable";
    case device_engine::sample_sort:
      return "sample-sort";
    case device_engine::stable_sample_sort:
      return "stable-sample-sort";
    }
    return "";
  }
  // For some types, the sample sorts need leaves of 178 KB of shared memory.
  static bool runs_here() {
    if (!sort_detail::is_sample_sort_engine<Engine>) return true;
    std::size_t shared = 0;
    check(base_detail::shared_memory_limit(shared), "ask");
    return shared >= std::size_t{210} << 10;
  }
  template <class... Arguments>
  static cudaError_t sort_items(void* d_temp, std::size_t& bytes, const Arguments&... arguments) {
    return sort_detail::sort_device_items<Engine>(d_temp, bytes, arguments...);
  }
  template <class... Arguments>
  static cudaError_t sort_pairs(void* d_temp, std::size_t& bytes, const Arguments&... arguments) {
    return sort_detail::sort_pairs<Engine>(d_temp, bytes, arguments...);
  }
};

// The published sample-merge sort, as a type under test.
struct sample_merge_engine {
  static constexpr bool stable = false;
  template <class T, class Less> static constexpr bool sorts = true;
  template <class Key, class Value>
  static constexpr bool carries = sort_detail::sample_merge_carries<Key, Value>;

  static const char* name() { return "sample-merge"; }
  // Its tiles need 99 KB of shared memory.
  static bool runs_here() { return known_gpus().devices.front().compute_major >= 8; }
  template <class... Arguments>
  static cudaError_t sort_items(void* d_temp, std::size_t& bytes, const Arguments&... arguments) {
    return gpu::sample_merge_sort(d_temp, bytes, arguments...);
  }
  template <class... Arguments>
  static cudaError_t sort_pairs(void* d_temp, std::size_t& bytes, const Arguments&... arguments) {
    return sort_detail::sample_merge_sort_pairs(d_temp, bytes, arguments...);
  }
};

// The engines that every test of general abilities runs.
using every_engine = std::tuple<engine_constant<device_engine::automatic_stable>,
                                engine_constant<device_engine::radix>, engine_constant<device_engine::merge>,
                                sample_merge_engine, engine_constant<device_engine::automatic_unstable>,
                                engine_constant<device_engine::sample_sort>,
                                engine_constant<device_engine::stable_sample_sort>>;
// The engines that know numbers; all other engines treat all types of a size alike.
using number_engines =
    std::tuple<engine_constant<device_engine::automatic_stable>, engine_constant<device_engine::radix>,
               engine_constant<device_engine::sample_sort>>;

// Calls test with each engine that sorts T by Less and runs on this GPU.
template <class T, class Less, class Engines = every_engine, class Test> void for_each_engine(Test test) {
  const auto one = [&](auto engine) {
    if constexpr (decltype(engine)::template sorts<T, Less>) {
      if (!engine.runs_here()) return;
      SCOPED_TRACE(engine.name());
      test(engine);
    }
  };
  std::apply([&](auto... engines) { (one(engines), ...); }, Engines());
}
template <class T, class Less, class Engines = every_engine, class Test>
void for_each_stable_engine(Test test) {
  for_each_engine<T, Less, Engines>([&](auto engine) {
    if constexpr (decltype(engine)::stable) test(engine);
  });
}

struct record16 {
  std::uint64_t key, payload;
};
struct record24 {
  std::uint64_t payload, key, more;
};
struct record64 {
  std::uint64_t payload[4], key, more[3];
};
struct by_key {
  template <class T> WEFT_HOST_DEVICE bool operator()(const T& a, const T& b) const { return a.key < b.key; }
};
struct by_remainder {
  std::uint64_t modulus;
  template <class T> WEFT_HOST_DEVICE bool operator()(const T& a, const T& b) const {
    return a.key % modulus > b.key % modulus;
  }
};

template <class T> T special_float(std::uint64_t i) {
  using limits = std::numeric_limits<T>;
  const T numbers[] = {
      -limits::infinity(), limits::lowest(),    -limits::denorm_min(), T(-0.0), T(0.0), limits::max(),
      limits::infinity(),  limits::quiet_NaN(), -limits::quiet_NaN()};
  return numbers[i % std::size(numbers)];
}

// Returns item i made of 64 bits. All fields of a record but its key are made from i, so that a sort that is
// not stable is detected.
template <class T> T make_item(std::uint64_t bits, std::uint64_t i) {
  if constexpr (std::floating_point<T>)
    return i % 5 == 0 ? special_float<T>(bits) : static_cast<T>(static_cast<std::int64_t>(bits));
  else if constexpr (std::is_same_v<T, uint128> || std::is_same_v<T, int128>)
    return static_cast<T>(static_cast<uint128>(bits * 0x9e3779b97f4a7c15) << 64 | bits);
  else if constexpr (std::is_same_v<T, record16>)
    return {bits, i};
  else if constexpr (std::is_same_v<T, record24>)
    return {i, bits, ~i};
  else if constexpr (std::is_same_v<T, record64>)
    return {{i, 1, 2, 3}, bits, {~i, 4, 5}};
  else
    return static_cast<T>(bits);
}
template <class T> std::vector<T> make_items(const std::vector<std::uint64_t>& bits) {
  std::vector<T> items(bits.size());
  for (std::uint64_t i = 0; i < items.size(); ++i) items[i] = make_item<T>(bits[i], i);
  return items;
}
template <class T> std::vector<T> positions(std::uint64_t n) {
  std::vector<T> result(n);
  for (std::uint64_t i = 0; i < n; ++i) result[i] = make_item<T>(i, i);
  return result;
}

template <class T> bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// Returns whether `found` has the items of the sorted vector `expected`, up to the order of equal items.
template <class T, class Less>
bool same_but_for_equals(std::vector<T> found, std::vector<T> expected, Less less) {
  if (found.size() != expected.size()) return false;
  const auto by_bytes = [](const T& a, const T& b) { return std::memcmp(&a, &b, sizeof(T)) < 0; };
  for (std::size_t begin = 0, end = 0; begin < expected.size(); begin = end) {
    while (end < expected.size() && !less(expected[begin], expected[end])) ++end;
    if (end - begin == 1) continue;
    for (std::vector<T>* items : {&found, &expected})
      std::sort(items->data() + begin, items->data() + end, by_bytes);
  }
  return same_bytes(found, expected);
}
template <bool Stable, class T, class Less>
bool is_right(const std::vector<T>& found, const std::vector<T>& expected, Less less) {
  return same_bytes(found, expected) || (!Stable && same_but_for_equals(found, expected, less));
}

// Holds n items in device memory between two guard items that no sort may touch. The first item is not
// aligned for vector loads.
template <class T> class device_items {
public:
  device_items(const std::vector<T>& items, cudaStream_t stream)
      : all_(items.size() + 2, stream), count_(items.size()), stream_(stream) {
    check(cudaMemsetAsync(all_.data(), 0xa5, all_.bytes(), stream), "set guards");
    assign(items);
  }
  void assign(const std::vector<T>& items) {
    gpu::copy(data(), items.data(), items.size(), stream_, "copy items");
  }
  [[nodiscard]] T* data() const { return all_.data() + 1; }
  [[nodiscard]] std::uint64_t size() const { return count_; }
  [[nodiscard]] std::vector<T> read() const {
    std::vector<T> items(count_ + 2);
    gpu::copy(items.data(), all_.data(), items.size(), stream_, "read items");
    check(cudaStreamSynchronize(stream_), "wait");
    EXPECT_TRUE(is_guard(items.front()) && is_guard(items.back())) << "written outside of the items";
    return {items.begin() + 1, items.end() - 1};
  }

private:
  static bool is_guard(const T& item) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &item, sizeof(T));
    return std::all_of(std::begin(bytes), std::end(bytes), [](unsigned char byte) { return byte == 0xa5; });
  }
  gpu::device_buffer<T> all_;
  std::uint64_t count_;
  cudaStream_t stream_;
};

// Allocates the temporary storage of a two-phase call(d_temp_storage, temp_storage_bytes): misaligned, not
// zero, and not a byte more than asked for.
class storage_for {
public:
  template <class Call> storage_for(Call call, cudaStream_t stream) {
    check(call(nullptr, bytes_), "plan");
    storage_ = {bytes_ + 1, stream};
    check(cudaMemsetAsync(storage_.data(), 0xee, storage_.bytes(), stream), "spoil");
  }
  [[nodiscard]] void* data() const { return storage_.data() + 1; }
  [[nodiscard]] std::size_t& bytes() { return bytes_; }

private:
  std::size_t bytes_ = 0;
  gpu::device_buffer<unsigned char> storage_;
};

// Runs both phases, and frees the storage in stream order.
template <class Call> void enqueue(Call call, cudaStream_t stream) {
  storage_for storage(call, stream);
  check(call(storage.data(), storage.bytes()), "enqueue");
}

// Captures the work that enqueue() adds to the stream. The work runs only when the graph is launched.
class captured_graph {
public:
  template <class Enqueue> captured_graph(Enqueue enqueue, cudaStream_t stream) : captured_graph(stream) {
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "capture");
    const cudaError_t status = enqueue();
    check(cudaStreamEndCapture(stream, &graph_), "capture");
    check(status, "enqueue");
    check(cudaGraphInstantiateWithFlags(&ready_, graph_, 0), "instantiate");
  }
  ~captured_graph() {
    if (ready_ != nullptr) (void)cudaGraphExecDestroy(ready_);
    if (graph_ != nullptr) (void)cudaGraphDestroy(graph_);
  }
  captured_graph(const captured_graph&) = delete;
  captured_graph& operator=(const captured_graph&) = delete;
  void launch() const { check(cudaGraphLaunch(ready_, stream_), "launch a graph"); }

private:
  explicit captured_graph(cudaStream_t stream) : stream_(stream) {}
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t ready_ = nullptr;
};

template <class T, class Less>
std::vector<std::uint64_t> stable_order(const std::vector<T>& items, Less less) {
  std::vector<std::uint64_t> order(items.size());
  for (std::uint64_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return less(items[a], items[b]); });
  return order;
}
template <class T>
std::vector<T> in_order(const std::vector<T>& items, const std::vector<std::uint64_t>& order) {
  std::vector<T> result;
  for (const std::uint64_t i : order) result.push_back(items[i]);
  return result;
}

template <class Engines = every_engine, class T, class Less>
void check_sort(const std::vector<T>& items, Less less, cudaStream_t stream) {
  std::vector<T> expected = items;
  std::stable_sort(expected.begin(), expected.end(), less);
  for_each_engine<T, Less, Engines>([&](auto engine) {
    const device_items<T> d_items(items, stream);
    enqueue(
        [&](void* d_temp, std::size_t& bytes) {
          return engine.sort_items(d_temp, bytes, d_items.data(), d_items.size(), less, stream);
        },
        stream);
    EXPECT_TRUE(is_right<engine.stable>(d_items.read(), expected, less));
  });
}

// A key followed by the bytes of its value, without padding.
template <class Key, class Value> struct packed_pair {
  unsigned char bytes[sizeof(Key) + sizeof(Value)];
  [[nodiscard]] Key key() const {
    Key own;
    std::memcpy(&own, bytes, sizeof(Key));
    return own;
  }
};
template <class Key, class Value>
std::vector<packed_pair<Key, Value>> packed(const std::vector<Key>& keys, const std::vector<Value>& values) {
  std::vector<packed_pair<Key, Value>> pairs(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::memcpy(pairs[i].bytes, &keys[i], sizeof(Key));
    std::memcpy(pairs[i].bytes + sizeof(Key), &values[i], sizeof(Value));
  }
  return pairs;
}

template <class Value, class Engines = every_engine, class Key, class Less>
void check_pairs(const std::vector<Key>& keys, Less less, cudaStream_t stream) {
  const std::vector<Value> values = positions<Value>(keys.size());
  const std::vector<std::uint64_t> order = stable_order(keys, less);
  const auto expected = packed(in_order(keys, order), in_order(values, order));
  for_each_engine<Key, Less, Engines>([&](auto engine) {
    if constexpr (decltype(engine)::template carries<Key, Value>) {
      const device_items<Key> d_items(keys, stream);
      const device_items<Value> beside(values, stream);
      enqueue(
          [&](void* d_temp, std::size_t& bytes) {
            return engine.sort_pairs(d_temp, bytes, d_items.data(), beside.data(), d_items.size(), less,
                                     stream);
          },
          stream);
      EXPECT_TRUE(
          is_right<engine.stable>(packed(d_items.read(), beside.read()), expected,
                                  [&](const auto& a, const auto& b) { return less(a.key(), b.key()); }));
    }
  });
}

template <class Index, class Engines = every_engine, class T, class Less>
void check_argsort(const std::vector<T>& items, Less less, cudaStream_t stream) {
  const std::vector<std::uint64_t> order = stable_order(items, less);
  for_each_stable_engine<T, Less, Engines>([&](auto engine) {
    const device_items<T> d_items(items, stream);
    const device_items<Index> result(std::vector<Index>(items.size()), stream);
    enqueue(
        [&](void* d_temp, std::size_t& bytes) {
          return sort_detail::argsort<engine.value>(d_temp, bytes, d_items.data(), result.data(),
                                                    d_items.size(), less, stream);
        },
        stream);
    EXPECT_EQ(result.read(), std::vector<Index>(order.begin(), order.end()));
    EXPECT_TRUE(same_bytes(d_items.read(), items));
  });
}

// Returns sizes around the thresholds at which engine automatic switches algorithms.
inline std::vector<std::uint64_t> edges(const sort_detail::number_thresholds& thresholds) {
  std::vector<std::uint64_t> sizes;
  for (const std::uint64_t n :
       {thresholds.tile_limit, thresholds.merge_limit, thresholds.sample_limit, thresholds.radix_limit})
    if (n > 0 && n <= 1 << 22) sizes.insert(sizes.end(), {n - 1, n});
  return sizes;
}
using automatic_engines = std::tuple<engine_constant<device_engine::automatic_stable>,
                                     engine_constant<device_engine::automatic_unstable>>;

inline std::vector<std::uint64_t> gpu_sizes() {
  return {0, 1, 2, 31, 32, 33, 1023, 1024, 1025, 100'000, 1'000'007, 1 << 20};
}

// Calls test(bits of the items) for every size and distribution.
template <class Test> void for_each_input(Test test) {
  for (const std::uint64_t n : gpu_sizes())
    for (const auto& [name, bits] : distributions(n)) {
      SCOPED_TRACE(name + ", " + std::to_string(n));
      test(bits);
      if (testing::Test::HasFailure()) return;
    }
}

} // namespace weft::test
