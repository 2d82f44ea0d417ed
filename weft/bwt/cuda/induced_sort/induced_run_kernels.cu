// Kernels for runs of more than run_lengths equal symbols (induced_kernels.hpp).
#include <weft/bwt/cuda/induced_sort/induced_kernels.hpp>

#include <cub/block/block_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/bwt/cuda/suffix_sort/suffix_device.cuh>

namespace weft::bwt_detail {

namespace {

constexpr std::uint32_t no_run = ~std::uint32_t{0};
struct has_more {
  __device__ bool operator()(const run_suffix& run) const { return run.more > 0; }
};

__global__ void __launch_bounds__(threads)
    measure_runs_kernel(const std::uint32_t* suffixes, std::uint64_t count, head_bits heads,
                        run_suffix* runs) {
  for (std::uint64_t i = first_item(); i < count; i += all_threads())
    runs[i] = {suffixes[i], suffixes[i] - static_cast<std::uint32_t>(heads.last(suffixes[i]))};
}
__global__ void __launch_bounds__(threads)
    min_run_kernel(const run_suffix* runs, const std::uint32_t* number, std::uint32_t* min_more) {
  __shared__ std::uint32_t of_block;
  if (threadIdx.x == 0) of_block = no_run;
  __syncthreads();
  std::uint32_t own = no_run;
  for (std::uint64_t i = first_item(); i < *number; i += all_threads()) own = min(own, runs[i].more);
  atomicMin(&of_block, own);
  __syncthreads();
  if (threadIdx.x == 0) atomicMin(min_more, of_block);
}
// Returns item i of all levels of all runs: a suffix, or no_suffix if the run is shorter than the level.
struct suffix_of_level {
  const run_suffix* runs;
  std::uint64_t count;
  bool downwards;
  __device__ std::uint32_t operator()(std::uint64_t i) const {
    const std::uint64_t level = i / count, run = downwards ? count - 1 - i % count : i % count;
    return runs[run].more > level ? runs[run].suffix - static_cast<std::uint32_t>(level) - 1 : no_suffix;
  }
};
__global__ void __launch_bounds__(threads)
    shorten_runs_kernel(run_suffix* runs, std::uint64_t count, std::uint32_t levels) {
  for (std::uint64_t i = first_item(); i < count; i += all_threads())
    runs[i] = {runs[i].suffix - levels, runs[i].more > levels ? runs[i].more - levels : 0};
}

// Plans segments of levels. Level l has the suffixes that are l symbols longer. Between two lengths at which
// some run ends, all levels contain the same runs in the same order; these levels are a segment. One thread
// per run.
__global__ void __launch_bounds__(max_remaining_runs)
    plan_runs_kernel(const run_suffix* runs, std::uint32_t count, run_segment* segments) {
  __shared__ std::uint32_t lengths[max_remaining_runs], sorted[max_remaining_runs];
  const std::uint32_t own = threadIdx.x < count ? runs[threadIdx.x].more : no_run;
  lengths[threadIdx.x] = own;
  __syncthreads();
  std::uint32_t less = 0;
  for (std::uint32_t i = 0; i < count; ++i)
    less += static_cast<std::uint32_t>(lengths[i] < own || (lengths[i] == own && i < threadIdx.x));
  if (threadIdx.x < count) sorted[less] = own;
  __syncthreads();
  // `slots`: slots of the segment; `first`: slots of all segments before it.
  const std::uint32_t before = threadIdx.x == 0 ? 0 : sorted[threadIdx.x - 1],
                      levels = threadIdx.x < count ? sorted[threadIdx.x] - before : 0,
                      slots = levels * (count - threadIdx.x);
  using scan = cub::BlockScan<std::uint32_t, max_remaining_runs>;
  __shared__ typename scan::TempStorage memory;
  std::uint32_t first = 0;
  scan(memory).ExclusiveSum(slots, first);
  if (threadIdx.x < count) segments[threadIdx.x] = {before, levels, first};
}

// The blocks of each row of the grid write one segment.
__global__ void __launch_bounds__(max_remaining_runs)
    write_remaining_runs_kernel(const run_suffix* runs, std::uint32_t count, const run_segment* segments,
                                bool downwards, std::uint32_t* slots) {
  const run_segment segment = segments[blockIdx.y];
  if (segment.levels == 0) return;
  using scan = cub::BlockScan<std::uint32_t, max_remaining_runs>;
  __shared__ typename scan::TempStorage memory;
  __shared__ std::uint32_t suffixes[max_remaining_runs];
  const run_suffix own = threadIdx.x < count ? runs[threadIdx.x] : run_suffix{0, 0};
  const bool goes_on = own.more > segment.before;
  std::uint32_t index = 0, alive = 0;
  scan(memory).ExclusiveSum(static_cast<std::uint32_t>(goes_on), index, alive);
  if (goes_on) suffixes[index] = own.suffix;
  __syncthreads();
  const std::uint64_t num_items = std::uint64_t{segment.levels} * alive;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * max_remaining_runs + threadIdx.x; i < num_items;
       i += std::uint64_t{gridDim.x} * max_remaining_runs) {
    const std::uint64_t level = i / alive, run = i % alive;
    const std::uint32_t suffix = suffixes[run] - segment.before - static_cast<std::uint32_t>(level) - 1;
    if (downwards)
      *(slots - segment.first - (level + 1) * alive + run) = suffix;
    else
      slots[segment.first + i] = suffix;
  }
}

} // namespace

void measure_runs(const std::uint32_t* d_suffixes, std::uint64_t count, const head_bits& heads,
                  run_suffix* d_runs, cudaStream_t stream) {
  launch(measure_runs_kernel, count, threads, stream, d_suffixes, count, heads, d_runs);
}

cudaError_t select_runs(void* d_temp, std::size_t& bytes, const run_suffix* d_runs, std::uint64_t count,
                        run_suffix* d_selected, std::uint32_t* d_number, cudaStream_t stream) {
  return cub::DeviceSelect::If(d_temp, bytes, d_runs, d_selected, d_number, static_cast<std::int64_t>(count),
                               has_more{}, stream);
}

void min_run(const run_suffix* d_runs, const std::uint32_t* d_number, std::uint64_t max_runs,
             std::uint32_t* d_min_more, cudaStream_t stream) {
  launch(min_run_kernel, std::min<std::uint64_t>(max_runs, 1 << 18), threads, stream, d_runs, d_number,
         d_min_more);
}

cudaError_t write_levels(void* d_temp, std::size_t& bytes, const run_suffix* d_runs, std::uint64_t count,
                         std::uint32_t levels, bool downwards, std::uint32_t* d_slots,
                         std::uint32_t* d_number, cudaStream_t stream) {
  const auto items = thrust::make_transform_iterator(thrust::make_counting_iterator(std::uint64_t{0}),
                                                     suffix_of_level{d_runs, count, downwards});
  const auto number = static_cast<std::int64_t>(count * levels);
  if (downwards)
    return cub::DeviceSelect::If(d_temp, bytes, items, thrust::make_reverse_iterator(d_slots), d_number,
                                 number, is_suffix{}, stream);
  return cub::DeviceSelect::If(d_temp, bytes, items, d_slots, d_number, number, is_suffix{}, stream);
}

void shorten_runs(run_suffix* d_runs, std::uint64_t count, std::uint32_t levels, cudaStream_t stream) {
  launch(shorten_runs_kernel, count, threads, stream, d_runs, count, levels);
}

void write_remaining_runs(const run_suffix* d_runs, std::uint32_t count, bool downwards,
                          run_segment* d_segments, std::uint32_t* d_slots, cudaStream_t stream) {
  plan_runs_kernel<<<1, max_remaining_runs, 0, stream>>>(d_runs, count, d_segments);
  gpu::check(cudaGetLastError(), "plan runs");
  write_remaining_runs_kernel<<<dim3(128, count), max_remaining_runs, 0, stream>>>(d_runs, count, d_segments,
                                                                                   downwards, d_slots);
  gpu::check(cudaGetLastError(), "write runs");
}

} // namespace weft::bwt_detail
