#include <weft/bwt/cuda/lcp/lcp_kernels.hpp>

#include <algorithm>
#include <type_traits>
#include <weft/base/cuda/kernel_limits.hpp>
#include <weft/bwt/cuda/grid.cuh>

namespace weft::bwt_cuda {

namespace {

using namespace bwt_core;

constexpr unsigned threads = 256; // of a block
constexpr std::uint64_t window = window_symbols(threads);

template <class Index> struct put_on_list {
  lcp_list<Index> list;
  __device__ void operator()(const lcp_item<Index>& item) const {
    const std::uint64_t place = atomicAdd(list.count, 1ULL);
    if (place < list.room) list.items[place] = item;
  }
};
template <class Index> __device__ std::uint64_t size_of(const lcp_list<Index>& list) {
  return min(static_cast<std::uint64_t>(*list.count), list.room);
}
__device__ std::uint64_t size_of(const readable_letters& text) {
  return static_cast<std::uint64_t>(text.end - text.begin);
}

template <class Index> __device__ void lower(Index* value, std::uint64_t to) {
  using number = std::conditional_t<sizeof(Index) == 4, unsigned, unsigned long long>;
  atomicMin(reinterpret_cast<number*>(value), static_cast<number>(to));
}

template <class Index>
__global__ void __launch_bounds__(threads)
    write_before_kernel(const Index* __restrict__ sa, std::uint64_t n, Index* __restrict__ plcp,
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
    compare_position(text, plcp, level.back, level.position(i), limit, put_on_list<Index>{longer});
}

// All threads of the block have the same item, and the same `known` and `differ` in each round.
template <class Index>
__global__ void __launch_bounds__(threads)
    compare_items_kernel(readable_letters text, Index* plcp, lcp_list<Index> items, std::uint64_t limit,
                         lcp_list<Index> longer) {
  __shared__ unsigned long long least;
  const std::uint64_t count = size_of(items);
  for (std::uint64_t i = blockIdx.x; i < count; i += gridDim.x) {
    lcp_item<Index> item = items.items[i];
    const std::uint64_t most = item.max_common(size_of(text)), end = min(most, item.common + limit);
    std::uint64_t known = item.common, own = most;
    bool differ = false;
    while (known < end && !differ) {
      own = first_difference(text, item, known, most, threadIdx.x, threads);
      differ = __syncthreads_or(own < most) != 0;
      known += window;
    }
    if (threadIdx.x == 0) least = most; // after it has read that of the item before
    __syncthreads();
    if (own < most) atomicMin(&least, own);
    __syncthreads();
    if (threadIdx.x == 0) {
      plcp[item.at] = static_cast<Index>(least);
      if (!differ && known < most) {
        item.common = static_cast<Index>(known);
        put_on_list<Index>{longer}(item);
      }
    }
  }
}

// Windows in turn over all blocks, until one lies behind a difference that some thread has found: a thread
// stops for itself, there are no barriers.
template <class Index>
__global__ void __launch_bounds__(threads)
    compare_long_items_kernel(readable_letters text, Index* plcp, lcp_list<Index> items) {
  const std::uint64_t count = size_of(items);
  for (std::uint64_t i = 0; i < count; ++i) {
    const lcp_item<Index> item = items.items[i];
    for (std::uint64_t known = item.common + blockIdx.x * window;; known += gridDim.x * window) {
      const std::uint64_t least = *static_cast<const volatile Index*>(plcp + item.at);
      if (known >= least) break;
      const std::uint64_t own = first_difference(text, item, known, least, threadIdx.x, threads);
      if (own < least) lower(plcp + item.at, own);
    }
  }
}

template <class Index>
__global__ void __launch_bounds__(threads)
    permute_back_kernel(const Index* __restrict__ plcp, const Index* sa, std::uint64_t n, Index* lcp) {
  for (std::uint64_t row = first_item(); row < n; row += all_threads()) lcp[row] = plcp[sa[row]];
}

// That run at the same time on the current device.
template <class... Parameters> unsigned blocks_at_once(void (*kernel)(Parameters...)) {
  int blocks = 0, multiprocessors = 0;
  gpu::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0),
             "ask how many blocks there can be");
  gpu::check(gpu::detail::count_multiprocessors(multiprocessors), "ask for multiprocessors");
  return static_cast<unsigned>(std::max(1, blocks * multiprocessors));
}

} // namespace

template <class Index>
void write_before(const Index* d_sa, std::uint64_t n, Index* d_plcp, unsigned long long* d_wrong,
                  cudaStream_t stream) {
  launch(write_before_kernel<Index>, n, threads, stream, d_sa, n, d_plcp, d_wrong);
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

template void write_before(const std::uint32_t*, std::uint64_t, std::uint32_t*, unsigned long long*,
                           cudaStream_t);
template void write_before(const std::uint64_t*, std::uint64_t, std::uint64_t*, unsigned long long*,
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

} // namespace weft::bwt_cuda
