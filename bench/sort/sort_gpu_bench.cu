// Measures sorts of items in device memory in items per second, beside CUB in the same run. There are rows
// only if there is a GPU. The file also has the program's main(), because the CUDA runtime must not be called
// before main().
//
//   gpu/ENGINE/TYPE/DISTRIBUTION/SIZE
//   gpu/paper/...                           sort_gpu_paper_bench.cu
//   gpu/segmented/...                       sort_gpu_segments_bench.cu
//
// ENGINE        weft's engines (automatic; automatic-stable and stable-sample-sort if the order of equal
//               items can be observed; radix, merge, sample-merge, sample-sort), and the yardsticks:
//               cub-radix-32, cub-radix-64, cub-merge-32, cub-merge-64 (with counts of 32 or 64 bits; radix
//               sorts between two buffers, which is its fastest form); copy is one copy of the items, a
//               lower bound for any sort
// TYPE          keys, or keys+values; record16: items of 16 bytes, compared by their first 8 bytes
// DISTRIBUTION  gpu_inputs.cuh
//
// gpu_rows.cuh says what is measured and how it is checked.
#include <bench/sort/gpu_engines.cuh>
#include <cstdio>
#include <weft/base/device.hpp>

namespace {

using namespace weft_bench;

void define_gpu() {
  if (const weft::gpu_report& gpus = weft::known_gpus(); gpus.devices.empty()) {
    std::fprintf(stderr, "no rows for a GPU: %s\n", gpus.unavailable.c_str());
    return;
  }
  // More powers of two for the types whose ratios to the yardsticks are reported.
  const std::initializer_list<named_size> more_sizes = {
      {"2^10", 1 << 10}, {"2^12", 1 << 12},     {"2^14", 1 << 14}, {"2^16", 1 << 16}, {"2^20", 1 << 20},
      {"2^21", 1 << 21}, {"2^22", 1 << 22},     {"2^24", 1 << 24}, {"2^25", 1 << 25}, {"2^26", 1 << 26},
      {"2^27", 1 << 27}, {"250M", 250'000'000}, {"2^28", 1 << 28}};
  const std::initializer_list<named_size> all_sizes = {
      {"2^10", 1 << 10}, {"2^12", 1 << 12},    {"2^14", 1 << 14},   {"2^16", 1 << 16},
      {"2^18", 1 << 18}, {"2^20", 1 << 20},    {"2^22", 1 << 22},   {"2^24", 1 << 24},
      {"2^25", 1 << 25}, {"2^26", 1 << 26},    {"2^27", 1 << 27},   {"250M", 250'000'000},
      {"2^28", 1 << 28}, {"2^30", 1ULL << 30}, {"2^32", 1ULL << 32}};
  define_type<std::uint32_t>("u32", all_sizes);
  define_type<std::uint64_t>("u64", more_sizes);
  define_pairs();
  define_type<weft::int128>("i128", usual_sizes);
  define_type<record16>("record16", usual_sizes, record_less());
  define_paper();
  define_segments();
}

} // namespace

int main(int count, char** arguments) {
  define_gpu();
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  last_workspace.reset();
  benchmark::Shutdown();
}
