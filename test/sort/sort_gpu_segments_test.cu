// Segments, and the first k, of items in device memory.
#include <test/sort/sort_gpu_cases.cuh>

namespace weft::test {

namespace {

// Every way to cut up to five items into up to four segments.
TEST(segment_starts, of_each_item) {
  for (std::uint64_t code = 0; code < 6 * 6 * 6 * 6; ++code) {
    std::vector<std::uint64_t> offsets = {0, code % 6, code / 6 % 6, code / 36 % 6, code / 216};
    if (!std::is_sorted(offsets.begin(), offsets.end())) continue;
    const gpu::detail::segment_starts<std::uint32_t> starts{offsets.data(), offsets.size() - 1};
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
      for (std::uint64_t i = offsets[s]; i < offsets[s + 1]; ++i) EXPECT_EQ(starts.of(i), offsets[s]);
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
    const device_items<T> there(items, stream);
    enqueue(
        [&](void* d_temp, std::size_t& bytes) {
          return gpu::detail::segmented_sort<engine.value>(
              d_temp, bytes, there.data(), there.size(), d_offsets.data(), offsets.size() - 1, less, stream);
        },
        stream);
    EXPECT_TRUE(same_bytes(there.read(), expected));
  });
}

// Segments of 0 to `largest` items.
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

class gpu_top_k : public gpu_suite {};

template <class T, class Less> void check_top_k(Less less) {
  const gpu::stream stream;
  for (const std::uint64_t n : {0, 1, 33, 1025, 300'001})
    for (const auto& [name, bits] : distributions(n)) {
      const std::vector<T> items = make_items<T>(bits);
      const std::vector<T> sorted = in_order(items, stable_order(items, less));
      const device_items<T> there(items, stream.get());
      for (const std::uint64_t k : {std::uint64_t{0}, std::uint64_t{1}, n / 7, n, n + 1}) {
        SCOPED_TRACE(name + ", " + std::to_string(n) + ", k " + std::to_string(k));
        const std::uint64_t kept = std::min(k, n);
        const device_items<T> top(std::vector<T>(kept), stream.get());
        gpu::top_k(there.data(), n, k, top.data(), less, stream.get());
        EXPECT_TRUE(
            same_bytes(top.read(), {sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(kept)}));
      }
      EXPECT_TRUE(same_bytes(there.read(), items));
      if (testing::Test::HasFailure()) return;
    }
}

TEST_F(gpu_top_k, f64_descending) { check_top_k<double>(descending()); }
TEST_F(gpu_top_k, record16) { check_top_k<record16>(by_key()); }

} // namespace

} // namespace weft::test
