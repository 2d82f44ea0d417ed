// Ranks the bytes of a tile in stable order, one tile per block. This is the step of a radix sort pass
// between the prefix sums of the tiles' counts and moving the items.
#pragma once

#include <cstdint>
#include <cub/block/block_radix_rank.cuh>
#include <weft/bwt/cuda/byte_ranks.hpp>

namespace weft::bwt_detail {

inline constexpr int rank_warp = 32;

struct whole_byte {
  __device__ std::uint32_t Digit(std::uint32_t byte) const { return byte; }
};

// Computes the destination of each byte of the block's tile of bytes[0 .. n-1]. begin(b), which thread b
// calls, must return the destination of the tile's first byte b. Calls take(first, byte, destination) for
// every byte; lane l has the byte at index first + l. The last tile is padded with bytes 255 behind its real
// bytes, so padding changes no rank of a real byte; `take` is also called for padding.
template <class Index, class Begin, class Take>
__device__ void rank_tile(const unsigned char* __restrict__ bytes, std::uint64_t n, const Begin& begin,
                          const Take& take) {
  using ranker = cub::BlockRadixRankMatch<rank_threads, 8, false>;
  __shared__ typename ranker::TempStorage memory;
  __shared__ Index begins[256]; // where bytes of a value go, less smaller bytes of the tile
  const unsigned lane = threadIdx.x % rank_warp;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * rank_tile_size +
                              static_cast<std::uint64_t>(threadIdx.x / rank_warp) * (rank_warp * rank_items);
  std::uint32_t own[rank_items];
#pragma unroll
  for (int i = 0; i < rank_items; ++i) {
    const std::uint64_t at = first + static_cast<unsigned>(i * rank_warp) + lane;
    own[i] = at < n ? bytes[at] : 255U;
  }
  int ranks[rank_items], smaller[ranker::BINS_TRACKED_PER_THREAD];
  ranker(memory).RankKeys(own, ranks, whole_byte{}, smaller);
  if (threadIdx.x < 256) begins[threadIdx.x] = begin(threadIdx.x) - static_cast<Index>(smaller[0]);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < rank_items; ++i)
    take(first + static_cast<unsigned>(i * rank_warp), own[i], begins[own[i]] + static_cast<Index>(ranks[i]));
}

} // namespace weft::bwt_detail
