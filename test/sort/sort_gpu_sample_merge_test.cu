// Tests engine sample-merge by itself: its options, its shapes, and misleading samples.
#include <test/sort/sort_gpu_cases.cuh>

namespace weft::test {

namespace {

using gpu::sample_merge_options, gpu::sample_merge_sort;
using sort_detail::sample_merge_shape, sort_detail::tile_shape;

// These tests need no device.
TEST(sample_merge_arguments, options_out_of_range) {
  std::size_t bytes = 0;
  std::uint64_t* const nothing = nullptr;
  for (const sample_merge_options& options :
       {sample_merge_options{.num_buckets = 3}, sample_merge_options{.num_buckets = 2048},
        sample_merge_options{.num_buckets = 128, .oversampling = 129}})
    EXPECT_EQ(sample_merge_sort(nullptr, bytes, nothing, 1000, ascending(), nullptr, options),
              cudaErrorInvalidValue);
}

// Checks the oracle for unstable sorts: items may only change places with equal items.
TEST(sample_merge_oracle, tells_a_sort_from_what_is_none) {
  using items = std::vector<record16>;
  const items sorted = {{1, 0}, {2, 1}, {2, 2}, {2, 3}, {5, 4}};
  const auto passes = [&](const items& found) { return same_but_for_equals(found, sorted, by_key()); };
  EXPECT_TRUE(passes(sorted));
  EXPECT_TRUE(passes({{1, 0}, {2, 3}, {2, 1}, {2, 2}, {5, 4}}));
  EXPECT_FALSE(passes({{2, 1}, {1, 0}, {2, 2}, {2, 3}, {5, 4}})) << "out of order";
  EXPECT_FALSE(passes({{1, 0}, {2, 1}, {2, 1}, {2, 3}, {5, 4}})) << "one twice, one lost";
  EXPECT_FALSE(passes({{1, 0}, {2, 1}, {2, 2}, {2, 3}})) << "one lost";
  EXPECT_FALSE(is_right<true>(items{{1, 0}, {2, 3}, {2, 1}, {2, 2}, {5, 4}}, sorted, by_key()))
      << "not stable";
  using numbers = std::vector<std::uint32_t>;
  const numbers keys = {1, 2, 2};
  const auto passes_with = [&](const numbers& values) {
    return same_but_for_equals(packed(keys, values), packed(keys, numbers{7, 8, 9}),
                               [](const auto& a, const auto& b) { return a.key() < b.key(); });
  };
  EXPECT_TRUE(passes_with({7, 9, 8}));
  EXPECT_FALSE(passes_with({9, 8, 7})) << "values left behind";
}

class gpu_sample_merge : public gpu_suite {
protected:
  void SetUp() override {
    gpu_suite::SetUp();
    if (!IsSkipped() && !sample_merge_engine::runs_here())
      GTEST_SKIP() << "the GPU has too little shared memory a block";
  }
};

template <class T, class Less, class Shape = sort_detail::default_shape<T>>
void check_options(const std::vector<T>& items, Less less, const sample_merge_options& options,
                   cudaStream_t stream) {
  SCOPED_TRACE("k " + std::to_string(options.num_buckets) + (options.transpose ? ", transposed" : "") +
               (options.align ? ", aligned" : ""));
  const device_items<T> d_items(items, stream);
  enqueue(
      [&](void* d_temp, std::size_t& bytes) {
        return sample_merge_sort<T, Less, Shape>(d_temp, bytes, d_items.data(), d_items.size(), less, stream,
                                                 options);
      },
      stream);
  std::vector<T> expected = items;
  std::stable_sort(expected.begin(), expected.end(), less);
  EXPECT_TRUE(is_right<false>(d_items.read(), expected, less));
}

template <class T, class Less, class Shape = sort_detail::default_shape<T>>
void check_all_options(Less less, std::initializer_list<std::uint64_t> sizes) {
  const gpu::stream stream;
  for (const std::uint64_t n : sizes)
    for (const auto& [name, bits] : distributions(n)) {
      SCOPED_TRACE(name + ", " + std::to_string(n));
      const std::vector<T> items = make_items<T>(bits);
      for (const std::uint32_t k : {1, 2, 128, 1024})
        for (const bool transpose : {false, true})
          for (const bool align : {false, true})
            check_options<T, Less, Shape>(
                items, less, {.num_buckets = k, .seed = n, .transpose = transpose, .align = align},
                stream.get());
      if (testing::Test::HasFailure()) return;
    }
}

TEST_F(gpu_sample_merge, options_of_numbers) {
  check_all_options<std::uint64_t>(ascending(), {2, 33, 4095, 8193, 200'003});
}
TEST_F(gpu_sample_merge, options_of_records) {
  check_all_options<record24>(by_key(), {2, 33, 1023, 2049, 100'003});
}

// A record for which relocation needs slightly less dynamic shared memory than a kernel may use without a
// request.
template <int Bytes> struct wide_record {
  std::uint32_t key;
  std::uint32_t payload[Bytes / 4 - 1];
};
template <int Bytes> void check_wide_records() {
  const gpu::stream stream;
  std::vector<wide_record<Bytes>> items(50'000);
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    items[i].key = i * 2'654'435'761U;
    std::fill(std::begin(items[i].payload), std::end(items[i].payload), i);
  }
  check_options(items, by_key(), {.num_buckets = 128}, stream.get());
}
TEST_F(gpu_sample_merge, little_dynamic_shared_memory) {
  check_wide_records<20>();
  check_wide_records<40>();
}

// Uses small tiles for many passes, merges of an odd number of items per thread, and merges that load more
// than the registers hold.
TEST_F(gpu_sample_merge, other_shapes) {
  using odd = sample_merge_shape<tile_shape<160, 2>, tile_shape<128, 5>, tile_shape<128, 3>>;
  using past_registers = sample_merge_shape<tile_shape<160, 2>, tile_shape<160, 4>, tile_shape<128, 8>, true>;
  check_all_options<std::uint64_t, ascending, odd>(ascending(), {319, 321, 70'001});
  check_all_options<std::uint64_t, ascending, past_registers>(ascending(), {319, 321, 70'001});
}

TEST_F(gpu_sample_merge, fewer_and_more_samples) {
  const gpu::stream stream;
  const std::vector<std::uint64_t> items = make_items<std::uint64_t>(distributions(100'000)[0].second);
  for (const std::uint32_t oversampling : {1, 7, 64, 128})
    check_options(items, ascending(), {.num_buckets = 128, .oversampling = oversampling}, stream.get());
}

// Makes every sampled item the smallest, the greatest, or the same, so that one bucket gets everything.
TEST_F(gpu_sample_merge, samples_that_mislead) {
  const gpu::stream stream;
  const std::uint64_t n = 1'500'000, max_samples = 1 << 14, seed = 1;
  const std::vector<std::uint64_t> random = distributions(n)[0].second;
  for (const std::uint64_t lure : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
    std::vector<std::uint64_t> items = random;
    for (std::uint64_t i = 0; i < max_samples; ++i)
      items[weft::base_detail::mixed(weft::base_detail::mixed(seed) ^ i) % n] = lure;
    for (const std::uint32_t k : {0, 1024})
      check_options(items, ascending(), {.num_buckets = k, .seed = seed}, stream.get());
  }
}

TEST_F(gpu_sample_merge, two_streams_at_once) {
  const gpu::stream first, second;
  const std::vector<std::uint64_t> numbers = distributions(1'200'000)[0].second;
  const std::vector<record24> records = make_items<record24>(distributions(400'000)[0].second);
  std::vector<std::uint64_t> sorted_numbers = numbers;
  std::sort(sorted_numbers.begin(), sorted_numbers.end());
  std::vector<record24> sorted_records = records;
  std::stable_sort(sorted_records.begin(), sorted_records.end(), by_key());
  const auto sort = [](const auto& d_items, auto less, cudaStream_t stream) {
    enqueue(
        [&](void* d_temp, std::size_t& bytes) {
          return sample_merge_sort(d_temp, bytes, d_items.data(), d_items.size(), less, stream);
        },
        stream);
  };
  for (int round = 0; round < 10; ++round) {
    const device_items<std::uint64_t> one(numbers, first.get());
    const device_items<record24> two(records, second.get());
    sort(one, ascending(), first.get());
    sort(two, by_key(), second.get());
    ASSERT_TRUE(same_bytes(one.read(), sorted_numbers));
    ASSERT_TRUE(same_but_for_equals(two.read(), sorted_records, by_key()));
  }
}

} // namespace

} // namespace weft::test
