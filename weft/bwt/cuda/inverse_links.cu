// Links: bytes sorted stably, of which each keeps only where it comes to stand. As a pass of a radix sort
// does: counts of each tile, sums of them by byte and then tile, ranks in each tile.
#include <weft/bwt/cuda/inverse_steps.hpp>

#include <cub/device/device_scan.cuh>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/bwt/cuda/byte_ranks.cuh>

namespace weft::bwt_cuda {

namespace {

using bwt_core::first_bytes;

constexpr int tile_threads = rank_threads, tile_items = rank_items, warp = rank_warp;

// Counters stand eight times: lanes whose bytes are all the same add to eight of them, not to one.
__global__ void __launch_bounds__(tile_threads)
    count_kernel(const unsigned char* __restrict__ bytes, std::uint64_t n, std::uint64_t tiles,
                 std::uint32_t* counts_32, std::uint64_t* counts_64) {
  constexpr unsigned copies = 8;
  __shared__ std::uint32_t counters[256 * copies];
  for (unsigned i = threadIdx.x; i < 256 * copies; i += tile_threads) counters[i] = 0;
  __syncthreads();
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * inverse_tile_size;
  int own[tile_items];
#pragma unroll
  for (int i = 0; i < tile_items; ++i) {
    const std::uint64_t at = begin + static_cast<unsigned>(i * tile_threads) + threadIdx.x;
    own[i] = at < n ? bytes[at] : -1;
  }
#pragma unroll
  for (int i = 0; i < tile_items; ++i)
    if (own[i] >= 0) atomicAdd(&counters[static_cast<unsigned>(own[i]) * copies + threadIdx.x % copies], 1U);
  __syncthreads();
  if (threadIdx.x >= 256) return;
  std::uint32_t sum = 0;
  for (unsigned i = 0; i < copies; ++i) sum += counters[threadIdx.x * copies + (i + threadIdx.x) % copies];
  const std::uint64_t place = threadIdx.x * tiles + blockIdx.x;
  if (counts_64 != nullptr)
    counts_64[place] = sum;
  else
    counts_32[place] = sum;
}

template <class Links>
__global__ void __launch_bounds__(tile_threads, 2)
    link_kernel(const unsigned char* __restrict__ bytes, std::uint64_t n, std::uint64_t tiles,
                const typename Links::index* __restrict__ sums, std::uint32_t* words) {
  using index = typename Links::index;
  const unsigned lane = threadIdx.x % warp;
  const auto begin = [&](unsigned byte) { return sums[byte * tiles + blockIdx.x]; };
  rank_tile<index>(bytes, n, begin, [&](std::uint64_t first, std::uint32_t, index link) {
    std::uint32_t* const to = words + Links::num_words(first);
    if constexpr (Links::words_of_32 == warp) {
      to[lane] = link;
    } else {
      for (int w = static_cast<int>(lane); w < 2 * warp; w += warp) { // all lanes, for the votes
        const std::uint32_t word =
            Links::word_of_32(w, [&](int other) { return __shfl_sync(0xffffffffU, link, other); });
        if (w < Links::words_of_32) to[w] = word;
      }
    }
  });
}

template <class Index>
__global__ void first_bytes_kernel(const Index* sums, std::uint64_t tiles, std::uint64_t n, Index shift,
                                   first_bytes<Index>* table) {
  __shared__ Index begins[257];
  begins[threadIdx.x] = sums[threadIdx.x * tiles];
  if (threadIdx.x == 0) begins[256] = static_cast<Index>(n);
  __syncthreads();
  table->begins[threadIdx.x] = begins[threadIdx.x];
  if (threadIdx.x == 0) {
    table->begins[256] = begins[256];
    table->shift = shift;
  }
  for (unsigned cell = threadIdx.x; cell < first_bytes<Index>::num_cells; cell += 256)
    table->cells[cell] = first_bytes<Index>::byte_of_cell(begins, static_cast<Index>(cell) << shift);
}

} // namespace

template <class Index>
void count_bytes(const unsigned char* d_bytes, std::uint64_t n, std::uint64_t tiles, Index* d_counts,
                 cudaStream_t stream) {
  std::uint32_t* counts_32 = nullptr;
  std::uint64_t* counts_64 = nullptr;
  if constexpr (sizeof(Index) == 4)
    counts_32 = d_counts;
  else
    counts_64 = d_counts;
  count_kernel<<<static_cast<unsigned>(tiles), tile_threads, 0, stream>>>(d_bytes, n, tiles, counts_32,
                                                                          counts_64);
  gpu::check(cudaGetLastError(), "count bytes");
}

template <class Index>
cudaError_t sum_counts(void* d_temp, std::size_t& bytes, Index* d_counts, std::uint64_t tiles,
                       cudaStream_t stream) {
  return cub::DeviceScan::ExclusiveSum(d_temp, bytes, d_counts, d_counts,
                                       static_cast<std::int64_t>(256 * tiles), stream);
}

template <class Links>
void make_links(const unsigned char* d_bytes, std::uint64_t n, std::uint64_t tiles,
                const typename Links::index* d_sums, std::uint32_t* d_words,
                first_bytes<typename Links::index>* d_first_bytes, cudaStream_t stream) {
  link_kernel<Links>
      <<<static_cast<unsigned>(tiles), tile_threads, 0, stream>>>(d_bytes, n, tiles, d_sums, d_words);
  gpu::check(cudaGetLastError(), "link rows");
  using table = first_bytes<typename Links::index>;
  first_bytes_kernel<<<1, 256, 0, stream>>>(d_sums, tiles, n, table::shift_for(n), d_first_bytes);
  gpu::check(cudaGetLastError(), "make a table of bytes");
}

template void count_bytes(const unsigned char*, std::uint64_t, std::uint64_t, std::uint32_t*, cudaStream_t);
template void count_bytes(const unsigned char*, std::uint64_t, std::uint64_t, std::uint64_t*, cudaStream_t);
template cudaError_t sum_counts(void*, std::size_t&, std::uint32_t*, std::uint64_t, cudaStream_t);
template cudaError_t sum_counts(void*, std::size_t&, std::uint64_t*, std::uint64_t, cudaStream_t);
template void make_links<bwt_core::links_32>(const unsigned char*, std::uint64_t, std::uint64_t,
                                             const std::uint32_t*, std::uint32_t*,
                                             first_bytes<std::uint32_t>*, cudaStream_t);
template void make_links<bwt_core::links_40>(const unsigned char*, std::uint64_t, std::uint64_t,
                                             const std::uint64_t*, std::uint32_t*,
                                             first_bytes<std::uint64_t>*, cudaStream_t);

} // namespace weft::bwt_cuda
