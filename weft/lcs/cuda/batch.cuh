// Computes a batch of pairs: each thread computes one pair at a time (pair_band.hpp).
//
// The threads of a block share one item as rows, whose masks are in shared memory; each thread has another
// item as columns. A task is an item (the rows) and a chunk of items (the columns). Blocks persist, and
// take tasks by a counter.
//
// Masks: for each symbol a row of Words words, read 16 bytes at a time. Lanes have different columns, so
// they read rows of different symbols, eight lanes at once. One additional row is empty, for columns past
// the end.
//   spread    eight copies; lane x reads copy x % 8, and each copy has its own four banks, so that no bank
//             serves two lanes. Used if the copies leave enough shared memory for as many blocks as
//             registers allow (20 letters: 21 KB)
//   compact   one copy, in which the rows of successive symbols begin in different groups of four banks,
//             because their distance is an odd multiple of 16 bytes; among eight random symbols two or
//             three collide
//
// Items are sorted by length, so that the lanes of a warp finish at about the same time.
#pragma once

#include <weft/lcs/core/pair_band.hpp>
#include <weft/lcs/cuda/batch_kernels.hpp>

namespace weft::lcs_detail {

inline constexpr int batch_blocks = 4; // at least, for a multiprocessor: 128 registers for each thread

// The layout of the masks, spread or compact.
template <int Words, bool Spread> struct batch_masks {
  static constexpr int copies = Spread ? 8 : 1, quads = Words / 4; // quads: groups of 16 bytes in a row
  static constexpr int row_bytes = Spread ? quads * copies * 16 : (quads | 1) * 16;
  __device__ static constexpr int word(int w) { return w / 4 * (copies * 16) + w % 4 * 4; }
  __device__ static uint4& quad(char* masks, int number) {
    return *reinterpret_cast<uint4*>(masks + number / quads * row_bytes + number % quads * (copies * 16));
  }

  // Builds the masks of the rows first .. first + 32 Words - 1 of an item; rows below 0 do not exist. All
  // threads of a block call this function.
  __device__ static void build(char* masks, const std::uint8_t* symbols, std::int64_t first, int sigma) {
    for (int i = threadIdx.x; i < (sigma + 1) * quads; i += batch_threads) quad(masks, i) = uint4{};
    __syncthreads();
    for (int row = threadIdx.x; row < Words * 32; row += batch_threads)
      if (first + row >= 0)
        atomicOr(reinterpret_cast<std::uint32_t*>(masks + symbols[first + row] * row_bytes + word(row / 32)),
                 1U << row % 32);
    __syncthreads();
    if constexpr (Spread) {
      for (int i = threadIdx.x; i < (sigma + 1) * quads; i += batch_threads) {
        uint4* const copy = &quad(masks, i);
        for (int x = 1; x < copies; ++x) copy[x] = copy[0];
      }
      __syncthreads();
    }
  }
};

// The Lane of run_band().
template <class Pair, class Masks> struct batch_lane {
  const uint4* columns; // of this lane's item
  int blocks;           // of this lane's item
  std::uint32_t masks, row_size;
  std::uint32_t* link; // of this lane: [word][vector], with a stride of 32
  int length;          // in columns
  bool top, bottom;    // whether this is the first, the last band
  int sum = 0;         // of the differences below the last band

  [[nodiscard]] __device__ column_block block(int k) const {
    const uint4 quad_words = __ldg(columns + min(k, blocks));
    return {{quad_words.x, quad_words.y, quad_words.z, quad_words.w}};
  }
  // The compiler does not know the value of row_size, so it uses a single multiply-add operation. That
  // operation runs on another pipe than everything else here.
  [[nodiscard]] __device__ std::uint32_t row(std::uint32_t symbol) const { return symbol * row_size + masks; }
  __device__ void masks_of(std::uint32_t row, int w, std::uint32_t* quad_words) const {
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(quad_words[0]), "=r"(quad_words[1]), "=r"(quad_words[2]), "=r"(quad_words[3])
                 : "r"(row + Masks::word(w)));
  }

  __device__ void above(int group, std::uint32_t (&in)[Pair::vectors]) const {
#pragma unroll
    for (int x = 0; x < Pair::vectors; ++x)
      in[x] = top ? Pair::column::top(x) : link[(group * Pair::vectors + x) * 32];
  }
  __device__ void below(int group, const std::uint32_t (&out)[Pair::vectors]) {
    if (!bottom) {
#pragma unroll
      for (int x = 0; x < Pair::vectors; ++x) link[(group * Pair::vectors + x) * 32] = out[x];
    } else if constexpr (Pair::vectors == 2) {
      const int left = length - group * 32;
      const std::uint32_t used = left >= 32 ? ~0U : left <= 0 ? 0 : ~0U << (32 - left);
      sum += __popc(out[0] & used) - __popc(out[1] & used);
    }
  }
};

// Computes the bands of a pair's table, one after the other, and returns the distance. All threads of a
// block call this function.
template <class Pair, bool Linked, int Words, bool Spread>
__device__ std::uint32_t pair_distance(const batch_job& job, char* masks, const batch_item& rows,
                                       const batch_item& columns, std::uint32_t* link) {
  using layout = batch_masks<Words, Spread>;
  constexpr int band_rows = Words * 32;
  const int blocks = static_cast<int>((columns.length + block_columns - 1) / block_columns);
  int max_blocks = blocks; // the largest number of blocks in any lane
  for (int step = 16; step > 0; step /= 2)
    max_blocks = max(max_blocks, __shfl_xor_sync(0xffffffffU, max_blocks, step));
  batch_lane<Pair, layout> lane{static_cast<const uint4*>(job.columns) + columns.columns,
                                blocks,
                                static_cast<std::uint32_t>(__cvta_generic_to_shared(masks)) +
                                    threadIdx.x % layout::copies * 16,
                                job.row_size,
                                link,
                                static_cast<int>(columns.length),
                                true,
                                false};
  const std::int64_t bands = Linked ? max((rows.length + band_rows - 1) / band_rows, std::int64_t{1}) : 1;
  std::int64_t first = rows.length - bands * band_rows; // rows below 0 stand above the first row
  int common = 0;
  for (std::int64_t band = 0; band < bands; ++band, first += band_rows) {
    layout::build(masks, job.symbols + rows.symbols, first, job.sigma);
    lane.top = band == 0, lane.bottom = band == bands - 1;
    std::uint32_t v[Pair::vectors][Words];
    start_band<Pair>(v, -first);
    run_band<Pair, Linked>(lane, max_blocks, v);
#pragma unroll
    for (int w = 0; w < Words; ++w) common += __popc(~v[0][w]);
    __syncthreads(); // before other masks are built
  }
  if constexpr (Pair::vectors == 2) return static_cast<std::uint32_t>(rows.length + lane.sum);
  return static_cast<std::uint32_t>(rows.length + columns.length - 2 * std::int64_t{common});
}

// Returns the next task that has pairs, or a number past the last task if there is none or if the piece
// must end. The longest rows come first.
__device__ inline unsigned take_task(const batch_job& job, unsigned tasks) {
  for (;;) {
    const unsigned task = atomicAdd(job.ticket, 1U);
    if (task >= tasks) return tasks;
    const int p = job.last - 1 - static_cast<int>(task / job.chunks);
    if (static_cast<int>(task % job.chunks) * batch_threads < job.cuts[p])
      return *job.stop == 0 ? task : tasks;
  }
}

// Computes the tasks of a piece.
template <class Pair, bool Linked, int Words, bool Spread>
__global__ void __launch_bounds__(batch_threads, batch_blocks)
    batch_kernel(const __grid_constant__ batch_job job) {
  extern __shared__ uint4 shared[];
  __shared__ unsigned next;
  const auto tasks = static_cast<unsigned>(job.last - job.first) * static_cast<unsigned>(job.chunks);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  std::uint32_t* const link =
      job.links + (std::int64_t{blockIdx.x} * batch_warps + warp) * job.link_words * (Pair::vectors * 32) +
      lane;
  for (;;) {
    if (threadIdx.x == 0) next = take_task(job, tasks);
    __syncthreads();
    const unsigned task = next;
    __syncthreads();
    if (task >= tasks) return;
    const int p = job.last - 1 - static_cast<int>(task / job.chunks);
    const int cut = job.cuts[p], q = static_cast<int>(task % job.chunks) * batch_threads + threadIdx.x;
    const batch_item rows = job.items[p];
    batch_item columns = job.items[min(q, cut - 1)];
    if (q >= cut) { // no pair: no columns except the empty block of some item
      columns.columns += (columns.length + block_columns - 1) / block_columns;
      columns.length = 0;
    }
    const std::uint32_t distance =
        pair_distance<Pair, Linked, Words, Spread>(job, reinterpret_cast<char*>(shared), rows, columns, link);
    if (q < cut) job.values[job.begins[p] - job.begins[job.first] + q] = distance;
  }
}

} // namespace weft::lcs_detail
