// The suite of `weft-bench sort`.
#include <algorithm>
#include <bench/bench.hpp>
#include <bench/gpu.hpp>
#include <bench/kept_input.hpp>
#include <bench/sort/inputs.hpp>
#include <fmt/format.h>
#include <hwy/contrib/sort/vqsort.h>
#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>
#include <typeinfo>
#include <weft/base/parallel.hpp>
#include <weft/io/checksum.hpp>
#include <weft/sort/sort.hpp>

namespace weft::bench {

namespace {

enum class item_kind { u32, u64, f64, u128, record16 };

// The definition of a case: 2^log2_count items of a type and distribution.
struct definition {
  const char *kind, *distribution;
  item_kind items;
  int log2_count;
  bool on_request = false;
};

constexpr definition definitions[] = {
    {"u64-uniform", "uniform", item_kind::u64, 10},
    {"u64-uniform", "uniform", item_kind::u64, 16},
    {"u64-uniform", "uniform", item_kind::u64, 20},
    {"u64-uniform", "uniform", item_kind::u64, 24},
    {"u64-zipf", "zipf", item_kind::u64, 20},
    {"u64-zipf", "zipf", item_kind::u64, 24},
    {"u32-uniform", "uniform", item_kind::u32, 20},
    {"u32-uniform", "uniform", item_kind::u32, 24},
    {"f64-uniform", "uniform", item_kind::f64, 20},
    {"f64-uniform", "uniform", item_kind::f64, 24},
    {"records-by-comparator", "uniform", item_kind::record16, 16},
    {"records-by-comparator", "uniform", item_kind::record16, 22},
    {"u64-uniform", "uniform", item_kind::u64, 26, true},
    {"u64-uniform", "uniform", item_kind::u64, 28},
    {"u64-zipf", "zipf", item_kind::u64, 26, true},
    {"u64-16-values", "16 values", item_kind::u64, 20, true},
    {"u64-16-values", "16 values", item_kind::u64, 26, true},
    {"u64-entropy-0.2", "entropy 0.2", item_kind::u64, 20, true},
    {"u64-entropy-0.2", "entropy 0.2", item_kind::u64, 26, true},
    {"u64-normal", "normal", item_kind::u64, 20, true},
    {"u64-exponential", "exponential", item_kind::u64, 20, true},
    {"u32-uniform", "uniform", item_kind::u32, 26, true},
    {"f64-uniform", "uniform", item_kind::f64, 26, true},
    {"u128-uniform", "uniform", item_kind::u128, 20, true},
    {"u128-uniform", "uniform", item_kind::u128, 26, true},
    {"records-by-comparator", "uniform", item_kind::record16, 24, true},
};

// The expected digest of the sorted items of a case.
struct answer {
  std::string_view distribution;
  item_kind items;
  int log2_count;
  std::uint64_t digest; // XXH3 of the sorted items
};

constexpr answer answers[] = {
    {"uniform", item_kind::u64, 10, 0xe8008574a5b85ed7},
    {"uniform", item_kind::u64, 16, 0x462146bf09a5a9d1},
    {"uniform", item_kind::u64, 18, 0x38973cce98c01511},
    {"uniform", item_kind::u64, 20, 0x890ce39d6c1d17c2},
    {"uniform", item_kind::u64, 22, 0x4878ed2762c7035e},
    {"uniform", item_kind::u64, 24, 0x700ecb47820e6f4b},
    {"uniform", item_kind::u64, 25, 0x30d3955822ac2e27},
    {"uniform", item_kind::u64, 26, 0xf7f7cddad48a5b71},
    {"uniform", item_kind::u64, 27, 0x8f90969e07f9a037},
    {"uniform", item_kind::u64, 28, 0x98eafd8a174a97bf},
    {"zipf", item_kind::u64, 20, 0x67ae074fdfa95355},
    {"zipf", item_kind::u64, 24, 0x23d0bdbe98923cee},
    {"uniform", item_kind::u32, 16, 0x7876dd2441ea8c7a},
    {"uniform", item_kind::u32, 18, 0x0f46715fb92760ec},
    {"uniform", item_kind::u32, 20, 0x6998cc5401eb6fb3},
    {"uniform", item_kind::u32, 22, 0xc5efe25abca3e7fe},
    {"uniform", item_kind::u32, 24, 0x2679c6af2b095915},
    {"uniform", item_kind::u32, 25, 0x93ce91557322110e},
    {"uniform", item_kind::u32, 26, 0x2cdf9b6dfb416c68},
    {"uniform", item_kind::u32, 27, 0xc4f58339c4dbad84},
    {"uniform", item_kind::u32, 28, 0x2e4b7b098c533dc1},
    {"uniform", item_kind::f64, 20, 0x7f644322245c792b},
    {"uniform", item_kind::f64, 24, 0xe99c934938d88c2b},
    {"uniform", item_kind::record16, 16, 0xe83cff6ec173dfb8},
    {"uniform", item_kind::record16, 22, 0xc49664d45f9e1259},
    {"zipf", item_kind::u64, 26, 0xdf2f88820bed8153},
    {"16 values", item_kind::u64, 20, 0x8bbf0539aa3ead78},
    {"16 values", item_kind::u64, 26, 0x4af72904f55df8cb},
    {"entropy 0.2", item_kind::u64, 20, 0x8911aa146afede99},
    {"entropy 0.2", item_kind::u64, 26, 0xe7d27cf52cf202ad},
    {"normal", item_kind::u64, 20, 0x12fde75a8ca08558},
    {"exponential", item_kind::u64, 20, 0x3137eb5afdb25b13},
    {"uniform", item_kind::f64, 26, 0x2943d1929d4bb49d},
    {"uniform", item_kind::u128, 20, 0x349398c938ef77c0},
    {"uniform", item_kind::u128, 26, 0x12b5eecd1248dfe7},
    {"uniform", item_kind::record16, 24, 0x71bc0d7e2a2222f9},
};

constexpr std::optional<std::uint64_t> digest_of_sorted(const definition& benchmark) {
  for (const answer& each : answers)
    if (each.distribution == benchmark.distribution && each.items == benchmark.items &&
        each.log2_count == benchmark.log2_count)
      return each.digest;
  return std::nullopt;
}
static_assert(std::all_of(std::begin(definitions), std::end(definitions),
                          [](const definition& each) { return digest_of_sorted(each).has_value(); }));

// The data that the methods of a case share: the input, and the copy that they sort.
template <class T> struct sort_data {
  std::string distribution;
  std::size_t count;
  std::shared_ptr<const std::vector<T>> input = {};
  std::vector<T> items = {};

  const std::vector<T>& made() {
    if (input == nullptr)
      input = input_of<std::vector<T>>(fmt::format("{} {} {}", typeid(T).name(), distribution, count),
                                       [this] { return random_items<T>(distribution, count); });
    return *input;
  }
  [[nodiscard]] std::uint64_t digest() const {
    return io::checksum({reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T)});
  }
};

// Sorts numbers by Highway's vqsort, without anything of weft.
template <class T> void sort_by_vqsort(std::vector<T>& items) {
  if constexpr (sizeof(T) == 16)
    hwy::Sorter()(reinterpret_cast<hwy::uint128_t*>(items.data()), items.size(), hwy::SortAscending());
  else
    hwy::Sorter()(items.data(), items.size(), hwy::SortAscending());
}

template <class T, class Less>
std::vector<method> methods_of(const definition& benchmark, Less less, int threads) {
  const auto data = std::make_shared<sort_data<T>>(
      sort_data<T>{benchmark.distribution, std::size_t{1} << benchmark.log2_count});
  std::vector<method> methods;
  const auto add = [&](const std::string& name, bool yardstick, int own_threads, auto sort_items) {
    methods.push_back({name, yardstick, false, own_threads, "", [data] { data->items = data->made(); },
                       [data, sort_items] { sort_items(data->items); }, [data] { return data->digest(); }});
  };
  const auto check = [](const std::string& engine, device_choice on) {
    check_sort_options({.run = {.engine = engine, .device = on}});
  };
  for_each_engine(sort_engines(), device_kind::cpu, check, [&](const std::string& engine, const auto&) {
    add(engine, false, 0, [=](std::vector<T>& items) {
      sort(items, less, {.run = {.engine = engine, .device = {device_kind::cpu, 0}, .threads = threads}});
    });
  });
  add("std::sort", true, 1, [=](auto& items) { std::sort(items.begin(), items.end(), less); });
  add("std::stable_sort", true, 1, [=](auto& items) { std::stable_sort(items.begin(), items.end(), less); });
  add("tbb::parallel_sort", true, 0, [=](auto& items) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(thread_count(threads)));
    tbb::parallel_sort(items.begin(), items.end(), less);
  });
  if constexpr (number<T>) add("vqsort alone", true, 1, [](std::vector<T>& items) { sort_by_vqsort(items); });
  if constexpr (number<T>)
    for_each_engine(sort_engines(), device_kind::gpu, check,
                    [&](const std::string& engine, const std::string& unavailable_reason) {
                      add(engine + ", from host memory", false, 0, [=](std::vector<T>& items) {
                        sort(items, less, {.run = {.engine = engine, .device = first_gpu()}});
                      });
                      methods.back().on_gpu = true;
                      methods.back().unavailable_reason = unavailable_reason;
                      for (method& each : sorts_in_gpu_memory(
                               engine, unavailable_reason,
                               [data] { return std::as_bytes(std::span(data->made())); },
                               number_type_of<T>(false)))
                        methods.push_back(std::move(each));
                    });
  return methods;
}

std::vector<method> methods_of(const definition& benchmark, int threads) {
  switch (benchmark.items) {
  case item_kind::u32:
    return methods_of<std::uint32_t>(benchmark, ascending(), threads);
  case item_kind::u64:
    return methods_of<std::uint64_t>(benchmark, ascending(), threads);
  case item_kind::f64:
    return methods_of<double>(benchmark, ascending(), threads);
  case item_kind::u128:
    return methods_of<uint128>(benchmark, ascending(), threads);
  default:
    return methods_of<record>(benchmark, by_key, threads);
  }
}

bench_case case_of(const definition& benchmark, const limits& asked) {
  const double count = static_cast<double>(std::uint64_t{1} << benchmark.log2_count);
  const bool has_16_bytes = benchmark.items == item_kind::record16 || benchmark.items == item_kind::u128;
  const double bytes = benchmark.items == item_kind::u32 ? 4 : has_16_bytes ? 16 : 8;
  bench_case made{fmt::format("{}/2^{}", benchmark.kind, benchmark.log2_count),
                  fmt::format("{} items of {} bytes, {}, seed 1", count, bytes, benchmark.distribution),
                  count,
                  2 * bytes * count,
                  static_cast<std::uint64_t>(3 * bytes * count),
                  digest_of_sorted(benchmark),
                  [benchmark, asked] { return methods_of(benchmark, asked.threads); }};
  made.on_request = benchmark.on_request;
  return made;
}

// Returns a function that makes the items at its first call and returns them.
template <class T> std::function<std::span<const std::byte>()> items_of(int log2_count) {
  const auto data = std::make_shared<sort_data<T>>(sort_data<T>{"uniform", std::size_t{1} << log2_count});
  return [data] { return std::as_bytes(std::span(data->made())); };
}

} // namespace

bench_case sort_case(const char* kind, const char* distribution, bool wide, int log2_count,
                     const limits& asked) {
  return case_of({kind, distribution, wide ? item_kind::u64 : item_kind::u32, log2_count}, asked);
}

bench_case sort_case_by(const std::string& name, bool wide, int log2_count, const sort_methods& methods) {
  bench_case made = sort_case(name.c_str(), "uniform", wide, log2_count, {});
  made.methods = [=] {
    return wide ? methods(items_of<std::uint64_t>(log2_count)) : methods(items_of<std::uint32_t>(log2_count));
  };
  return made;
}

suite sort_suite(const limits& asked) {
  suite made{"sort", "items", ceiling_kind::copy, a_copy_of_items, {}};
  for (const definition& each : definitions) made.cases.push_back(case_of(each, asked));
  return made;
}

} // namespace weft::bench
