// Counts of bytes per tile, and their prefix sums (byte_ranks.hpp).
#include <weft/bwt/cuda/byte_ranks.hpp>

#include <cub/device/device_scan.cuh>
#include <weft/base/cuda/device_memory.hpp>

namespace weft::bwt_detail {

namespace {

// Each counter exists in eight copies, because otherwise lanes with equal bytes would all add to the same
// address.
__global__ void __launch_bounds__(rank_threads)
    count_tiles_kernel(const unsigned char* __restrict__ bytes, std::uint64_t n, std::uint64_t tiles,
                       std::uint32_t* counts_32, std::uint64_t* counts_64) {
  constexpr unsigned copies = 8;
  __shared__ std::uint32_t counters[256 * copies];
  for (unsigned i = threadIdx.x; i < 256 * copies; i += rank_threads) counters[i] = 0;
  __syncthreads();
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * rank_tile_size;
  int own[rank_items];
#pragma unroll
  for (int i = 0; i < rank_items; ++i) {
    const std::uint64_t at = begin + static_cast<unsigned>(i * rank_threads) + threadIdx.x;
    own[i] = at < n ? bytes[at] : -1;
  }
#pragma unroll
  for (int i = 0; i < rank_items; ++i)
    if (own[i] >= 0) atomicAdd(&counters[static_cast<unsigned>(own[i]) * copies + threadIdx.x % copies], 1U);
  __syncthreads();
  if (threadIdx.x >= 256) return;
  std::uint32_t sum = 0;
  for (unsigned i = 0; i < copies; ++i) sum += counters[threadIdx.x * copies + (i + threadIdx.x) % copies];
  const std::uint64_t index = threadIdx.x * tiles + blockIdx.x;
  if (counts_64 != nullptr)
    counts_64[index] = sum;
  else
    counts_32[index] = sum;
}

} // namespace

template <class Index>
void count_tiles(const unsigned char* d_bytes, std::uint64_t n, std::uint64_t tiles, Index* d_counts,
                 cudaStream_t stream) {
  std::uint32_t* counts_32 = nullptr;
  std::uint64_t* counts_64 = nullptr;
  if constexpr (sizeof(Index) == 4)
    counts_32 = d_counts;
  else
    counts_64 = d_counts;
  count_tiles_kernel<<<static_cast<unsigned>(tiles), rank_threads, 0, stream>>>(d_bytes, n, tiles, counts_32,
                                                                                counts_64);
  gpu::check(cudaGetLastError(), "count bytes");
}

template <class Index>
cudaError_t sum_counts(void* d_temp, std::size_t& bytes, Index* d_counts, std::uint64_t tiles,
                       cudaStream_t stream) {
  return cub::DeviceScan::ExclusiveSum(d_temp, bytes, d_counts, d_counts,
                                       static_cast<std::int64_t>(256 * tiles), stream);
}

template void count_tiles(const unsigned char*, std::uint64_t, std::uint64_t, std::uint32_t*, cudaStream_t);
template void count_tiles(const unsigned char*, std::uint64_t, std::uint64_t, std::uint64_t*, cudaStream_t);
template cudaError_t sum_counts(void*, std::size_t&, std::uint32_t*, std::uint64_t, cudaStream_t);
template cudaError_t sum_counts(void*, std::size_t&, std::uint64_t*, std::uint64_t, cudaStream_t);

} // namespace weft::bwt_detail
