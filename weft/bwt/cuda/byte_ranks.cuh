// Ranks of bytes in their stable order, a tile a block: what a pass of a radix sort does between the sums of
// the counts of tiles and what it then moves.
#pragma once

#include <cstdint>
#include <cub/block/block_radix_rank.cuh>
#include <weft/bwt/cuda/byte_ranks.hpp>

namespace weft::bwt_cuda {

inline constexpr int rank_warp = 32;

struct whole_byte {
  __device__ std::uint32_t Digit(std::uint32_t byte) const { return byte; }
};

// For the block's tile of bytes[0 .. n-1]: begin(b), of thread b, is where the tile's bytes b begin in all.
// Calls take(first, byte, place) for every lane, lane l with byte first + l. What fills up the last tile
// stands behind all its bytes, as another 255, and changes no rank but its own.
template <class Index, class Begin, class Take>
__device__ void rank_tile(const unsigned char* __restrict__ bytes, std::uint64_t n, const Begin& begin,
                          const Take& take) {
  using ranker = cub::BlockRadixRankMatch<rank_threads, 8, false>;
  __shared__ typename ranker::TempStorage memory;
  __shared__ Index begins[256]; // of the tile's bytes in all, less those of smaller bytes in the tile
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

} // namespace weft::bwt_cuda
