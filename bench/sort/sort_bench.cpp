// Measures sorts on the CPU in items per second, on 2^20 and 2^26 items, beside Highway's vqsort, std::sort
// and std::stable_sort in the same run. Every timed result is checked.
#include <algorithm>
#include <bench/define.hpp>
#include <bench/rate.hpp>
#include <bench/sort/inputs.hpp>
#include <bit>
#include <cstdint>
#include <hwy/contrib/sort/vqsort.h>
#include <string>
#include <vector>
#include <weft/sort/sort.hpp>

namespace {

using weft_bench::define;

using weft_bench::by_key, weft_bench::record;

// Times `sort` on a fresh copy of the items in each iteration. The copying is not timed.
template <class T, class Sort, class Less>
void run(benchmark::State& state, const std::string& distribution, std::size_t n, Sort sort, Less less) {
  const std::vector<T> items = weft_bench::random_items<T>(distribution, n);
  std::vector<T> copy;
  for (auto _ : state) {
    state.PauseTiming();
    copy = items;
    state.ResumeTiming();
    sort(copy);
  }
  if (!std::is_sorted(copy.begin(), copy.end(), less)) state.SkipWithError("wrong answer");
  state.counters["items/s"] = weft_bench::rate(n);
}

template <class T>
void weft_sort(benchmark::State& state, std::string distribution, std::size_t n, int threads) {
  run<T>(
      state, distribution, n,
      [&](auto& items) {
        weft::sort(items, weft::ascending(), {.device = {weft::device_kind::cpu}, .threads = threads});
      },
      weft::ascending());
}

template <class T> void vqsort(benchmark::State& state, std::string distribution, std::size_t n) {
  const hwy::Sorter sorter;
  run<T>(
      state, distribution, n,
      [&](auto& items) {
        if constexpr (sizeof(T) == 16)
          sorter(reinterpret_cast<hwy::uint128_t*>(items.data()), items.size(), hwy::SortAscending());
        else
          sorter(items.data(), items.size(), hwy::SortAscending());
      },
      weft::ascending());
}

void records(benchmark::State& state, std::string algorithm, std::size_t n, int threads) {
  run<record>(
      state, "uniform", n,
      [&](auto& items) {
        if (algorithm == "std::stable_sort")
          std::stable_sort(items.begin(), items.end(), by_key);
        else if (algorithm == "std::sort")
          std::sort(items.begin(), items.end(), by_key);
        else if (algorithm == "sample-merge")
          weft::sort(items, by_key, {.engine = algorithm, .threads = threads});
        else
          weft::stable_sort(items, by_key, {.engine = algorithm, .threads = threads});
      },
      by_key);
}

template <class T> void define_numbers(const std::string& type) {
  for (const std::size_t n : {std::size_t{1} << 20, std::size_t{1} << 26}) {
    const std::string at = "/2^" + std::to_string(std::countr_zero(n));
    define("vqsort alone/" + type + "/uniform" + at, vqsort<T>, "uniform", n);
    for (const int threads : {1, 2})
      define("sort/" + type + "/uniform" + at + "/threads:" + std::to_string(threads), weft_sort<T>,
             "uniform", n, threads);
  }
}

const bool defined = [] {
  define_numbers<std::uint32_t>("u32");
  define_numbers<std::uint64_t>("u64");
  define_numbers<double>("f64");
  define_numbers<weft::uint128>("u128");
  const std::size_t large_size = std::size_t{1} << 26;
  for (const std::string distribution : {"16 values", "zipf", "entropy 0.2"}) {
    define("vqsort alone/u64/" + distribution + "/2^26", vqsort<std::uint64_t>, distribution, large_size);
    for (const int threads : {1, 2})
      define("sort/u64/" + distribution + "/2^26/threads:" + std::to_string(threads),
             weft_sort<std::uint64_t>, distribution, large_size, threads);
  }
  const std::size_t medium_size = std::size_t{1} << 24;
  define("records of 16 bytes/std::stable_sort/2^24", records, "std::stable_sort", medium_size, 1);
  define("records of 16 bytes/std::sort/2^24", records, "std::sort", medium_size, 1);
  for (const int threads : {1, 2})
    for (const std::string engine : {"merge", "sample-merge"})
      define("records of 16 bytes/" + engine + "/2^24/threads:" + std::to_string(threads), records, engine,
             medium_size, threads);
  return true;
}();

} // namespace
