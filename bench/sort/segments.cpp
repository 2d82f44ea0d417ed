// The cases of `weft-bench sort` in which each segment of an array is sorted by itself.
#include <algorithm>
#include <bench/gpu.hpp>
#include <bench/sort/cases.hpp>
#include <bench/sort/inputs.hpp>
#include <fmt/format.h>
#include <weft/io/checksum.hpp>
#include <weft/sort/sort.hpp>

namespace weft::bench {

namespace {

// The definition of a case: uniform numbers of 64 bits in segments of the same size. Size 0: the segments
// have 0 to 4096 numbers, all sizes equally likely.
struct definition {
  const char* segment;
  std::uint64_t segment_size;
  int log2_count;
};

constexpr std::uint64_t random_size = 0;
constexpr definition definitions[] = {
    {"10", 10, 20},
    {"10", 10, 27},
    {"100", 100, 13},
    {"100", 100, 20},
    {"100", 100, 27},
    {"1000", 1000, 20},
    {"1000", 1000, 27},
    {"100k", 100'000, 20},
    {"100k", 100'000, 27},
    {"all", std::uint64_t{1} << 32, 20},
    {"all", std::uint64_t{1} << 32, 27},
    {"0-to-4096", random_size, 14},
    {"0-to-4096", random_size, 20},
    {"0-to-4096", random_size, 24},
    {"0-to-4096", random_size, 31}, // some 2^20 segments
};

std::vector<std::uint64_t> make_offsets(const definition& of) {
  const std::uint64_t count = std::uint64_t{1} << of.log2_count;
  std::vector<std::uint64_t> offsets = {0};
  while (offsets.back() < count) {
    const std::uint64_t size =
        of.segment_size == random_size ? weft::base_detail::mixed(offsets.size()) % 4097 : of.segment_size;
    offsets.push_back(std::min(count, offsets.back() + size));
  }
  return offsets;
}

// The data that the methods of a case share.
struct segment_data {
  definition of;
  std::shared_ptr<const std::vector<std::uint64_t>> input = {};
  std::vector<std::uint64_t> offsets = {}, items = {};

  const std::vector<std::uint64_t>& made() {
    if (input == nullptr) input = kept_items<std::uint64_t>("uniform", std::size_t{1} << of.log2_count);
    return *input;
  }
  std::span<const std::uint64_t> segments() {
    if (offsets.empty()) offsets = make_offsets(of);
    return offsets;
  }
};

std::vector<method> segment_methods(const definition& of, int threads) {
  const auto data = std::make_shared<segment_data>(segment_data{of});
  std::vector<method> methods;
  const auto add = [&](const char* name, int own_threads,
                       const std::function<void(segment_data&)>& sort_items) {
    methods.push_back({.name = name,
                       .threads = own_threads,
                       .prepare =
                           [data] {
                             data->items = data->made();
                             (void)data->segments();
                           },
                       .run = [data, sort_items] { sort_items(*data); },
                       .digest =
                           [data] {
                             return io::checksum({reinterpret_cast<const char*>(data->items.data()),
                                                  data->items.size() * sizeof(std::uint64_t)});
                           }});
  };
  add("segmented_sort", 0, [threads](segment_data& at) {
    segmented_sort(at.items, at.offsets, ascending(),
                   {.run = {.device = {device_kind::cpu, 0}, .threads = threads}});
  });
  add("std::sort, a call a segment", 1, [](segment_data& at) {
    for (std::size_t i = 0; i + 1 < at.offsets.size(); ++i)
      std::sort(at.items.begin() + static_cast<std::ptrdiff_t>(at.offsets[i]),
                at.items.begin() + static_cast<std::ptrdiff_t>(at.offsets[i + 1]));
  });
  methods.back().yardstick = true;
  for (method& each :
       segment_sorts_in_gpu_memory([data] { return std::as_bytes(std::span(data->made())); },
                                   [data] { return data->segments(); }, std::uint64_t{1} << of.log2_count))
    methods.push_back(std::move(each));
  return methods;
}

} // namespace

std::vector<bench_case> segment_cases(const limits& asked) {
  std::vector<bench_case> made;
  for (const definition& each : definitions) {
    const auto count = static_cast<double>(std::uint64_t{1} << each.log2_count);
    made.push_back(
        {fmt::format("segments-of-{}/2^{}", each.segment, each.log2_count),
         fmt::format("{} items of 8 bytes in segments of {}, uniform, seed 1", count, each.segment), count,
         16 * count, std::uint64_t{26} << each.log2_count, std::nullopt,
         [each, threads = asked.threads] { return segment_methods(each, threads); }});
    made.back().on_request = true;
    made.back().setup_seconds = 10e-9 * count;
  }
  return made;
}

} // namespace weft::bench
