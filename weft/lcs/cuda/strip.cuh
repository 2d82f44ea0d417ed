// A strip of the table: 1024 * Words rows, which one warp computes from the first column to the last.
//
//   lane x has the strip's rows [x * 32 Words, (x + 1) * 32 Words), in registers
//   at time t it computes the `Step` columns of block t - x, with the differences that lane x - 1 produced
//   for them at time t - 1: one shuffle for each block
//   lane 0 takes the differences of the strip above from Port::top, 32 columns at a time
//   lane 31 passes the differences of this strip to Port::bottom, 32 columns at a time
//
// A Port is the policy class of run_strip(). top() gives the differences above the strip, bottom() takes
// those below it, look_ahead() loads the next word of top() early, visit() runs before each block, trace()
// and traced() record v after each column and each block. sweep.cuh has sweep_port and replay_port, meet.cu
// the Port of a half table.
//
// Match masks: shared memory holds a word for each symbol and each 32 rows. For up to 32 symbols, each
// symbol has a row of masks. For up to 256 symbols there are two tables of 16 rows, for the high and the
// low four bits of a symbol; the step's first operation also combines their two words by "and". A column is
// given as the numbers of its rows of masks. For a column every lane reads 16 bytes next to those of its
// neighbour, so no bank serves two lanes.
#pragma once

#include <cstdint>
#include <weft/lcs/core/column_step.hpp>
#include <weft/lcs/cuda/link.cuh>
#include <weft/lcs/cuda/systolic_kernels.hpp>

namespace weft::lcs_detail {

// The layout of the masks of a strip. Tables is 1 for symbols below 32, otherwise 2.
template <int Words, int Tables> struct mask_layout {
  static constexpr int row_bytes = Words * warp_lanes * 4;
  // Returns the number of rows of masks for symbols below sigma. The last row is empty, for columns past
  // the end.
  __host__ __device__ static constexpr int rows(int sigma) { return (Tables == 1 ? sigma : 32) + 1; }
  __host__ __device__ static constexpr int bytes(int sigma) { return rows(sigma) * row_bytes; }
  // word(w) is the offset of word w of lane 0 in a row; the other lanes follow at a distance of lane_bytes.
  static constexpr int lane_bytes = (Words < 4 ? Words : 4) * 4;
  __host__ __device__ static constexpr int word(int w) { return w / 4 * (warp_lanes * 16) + w % 4 * 4; }

  // Returns the form in which a column of this symbol is given: its rows of masks. The symbol sigma itself
  // stands for no symbol.
  __host__ __device__ static std::uint32_t column(unsigned symbol, int sigma) {
    if constexpr (Tables == 1) return symbol;
    return (symbol < unsigned(sigma) ? symbol % 16 : 32) | (16 + symbol / 16 % 16) << 16;
  }

  // Sets bit `bit` of word w in the masks of `symbol`.
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

  // Loads the masks of a column. `masks` is the shared address of this lane's part. row_size equals
  // row_bytes, but the compiler does not know its value, so it uses a single multiply-add operation. That
  // operation runs on another pipe than everything else here.
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

// Builds the masks of a warp's rows. `symbols` are the symbols of this strip's rows, of which the first
// `missing_rows` do not exist.
template <int Words, int Tables>
__device__ void build_masks(char* masks, const std::uint8_t* symbols, std::int64_t missing_rows, int sigma,
                            int lane) {
  using layout = mask_layout<Words, Tables>;
  for (int at = lane * 16; at < layout::bytes(sigma); at += warp_lanes * 16)
    *reinterpret_cast<uint4*>(masks + at) = uint4{};
  __syncwarp();
  constexpr int at_once = 8; // symbols that are loaded together
  for (int w = 0; w < Words; ++w)
    for (int bit = 0; bit < 32; bit += at_once) {
      const std::int64_t row = (lane * Words + w) * 32 + bit;
      std::uint8_t next[at_once] = {};
#pragma unroll
      for (int i = 0; i < at_once; ++i)
        if (row + i >= missing_rows) next[i] = symbols[row + i];
#pragma unroll
      for (int i = 0; i < at_once; ++i)
        if (row + i >= missing_rows) layout::set(masks, lane, next[i], w, bit + i);
    }
  __syncwarp();
}

inline __device__ std::uint32_t word_of_quad(const uint4& quad, int k) {
  return k == 0 ? quad.x : k == 1 ? quad.y : k == 2 ? quad.z : quad.w;
}

// Moves a warp's strip through `groups` times 32 columns of time. `port` is the policy of the strip (see
// above). `columns` points to column 0, four columns in one uint4, as mask_layout::column returns them.
// Columns from -31 Step to 2 Step past the last group's are read. mask_layout::match explains row_size.
//
// A round has two blocks, so that the columns of one block are loaded while the other is computed. Masks
// are loaded `distance` columns before they are used, to hide the latency of shared memory. If a column is
// short, that is a whole block (the compiler moves a load towards its use, but not out of the block).
template <class Column, int Words, int Tables, int Step, class Port>
__device__ void run_strip(Port& port, std::uint32_t masks, std::uint32_t row_size, const uint4* columns,
                          int groups, int lane) {
  using layout = mask_layout<Words, Tables>;
  constexpr int quarters = Step / 4, round = 2 * Step, rounds = 32 / round;
  constexpr int distance = Words <= 4 ? Step : 1, ring = 2 * distance;
  std::uint32_t v[Column::vectors][Words] = {}, in[Column::vectors] = {}, out[Column::vectors] = {};
  std::uint32_t match[ring][Words];
  uint4 block[2][quarters]; // the columns of this block and the next
  const uint4* from = columns - lane * quarters;
  const auto load_block = [&](int half) {
#pragma unroll
    for (int p = 0; p < quarters; ++p) block[half][p] = Port::load(from++);
  };
  load_block(0);
  load_block(1);
#pragma unroll
  for (int k = 0; k < distance; ++k)
    layout::match(masks, row_size, word_of_quad(block[0][k / 4], k % 4), match[k]);
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
          layout::match(masks, row_size, word_of_quad(block[its_half][its_k / 4], its_k % 4),
                        match[next % ring]);
          if (its_k == Step - 1) load_block(its_half); // this was its last use
          Column::step(v, match[(h * Step + k) % ring], in, out);
          port.trace(k, v);
        }
        port.traced(t);
        if (h == 0 && r == 0) port.look_ahead(group + 1);
        // Lane 31 is 31 blocks behind lane 0, so it completes a word of 32 / Step blocks in block
        // (32 / Step - 1 + 31) mod (32 / Step) = 30 mod (32 / Step) of the group. h is the lowest bit of that
        // number, and r the rest.
        if (h == 30 % (32 / Step) % 2 && r == 30 % (32 / Step) / 2) port.bottom(group - Step, out);
      }
  }
  if constexpr (Port::keeps_last) port.keep_last(v);
}

} // namespace weft::lcs_detail
