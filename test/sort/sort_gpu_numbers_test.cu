// Sorts numbers in device memory, in both orders, with every engine.
#include <random>
#include <test/sort/sort_gpu_cases.cuh>

namespace weft::test {

namespace {

struct number_names {
  template <class T> static std::string GetName(int) {
    const std::string kind = std::floating_point<T>                   ? "f"
                             : static_cast<T>(-1) < static_cast<T>(0) ? "i"
                                                                      : "u";
    return kind + std::to_string(sizeof(T) * 8);
  }
};

// Every engine sorts one type of each size that has its own tiles.
template <class T> class gpu_sort_numbers : public gpu_suite {};
using numbers = testing::Types<std::uint8_t, std::int32_t, std::uint64_t>;
TYPED_TEST_SUITE(gpu_sort_numbers, numbers, number_names);

TYPED_TEST(gpu_sort_numbers, all_distributions) {
  const gpu::stream stream;
  for_each_input([&](const std::vector<std::uint64_t>& bits) {
    check_sort(make_items<TypeParam>(bits), ascending(), stream.get());
  });
}

// The engines that depend on the bits of numbers sort the other types.
template <class T> class gpu_sort_kinds_of_numbers : public gpu_suite {};
using kinds = testing::Types<std::int16_t, float, double, int128>;
TYPED_TEST_SUITE(gpu_sort_kinds_of_numbers, kinds, number_names);

TYPED_TEST(gpu_sort_kinds_of_numbers, ascending) {
  const gpu::stream stream;
  for_each_input([&](const std::vector<std::uint64_t>& bits) {
    check_sort<number_engines>(make_items<TypeParam>(bits), weft::ascending(), stream.get());
  });
}

TYPED_TEST(gpu_sort_kinds_of_numbers, descending) {
  const gpu::stream stream;
  for_each_input([&](const std::vector<std::uint64_t>& bits) {
    if (bits.size() <= 100'000)
      check_sort<number_engines>(make_items<TypeParam>(bits), weft::descending(), stream.get());
  });
}

// Includes items that all equal the value that fills up a tile.
template <class T> void check_edges(cudaStream_t stream) {
  for (const std::uint64_t n : edges(sort_detail::thresholds_of_keys<T>())) {
    SCOPED_TRACE(n);
    std::mt19937_64 random(n);
    std::vector<std::uint64_t> bits(n);
    for (std::uint64_t& each : bits) each = random() >> random() % 60;
    check_sort<automatic_engines>(make_items<T>(bits), ascending(), stream);
    check_sort<automatic_engines>(make_items<T>(bits), descending(), stream);
    check_sort<automatic_engines>(std::vector<T>(n, number_of_ordered_bits<T>(~ordered_bits_t<T>{0})),
                                  ascending(), stream);
  }
}
TYPED_TEST(gpu_sort_numbers, automatic_at_its_edges) { check_edges<TypeParam>(gpu::stream().get()); }
TYPED_TEST(gpu_sort_kinds_of_numbers, automatic_at_its_edges) { check_edges<TypeParam>(gpu::stream().get()); }

class gpu_sort_orders : public gpu_suite {};

// cuda::std::less and cuda::std::greater of integers are recognized; of floats they treat -0 and +0 as equal.
TEST_F(gpu_sort_orders, comparators_of_the_standard_library) {
  const gpu::stream stream;
  for_each_input([&](const std::vector<std::uint64_t>& bits) {
    if (bits.size() > 100'000) return;
    check_sort<number_engines>(make_items<std::int32_t>(bits), cuda::std::less<>(), stream.get());
    check_sort<number_engines>(make_items<std::uint64_t>(bits), cuda::std::greater<std::uint64_t>(),
                               stream.get());
    std::vector<float> zeros;
    for (const std::uint64_t x : bits) zeros.push_back(x % 3 == 0 ? -0.0F : static_cast<float>(x % 3) - 1);
    check_sort(zeros, cuda::std::less<>(), stream.get());
  });
}

} // namespace

} // namespace weft::test
