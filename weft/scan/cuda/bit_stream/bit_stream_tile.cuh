// The streams of a tile in the shared memory of a block.
#pragma once

#include <cuda_pipeline.h>
#include <weft/scan/cuda/bit_stream/bit_stream_tables.hpp>

namespace weft::scan_detail {

inline constexpr int scan_threads = 512, scan_warps = scan_threads / 32, scan_blocks = 2;
inline constexpr std::uint32_t all_lanes = 0xffffffffU;
inline constexpr std::uint32_t window = tile_positions + stream_words; // positions of a tile and its halo
inline constexpr std::uint32_t part_positions = tile_positions / stream_parts;
inline constexpr std::uint32_t part_skew = 16; // bytes between parts, so that they lie in different banks
inline constexpr std::uint32_t window_starts = window / 32;             // words of start bits of a window
inline constexpr std::uint32_t warp_candidates = tile_positions + 1024; // capacity of a warp, in candidates
// Capacity of a warp, in words of positions that pass shared filters.
inline constexpr std::uint32_t max_warp_survivors = 256;
// A block checks its candidates when it has at least this many.
inline constexpr std::uint32_t enough_candidates = 8 * scan_threads;
// A block checks this many candidates before it hands over the rows among them.
inline constexpr std::uint32_t candidates_at_once = 8 * scan_threads;
inline constexpr std::uint32_t block_rows = candidates_at_once; // capacity of a block, in rows

inline constexpr std::uint32_t num_members = max_streams / 32 * 256;

// The shared memory of a block. The streams follow it, from `arena` on.
struct scan_memory {
  std::uint32_t members[num_members];
  unsigned char text[2][window + (stream_parts + 1) * part_skew];
  std::uint32_t starts[2][window_starts];
  std::uint32_t next_filter;                // the first filter that no warp has taken
  std::uint32_t candidates[scan_warps + 1]; // number of candidates of the warps before each warp
  std::uint32_t num_rows;
  std::uint64_t first_deferred; // where the block's rows go in deferred_rows
  alignas(16) uint4 arena[1];
};

// Returns how many of the lanes in the mask `who` come before the calling lane.
__device__ inline std::uint32_t lanes_before(std::uint32_t who) {
  return static_cast<std::uint32_t>(__popc(who & ((1U << threadIdx.x % 32) - 1)));
}

// Returns the sum of `number` over the lanes up to and including the calling lane. `lane`: threadIdx.x % 32.
template <std::uint32_t Lanes = 32>
__device__ std::uint32_t sum_to_lane(std::uint32_t number, std::uint32_t lane) {
#pragma unroll
  for (std::uint32_t step = 1; step < Lanes; step *= 2) {
    const std::uint32_t before = __shfl_up_sync(all_lanes, number, step);
    if (lane >= step) number += before;
  }
  return number;
}

__device__ inline std::uint32_t skewed(std::uint32_t position) {
  return position + position / part_positions * part_skew;
}

// Starts to copy the text and the start bits of a tile to shared memory.
__device__ inline void fetch_tile(scan_memory& memory, int buffer, const device_text& text,
                                  std::uint64_t tile) {
  const std::uint64_t base = tile * tile_positions;
  for (std::uint32_t i = threadIdx.x * 16; i < window; i += scan_threads * 16)
    __pipeline_memcpy_async(&memory.text[buffer][skewed(i)], text.residues + base + i, 16);
  for (std::uint32_t i = threadIdx.x; i < window_starts; i += scan_threads)
    __pipeline_memcpy_async(&memory.starts[buffer][i], text.starts + base / 32 + i, 4);
  __pipeline_commit();
}

// Swaps blocks of Size x Size bits of a 32 x 32 matrix across its diagonal. The loops are unrolled, so that
// the rows stay in registers.
template <int Size> __device__ inline void swap_blocks(std::uint32_t (&rows)[32]) {
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    if ((k & Size) != 0) continue;
    const std::uint32_t a = rows[k], b = rows[k + Size];
    if constexpr (Size == 16) {
      rows[k] = __byte_perm(a, b, 0x5410);
      rows[k + Size] = __byte_perm(a, b, 0x7632);
    } else if constexpr (Size == 8) {
      rows[k] = __byte_perm(a, b, 0x6240);
      rows[k + Size] = __byte_perm(a, b, 0x7351);
    } else {
      constexpr std::uint32_t low = Size == 4 ? 0x0f0f0f0fU : Size == 2 ? 0x33333333U : 0x55555555U;
      rows[k] = (a & low) | (b << Size & ~low);
      rows[k + Size] = (a >> Size & low) | (b & ~low);
    }
  }
}

// Transposes a matrix: moves bit b of row r to bit r of row b. Swaps halves, then quarters, and so on
// (Warren, Hacker's Delight, 7-3).
__device__ inline void transpose(std::uint32_t (&rows)[32]) {
  swap_blocks<16>(rows);
  swap_blocks<8>(rows);
  swap_blocks<4>(rows);
  swap_blocks<2>(rows);
  swap_blocks<1>(rows);
}

// Makes one part of word w for each of 32 streams. The byte of each of the 32 residues gives a row of 32
// bits, one for each stream; transposing the rows gives the parts.
__device__ inline void make_streams_part(scan_memory& memory, int buffer, const stream_tables& t,
                                         std::uint32_t group, std::uint32_t w, std::uint32_t part) {
  const unsigned char* const text = memory.text[buffer] + part * (part_positions + part_skew) + w;
  const std::uint32_t* const members = memory.members + group * 256;
  std::uint32_t rows[32];
#pragma unroll
  for (int j = 0; j < 32; ++j) rows[j] = members[text[j * stream_words]];
  if (t.boundary_stream >= 0 && static_cast<std::uint32_t>(t.boundary_stream) / 32 == group) {
    const std::uint32_t* const starts = memory.starts[buffer] + part * 32;
#pragma unroll
    for (int j = 0; j < 32; ++j) rows[j] |= (starts[j] >> w & 1) << t.boundary_stream % 32;
  }
  transpose(rows);
  auto* const arena = reinterpret_cast<std::uint32_t*>(memory.arena);
#pragma unroll
  for (int eight = 0; eight < 4; ++eight) {
    const std::uint32_t first = group * 32 + eight * 8, stride = t.stride[first / 8] * 4;
    std::uint32_t* const to = arena + (t.first_word[first / 8] + w) * 4 + part;
    if (first + 8 <= t.num_streams) {
#pragma unroll
      for (int k = 0; k < 8; ++k) to[k * stride] = rows[eight * 8 + k];
    } else {
#pragma unroll
      for (int k = 0; k < 8; ++k)
        if (first + k < t.num_streams) to[k * stride] = rows[eight * 8 + k];
    }
  }
}

// Makes the words 0 .. 31 of all streams.
__device__ inline void make_streams(scan_memory& memory, int buffer, const stream_tables& t) {
  for (std::uint32_t i = threadIdx.x; i < (t.num_streams + 31) / 32 * 4 * stream_words; i += scan_threads)
    make_streams_part(memory, buffer, t, i / (4 * stream_words), i / 4 % stream_words, i % 4);
}

// Makes the halos. A halo word is a word of the stream moved by one bit; its last bit belongs to a residue
// behind the tile.
__device__ inline void make_halos(scan_memory& memory, int buffer, const stream_tables& t) {
#pragma unroll 4
  for (std::uint32_t i = threadIdx.x; i < t.halo_words; i += scan_threads) {
    const std::uint32_t word_of = __ldg(reinterpret_cast<const std::uint32_t*>(t.halo) + i);
    const halo_word halo{static_cast<std::uint16_t>(word_of), static_cast<std::uint8_t>(word_of >> 16),
                         static_cast<std::uint8_t>(word_of >> 24)};
    const uint4 word = memory.arena[halo.at];
    std::uint32_t bit_behind_tile;
    if (static_cast<std::int32_t>(halo.stream) == t.boundary_stream) {
      bit_behind_tile = memory.starts[buffer][(tile_positions + halo.w) / 32] >> halo.w % 32;
    } else {
      const std::uint32_t byte = memory.text[buffer][skewed(tile_positions + halo.w)];
      bit_behind_tile = memory.members[halo.stream / 32 * 256 + byte] >> halo.stream % 32;
    }
    memory.arena[halo.at + stream_words] =
        uint4{__funnelshift_r(word.x, word.y, 1), __funnelshift_r(word.y, word.z, 1),
              __funnelshift_r(word.z, word.w, 1), __funnelshift_r(word.w, bit_behind_tile, 1)};
  }
}

} // namespace weft::scan_detail
