// Sorts the numbers of several GPUs; weft/multi/nccl.hpp says how.
#include <weft/multi/nccl.hpp>

#include <cstdint>
#include <cub/device/device_merge.cuh>
#include <span>
#include <utility>
#include <vector>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/cuda/two_phases.hpp>
#include <weft/multi/cuts.hpp>
#include <weft/multi/sorted_parts.hpp>
#include <weft/sort/sort.cuh>

namespace weft::multi_detail {

namespace {

constexpr unsigned block_threads = 256;

unsigned blocks_for(std::size_t count) {
  return static_cast<unsigned>((count + block_threads - 1) / block_threads);
}

// The items of a rank that a bracket may cut: [low, high).
struct own_range {
  std::uint64_t low, high;
};

template <class T> __global__ void read_pivots(const T* items, pivot<T>* pivots, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) pivots[i].item = items[pivots[i].index];
}

// Counts the items before each pivot in the order by (item, rank, index), by binary search.
template <class T>
__global__ void search_pivots(const T* items, const pivot<T>* pivots, std::size_t count,
                              const own_range* ranges, std::uint32_t own_rank, std::uint64_t* before) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const pivot<T> at = pivots[i];
  if (at.rank == own_rank) {
    before[i] = at.index;
    return;
  }
  const ascending less;
  std::uint64_t low = ranges[at.bracket].low, high = ranges[at.bracket].high;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    const bool is_before = own_rank < at.rank ? !less(at.item, items[middle]) : less(items[middle], at.item);
    if (is_before)
      low = middle + 1;
    else
      high = middle;
  }
  before[i] = low;
}

// Sorted items in device memory, as a cut_search reads them.
template <class T> class sorted_device_items {
public:
  using item = T;
  sorted_device_items(const T* d_items, std::uint64_t count, cudaStream_t stream)
      : d_items_(d_items), count_(count), stream_(stream) {}

  [[nodiscard]] std::uint64_t size() const { return count_; }
  void read_items(std::span<pivot<T>> pivots) const {
    if (pivots.empty()) return;
    const gpu::device_buffer<pivot<T>> d_pivots =
        gpu::uploaded(std::span<const pivot<T>>(pivots), stream_, "copy pivots");
    read_pivots<<<blocks_for(pivots.size()), block_threads, 0, stream_>>>(d_items_, d_pivots.data(),
                                                                          pivots.size());
    gpu::check(cudaGetLastError(), "read pivots");
    gpu::copy(pivots.data(), d_pivots.data(), pivots.size(), stream_, "copy pivots");
    gpu::check(cudaStreamSynchronize(stream_), "read pivots");
  }
  [[nodiscard]] std::vector<std::uint64_t> count_before(std::span<const pivot<T>> pivots,
                                                        std::span<const bracket> brackets,
                                                        std::uint32_t own_rank) const {
    if (pivots.empty()) return {};
    std::vector<own_range> ranges;
    for (const bracket& each : brackets) ranges.push_back({each.low.own, each.high.own});
    const gpu::device_buffer<pivot<T>> d_pivots = gpu::uploaded(pivots, stream_, "copy pivots");
    const gpu::device_buffer<own_range> d_ranges =
        gpu::uploaded(std::span<const own_range>(ranges), stream_, "copy brackets");
    const gpu::device_buffer<std::uint64_t> d_before(pivots.size(), stream_);
    search_pivots<<<blocks_for(pivots.size()), block_threads, 0, stream_>>>(
        d_items_, d_pivots.data(), pivots.size(), d_ranges.data(), own_rank, d_before.data());
    gpu::check(cudaGetLastError(), "search for pivots");
    return gpu::downloaded(d_before.data(), pivots.size(), stream_, "search for pivots");
  }

private:
  const T* d_items_;
  std::uint64_t count_;
  cudaStream_t stream_;
};

// Returns how many items each rank sends to each other: row r of the result are those of rank r.
std::vector<std::uint64_t> gather_counts(communicator& control, const std::vector<std::uint64_t>& own) {
  const std::vector<std::uint64_t> sizes(own.size(), own.size() * sizeof(std::uint64_t));
  std::vector<std::uint64_t> all(own.size() * own.size());
  control.all_gather(std::as_bytes(std::span(own)), sizes, std::as_writable_bytes(std::span(all)));
  return all;
}

// Merges the runs [bounds[r], bounds[r + 1]) of `from` until one is left, with `other` as the second array.
// Returns the array that holds it.
template <class T>
T* merge_runs_on_device(T* from, T* other, std::vector<std::uint64_t> bounds, cudaStream_t stream) {
  for (; bounds.size() > 2; std::swap(from, other)) {
    std::vector<std::uint64_t> merged = {0};
    for (std::size_t r = 0; r + 1 < bounds.size(); r += 2) {
      const std::uint64_t begin = bounds[r], middle = bounds[r + 1],
                          end = r + 2 < bounds.size() ? bounds[r + 2] : middle;
      merged.push_back(end);
      gpu::in_two_phases(stream, "merge sorted runs", [&](void* d_temp, std::size_t& bytes) {
        return cub::DeviceMerge::MergeKeys(
            d_temp, bytes, from + begin, static_cast<std::int64_t>(middle - begin), from + middle,
            static_cast<std::int64_t>(end - middle), other + begin, ascending(), stream);
      });
    }
    bounds = std::move(merged);
  }
  return from;
}

// Sends each rank its items, and returns the bounds of the sorted runs that have come.
template <class T>
std::vector<std::uint64_t> exchange_items(multi::gpu_rank& own, const T* d_items,
                                          const std::vector<std::uint64_t>& cuts, T* d_received) {
  const auto ranks = static_cast<std::size_t>(own.control.size()),
             self = static_cast<std::size_t>(own.control.rank());
  std::vector<std::uint64_t> counts;
  std::vector<std::span<const std::byte>> pieces;
  for (std::size_t r = 0; r < ranks; ++r) {
    counts.push_back(cuts[r + 1] - cuts[r]);
    pieces.push_back(std::as_bytes(std::span(d_items + cuts[r], counts.back())));
  }
  const std::vector<std::uint64_t> all = gather_counts(own.control, counts);
  std::vector<std::uint64_t> bounds = {0}, sizes;
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::uint64_t count = all[r * ranks + self];
    sizes.push_back(count * sizeof(T));
    if (count > 0) bounds.push_back(bounds.back() + count);
  }
  own.device.all_to_all(pieces, std::as_writable_bytes(std::span(d_received, bounds.back())), sizes);
  return bounds;
}

} // namespace

} // namespace weft::multi_detail

namespace weft::multi {

template <class T> void sort(gpu_rank& own, T* d_items, std::uint64_t num_items) {
  using namespace multi_detail;
  const run_options run;
  weft::gpu::device_buffer<T> d_received;
  run_together(own.control, [&] {
    d_received = weft::gpu::device_buffer<T>(num_items, own.stream);
    weft::gpu::sort(d_items, num_items, ascending(), own.stream);
  });
  std::vector<cut_target> targets;
  std::uint64_t position = 0;
  for (const std::uint64_t size : all_gather_number(own.control, num_items))
    targets.push_back({position += size, 0});
  targets.pop_back();
  std::vector<std::uint64_t> cuts =
      cut_search(own.control, sorted_device_items<T>(d_items, num_items, own.stream),
                 std::span<const cut_target>(targets), run)
          .run();
  cuts.insert(cuts.begin(), 0);
  cuts.push_back(num_items);
  std::vector<std::uint64_t> bounds = exchange_items(own, d_items, cuts, d_received.data());
  const T* const merged = merge_runs_on_device(d_received.data(), d_items, std::move(bounds), own.stream);
  if (merged != d_items && num_items > 0)
    weft::gpu::check(
        cudaMemcpyAsync(d_items, merged, num_items * sizeof(T), cudaMemcpyDeviceToDevice, own.stream),
        "copy the sorted numbers");
  weft::gpu::check(cudaStreamSynchronize(own.stream), "sort numbers");
}

template void sort(gpu_rank&, std::uint32_t*, std::uint64_t);
template void sort(gpu_rank&, std::uint64_t*, std::uint64_t);
template void sort(gpu_rank&, std::int32_t*, std::uint64_t);
template void sort(gpu_rank&, std::int64_t*, std::uint64_t);
template void sort(gpu_rank&, float*, std::uint64_t);
template void sort(gpu_rank&, double*, std::uint64_t);

} // namespace weft::multi
