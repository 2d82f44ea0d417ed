// Sorts keys with values, and positions, in device memory, with every engine.
#include <random>
#include <test/sort/sort_gpu_cases.cuh>

namespace weft::test {

namespace {

class gpu_sort_pairs : public gpu_suite {};

template <class Key, class Value, class Engines = every_engine, class Less = ascending>
void all_inputs(Less less = {}) {
  const gpu::stream stream;
  for_each_input([&](const std::vector<std::uint64_t>& bits) {
    check_pairs<Value, Engines>(make_items<Key>(bits), less, stream.get());
  });
}

TEST_F(gpu_sort_pairs, u32_and_u32) { all_inputs<std::uint32_t, std::uint32_t>(); }
TEST_F(gpu_sort_pairs, u64_and_u32) { all_inputs<std::uint64_t, std::uint32_t>(); }
TEST_F(gpu_sort_pairs, u32_and_64_bytes) { all_inputs<std::uint32_t, record64>(); }
TEST_F(gpu_sort_pairs, records_and_u32) { all_inputs<record16, std::uint32_t>(by_key()); }
TEST_F(gpu_sort_pairs, u64_and_u64) { all_inputs<std::uint64_t, std::uint64_t, number_engines>(); }
TEST_F(gpu_sort_pairs, u8_and_16_bytes) { all_inputs<std::uint8_t, record16, number_engines>(); }
TEST_F(gpu_sort_pairs, f64_and_u8_descending) {
  all_inputs<double, std::uint8_t, number_engines>(descending());
}
TEST_F(gpu_sort_pairs, u128_and_u64) { all_inputs<uint128, std::uint64_t, number_engines>(); }

template <class Key, class Value, class Less> void check_edges(Less less) {
  const gpu::stream stream;
  std::vector<std::uint64_t> sizes = edges(sort_detail::thresholds_of_pairs<Key, Value, Less, true>());
  const std::vector<std::uint64_t> unstable =
      edges(sort_detail::thresholds_of_pairs<Key, Value, Less, false>());
  sizes.insert(sizes.end(), unstable.begin(), unstable.end());
  for (const std::uint64_t n : sizes) {
    SCOPED_TRACE(n);
    std::mt19937_64 random(n);
    std::vector<std::uint64_t> bits(n);
    for (std::uint64_t& each : bits) each = random() >> random() % 60;
    check_pairs<Value, automatic_engines>(make_items<Key>(bits), less, stream.get());
  }
}
TEST_F(gpu_sort_pairs, automatic_at_its_edges) {
  check_edges<std::uint32_t, std::uint32_t>(ascending());
  check_edges<std::uint64_t, std::uint32_t>(ascending());
  check_edges<std::uint64_t, std::uint64_t>(ascending());
  check_edges<std::uint8_t, record16>(ascending());
  check_edges<double, std::uint8_t>(descending());
  check_edges<uint128, std::uint64_t>(ascending());
}

class gpu_argsort : public gpu_suite {};

template <class T, class Index, class Engines = every_engine, class Less = ascending>
void all_orders(Less less = {}) {
  const gpu::stream stream;
  for_each_input([&](const std::vector<std::uint64_t>& bits) {
    check_argsort<Index, Engines>(make_items<T>(bits), less, stream.get());
  });
}

TEST_F(gpu_argsort, u64_u32) { all_orders<std::uint64_t, std::uint32_t>(); }
TEST_F(gpu_argsort, f64_u64_descending) { all_orders<double, std::uint64_t, number_engines>(descending()); }
TEST_F(gpu_argsort, record24_u32) { all_orders<record24, std::uint32_t>(by_key()); }

} // namespace

} // namespace weft::test
