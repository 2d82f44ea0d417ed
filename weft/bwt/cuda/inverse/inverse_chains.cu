// Kernels that follow chains of links, put the chains in order, and copy their pieces to the text
// (weft/bwt/core/inverse_chains.hpp).
#include <weft/bwt/cuda/inverse/inverse.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/cuda/grid.cuh>
#include <weft/base/cuda/kernel_limits.hpp>

namespace weft::bwt_detail {

using gpu::all_threads, gpu::first_item;

namespace {

using gpu::blocks_for;

constexpr unsigned block_threads = 256, warp = 32;

struct take_one {
  __device__ std::uint32_t operator()(std::uint32_t* counter) const { return atomicAdd(counter, 1U); }
};

template <class Links>
__global__ void __launch_bounds__(block_threads)
    follow_kernel(const chain_walk<Links> walk, const first_bytes<typename Links::index>* bytes) {
  using table = first_bytes<typename Links::index>;
  static_assert(std::has_unique_object_representations_v<table> &&
                sizeof(table) % sizeof(std::uint32_t) == 0);
  __shared__ table own;
  for (unsigned i = threadIdx.x; i < sizeof(table) / sizeof(std::uint32_t); i += block_threads)
    reinterpret_cast<std::uint32_t*>(&own)[i] = reinterpret_cast<const std::uint32_t*>(bytes)[i];
  __syncthreads();
  follow_chains(walk, own, take_one{});
}

// One thread per chain.
template <class Index>
__global__ void __launch_bounds__(block_threads)
    jump_kernel(const chain_sum<Index>* from, chain_sum<Index>* to, std::uint32_t chains) {
  const std::uint64_t chain = std::uint64_t{blockIdx.x} * block_threads + threadIdx.x;
  if (chain < chains) to[chain] = jump(from, static_cast<std::uint32_t>(chain));
}

// Copies a piece by one warp. Each lane has eight bytes in flight.
template <class Index>
__device__ void copy_piece(const unsigned char* __restrict__ from, unsigned char* __restrict__ to,
                           Index length) {
  constexpr unsigned rounds = 8;
  for (Index begin = threadIdx.x % warp; begin < length; begin += rounds * warp) {
    unsigned char bytes[rounds];
#pragma unroll
    for (unsigned i = 0; i < rounds; ++i)
      if (begin + i * warp < length) bytes[i] = from[begin + i * warp];
#pragma unroll
    for (unsigned i = 0; i < rounds; ++i)
      if (begin + i * warp < length) to[begin + i * warp] = bytes[i];
  }
}

// One warp per chain.
template <class Links>
__global__ void __launch_bounds__(block_threads)
    copy_chains_kernel(const chain_walk<Links> walk, unsigned char* text) {
  const std::uint64_t chain = (std::uint64_t{blockIdx.x} * block_threads + threadIdx.x) / warp;
  if (chain >= walk.starts.count()) return;
  const piece<typename Links::index> own = piece_of_chain(walk, static_cast<std::uint32_t>(chain));
  copy_piece(walk.pool + own.from, text + own.to, own.length);
}

// One warp per chunk.
template <class Links>
__global__ void __launch_bounds__(block_threads)
    copy_chunks_kernel(const chain_walk<Links> walk, unsigned char* text) {
  const std::uint64_t chunk = (std::uint64_t{blockIdx.x} * block_threads + threadIdx.x) / warp;
  if (chunk >= walk.counters->chunks) return;
  const piece<typename Links::index> own = piece_of_chunk(walk, static_cast<std::uint32_t>(chunk));
  copy_piece(walk.pool + own.from, text + own.to, own.length);
}

constexpr std::uint64_t max_blocks = std::uint64_t{1} << 20; // for kernels whose threads take several items

__global__ void __launch_bounds__(block_threads)
    compare_groups_kernel(const unsigned char* __restrict__ bytes, std::uint64_t n, std::uint64_t times,
                          std::uint32_t* differ) {
  for (std::uint64_t i = first_item(); i < n; i += all_threads())
    if (bytes[i] != bytes[i - i % times]) atomicOr(differ, 1U);
}

__global__ void __launch_bounds__(block_threads)
    repeat_kernel(unsigned char* text, std::uint64_t n, std::uint64_t period) {
  for (std::uint64_t i = period + first_item(); i < n; i += all_threads()) text[i] = text[i % period];
}

unsigned blocks_in_strides(std::uint64_t items) {
  return static_cast<unsigned>(std::min((items + block_threads - 1) / block_threads, max_blocks));
}

} // namespace

template <class Links> std::uint64_t lanes_at_once() {
  int blocks = 0, multiprocessors = 0;
  gpu::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, follow_kernel<Links>, block_threads, 0),
             "ask how many blocks there can be");
  gpu::check(base_detail::count_multiprocessors(multiprocessors), "ask for multiprocessors");
  return static_cast<std::uint64_t>(blocks) * static_cast<std::uint64_t>(multiprocessors) * block_threads;
}

template <class Links>
void follow_all_chains(const chain_walk<Links>& walk, std::uint64_t lanes,
                       const first_bytes<typename Links::index>* d_first_bytes, cudaStream_t stream) {
  follow_kernel<<<blocks_for(lanes, block_threads), block_threads, 0, stream>>>(walk, d_first_bytes);
  gpu::check(cudaGetLastError(), "follow chains");
}

template <class Links>
chain_sum<typename Links::index>*
order_chains(const chain_walk<Links>& walk, chain_sum<typename Links::index>* d_other, cudaStream_t stream) {
  chain_sum<typename Links::index>* from = walk.sums;
  const std::uint32_t chains = walk.starts.count();
  for (int left = num_jumps(chains); left > 0; --left, std::swap(from, d_other)) {
    jump_kernel<<<blocks_for(chains, block_threads), block_threads, 0, stream>>>(from, d_other, chains);
    gpu::check(cudaGetLastError(), "put chains in order");
  }
  return from;
}

template <class Links>
void copy_pieces(const chain_walk<Links>& walk, std::uint64_t max_chunks, unsigned char* d_text,
                 cudaStream_t stream) {
  copy_chains_kernel<<<blocks_for(warp * std::uint64_t{walk.starts.count()}, block_threads), block_threads, 0,
                       stream>>>(walk, d_text);
  gpu::check(cudaGetLastError(), "copy what chains begin with");
  copy_chunks_kernel<<<blocks_for(warp * max_chunks, block_threads), block_threads, 0, stream>>>(walk,
                                                                                                 d_text);
  gpu::check(cudaGetLastError(), "copy the rest of chains");
}

void compare_groups(const unsigned char* d_bytes, std::uint64_t n, std::uint64_t times,
                    std::uint32_t* d_differ, cudaStream_t stream) {
  gpu::check(cudaMemsetAsync(d_differ, 0, sizeof(std::uint32_t), stream), "clear memory of the GPU");
  compare_groups_kernel<<<blocks_in_strides(n), block_threads, 0, stream>>>(d_bytes, n, times, d_differ);
  gpu::check(cudaGetLastError(), "compare bytes");
}

void repeat_period(unsigned char* d_text, std::uint64_t n, std::uint64_t period, cudaStream_t stream) {
  repeat_kernel<<<blocks_in_strides(n), block_threads, 0, stream>>>(d_text, n, period);
  gpu::check(cudaGetLastError(), "repeat a text");
}

#define WEFT_INSTANTIATE(Links)                                                                              \
  template std::uint64_t lanes_at_once<Links>();                                                             \
  template void follow_all_chains(const chain_walk<Links>&, std::uint64_t, const first_bytes<Links::index>*, \
                                  cudaStream_t);                                                             \
  template chain_sum<Links::index>* order_chains(const chain_walk<Links>&, chain_sum<Links::index>*,         \
                                                 cudaStream_t);                                              \
  template void copy_pieces(const chain_walk<Links>&, std::uint64_t, unsigned char*, cudaStream_t)
WEFT_INSTANTIATE(links_32);
WEFT_INSTANTIATE(links_40);
#undef WEFT_INSTANTIATE

} // namespace weft::bwt_detail
