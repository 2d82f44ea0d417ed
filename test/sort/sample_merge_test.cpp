// Tests sample_merge_sort as a whole, with tiles so small that there are many tiles, buckets and passes.
#include <atomic>
#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>
#include <weft/base/error.hpp>
#include <weft/sort/published/sample_merge.hpp>

#include "block_cases.hpp"
#include "sort_cases.hpp"

namespace weft::test {

namespace {

std::vector<sample_merge_options> shapes() {
  std::vector<sample_merge_options> result = {{}};
  for (const std::uint32_t num_buckets : {0U, 1U, 2U, 16U, 128U})
    for (const std::uint32_t tile_size : {7U, 64U})
      for (const bool transpose : {false, true})
        for (const bool align : {false, true})
          result.push_back({.num_buckets = num_buckets,
                            .tile_size = tile_size,
                            .transpose = transpose,
                            .align = align,
                            .block_threads = align ? 1 : 3});
  return result;
}

std::string describe(const sample_merge_options& o) {
  return "k " + std::to_string(o.num_buckets) + ", tile " + std::to_string(o.tile_size) + ", transpose " +
         std::to_string(o.transpose) + ", align " + std::to_string(o.align);
}

struct record { // 16 bytes
  std::uint32_t key;
  std::uint32_t origin;
  std::uint64_t payload;
  bool operator==(const record&) const = default;
};
struct odd_record { // 12 bytes: not a power of two
  std::uint32_t origin, key, rest;
  bool operator==(const odd_record&) const = default;
};

template <class T> T made(std::uint64_t x, std::uint32_t i) {
  if constexpr (std::is_same_v<T, record>)
    return {static_cast<std::uint32_t>(x), i, x};
  else if constexpr (std::is_same_v<T, odd_record>)
    return {i, static_cast<std::uint32_t>(x), 5};
  else
    return static_cast<T>(x);
}
struct less_of_any {
  template <class T> bool operator()(const T& a, const T& b) const {
    if constexpr (std::is_arithmetic_v<T>)
      return a < b;
    else
      return a.key < b.key;
  }
};
struct total_less {
  template <class T> bool operator()(const T& a, const T& b) const {
    if constexpr (std::is_arithmetic_v<T>)
      return a < b;
    else
      return a.key != b.key ? a.key < b.key : a.origin < b.origin;
  }
};

template <class T> std::vector<T> made_of(const std::vector<std::uint64_t>& values) {
  std::vector<T> items;
  for (std::uint32_t i = 0; i < values.size(); ++i) items.push_back(made<T>(values[i], i));
  return items;
}

// Checks that the result is sorted by its comparator and has the same items as the input.
template <class T>
void check(std::vector<T> items, const sample_merge_options& options, int threads, const std::string& name) {
  std::vector<T> expected = items;
  std::sort(expected.begin(), expected.end(), total_less());
  sample_merge_sort(std::span(items), less_of_any(), options, threads);
  ASSERT_TRUE(std::is_sorted(items.begin(), items.end(), less_of_any())) << name << ", " << describe(options);
  std::sort(items.begin(), items.end(), total_less());
  ASSERT_TRUE(items == expected) << name << ", " << describe(options);
}

template <class T> struct sample_merge_of : testing::Test {};
using types = testing::Types<bool, std::uint8_t, std::uint32_t, std::uint64_t, record, odd_record>;
TYPED_TEST_SUITE(sample_merge_of, types);

TYPED_TEST(sample_merge_of, any_distribution) {
  if constexpr (!std::is_same_v<TypeParam, bool>) // vector<bool> cannot be a span
    for (const std::uint64_t n : {1000, 4096})
      for (const auto& [name, values] : distributions(n))
        for (const sample_merge_options& options : shapes())
          check(made_of<TypeParam>(values), options, n == 1000 ? 1 : 3, name);
  else {
    bool items[] = {true, false, true, true, false};
    sample_merge_sort(std::span<bool>(items), std::less<>(), {.num_buckets = 4, .tile_size = 2});
    EXPECT_TRUE(std::is_sorted(std::begin(items), std::end(items)));
  }
}

TEST(sample_merge, of_sizes_around_the_edges_of_tiles) {
  for (const sample_merge_options& options : shapes())
    for (std::uint64_t n = 0; n <= 200; n += n < 135 ? 1 : 13)
      check(made_of<std::uint32_t>(distributions(n)[0].second), options, 2, std::to_string(n));
}

TEST(sample_merge, of_large_inputs) {
  for (const auto& [name, values] : distributions(400'000)) {
    check(made_of<std::uint64_t>(values), {}, 2, name);
    check(made_of<record>(values), {.tile_size = 512}, 3, name);
  }
}

TEST(sample_merge, of_all_small_inputs) {
  for (int n = 0; n <= 8; ++n)
    for_each_sequence(n, 3, [&](const std::vector<int>& keys) {
      std::vector<int> expected = keys;
      std::sort(expected.begin(), expected.end());
      for (const std::uint32_t num_buckets : {1U, 2U, 4U})
        for (const std::uint32_t tile_size : {1U, 2U, 3U})
          for (const int block_threads : {1, 3}) {
            std::vector<int> items = keys;
            sample_merge_sort(std::span(items), std::less<>(),
                              {.num_buckets = num_buckets,
                               .tile_size = tile_size,
                               .oversampling = 2,
                               .block_threads = block_threads},
                              1);
            ASSERT_EQ(items, expected);
          }
    });
}

// Makes every sampled item the same, so that all others fall into one bucket.
TEST(sample_merge, of_samples_that_mislead) {
  constexpr std::uint64_t n = 20'000;
  for (const std::uint64_t lie : {std::uint64_t{0}, std::uint64_t{500'000}, ~std::uint64_t{0}}) {
    std::mt19937_64 random(1);
    std::vector<std::uint64_t> values(n);
    for (std::uint64_t& value : values) value = random() % 1'000'000;
    for (std::uint32_t i = 0; i < 64 * 4; ++i)
      values[base_detail::mixed(base_detail::mixed(9) ^ i) % n] = lie;
    for (const std::uint32_t tile_size : {50U, 1000U})
      check(values, {.num_buckets = 64, .tile_size = tile_size, .oversampling = 4, .seed = 9}, 2, "misled");
  }
}

TEST(sample_merge, gives_the_same_on_any_number_of_threads) {
  const std::vector<record> items = made_of<record>(distributions(50'000)[6].second); // few distinct keys
  std::vector<record> one = items;
  sample_merge_sort(std::span(one), less_of_any(), {.tile_size = 256}, 1);
  for (const int threads : {2, 3, 8}) {
    std::vector<record> by_threads = items;
    sample_merge_sort(std::span(by_threads), less_of_any(), {.tile_size = 256}, threads);
    EXPECT_EQ(by_threads, one);
  }
}

TEST(sample_merge, passes_on_what_the_comparator_throws) {
  std::vector<std::uint64_t> items = distributions(10'000)[0].second;
  std::atomic<int> calls{0};
  const auto less = [&](std::uint64_t a, std::uint64_t b) {
    if (++calls == 60'000) throw std::runtime_error("enough");
    return a < b;
  };
  EXPECT_THROW(sample_merge_sort(std::span(items), less, {.tile_size = 64}, 2), std::runtime_error);
}

TEST(sample_merge, touches_no_other_memory_without_an_order) {
  std::vector<double> items;
  const std::vector<std::uint64_t> values = distributions(10'000)[0].second;
  for (const std::uint64_t value : values)
    items.push_back(value % 3 == 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(value));
  for (const std::uint32_t num_buckets : {1U, 16U})
    sample_merge_sort(std::span(items), std::less<>(), {.num_buckets = num_buckets, .tile_size = 64}, 2);
}

TEST(sample_merge, refuses_options_out_of_range) {
  std::vector<int> items = {2, 1};
  for (const sample_merge_options& options :
       {sample_merge_options{.num_buckets = 3}, sample_merge_options{.num_buckets = 1U << 17},
        sample_merge_options{.tile_size = (1U << 20) + 1},
        sample_merge_options{.num_buckets = 65536, .oversampling = 17},
        sample_merge_options{.block_threads = 0}})
    EXPECT_THROW(sample_merge_sort(std::span(items), std::less<>(), options), std::invalid_argument);
  EXPECT_EQ(items, (std::vector<int>{2, 1}));
}

} // namespace
} // namespace weft::test
