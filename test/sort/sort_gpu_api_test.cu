// weft/sort/sort.cuh: temporary storage, streams, graphs, arguments.
#include <stdexcept>
#include <test/sort/sort_gpu_cases.cuh>
#include <thread>
#include <weft/sort/sort.hpp> // one program may include both headers

namespace weft::test {

namespace {

// What needs no device.
TEST(sort_device_arguments, counts_out_of_range) {
  std::size_t bytes = 0;
  std::uint32_t *const nothing = nullptr, place = 0;
  const std::uint32_t* const items = nullptr;
  const std::uint64_t too_many = sort_detail::max_items + 1;
  EXPECT_EQ(gpu::sort_async(nullptr, bytes, nothing, too_many), cudaErrorInvalidValue);
  EXPECT_EQ(gpu::stable_sort_by_key_async(nullptr, bytes, nothing, nothing, too_many), cudaErrorInvalidValue);
  EXPECT_EQ(gpu::top_k_async(nullptr, bytes, items, too_many, 1, nothing), cudaErrorInvalidValue);
  EXPECT_EQ(gpu::segmented_sort_async(nullptr, bytes, nothing, 1, nullptr, 0), cudaErrorInvalidValue);
  EXPECT_EQ(gpu::argsort_async(nullptr, bytes, items, nothing, (std::uint64_t{1} << 32) + 1),
            cudaErrorInvalidValue);
  EXPECT_EQ(gpu::sort_async(&place, bytes, nothing, 5), cudaErrorInvalidValue);
  EXPECT_EQ(gpu::argsort_async(&place, bytes, items, nothing, 5), cudaErrorInvalidValue);
}

TEST(sort_device_arguments, nothing_to_do) {
  std::uint32_t *const nothing = nullptr, place = 0;
  const std::uint32_t* const items = nullptr;
  for (void* const d_temp : {static_cast<void*>(nullptr), static_cast<void*>(&place)}) {
    std::size_t bytes = d_temp == nullptr ? 0 : sizeof place;
    EXPECT_EQ(gpu::sort_async(d_temp, bytes, nothing, 0), cudaSuccess);
    EXPECT_GT(bytes, 0U);
    EXPECT_EQ(gpu::sort_async(d_temp, bytes, &place, 1), cudaSuccess);
    EXPECT_EQ(gpu::sort_by_key_async(d_temp, bytes, nothing, nothing, 0, descending()), cudaSuccess);
    EXPECT_EQ(gpu::argsort_async(d_temp, bytes, items, nothing, 0), cudaSuccess);
    EXPECT_EQ(gpu::segmented_sort_async(d_temp, bytes, nothing, 0, nullptr, 0), cudaSuccess);
    EXPECT_EQ(gpu::top_k_async(d_temp, bytes, items, 5, 0, nothing), cudaSuccess);
  }
}

class gpu_sort_api : public gpu_suite {};

std::vector<std::uint64_t> random_bits(std::uint64_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> bits(n);
  for (std::uint64_t& x : bits) x = random();
  return bits;
}
template <class T, class Less> std::vector<T> sorted(const std::vector<T>& items, Less less) {
  return in_order(items, stable_order(items, less));
}

TEST_F(gpu_sort_api, every_function_allocates_by_itself) {
  const gpu::stream own;
  for (const cudaStream_t stream : {own.get(), cudaStream_t{nullptr}}) {
    const std::vector<std::uint64_t> items = random_bits(54'321, 1);
    const std::vector<std::uint64_t> order = stable_order(items, ascending());
    const std::vector<std::uint64_t> places = positions<std::uint64_t>(items.size());
    const device_items<std::uint64_t> one(items, stream), two(items, stream), three(items, stream),
        four(items, stream), five(items, stream), top(std::vector<std::uint64_t>(10), stream);
    const device_items<std::uint64_t> values(places, stream), stable_values(places, stream),
        result(places, stream), offsets({0, 1000, items.size()}, stream);
    gpu::argsort(one.data(), result.data(), one.size(), ascending(), stream);
    gpu::top_k(one.data(), one.size(), 10, top.data(), ascending(), stream);
    gpu::sort(one.data(), one.size(), ascending(), stream);
    gpu::stable_sort(two.data(), two.size(), ascending(), stream);
    gpu::sort_by_key(three.data(), values.data(), three.size(), ascending(), stream);
    gpu::stable_sort_by_key(four.data(), stable_values.data(), four.size(), ascending(), stream);
    gpu::segmented_sort(five.data(), five.size(), offsets.data(), 2, ascending(), stream);
    const std::vector<std::uint64_t> expected = in_order(items, order);
    std::vector<std::uint64_t> in_segments = items;
    std::stable_sort(in_segments.begin(), in_segments.begin() + 1000, ascending());
    std::stable_sort(in_segments.begin() + 1000, in_segments.end(), ascending());
    EXPECT_TRUE(same_bytes(one.read(), expected) && same_bytes(two.read(), expected));
    EXPECT_TRUE(same_bytes(three.read(), expected) && same_bytes(four.read(), expected));
    EXPECT_TRUE(same_bytes(five.read(), in_segments));
    EXPECT_TRUE(same_bytes(top.read(), {expected.begin(), expected.begin() + 10}));
    EXPECT_EQ(result.read(), order);
    EXPECT_EQ(values.read(), order);
    EXPECT_EQ(stable_values.read(), order);
  }
}

template <class T, class Less> void check_too_little_storage(Less less) {
  const gpu::stream stream;
  const std::vector<T> items = make_items<T>(random_bits(70'000, 2));
  for_each_engine<T, Less>([&](auto engine) {
    const device_items<T> there(items, stream.get());
    const auto call = [&](void* d_temp, std::size_t& bytes) {
      return engine.sort_items(d_temp, bytes, there.data(), there.size(), less, stream.get());
    };
    storage_for storage(call, stream.get());
    EXPECT_GT(storage.bytes(), items.size() * sizeof(T));
    EXPECT_LT(storage.bytes(), items.size() * sizeof(T) * 11 / 10 + (std::size_t{16} << 20));
    for (const std::size_t bytes : {std::size_t{0}, storage.bytes() / 2, storage.bytes() - 1}) {
      std::size_t given = bytes;
      EXPECT_EQ(call(storage.data(), given), cudaErrorInvalidValue);
    }
    EXPECT_TRUE(same_bytes(there.read(), items)) << "nothing may have been enqueued";
    check(call(storage.data(), storage.bytes()), "enqueue");
    EXPECT_TRUE(is_right<engine.stable>(there.read(), sorted(items, less), less));
  });
}

TEST_F(gpu_sort_api, too_little_storage_is_refused) {
  check_too_little_storage<std::uint64_t>(ascending());
  check_too_little_storage<record16>(by_key());
}

TEST_F(gpu_sort_api, wrong_arguments_throw) {
  const device_items<std::uint32_t> there({3, 2, 1}, nullptr);
  std::uint32_t* const nothing = nullptr;
  EXPECT_THROW(gpu::sort(nothing, 3), std::invalid_argument);
  EXPECT_THROW(gpu::stable_sort(there.data(), ~std::uint64_t{0}), std::invalid_argument);
  EXPECT_THROW(gpu::sort_by_key(there.data(), nothing, 3), std::invalid_argument);
  gpu::sort(nothing, 0);
  gpu::sort_by_key(nothing, nothing, 0);
  EXPECT_EQ(there.read(), (std::vector<std::uint32_t>{3, 2, 1}));
}

template <class T, class Less> void check_graph(Less less) {
  const gpu::stream stream;
  const std::vector<T> items = make_items<T>(random_bits(1'100'000, 3));
  for_each_engine<T, Less>([&](auto engine) {
    device_items<T> there(items, stream.get());
    const auto call = [&](void* d_temp, std::size_t& bytes) {
      return engine.sort_items(d_temp, bytes, there.data(), there.size(), less, stream.get());
    };
    storage_for storage(call, stream.get());
    const captured_graph graph([&] { return call(storage.data(), storage.bytes()); }, stream.get());
    EXPECT_TRUE(same_bytes(there.read(), items)) << "captured, not run";
    for (std::uint64_t replay = 0; replay < 3; ++replay) {
      const std::vector<T> others = make_items<T>(random_bits(items.size(), 4 + replay));
      there.assign(others);
      graph.launch();
      EXPECT_TRUE(is_right<engine.stable>(there.read(), sorted(others, less), less)) << replay;
    }
  });
}

TEST_F(gpu_sort_api, graph_replayed_for_other_items) {
  check_graph<std::uint64_t>(ascending());
  check_graph<record16>(by_key());
}

TEST_F(gpu_sort_api, segments_and_positions_in_a_graph) {
  const gpu::stream stream;
  const std::vector<record16> items = make_items<record16>(random_bits(50'000, 9));
  const device_items<record16> there(items, stream.get());
  const device_items<std::uint32_t> order(std::vector<std::uint32_t>(items.size()), stream.get());
  const device_items<std::uint64_t> offsets({0, 700, 700, items.size()}, stream.get());
  const auto ordering = [&](void* d_temp, std::size_t& bytes) {
    return gpu::argsort_async(d_temp, bytes, there.data(), order.data(), there.size(), by_key(),
                              stream.get());
  };
  const auto sorting = [&](void* d_temp, std::size_t& bytes) {
    return gpu::segmented_sort_async(d_temp, bytes, there.data(), there.size(), offsets.data(), 3, by_key(),
                                     stream.get());
  };
  storage_for first(ordering, stream.get()), second(sorting, stream.get());
  const captured_graph graph(
      [&] {
        const cudaError_t status = ordering(first.data(), first.bytes());
        return status == cudaSuccess ? sorting(second.data(), second.bytes()) : status;
      },
      stream.get());
  graph.launch();
  std::vector<record16> expected = items;
  std::stable_sort(expected.begin(), expected.begin() + 700, by_key());
  std::stable_sort(expected.begin() + 700, expected.end(), by_key());
  EXPECT_TRUE(same_bytes(there.read(), expected));
  const std::vector<std::uint64_t> places = stable_order(items, by_key());
  EXPECT_EQ(order.read(), std::vector<std::uint32_t>(places.begin(), places.end()));
}

TEST_F(gpu_sort_api, two_streams_at_once) {
  const gpu::stream first, second;
  const std::vector<std::uint64_t> numbers = random_bits(1'000'000, 5);
  const std::vector<record16> records = make_items<record16>(random_bits(300'000, 6));
  for (int round = 0; round < 10; ++round) {
    const device_items<std::uint64_t> one(numbers, first.get());
    const device_items<record16> two(records, second.get());
    gpu::sort(one.data(), one.size(), ascending(), first.get());
    gpu::stable_sort(two.data(), two.size(), by_key(), second.get());
    ASSERT_TRUE(same_bytes(one.read(), sorted(numbers, ascending())));
    ASSERT_TRUE(same_bytes(two.read(), sorted(records, by_key())));
  }
}

TEST_F(gpu_sort_api, two_threads_at_once) {
  std::vector<std::jthread> callers;
  for (std::uint64_t caller = 0; caller < 2; ++caller)
    callers.emplace_back([caller] {
      const gpu::stream stream;
      const std::vector<std::uint64_t> items = random_bits(caller == 0 ? 500'000 : 3000, caller);
      const std::vector<std::uint64_t> expected = sorted(items, ascending());
      for (int round = 0; round < 20; ++round) {
        const device_items<std::uint64_t> there(items, stream.get());
        gpu::sort(there.data(), there.size(), ascending(), stream.get());
        ASSERT_TRUE(same_bytes(there.read(), expected));
      }
    });
}

struct by_value {
  WEFT_HOST_DEVICE bool operator()(std::uint8_t a, std::uint8_t b) const { return a < b; }
};

TEST_F(gpu_sort_api, more_items_than_31_bits_count) {
  constexpr std::uint64_t n = (std::uint64_t{1} << 31) + 12'345;
  if (gpu::free_device_memory() < 3 * n) GTEST_SKIP() << "too little device memory";
  std::vector<std::uint8_t> items(n);
  std::vector<std::uint64_t> counts(256);
  for (std::uint64_t i = 0; i < n; ++i) ++counts[items[i] = static_cast<std::uint8_t>(i * i >> 7)];
  const gpu::stream stream;
  const auto check_engine = [&](auto engine, auto less) {
    if (!engine.runs_here()) return;
    SCOPED_TRACE(engine.name());
    const device_items<std::uint8_t> there(items, stream.get());
    enqueue(
        [&](void* d_temp, std::size_t& bytes) {
          return engine.sort_items(d_temp, bytes, there.data(), n, less, stream.get());
        },
        stream.get());
    const std::vector<std::uint8_t> result = there.read();
    std::uint64_t first = 0;
    for (std::size_t symbol = 0; symbol < 256; first += counts[symbol++]) {
      const auto from = result.begin() + static_cast<std::ptrdiff_t>(first);
      ASSERT_TRUE(std::all_of(from, from + static_cast<std::ptrdiff_t>(counts[symbol]),
                              [&](std::uint8_t x) { return x == symbol; }));
    }
  };
  check_engine(engine_constant<device_engine::radix>(), ascending());
  check_engine(engine_constant<device_engine::merge>(), by_value());
  check_engine(sample_merge_engine(), by_value());
}

} // namespace

} // namespace weft::test
