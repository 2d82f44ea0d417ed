// Sorts records in device memory by comparators of all kinds.
#include <test/sort/sort_gpu_cases.cuh>

namespace weft::test {

namespace {

template <class T> class gpu_sort_records : public gpu_suite {};

using records = testing::Types<record24, record64>;
struct record_names {
  template <class T> static std::string GetName(int) { return std::to_string(sizeof(T)) + "_bytes"; }
};
TYPED_TEST_SUITE(gpu_sort_records, records, record_names);

TYPED_TEST(gpu_sort_records, by_a_field) {
  const gpu::stream stream;
  for_each_input([&](const std::vector<std::uint64_t>& bits) {
    check_sort(make_items<TypeParam>(bits), by_key(), stream.get());
  });
}

struct by_rank {
  const std::uint32_t* ranks;
  WEFT_HOST_DEVICE bool operator()(std::uint8_t a, std::uint8_t b) const { return ranks[a] < ranks[b]; }
};

class gpu_sort_comparators : public gpu_suite {};

TEST_F(gpu_sort_comparators, with_state) {
  const gpu::stream stream;
  for_each_input([&](const std::vector<std::uint64_t>& bits) {
    if (bits.size() <= 100'000)
      check_sort(make_items<record24>(bits), by_remainder{bits.size() / 2 + 3}, stream.get());
  });
}

TEST_F(gpu_sort_comparators, read_device_memory) {
  const gpu::stream stream;
  std::vector<std::uint32_t> ranks(256);
  // many symbols have the same rank
  for (std::uint32_t i = 0; i < ranks.size(); ++i) ranks[i] = i * 77 % 101;
  const device_items<std::uint32_t> d_ranks(ranks, stream.get());
  std::vector<std::uint8_t> items(54'321);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<std::uint8_t>(i * i % 251);
  std::vector<std::uint8_t> expected = items;
  std::stable_sort(expected.begin(), expected.end(), by_rank{ranks.data()});
  const device_items<std::uint8_t> d_items(items, stream.get());
  gpu::stable_sort(d_items.data(), d_items.size(), by_rank{d_ranks.data()}, stream.get());
  EXPECT_EQ(d_items.read(), expected);
}

// A record whose size is odd.
template <int Size> struct odd_record {
  std::uint8_t key;
  std::uint8_t payload[Size - 1];
};
template <int Size, class Engines = every_engine> void check_odd_record() {
  const gpu::stream stream;
  for (const std::uint64_t n : {33, 5000}) {
    std::vector<odd_record<Size>> items(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      items[i].key = static_cast<std::uint8_t>(i * 131 % 251);
      for (std::uint8_t& byte : items[i].payload) byte = static_cast<std::uint8_t>(i);
    }
    check_sort<Engines>(items, by_key(), stream.get());
  }
}

TEST_F(gpu_sort_comparators, types_of_odd_sizes) {
  check_odd_record<3, std::tuple<engine_constant<device_engine::merge>>>();
  check_odd_record<33>();
}

} // namespace

} // namespace weft::test
