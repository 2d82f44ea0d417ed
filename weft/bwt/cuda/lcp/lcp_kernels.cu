#include <weft/bwt/cuda/lcp/lcp.hpp>

#include <algorithm>
#include <type_traits>
#include <weft/base/cuda/grid.cuh>
#include <weft/base/cuda/kernel_limits.hpp>

namespace weft::bwt_detail {

using gpu::all_threads, gpu::first_item, gpu::launch;

namespace {

constexpr unsigned threads = 256; // per block
constexpr std::uint64_t window = window_symbols(threads);

template <class Index> struct append_to_list {
  lcp_list<Index> list;
  __device__ void operator()(const lcp_item<Index>& item) const {
    const std::uint64_t index = atomicAdd(list.count, 1ULL);
    if (index < list.capacity) list.items[index] = item;
  }
};
template <class Index> __device__ std::uint64_t size_of(const lcp_list<Index>& list) {
  return min(static_cast<std::uint64_t>(*list.count), list.capacity);
}
__device__ std::uint64_t size_of(const readable_letters& text) {
  return static_cast<std::uint64_t>(text.end - text.begin);
}

template <class Index> __device__ void lower_to(Index* value, std::uint64_t to) {
  using number = std::conditional_t<sizeof(Index) == 4, unsigned, unsigned long long>;
  atomicMin(reinterpret_cast<number*>(value), static_cast<number>(to));
}

template <class Index>
__global__ void __launch_bounds__(threads)
    write_predecessors_kernel(const Index* __restrict__ sa, std::uint64_t n, Index* __restrict__ plcp,
                              unsigned long long* wrong) {
  for (std::uint64_t row = first_item(); row < n; row += all_threads()) {
    const Index suffix = sa[row];
    if (suffix < n)
      plcp[suffix] = row == 0 ? static_cast<Index>(~Index{0}) : sa[row - 1];
    else
      *wrong = 1;
  }
}

template <class Index>
__global__ void __launch_bounds__(threads)
    compare_positions_kernel(readable_letters text, lcp_level level, Index* plcp, std::uint64_t limit,
                             lcp_list<Index> longer) {
  for (std::uint64_t i = first_item(); i < level.count; i += all_threads())
    compare_position(text, plcp, level.back, level.position(i), limit, append_to_list<Index>{longer});
}

// All threads of the block process the same item, and have equal `known` and `differ` in each round.
template <class Index>
__global__ void __launch_bounds__(threads)
    compare_items_kernel(readable_letters text, Index* plcp, lcp_list<Index> items, std::uint64_t limit,
                         lcp_list<Index> longer) {
  __shared__ unsigned long long min_difference;
  const std::uint64_t count = size_of(items);
  for (std::uint64_t i = blockIdx.x; i < count; i += gridDim.x) {
    lcp_item<Index> item = items.items[i];
    const std::uint64_t max_common = item.max_common(size_of(text)),
                        end = min(max_common, item.common + limit);
    std::uint64_t known = item.common, own = max_common;
    bool differ = false;
    while (known < end && !differ) {
      own = first_difference(text, item, known, max_common, threadIdx.x, threads);
      differ = __syncthreads_or(own < max_common) != 0;
      known += window;
    }
    if (threadIdx.x == 0) min_difference = max_common; // thread 0 has read the previous item's
    __syncthreads();
    if (own < max_common) atomicMin(&min_difference, own);
    __syncthreads();
    if (threadIdx.x == 0) {
      plcp[item.at] = static_cast<Index>(min_difference);
      if (!differ && known < max_common) {
        item.common = static_cast<Index>(known);
        append_to_list<Index>{longer}(item);
      }
    }
  }
}

// Blocks take the windows of an item in turn. A thread stops when its next window lies behind a difference
// that any thread has found. Each thread decides on its own; there are no barriers.
template <class Index>
__global__ void __launch_bounds__(threads)
    compare_long_items_kernel(readable_letters text, Index* plcp, lcp_list<Index> items) {
  const std::uint64_t count = size_of(items);
  for (std::uint64_t i = 0; i < count; ++i) {
    const lcp_item<Index> item = items.items[i];
    for (std::uint64_t known = item.common + blockIdx.x * window;; known += gridDim.x * window) {
      const std::uint64_t min_difference = *static_cast<const volatile Index*>(plcp + item.at);
      if (known >= min_difference) break;
      const std::uint64_t own = first_difference(text, item, known, min_difference, threadIdx.x, threads);
      if (own < min_difference) lower_to(plcp + item.at, own);
    }
  }
}

template <class Index>
__global__ void __launch_bounds__(threads)
    permute_back_kernel(const Index* __restrict__ plcp, const Index* sa, std::uint64_t n, Index* lcp) {
  for (std::uint64_t row = first_item(); row < n; row += all_threads()) lcp[row] = plcp[sa[row]];
}

// Returns the number of blocks of the kernel that run at the same time on the current device.
template <class... Parameters> unsigned blocks_at_once(void (*kernel)(Parameters...)) {
  int blocks = 0, multiprocessors = 0;
  gpu::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0),
             "ask how many blocks there can be");
  gpu::check(base_detail::count_multiprocessors(multiprocessors), "ask for multiprocessors");
  return static_cast<unsigned>(std::max(1, blocks * multiprocessors));
}

} // namespace

template <class Index>
void write_predecessors(const Index* d_sa, std::uint64_t n, Index* d_plcp, unsigned long long* d_wrong,
                        cudaStream_t stream) {
  launch(write_predecessors_kernel<Index>, n, threads, stream, d_sa, n, d_plcp, d_wrong);
}

template <class Index>
void compare_by_threads(const readable_letters& text, const lcp_level& level, Index* d_plcp,
                        std::uint64_t limit, const lcp_list<Index>& longer, cudaStream_t stream) {
  launch(compare_positions_kernel<Index>, level.count, threads, stream, text, level, d_plcp, limit, longer);
}

template <class Index>
void compare_by_blocks(const readable_letters& text, Index* d_plcp, const lcp_list<Index>& items,
                       std::uint64_t limit, const lcp_list<Index>& longer, cudaStream_t stream) {
  compare_items_kernel<<<blocks_at_once(compare_items_kernel<Index>), threads, 0, stream>>>(
      text, d_plcp, items, limit, longer);
  gpu::check(cudaGetLastError(), "compare suffixes");
}

template <class Index>
void compare_by_all(const readable_letters& text, Index* d_plcp, const lcp_list<Index>& items,
                    cudaStream_t stream) {
  compare_long_items_kernel<<<blocks_at_once(compare_long_items_kernel<Index>), threads, 0, stream>>>(
      text, d_plcp, items);
  gpu::check(cudaGetLastError(), "compare suffixes");
}

template <class Index>
void permute_back(const Index* d_plcp, const Index* d_sa, std::uint64_t n, Index* d_lcp,
                  cudaStream_t stream) {
  launch(permute_back_kernel<Index>, n, threads, stream, d_plcp, d_sa, n, d_lcp);
}

template void write_predecessors(const std::uint32_t*, std::uint64_t, std::uint32_t*, unsigned long long*,
                                 cudaStream_t);
template void write_predecessors(const std::uint64_t*, std::uint64_t, std::uint64_t*, unsigned long long*,
                                 cudaStream_t);
template void compare_by_threads(const readable_letters&, const lcp_level&, std::uint32_t*, std::uint64_t,
                                 const lcp_list<std::uint32_t>&, cudaStream_t);
template void compare_by_threads(const readable_letters&, const lcp_level&, std::uint64_t*, std::uint64_t,
                                 const lcp_list<std::uint64_t>&, cudaStream_t);
template void compare_by_blocks(const readable_letters&, std::uint32_t*, const lcp_list<std::uint32_t>&,
                                std::uint64_t, const lcp_list<std::uint32_t>&, cudaStream_t);
template void compare_by_blocks(const readable_letters&, std::uint64_t*, const lcp_list<std::uint64_t>&,
                                std::uint64_t, const lcp_list<std::uint64_t>&, cudaStream_t);
template void compare_by_all(const readable_letters&, std::uint32_t*, const lcp_list<std::uint32_t>&,
                             cudaStream_t);
template void compare_by_all(const readable_letters&, std::uint64_t*, const lcp_list<std::uint64_t>&,
                             cudaStream_t);
template void permute_back(const std::uint32_t*, const std::uint32_t*, std::uint64_t, std::uint32_t*,
                           cudaStream_t);
template void permute_back(const std::uint64_t*, const std::uint64_t*, std::uint64_t, std::uint64_t*,
                           cudaStream_t);

} // namespace weft::bwt_detail
