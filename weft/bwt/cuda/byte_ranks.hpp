// Destinations of bytes in stable order, as a pass of a radix sort computes them: counts per tile, sums of
// the counts by byte and then by tile, and ranks within each tile (byte_ranks.cuh). Functions enqueue their
// work and throw as gpu::check().
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

namespace weft::bwt_detail {

inline constexpr int rank_threads = 512, rank_items = 16; // threads per block, items per thread
inline constexpr std::uint64_t rank_tile_size = std::uint64_t{rank_threads} * rank_items;
constexpr std::uint64_t rank_tiles(std::uint64_t bytes) {
  return (bytes + rank_tile_size - 1) / rank_tile_size;
}

// Writes the number of bytes b in tile t to d_counts[b * tiles + t].
template <class Index>
void count_tiles(const unsigned char* d_bytes, std::uint64_t n, std::uint64_t tiles, Index* d_counts,
                 cudaStream_t stream);

// Replaces each count by the sum of all counts before it. Two phases, as CUB's functions.
template <class Index>
[[nodiscard]] cudaError_t sum_counts(void* d_temp, std::size_t& bytes, Index* d_counts, std::uint64_t tiles,
                                     cudaStream_t stream);

} // namespace weft::bwt_detail
