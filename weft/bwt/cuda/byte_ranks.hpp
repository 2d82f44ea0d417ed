// Bytes in their stable order, as a pass of a radix sort finds it: counts of each tile, sums of them by byte
// and then tile, ranks in each tile (byte_ranks.cuh). Functions enqueue; they throw as gpu::check().
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

namespace weft::bwt_cuda {

inline constexpr int rank_threads = 512, rank_items = 16; // of a block, and of a thread
inline constexpr std::uint64_t rank_tile_size = std::uint64_t{rank_threads} * rank_items;
constexpr std::uint64_t rank_tiles(std::uint64_t bytes) {
  return (bytes + rank_tile_size - 1) / rank_tile_size;
}

// Byte b's count in tile t, at counts[b * tiles + t].
template <class Index>
void count_tiles(const unsigned char* d_bytes, std::uint64_t n, std::uint64_t tiles, Index* d_counts,
                 cudaStream_t stream);

// Two phases, as CUB's: sums of all counts before each.
template <class Index>
[[nodiscard]] cudaError_t sum_counts(void* d_temp, std::size_t& bytes, Index* d_counts, std::uint64_t tiles,
                                     cudaStream_t stream);

} // namespace weft::bwt_cuda
