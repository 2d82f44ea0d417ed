// The suite of `weft-bench sort`.
#include <algorithm>
#include <bench/gpu.hpp>
#include <bench/sort/cases.hpp>
#include <bench/sort/inputs.hpp>
#include <bit>
#include <fmt/format.h>
#include <hwy/contrib/sort/vqsort.h>
#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>
#include <weft/base/parallel.hpp>
#include <weft/io/checksum.hpp>
#include <weft/sort/sort.hpp>

namespace weft::bench {

namespace {

// Cases of one type of items: each of the distributions with each of the counts.
struct family {
  const char* name;
  item_kind items;
  std::vector<std::string> distributions;
  std::vector<std::uint64_t> counts; // ascending
};

constexpr std::uint64_t pow2(int exponent) { return std::uint64_t{1} << exponent; }

const std::vector<family>& families() {
  const std::vector<std::uint64_t> usual = {pow2(12), pow2(16), pow2(18), pow2(20),
                                            pow2(22), pow2(27), pow2(28)};
  const std::vector<std::string> of_pairs = {"uniform",   "zipf",        "normal",      "sorted",
                                             "all equal", "entropy 0.5", "entropy 0.2", "16 values"};
  static const std::vector<family> made = {
      {"u64",
       item_kind::u64,
       {"uniform"},
       {pow2(10), pow2(12), pow2(14), pow2(16), pow2(18), pow2(20), pow2(21), pow2(22), pow2(24), pow2(25),
        pow2(26), pow2(27), 250'000'000, pow2(28)}},
      {"u64",
       item_kind::u64,
       {"zipf", "normal", "exponential", "sorted", "reversed", "16 values", "all equal", "entropy 0.5",
        "entropy 0.2"},
       {pow2(10), pow2(12), pow2(14), pow2(16), pow2(20), pow2(21), pow2(22), pow2(24), pow2(26), 250'000'000,
        pow2(28)}},
      {"u32",
       item_kind::u32,
       {"uniform", "entropy 0.5"},
       {pow2(10), pow2(12), pow2(14), pow2(16), pow2(18), pow2(20), pow2(22), pow2(24), pow2(25), pow2(26),
        pow2(27), pow2(28), pow2(30), pow2(32)}},
      {"u32", item_kind::u32, {"misleading"}, {pow2(22), pow2(25), pow2(27), pow2(28)}},
      {"u64", item_kind::u64, {"misleading"}, {pow2(22), pow2(25), pow2(27), pow2(28)}},
      {"f64", item_kind::f64, {"uniform"}, {pow2(20), pow2(24), pow2(26)}},
      {"u128",
       item_kind::u128,
       {"uniform", "16 values", "entropy 0.5", "entropy 0.2"},
       {pow2(12), pow2(16), pow2(18), pow2(20), pow2(22), pow2(26), pow2(27), pow2(28)}},
      {"records-by-comparator",
       item_kind::record16,
       {"uniform", "16 values", "all equal", "sorted", "entropy 0.5"},
       {pow2(12), pow2(16), pow2(18), pow2(20), pow2(22), pow2(24), pow2(27), pow2(28)}},
      {"u32+u32", item_kind::u32_u32, of_pairs, usual},
      {"u64+u32", item_kind::u64_u32, of_pairs, usual},
      {"u64+u64", item_kind::u64_u64, of_pairs, usual},
  };
  return made;
}

// The cases that are run without --all.
constexpr std::string_view usual_cases[] = {
    "u64-uniform/2^10",     "u64-uniform/2^16",           "u64-uniform/2^20",
    "u64-uniform/2^24",     "u64-uniform/2^28",           "u64-zipf/2^20",
    "u64-zipf/2^24",        "u32-uniform/2^20",           "u32-uniform/2^24",
    "f64-uniform/2^20",     "f64-uniform/2^24",           "records-by-comparator/2^16",
    "u64+u32-uniform/2^20", "records-by-comparator/2^22",
};

std::string size_name(std::uint64_t count) {
  return std::has_single_bit(count) ? fmt::format("2^{}", std::countr_zero(count))
                                    : fmt::format("{}M", count / 1'000'000);
}

// Returns a name such as "u64-16-values". Uniform records are named by their type alone.
std::string kind_name(const family& of, const std::string& distribution) {
  if (of.items == item_kind::record16 && distribution == "uniform") return of.name;
  std::string name = fmt::format("{}-{}", of.name, distribution);
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

// The expected digest of the sorted numbers of a case, or of its sorted keys.
struct answer {
  std::string_view distribution;
  item_kind keys;
  int log2_count;
  std::uint64_t digest; // XXH3
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
};

constexpr item_kind keys_of(item_kind items) {
  switch (items) {
  case item_kind::u32_u32:
    return item_kind::u32;
  case item_kind::u64_u32:
  case item_kind::u64_u64:
  case item_kind::record16:
    return item_kind::u64;
  default:
    return items;
  }
}

std::optional<std::uint64_t> digest_of_sorted(const sort_definition& of) {
  for (const answer& each : answers)
    if (each.distribution == of.distribution && each.keys == keys_of(of.items) &&
        pow2(each.log2_count) == of.count)
      return each.digest;
  return std::nullopt;
}

// The data that the methods of a case share: the input, and the copy that they sort.
template <class T> struct sort_data {
  std::string distribution;
  std::size_t count;
  std::shared_ptr<const std::vector<T>> input = {};
  std::vector<T> items = {};

  const std::vector<T>& made() {
    if (input == nullptr) input = kept_items<T>(distribution, count);
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

template <class T> std::vector<method> number_methods(const sort_definition& of, int threads) {
  const ascending less;
  const auto data = std::make_shared<sort_data<T>>(sort_data<T>{of.distribution, of.count});
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
  add("vqsort alone", true, 1, [](std::vector<T>& items) { sort_by_vqsort(items); });
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

std::vector<method> methods_of(const sort_definition& of, int threads) {
  switch (of.items) {
  case item_kind::u32:
    return number_methods<std::uint32_t>(of, threads);
  case item_kind::u64:
    return number_methods<std::uint64_t>(of, threads);
  case item_kind::f64:
    return number_methods<double>(of, threads);
  case item_kind::u128:
    return number_methods<uint128>(of, threads);
  default:
    return pair_methods(of, threads);
  }
}

// The type of items in words, and their bytes.
struct item_size {
  std::string_view words;
  std::uint64_t bytes;
};
constexpr item_size size_of(item_kind items) {
  switch (items) {
  case item_kind::u32:
    return {"items of 4 bytes", 4};
  case item_kind::u64:
  case item_kind::f64:
    return {"items of 8 bytes", 8};
  case item_kind::u32_u32:
    return {"keys of 4 bytes with values of 4 bytes", 8};
  case item_kind::u64_u32:
    return {"keys of 8 bytes with values of 4 bytes", 12};
  case item_kind::u64_u64:
    return {"keys of 8 bytes with values of 8 bytes", 16};
  default:
    return {"items of 16 bytes", 16};
  }
}

bench_case case_of(const sort_definition& of, const limits& asked) {
  const item_size item = size_of(of.items);
  const auto count = static_cast<double>(of.count);
  bench_case made{fmt::format("{}/{}", of.kind, size_name(of.count)),
                  fmt::format("{} {}, {}, seed 1", of.count, item.words, of.distribution),
                  count,
                  2 * static_cast<double>(item.bytes) * count,
                  3 * item.bytes * of.count,
                  digest_of_sorted(of),
                  [of, threads = asked.threads] { return methods_of(of, threads); }};
  made.setup_seconds = 10e-9 * count;
  return made;
}

// Returns a function that makes the items at its first call and returns them.
template <class T> std::function<std::span<const std::byte>()> items_of(std::uint64_t count) {
  const auto data = std::make_shared<sort_data<T>>(sort_data<T>{"uniform", count});
  return [data] { return std::as_bytes(std::span(data->made())); };
}

} // namespace

bench_case sort_case(const char* kind, const char* distribution, bool wide, int log2_count,
                     const limits& asked) {
  return case_of({kind, distribution, wide ? item_kind::u64 : item_kind::u32, pow2(log2_count)}, asked);
}

bench_case sort_case_by(const std::string& name, bool wide, int log2_count, const sort_methods& methods) {
  bench_case made = sort_case(name.c_str(), "uniform", wide, log2_count, {});
  made.methods = [=] {
    return wide ? methods(items_of<std::uint64_t>(pow2(log2_count)))
                : methods(items_of<std::uint32_t>(pow2(log2_count)));
  };
  return made;
}

suite sort_suite(const limits& asked) {
  suite made{"sort", "items", ceiling_kind::copy, a_copy_of_items, {}};
  for (const family& of : families())
    for (const std::string& distribution : of.distributions)
      for (const std::uint64_t count : of.counts) {
        made.cases.push_back(case_of({kind_name(of, distribution), distribution, of.items, count}, asked));
        bench_case& last = made.cases.back();
        last.on_request =
            std::find(std::begin(usual_cases), std::end(usual_cases), last.name) == std::end(usual_cases);
      }
  for (bench_case& each : segment_cases(asked)) made.cases.push_back(std::move(each));
  return made;
}

} // namespace weft::bench
