// Repeats the measurements of Kozawa, Amagasa & Kitagawa with the engine sample-merge and uniform keys.
//
//   gpu/paper/buckets/TYPE/SIZE/K        their Figure 8: the number of buckets; 1 is a merge sort
//   gpu/paper/offsets/TYPE/SIZE/FORM     their Figure 9: offsets of buckets transposed or not, buckets and
//                                        writes aligned or not
//   gpu/paper/steps/TYPE/SIZE/K          their Table 1: microseconds of each step (medians), and the number
//                                        of merge passes. Events between the steps make a row slower than
//                                        a sort
//   gpu/paper/misled/TYPE/SIZE           every sampled key is the smallest one: one bucket gets all keys
//
// They compare their method with moderngpu's merge sort; rows of CUB's merge sort are in sort_gpu_bench.cu.
#include <array>
#include <bench/sort/gpu_engines.cuh>
#include <string>
#include <weft/sort/cuda/sample_merge.cuh>

namespace weft_bench {

namespace {

using weft::gpu::sample_merge_options;

struct sample_merge_engine {
  static constexpr bool sorts = true, stable = false;
  sample_merge_options options;
  template <class Key, class Value, class Less>
  cudaError_t operator()(void* d_temp, std::size_t& bytes, arrays<Key, Value>& at, Less less,
                         cudaStream_t stream) const {
    return weft::gpu::sample_merge_sort(d_temp, bytes, at.keys, at.n, less, stream, options);
  }
};

constexpr std::array step_names = {"splitters", "bucket_sizes", "prefix_sum", "places",
                                   "transpose", "relocation",   "tile_sort",  "merges"};

// Runs one sort and marks a point in time after each step.
template <class Sort> void run_steps(Sort& sort, timer& clock, cudaStream_t stream) {
  std::size_t point = 0;
  clock.mark(point, stream);
  const auto step = [&](bool needed, auto call) {
    if (needed) check(call(), "sort");
    clock.mark(++point, stream);
  };
  const bool splits = sort.num_buckets() > 1;
  step(splits, [&] { return sort.choose_splitters(); });
  step(splits, [&] { return sort.count_buckets(); });
  step(splits, [&] { return sort.sum_counts(); });
  step(true, [&] { return sort.lay_out_buckets(); });
  step(splits, [&] { return sort.transpose(); });
  step(splits, [&] { return sort.relocate(); });
  step(true, [&] { return sort.sort_tiles(); });
  step(true, [&] {
    for (std::uint32_t pass = 0; pass < sort.max_passes(); ++pass) check(sort.merge(pass), "sort");
    return cudaSuccess;
  });
}

template <class Key> void time_steps(benchmark::State& state, std::uint64_t n, std::uint32_t num_buckets) {
  using shape = weft::gpu::detail::default_shape<Key>;
  const cudaStream_t stream = nullptr;
  const weft::ascending less;
  auto& [unused, input, keys, values] = workspace_of<Key, no_value>(distribution::uniform, n, less, stream);
  weft::gpu::detail::sample_merge<Key, std::uint32_t, weft::ascending, shape> sort(
      keys.data(), n, num_buckets, less, {}, stream);
  std::size_t bytes = 0;
  check(sort.set_memory(nullptr, bytes), "plan");
  const device_buffer<char> temp(bytes, stream);
  check(sort.set_memory(temp.data(), bytes), "plan");
  timer clock(step_names.size() + 1);
  std::array<std::vector<double>, step_names.size()> times;
  const auto run = [&] {
    weft::gpu::copy(keys.data(), input.keys.data(), n, stream, "copy an input");
    run_steps(sort, clock, stream);
    check_result(input, {keys.data(), values.data(), n}, less, true, false, stream);
  };
  run();
  for (auto _ : state) {
    run();
    for (std::size_t i = 0; i < times.size(); ++i) times[i].push_back(clock.seconds(i, i + 1));
    state.SetIterationTime(clock.seconds(0, step_names.size()));
  }
  for (std::size_t i = 0; i < times.size(); ++i) state.counters[step_names[i]] = median(times[i]) * 1e6;
  std::uint32_t passes = 0;
  weft::gpu::copy(&passes, sort.plan().num_passes, 1, stream, "read the passes");
  check(cudaStreamSynchronize(stream), "read the passes");
  state.counters["passes"] = passes;
}

template <class Key> void define_keys(const std::string& type) {
  struct size {
    std::string name;
    std::uint64_t items;
  };
  const auto define = [&](const std::string& name, const size& at, const sample_merge_options& options,
                          distribution kind = distribution::uniform) {
    define_sort<Key, no_value>("gpu/paper/" + name, kind, at.items, weft::ascending(),
                               sample_merge_engine{options});
  };
  for (const size& at : {size{"2^25", 1 << 25}, size{"2^27", 1 << 27}, size{"2^28", 1 << 28}}) {
    const std::string here = "/" + type + "/" + at.name;
    for (const std::uint32_t k : {1, 16, 32, 64, 128, 256, 512, 1024})
      define("buckets" + here + "/" + std::to_string(k), at, {.num_buckets = k});
    for (const bool transpose : {false, true})
      for (const bool align : {false, true})
        define("offsets" + here + (transpose ? "/transposed" : "/as-summed") +
                   (align ? "-aligned" : "-packed"),
               at, {.transpose = transpose, .align = align});
    for (const std::uint32_t k : {1, 64, 128, 256})
      define_row("gpu/paper/steps" + here + "/" + std::to_string(k), at.items,
                 [=](benchmark::State& state) { time_steps<Key>(state, at.items, k); });
    define("misled" + here, at, {}, distribution::misleading);
  }
}

} // namespace

void define_paper() {
  define_keys<std::uint32_t>("u32");
  define_keys<std::uint64_t>("u64");
}

} // namespace weft_bench
