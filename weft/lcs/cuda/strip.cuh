// A strip of the table: 1024 * Words rows that one warp takes from the first column to the last.
//
//   lane x has the strip's rows [x * 32 Words, (x + 1) * 32 Words), in registers
//   at time t it does the `Step` columns of block t - x, with the differences that lane x - 1 gave for them
//   at time t - 1: one shuffle a block
//   lane 0 takes the differences of the strip above from Port::top, 32 columns at a time
//   lane 31 gives those of this strip to Port::bottom, 32 columns at a time
//
// Match masks: shared memory holds a word for each symbol and each 32 rows; with up to 32 symbols a row of
// masks a symbol, with up to 256 two tables of 16 rows, for the high and the low four bits, whose words are
// and-ed inside the step's first operation. A column comes as the byte offsets of its rows of masks. In a
// column every lane reads 16 bytes beside those of its neighbour: no bank is asked twice.
#pragma once

#include <cstdint>
#include <weft/lcs/core/column_step.hpp>
#include <weft/lcs/cuda/link.cuh>
#include <weft/lcs/cuda/systolic_kernels.hpp>

namespace weft::lcs_cuda {

// Layout of the masks of a strip. Tables: 1 for symbols below 32, or 2.
template <int Words, int Tables> struct mask_layout {
  static constexpr int row_bytes = Words * warp_lanes * 4;
  // Rows of masks for symbols below sigma; the last one is empty, for columns past the end.
  __host__ __device__ static constexpr int rows(int sigma) { return (Tables == 1 ? sigma : 32) + 1; }
  __host__ __device__ static constexpr int bytes(int sigma) { return rows(sigma) * row_bytes; }
  // Of word w of lane 0 in a row; lanes follow each other at lane_bytes.
  static constexpr int lane_bytes = (Words < 4 ? Words : 4) * 4;
  __host__ __device__ static constexpr int word(int w) { return w / 4 * (warp_lanes * 16) + w % 4 * 4; }

  // What a column of this symbol is given as: its rows of masks; sigma itself: no symbol.
  __host__ __device__ static std::uint32_t column(unsigned symbol, int sigma) {
    if constexpr (Tables == 1) return symbol;
    return (symbol < unsigned(sigma) ? symbol % 16 : 32) | (16 + symbol / 16 % 16) << 16;
  }

  // Sets bit `bit` of word w where the row's symbol is `symbol`.
  __device__ static void set(char* masks, int lane, unsigned symbol, int w, int bit) {
    char* const mine = masks + lane * lane_bytes + word(w);
    if constexpr (Tables == 1) {
      *reinterpret_cast<std::uint32_t*>(mine + symbol * row_bytes) |= 1U << bit;
    } else {
      *reinterpret_cast<std::uint32_t*>(mine + symbol % 16 * row_bytes) |= 1U << bit;
      *reinterpret_cast<std::uint32_t*>(mine + (16 + symbol / 16) * row_bytes) |= 1U << bit;
    }
  }

  __device__ static void load(std::uint32_t address, std::uint32_t (&words)[Words]) {
    if constexpr (Words == 1) {
      asm volatile("ld.shared.u32 %0, [%1];" : "=r"(words[0]) : "r"(address));
    } else if constexpr (Words == 2) {
      asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(words[0]), "=r"(words[1]) : "r"(address));
    } else {
#pragma unroll
      for (int w = 0; w < Words; w += 4)
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(words[w]), "=r"(words[w + 1]), "=r"(words[w + 2]), "=r"(words[w + 3])
                     : "r"(address + word(w)));
    }
  }

  // masks: shared address of this lane's part. row_size is row_bytes, as a number that the compiler does not
  // know: it then multiplies and adds by one operation, and not on the pipe that all else here needs.
  __device__ static void match(std::uint32_t masks, std::uint32_t row_size, std::uint32_t column,
                               std::uint32_t (&words)[Words]) {
    if constexpr (Tables == 1) {
      load(column * row_size + masks, words);
    } else {
      std::uint32_t high[Words];
      load((column & 0xffffU) * row_size + masks, words);
      load((column >> 16) * row_size + masks, high);
#pragma unroll
      for (int w = 0; w < Words; ++w) words[w] &= high[w];
    }
  }
};

// The masks of a warp's rows. symbols: of this strip's rows, the first `above` of which do not exist.
template <int Words, int Tables>
__device__ void build_masks(char* masks, const std::uint8_t* symbols, std::int64_t above, int sigma,
                            int lane) {
  using layout = mask_layout<Words, Tables>;
  for (int at = lane * 16; at < layout::bytes(sigma); at += warp_lanes * 16)
    *reinterpret_cast<uint4*>(masks + at) = uint4{};
  __syncwarp();
  constexpr int at_once = 8; // symbols on their way
  for (int w = 0; w < Words; ++w)
    for (int bit = 0; bit < 32; bit += at_once) {
      const std::int64_t row = (lane * Words + w) * 32 + bit;
      std::uint8_t next[at_once] = {};
#pragma unroll
      for (int i = 0; i < at_once; ++i)
        if (row + i >= above) next[i] = symbols[row + i];
#pragma unroll
      for (int i = 0; i < at_once; ++i)
        if (row + i >= above) layout::set(masks, lane, next[i], w, bit + i);
    }
  __syncwarp();
}

inline __device__ std::uint32_t part(const uint4& four, int k) {
  return k == 0 ? four.x : k == 1 ? four.y : k == 2 ? four.z : four.w;
}

// Takes a warp's strip through `groups` times 32 columns of time; see weft/lcs/cuda/sweep.cuh for a Port.
// columns: of column 0, four in one, as mask_layout::column gives them. Columns from -31 Step to 2 Step past
// the last group's are read. row_size: see mask_layout::match.
//
// Two blocks a round, so that the columns of one are loaded while the other is done. Masks are loaded
// `distance` columns before they are used, to hide the latency of shared memory: of a whole block where a
// column is short (the compiler moves a load towards its use, but not out of the block).
template <class Column, int Words, int Tables, int Step, class Port>
__device__ void run_strip(Port& port, std::uint32_t masks, std::uint32_t row_size, const uint4* columns,
                          int groups, int lane) {
  using layout = mask_layout<Words, Tables>;
  constexpr int quarters = Step / 4, round = 2 * Step, rounds = 32 / round;
  constexpr int distance = Words <= 4 ? Step : 1, ring = 2 * distance;
  std::uint32_t v[Column::vectors][Words] = {}, in[Column::vectors] = {}, out[Column::vectors] = {};
  std::uint32_t match[ring][Words];
  uint4 block[2][quarters]; // columns of this block and the next
  const uint4* from = columns - lane * quarters;
  const auto load_block = [&](int half) {
#pragma unroll
    for (int p = 0; p < quarters; ++p) block[half][p] = Port::load(from++);
  };
  load_block(0);
  load_block(1);
#pragma unroll
  for (int k = 0; k < distance; ++k) layout::match(masks, row_size, part(block[0][k / 4], k % 4), match[k]);
  if constexpr (distance == Step) load_block(0);
  int t = 0;
  for (int group = 0; group < groups; ++group) {
    std::uint32_t top[Column::vectors];
    if (!port.top(group, top)) return;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r)
#pragma unroll
      for (int h = 0; h < 2; ++h, ++t) {
        port.visit(t, v);
#pragma unroll
        for (int x = 0; x < Column::vectors; ++x) {
          const std::uint32_t received = __shfl_up_sync(all_lanes, out[x], 1) << (32 - Step);
          in[x] = lane > 0 ? received : h == 0 && r == 0 ? top[x] : in[x];
        }
#pragma unroll
        for (int k = 0; k < Step; ++k) {
          const int next = (h * Step + k + distance) % round, its_half = next / Step, its_k = next % Step;
          layout::match(masks, row_size, part(block[its_half][its_k / 4], its_k % 4), match[next % ring]);
          if (its_k == Step - 1) load_block(its_half); // that was its last use
          Column::step(v, match[(h * Step + k) % ring], in, out);
          port.trace(k, v);
        }
        port.traced(t);
        if (h == 0 && r == 0) port.look_ahead(group + 1);
        // Lane 31 has done the last block of a word.
        if (h == 30 % (32 / Step) % 2 && r == 30 % (32 / Step) / 2) port.bottom(group - Step, out);
      }
  }
  if constexpr (Port::keeps_last) port.keep_last(v);
}

} // namespace weft::lcs_cuda
