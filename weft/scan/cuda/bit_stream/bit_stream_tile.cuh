// A tile's streams in a block's shared memory.
#pragma once

#include <cuda_pipeline.h>
#include <weft/scan/cuda/bit_stream/bit_stream_tables.hpp>

namespace weft::scan_cuda {

inline constexpr int scan_threads = 512, scan_warps = scan_threads / 32, scan_blocks = 2;
inline constexpr std::uint32_t all_lanes = 0xffffffffU;
inline constexpr std::uint32_t window = tile_positions + stream_words; // positions of a tile and its halo
inline constexpr std::uint32_t part_positions = tile_positions / stream_parts;
inline constexpr std::uint32_t part_skew = 16;              // bytes: so that the parts lie in different banks
inline constexpr std::uint32_t window_starts = window / 32; // words of a tile's starts
inline constexpr std::uint32_t warp_candidates = tile_positions + 1024; // of a warp's memory
inline constexpr std::uint32_t warp_left = 256;                         // words of what shared filters leave
inline constexpr std::uint32_t enough_candidates = 8 * scan_threads;    // of a block, to check
inline constexpr std::uint32_t candidates_at_once =
    8 * scan_threads;                                           // of a block, before it looks at its rows
inline constexpr std::uint32_t block_rows = candidates_at_once; // of a block's memory

inline constexpr std::uint32_t num_members = max_streams / 32 * 256;

struct scan_memory {
  std::uint32_t members[num_members];
  unsigned char text[2][window + (stream_parts + 1) * part_skew];
  std::uint32_t starts[2][window_starts];
  std::uint32_t taken;                      // filters
  std::uint32_t candidates[scan_warps + 1]; // of the warps before each
  std::uint32_t num_rows;
  std::uint64_t first_open; // where they go
  alignas(16) uint4 arena[1];
};

// How many of the lanes `who` come before this one.
__device__ inline std::uint32_t lanes_before(std::uint32_t who) {
  return static_cast<std::uint32_t>(__popc(who & ((1U << threadIdx.x % 32) - 1)));
}

// The sum of the numbers of the first lanes, up to each of these. lane: threadIdx.x % 32.
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

// Starts to fetch a tile's text.
__device__ inline void fetch(scan_memory& memory, int buffer, const device_text& text, std::uint64_t tile) {
  const std::uint64_t base = tile * tile_positions;
  for (std::uint32_t i = threadIdx.x * 16; i < window; i += scan_threads * 16)
    __pipeline_memcpy_async(&memory.text[buffer][skewed(i)], text.residues + base + i, 16);
  for (std::uint32_t i = threadIdx.x; i < window_starts; i += scan_threads)
    __pipeline_memcpy_async(&memory.starts[buffer][i], text.starts + base / 32 + i, 4);
  __pipeline_commit();
}

// Swaps blocks of Size x Size bits of a 32 x 32 matrix across its diagonal. Unrolled: the rows are registers.
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

// Bit b of row r goes to bit r of row b: halves, then quarters, ... (Warren, Hacker's Delight, 7-3).
__device__ inline void transpose(std::uint32_t (&rows)[32]) {
  swap_blocks<16>(rows);
  swap_blocks<8>(rows);
  swap_blocks<4>(rows);
  swap_blocks<2>(rows);
  swap_blocks<1>(rows);
}

// A word's part of 32 streams, from a row of bits for each of its 32 residues.
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

// The streams' words 0 .. 31.
__device__ inline void make_streams(scan_memory& memory, int buffer, const stream_tables& t) {
  for (std::uint32_t i = threadIdx.x; i < (t.num_streams + 31) / 32 * 4 * stream_words; i += scan_threads)
    make_streams_part(memory, buffer, t, i / (4 * stream_words), i / 4 % stream_words, i % 4);
}

// The halos: a word moved by a bit; the last one comes from behind the tile.
__device__ inline void make_halos(scan_memory& memory, int buffer, const stream_tables& t) {
#pragma unroll 4
  for (std::uint32_t i = threadIdx.x; i < t.halo_words; i += scan_threads) {
    const std::uint32_t word_of = __ldg(reinterpret_cast<const std::uint32_t*>(t.halo) + i);
    const halo_word halo{static_cast<std::uint16_t>(word_of), static_cast<std::uint8_t>(word_of >> 16),
                         static_cast<std::uint8_t>(word_of >> 24)};
    const uint4 word = memory.arena[halo.at];
    std::uint32_t past;
    if (static_cast<std::int32_t>(halo.stream) == t.boundary_stream) {
      past = memory.starts[buffer][(tile_positions + halo.w) / 32] >> halo.w % 32;
    } else {
      const std::uint32_t byte = memory.text[buffer][skewed(tile_positions + halo.w)];
      past = memory.members[halo.stream / 32 * 256 + byte] >> halo.stream % 32;
    }
    memory.arena[halo.at + stream_words] =
        uint4{__funnelshift_r(word.x, word.y, 1), __funnelshift_r(word.y, word.z, 1),
              __funnelshift_r(word.z, word.w, 1), __funnelshift_r(word.w, past, 1)};
  }
}

} // namespace weft::scan_cuda
