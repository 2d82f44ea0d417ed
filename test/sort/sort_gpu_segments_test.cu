// Sorts segments of items in device memory, and selects the first k items.
#include <test/sort/sort_gpu_cases.cuh>

namespace weft::test {

namespace {

// Checks every way to cut up to five items into up to four segments.
TEST(segment_starts, of_each_item) {
  for (std::uint64_t code = 0; code < 6 * 6 * 6 * 6; ++code) {
    std::vector<std::uint64_t> offsets = {0, code % 6, code / 6 % 6, code / 36 % 6, code / 216};
    if (!std::is_sorted(offsets.begin(), offsets.end())) continue;
    const sort_detail::segment_starts<std::uint32_t> starts{offsets.data(), offsets.size() - 1};
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
      for (std::uint64_t i = offsets[s]; i < offsets[s + 1]; ++i) EXPECT_EQ(starts.start_of(i), offsets[s]);
  }
}

class gpu_segmented_sort : public gpu_suite {};

using offset_list = std::vector<std::uint64_t>;

template <class Engines, class T, class Less>
void check_segments(const std::vector<T>& items, const offset_list& offsets, Less less, cudaStream_t stream) {
  std::vector<T> expected = items;
  const auto at = [&](std::uint64_t offset) {
    return expected.begin() + static_cast<std::ptrdiff_t>(offset);
  };
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    std::stable_sort(at(offsets[s]), at(offsets[s + 1]), less);
  const device_items<std::uint64_t> d_offsets(offsets, stream);
  for_each_stable_engine<T, Less, Engines>([&](auto engine) {
    const device_items<T> d_items(items, stream);
    enqueue(
        [&](void* d_temp, std::size_t& bytes) {
          return sort_detail::segmented_sort<engine.value>(d_temp, bytes, d_items.data(), d_items.size(),
                                                           d_offsets.data(), offsets.size() - 1, less,
                                                           stream);
        },
        stream);
    EXPECT_TRUE(same_bytes(d_items.read(), expected));
  });
}

// Returns offsets of random segments of 0 to `largest` items.
offset_list random_offsets(std::uint64_t n, std::uint64_t largest) {
  std::mt19937_64 random(n + largest);
  offset_list offsets = {0, 0};
  while (offsets.back() < n) offsets.push_back(std::min(n, offsets.back() + random() % (largest + 1)));
  offsets.push_back(n);
  return offsets;
}

template <class T, class Engines = every_engine, class Less> void check_all_segments(Less less) {
  const gpu::stream stream;
  for (const std::uint64_t n : {0, 1, 2, 1025, 300'001})
    for (const auto& [name, bits] : distributions(n)) {
      SCOPED_TRACE(name + ", " + std::to_string(n));
      const std::vector<T> items = make_items<T>(bits);
      check_segments<Engines>(items, {0, n}, less, stream.get());
      check_segments<Engines>(items, {0, 0, n / 3, n / 3, n / 3, n, n}, less, stream.get());
      for (const std::uint64_t largest : {1, 40, 4096})
        check_segments<Engines>(items, random_offsets(n, largest), less, stream.get());
      if (testing::Test::HasFailure()) return;
    }
}

TEST_F(gpu_segmented_sort, u64) { check_all_segments<std::uint64_t>(ascending()); }
TEST_F(gpu_segmented_sort, record24_by_state) { check_all_segments<record24>(by_remainder{1000}); }
TEST_F(gpu_segmented_sort, i32_descending) { check_all_segments<std::int32_t, number_engines>(descending()); }
TEST_F(gpu_segmented_sort, f32) { check_all_segments<float, number_engines>(ascending()); }

// Returns the offsets of segments whose sizes are around those at which another kernel sorts them.
std::vector<offset_list> segment_shapes() {
  std::mt19937_64 random(11);
  std::vector<offset_list> shapes;
  const auto add = [&](std::size_t count, auto size) {
    offset_list offsets = {0};
    for (std::size_t i = 0; i < count; ++i) offsets.push_back(offsets.back() + size(i));
    shapes.push_back(std::move(offsets));
  };
  constexpr std::uint64_t edges[] = {32, 64, 128, 256, 1024, 4096, 5632, 8192};
  add(301, [](std::size_t i) { return i; });
  add(3 * std::size(edges), [&](std::size_t i) { return edges[i / 3] + i % 3 - 1; });
  add(9, [](std::size_t i) { return i % 2 * 20'000 + i * 5'003; }); // sizes that are sorted by levels
  add(20'000, [&](std::size_t i) { return i == 7'000 ? 300'000 : random() % 12; });
  add(5'000, [&](std::size_t) { return random() % 3; });
  add(700, [&](std::size_t i) { return random() % (std::uint64_t{1} << i % 14); });
  add(300, [&](std::size_t i) { return i % 2 == 0 ? 900 + random() % 900 : random() % 300; });
  add(4'000, [](std::size_t i) { return i == 1'234 ? 257 : 0; });
  add(1, [](std::size_t) { return 1'200'000; });
  // Up to 16,384 items are sorted without levels.
  add(40, [](std::size_t i) { return i * 17; });
  add(100, [](std::size_t) { return 100; });
  add(2, [](std::size_t i) { return i == 0 ? 8'193 : 256; });
  add(2, [](std::size_t) { return 8'192; });
  for (const std::uint64_t size : {8'192, 8'193, 16'383, 16'384, 16'385})
    add(1, [size](std::size_t) { return size; });
  return shapes;
}

using automatic_engine = std::tuple<engine_constant<device_engine::automatic_stable>>;

// Checks each shape with every distribution in turn, and with few distinct keys and equal keys.
template <class T, class Less> void check_segment_shapes(Less less) {
  const gpu::stream stream;
  std::size_t number = 0;
  for (const offset_list& offsets : segment_shapes()) {
    const auto inputs = distributions(offsets.back());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const auto& [name, bits] = inputs[i];
      if (i % 4 != number % 4 && name != "few distinct" && name != "all equal") continue;
      SCOPED_TRACE(name + ", shape " + std::to_string(number));
      check_segments<automatic_engine>(make_items<T>(bits), offsets, less, stream.get());
    }
    if (testing::Test::HasFailure()) return;
    ++number;
  }
}

TEST_F(gpu_segmented_sort, shapes_of_u8) { check_segment_shapes<std::uint8_t>(ascending()); }
TEST_F(gpu_segmented_sort, shapes_of_u16_descending) { check_segment_shapes<std::uint16_t>(descending()); }
TEST_F(gpu_segmented_sort, shapes_of_u32) { check_segment_shapes<std::uint32_t>(ascending()); }
TEST_F(gpu_segmented_sort, shapes_of_u64) { check_segment_shapes<std::uint64_t>(ascending()); }
TEST_F(gpu_segmented_sort, shapes_of_u128) { check_segment_shapes<uint128>(ascending()); }
TEST_F(gpu_segmented_sort, shapes_of_f32) { check_segment_shapes<float>(ascending()); }
TEST_F(gpu_segmented_sort, shapes_of_f64_descending) { check_segment_shapes<double>(descending()); }

// Up to 16,384 items are sorted without levels, and so by other kernels.
TEST_F(gpu_segmented_sort, without_levels) {
  const gpu::stream stream;
  for (const std::uint64_t n : {300, 5'000, 16'384})
    for (const std::uint64_t largest : {100, 600, 16'384})
      check_segments<automatic_engine>(make_items<std::uint64_t>(distributions(n)[0].second),
                                       random_offsets(n, largest), ascending(), stream.get());
}

TEST_F(gpu_segmented_sort, offsets_that_do_not_ascend) {
  const gpu::stream stream;
  for (const std::uint64_t n : {9'000, 20'000}) {
    const std::vector<std::uint64_t> items = make_items<std::uint64_t>(distributions(n)[0].second);
    for (const offset_list& offsets :
         {offset_list{0, 900, n + 1}, {1, 900, n}, {0, n - 1'000, 100, n}, {0, ~0ULL, n}}) {
      const device_items<std::uint64_t> d_items(items, stream.get()), d_offsets(offsets, stream.get());
      gpu::segmented_sort(d_items.data(), d_items.size(), d_offsets.data(), offsets.size() - 1, ascending(),
                          stream.get());
      std::vector<std::uint64_t> found = d_items.read(), expected = items;
      std::sort(found.begin(), found.end());
      std::sort(expected.begin(), expected.end());
      EXPECT_TRUE(same_bytes(found, expected));
    }
  }
}

// Checks that offsets, like items, may change before a graph is launched again.
TEST_F(gpu_segmented_sort, graph_replayed_for_other_segments) {
  const gpu::stream stream;
  constexpr std::uint64_t n = 100'000, segments = 2'000;
  const device_items<std::uint64_t> d_items(std::vector<std::uint64_t>(n), stream.get()),
      d_offsets(offset_list(segments + 1), stream.get());
  const auto call = [&](void* d_temp, std::size_t& bytes) {
    return gpu::segmented_sort_async(d_temp, bytes, d_items.data(), n, d_offsets.data(), segments,
                                     ascending(), stream.get());
  };
  storage_for storage(call, stream.get());
  const captured_graph graph([&] { return call(storage.data(), storage.bytes()); }, stream.get());
  for (const std::uint64_t large : {0, 30, 1'500, 6'000, 50'000}) { // the size of the first segment
    std::vector<std::uint64_t> items = make_items<std::uint64_t>(distributions(n)[0].second);
    offset_list offsets = {0, large};
    while (offsets.size() <= segments)
      offsets.push_back(large + (n - large) * (offsets.size() - 1) / (segments - 1));
    gpu::copy(d_items.data(), items.data(), n, stream.get(), "copy items");
    gpu::copy(d_offsets.data(), offsets.data(), offsets.size(), stream.get(), "copy offsets");
    graph.launch();
    for (std::size_t s = 0; s < segments; ++s)
      std::sort(items.data() + offsets[s], items.data() + offsets[s + 1]);
    EXPECT_TRUE(same_bytes(d_items.read(), items)) << large;
  }
}

// Checks the memory: n items, 1.5 n bytes and some MB, for any number of segments.
TEST_F(gpu_segmented_sort, memory) {
  if (!engine_constant<device_engine::sample_sort>::runs_here()) GTEST_SKIP() << "two radix sorts here";
  std::uint64_t* const none = nullptr;
  for (const std::uint64_t n : {std::uint64_t{1} << 10, std::uint64_t{1} << 20, std::uint64_t{1} << 30})
    for (const std::uint64_t segments : {std::uint64_t{1}, n / 1000 + 1, 2 * n}) {
      std::size_t bytes = 0;
      check(gpu::segmented_sort_async(nullptr, bytes, none, n, none, segments), "plan");
      EXPECT_LT(bytes, n * 19 / 2 + (1U << 20));
    }
}

class gpu_top_k : public gpu_suite {};

template <class T, class Less> void check_top_k(Less less) {
  const gpu::stream stream;
  for (const std::uint64_t n : {0, 1, 33, 1025, 300'001})
    for (const auto& [name, bits] : distributions(n)) {
      const std::vector<T> items = make_items<T>(bits);
      const std::vector<T> sorted = in_order(items, stable_order(items, less));
      const device_items<T> d_items(items, stream.get());
      for (const std::uint64_t k : {std::uint64_t{0}, std::uint64_t{1}, n / 7, n, n + 1}) {
        SCOPED_TRACE(name + ", " + std::to_string(n) + ", k " + std::to_string(k));
        const std::uint64_t kept = std::min(k, n);
        const device_items<T> top(std::vector<T>(kept), stream.get());
        gpu::top_k(d_items.data(), n, k, top.data(), less, stream.get());
        EXPECT_TRUE(
            same_bytes(top.read(), {sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(kept)}));
      }
      EXPECT_TRUE(same_bytes(d_items.read(), items));
      if (testing::Test::HasFailure()) return;
    }
}

TEST_F(gpu_top_k, f64_descending) { check_top_k<double>(descending()); }
TEST_F(gpu_top_k, record16) { check_top_k<record16>(by_key()); }

} // namespace

} // namespace weft::test
