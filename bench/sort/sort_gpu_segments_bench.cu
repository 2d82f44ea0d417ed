// Measures sorts of segments of uniform 64-bit keys, beside CUB's segmented sorts. Each segment is sorted by
// itself.
//
//   gpu/segmented/ENGINE/u64/SEGMENTS
//
// ENGINE     weft's engines (automatic, radix); cub-segmented-sort and cub-segmented-radix, which sort
//            between two buffers, their fastest form
// SEGMENTS   2^20-of-0-4096: 2^20 segments of 0 to 4096 items, all sizes equally likely; N-by-S: N items in
//            segments of S items
#include <bench/sort/gpu_engines.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

namespace weft_bench {

namespace {

using key = std::uint64_t;
using offset_list = std::vector<std::uint64_t>;

// Keys in device memory, and the offsets of their segments.
struct segmented_items {
  key* keys; // after a sort, a pointer to the result
  std::uint64_t n;
  const std::uint64_t* d_offsets;
  std::uint64_t num_segments;
};

// The segmented sort of an engine of weft.
template <device_engine Engine> struct weft_segments {
  cudaError_t operator()(void* d_temp, std::size_t& bytes, segmented_items& at, cudaStream_t stream) const {
    return weft::gpu::detail::segmented_sort<Engine>(d_temp, bytes, at.keys, at.n, at.d_offsets,
                                                     at.num_segments, weft::ascending(), stream);
  }
};

// CUB's segmented sorts between two buffers.
template <bool Radix> struct cub_segments {
  cudaError_t operator()(void* d_temp, std::size_t& bytes, segmented_items& at, cudaStream_t stream) const {
    std::size_t own_bytes = 0;
    cub::DoubleBuffer<key> buffers(at.keys, nullptr);
    const auto call = [&](void* d_own) {
      const auto n = static_cast<std::int64_t>(at.n), segments = static_cast<std::int64_t>(at.num_segments);
      if constexpr (Radix)
        return cub::DeviceSegmentedRadixSort::SortKeys(d_own, own_bytes, buffers, n, segments, at.d_offsets,
                                                       at.d_offsets + 1, 0, 64, stream);
      else
        return cub::DeviceSegmentedSort::SortKeys(d_own, own_bytes, buffers, n, segments, at.d_offsets,
                                                  at.d_offsets + 1, stream);
    };
    if (const cudaError_t status = call(nullptr)) return status;
    void* parts[2] = {};
    const std::size_t sizes[] = {at.n * sizeof(key), own_bytes};
    const cudaError_t cut = weft::gpu::detail::cut_storage(d_temp, bytes, sizes, parts);
    if (cut != cudaSuccess || d_temp == nullptr) return cut;
    buffers = {at.keys, static_cast<key*>(parts[0])};
    const cudaError_t status = call(parts[1]);
    at.keys = buffers.Current();
    return status;
  }
};

// Computes the summary of segmented items: a sum that depends on the items and their segments, and the number
// of adjacent items of a segment that are out of order.
__global__ void segments_summary_kernel(segmented_items at, summary* result) {
  const weft::gpu::detail::segment_starts<std::uint64_t> starts{at.d_offsets, at.num_segments};
  summary own{};
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < at.n; i += threads) {
    const std::uint64_t start = starts.start_of(i);
    own.hash += hash(start, at.keys[i]);
    if (i > start && at.keys[i] < at.keys[i - 1]) ++own.misplaced;
  }
  atomicAdd(&result->hash, own.hash);
  if (own.misplaced != 0) atomicAdd(&result->misplaced, own.misplaced);
}
summary summarise_segments(const segmented_items& at, cudaStream_t stream) {
  const device_buffer<summary> result(1, stream);
  check(cudaMemsetAsync(result.data(), 0, result.bytes(), stream), "clear a summary");
  segments_summary_kernel<<<input_blocks, input_threads, 0, stream>>>(at, result.data());
  check(cudaGetLastError(), "look at a result");
  summary host_summary{};
  weft::gpu::copy(&host_summary, result.data(), 1, stream, "read a summary");
  check(cudaStreamSynchronize(stream), "look at a result");
  return host_summary;
}

template <class Engine>
void time_segments(benchmark::State& state, const offset_list& offsets, Engine engine) {
  const cudaStream_t stream = nullptr;
  const std::uint64_t n = offsets.back();
  auto& [unused, input, keys, values] =
      workspace_of<key, no_value>(distribution::uniform, n, weft::ascending(), stream);
  const device_buffer<std::uint64_t> d_offsets(offsets.size(), stream);
  weft::gpu::copy(d_offsets.data(), offsets.data(), offsets.size(), stream, "copy offsets");
  const segmented_items before{input.keys.data(), n, d_offsets.data(), offsets.size() - 1};
  const std::uint64_t expected = summarise_segments(before, stream).hash;
  segmented_items at = before;
  at.keys = keys.data();
  std::size_t bytes = 0;
  check(engine(nullptr, bytes, at, stream), "plan");
  const device_buffer<char> temp(bytes, stream);
  timer clock(2);
  time_calls(state, n, sizeof(key), bytes, [&] {
    weft::gpu::copy(keys.data(), input.keys.data(), n, stream, "copy an input");
    at.keys = keys.data();
    clock.mark(0, stream);
    check(engine(temp.data(), bytes, at, stream), "sort");
    clock.mark(1, stream);
    const double seconds = clock.seconds(0, 1);
    const summary found = summarise_segments(at, stream);
    if (found.hash != expected || found.misplaced != 0) throw std::runtime_error("wrong answer");
    return seconds;
  });
}

// Defines the rows of one shape. make() returns the offsets; it is called when a row runs, so that they exist
// no longer than the row.
template <class Make> void define_shape(const std::string& name, std::uint64_t n, Make make) {
  const auto define = [&](const std::string& engine_name, auto engine) {
    define_row("gpu/segmented/" + engine_name + "/u64/" + name, n,
               [=](benchmark::State& state) { time_segments(state, make(), engine); });
  };
  define("automatic", weft_segments<device_engine::automatic>());
  define("radix", weft_segments<device_engine::radix>());
  define("cub-segmented-sort", cub_segments<false>());
  define("cub-segmented-radix", cub_segments<true>());
}

} // namespace

void define_segments() {
  define_shape("2^20-of-0-4096", std::uint64_t{1} << 31, [] {
    offset_list offsets = {0};
    for (std::uint64_t i = 0; i < 1 << 20; ++i) offsets.push_back(offsets.back() + hash(i, 3) % 4097);
    return offsets;
  });
  constexpr std::uint64_t n = 1 << 27;
  for (const std::uint64_t size :
       {std::uint64_t{10}, std::uint64_t{100}, std::uint64_t{1000}, std::uint64_t{100'000}, n})
    define_shape(size == n ? "2^27-by-all" : "2^27-by-" + std::to_string(size), n, [=] {
      offset_list offsets;
      for (std::uint64_t first = 0; first < n; first += size) offsets.push_back(first);
      offsets.push_back(n);
      return offsets;
    });
}

} // namespace weft_bench
