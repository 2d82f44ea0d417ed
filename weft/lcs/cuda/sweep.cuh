// All strips of a table by one persistent launch; and tiles of it again, from checkpoints.
//
// Sweep. link.cuh has how strips follow each other, and why none waits for ever.
//
// Replay. A tile is a strip between two checkpoints; tiles depend on nothing but checkpoints.
#pragma once

#include <weft/lcs/core/sliced_lane.hpp>
#include <weft/lcs/cuda/link.cuh>
#include <weft/lcs/cuda/sliced.hpp>
#include <weft/lcs/cuda/strip.cuh>
#include <weft/lcs/cuda/systolic_kernels.hpp>

namespace weft::lcs_cuda {

// v left of the first column.
template <class Column, int Words>
__device__ void start(std::uint32_t (&v)[Column::vectors][Words], std::int64_t strip, std::int64_t above,
                      int lane) {
  const std::int64_t first = (strip * warp_lanes + lane) * Words * 32 - above;
#pragma unroll
  for (int w = 0; w < Words; ++w) {
    const std::int64_t missing = -(first + w * 32); // of this word's rows: those above the first
    const std::uint32_t rows = missing <= 0 ? ~0U : missing >= 32 ? 0 : ~0U << missing;
#pragma unroll
    for (int x = 0; x < Column::vectors; ++x) v[x][w] = Column::left(x, rows);
  }
}

// v of a lane in a checkpoint: [vector][w].
template <class Column, int Words> struct lane_state { std::uint32_t word[Column::vectors * Words]; };

template <class Column, int Words, int Step> struct sweep_port : link_port<Column::vectors> {
  using link_port<Column::vectors>::job, link_port<Column::vectors>::strip, link_port<Column::vectors>::lane;
  static constexpr int vectors = Column::vectors;
  static constexpr bool keeps_last = false;
  int slab_shift, slab_mask; // of blocks between checkpoints

  __device__ sweep_port(const table_job& the_job, int the_strip, int the_lane)
      : link_port<vectors>(the_job, the_strip, the_lane),
        slab_shift(min(job.slab_shift + (Step == 8 ? 2 : 3), 31)),
        slab_mask(static_cast<int>((1U << slab_shift) - 1)) {}

  [[nodiscard]] __device__ static uint4 load(const uint4* columns) { return __ldg(columns); }

  // Before time t: lanes that come to their first column, or to a checkpoint.
  __device__ void visit(int t, std::uint32_t (&v)[vectors][Words]) const {
    if ((t & slab_mask) < warp_lanes) visit_lane(t - lane, v);
  }

  __device__ void visit_lane(int block, std::uint32_t (&v)[vectors][Words]) const {
    if ((block & slab_mask) != 0) return;
    if (block == 0) {
      start<Column>(v, job.first_strip + strip, job.above, lane);
    } else if (block > 0 && block / (32 / Step) < job.words) {
      std::uint32_t* const to =
          checkpoint<lane_state<Column, Words>>(job, block >> slab_shift, strip, lane)->word;
#pragma unroll
      for (int x = 0; x < vectors; ++x) {
        if constexpr (Words == 2) {
          *reinterpret_cast<uint2*>(to + x * Words) = {v[x][0], v[x][1]};
        } else {
#pragma unroll
          for (int w = 0; w < Words; w += 4)
            *reinterpret_cast<uint4*>(to + x * Words + w) = {v[x][w], v[x][w + 1], v[x][w + 2], v[x][w + 3]};
        }
      }
    }
  }

  __device__ void trace(int, const std::uint32_t (&)[vectors][Words]) {}
  __device__ void traced(int) {}
};

// What a replay keeps in shared memory beside its masks: v at its left, and, if the slab is not wider than
// cached_words, its columns and 32 blocks before them: beside the stream of traces they would not stay in a
// cache.
template <class Column, int Words> struct replay_memory {
  static constexpr int step = 4, cached_words = 128, before = 32 * step;
  std::uint32_t state[Column::vectors * Words][warp_lanes];
  std::uint32_t columns[before + (cached_words + 8) * 32];
};

template <class Column, int Words> struct replay_port {
  static constexpr int vectors = Column::vectors, step = 4;
  static constexpr std::int64_t block_words = vectors * Words * warp_lanes * step;
  static constexpr bool keeps_last = false;
  static_assert(sizeof(replay_memory<Column, Words>) == kernel_shape{vectors == 2, Words, 1}.replay_bytes());
  const table_job& job;
  const tile which;
  replay_memory<Column, Words>& memory;
  int lane, words; // of this slab
  std::uint32_t* to;
  std::uint32_t ahead[vectors];
  uint4 four[vectors][Words];

  __device__ replay_port(const table_job& the_job, const tile& the_tile, std::uint32_t* traces,
                         replay_memory<Column, Words>& the_memory, int the_lane)
      : job(the_job), which(the_tile), memory(the_memory), lane(the_lane),
        words(min(1 << job.slab_shift, job.words - (which.slab << job.slab_shift))),
        to(traces + lane * step) {
    look_ahead(0);
    if (which.slab == 0) {
      std::uint32_t v[vectors][Words];
      start<Column>(v, job.first_strip + which.strip, job.above, lane);
#pragma unroll
      for (int i = 0; i < vectors * Words; ++i) memory.state[i][lane] = v[i / Words][i % Words];
    } else {
      resume();
    }
  }

  // The state from its checkpoint.
  __device__ void resume() {
    if constexpr (vectors == 2 && Words == kept_sliced_words)
      if (job.sliced) {
        resume_sliced();
        return;
      }
    const auto& kept = *checkpoint<lane_state<Column, Words>>(job, which.slab, which.strip, lane);
#pragma unroll
    for (int i = 0; i < vectors * Words; ++i) memory.state[i][lane] = kept.word[i];
  }

  __device__ void resume_sliced() {
    lcs_core::edit_lane<lcs_core::integer_ops<std::uint32_t>, Words, 3> rows;
    const std::int64_t first =
        ((std::int64_t{job.first_strip} + which.strip) * warp_lanes + lane) * rows.rows - job.above;
    const std::uint8_t* const symbols = job.rows + first;
    rows.start(-first, [&](int r) { return static_cast<unsigned>(symbols[r]); });
    const auto* const columns = reinterpret_cast<const std::uint32_t*>(job.columns) +
                                (static_cast<std::int64_t>(which.slab) << job.slab_shift) * 32 - 7;
    unsigned before[7]; // with one table of masks a column is given as its symbol
#pragma unroll
    for (int i = 0; i < 7; ++i) before[i] = columns[i];
    rows.resume(*checkpoint<lcs_core::kept_lane<Words>>(job, which.slab, which.strip, lane), before);
#pragma unroll
    for (int i = 0; i < vectors * Words; ++i) memory.state[i][lane] = rows.rows_of(i / Words, i % Words);
  }

  // Where run_strip finds this slab's columns.
  [[nodiscard]] __device__ const uint4* columns() {
    const auto* const there = reinterpret_cast<const std::uint32_t*>(job.columns) +
                              (static_cast<std::int64_t>(which.slab) << job.slab_shift) * 32;
    if (words > memory.cached_words) return reinterpret_cast<const uint4*>(there);
    for (int i = lane; i < memory.before + (words + 8) * 32; i += warp_lanes)
      memory.columns[i] = there[i - memory.before];
    __syncwarp();
    return reinterpret_cast<const uint4*>(memory.columns + memory.before);
  }
  [[nodiscard]] __device__ static uint4 load(const uint4* columns) { return *columns; }

  __device__ void look_ahead(int word) {
#pragma unroll
    for (int x = 0; x < vectors; ++x)
      ahead[x] =
          job.kept_tops[(std::int64_t{which.strip} * vectors + x) * job.words +
                        (static_cast<std::int64_t>(which.slab) << job.slab_shift) + min(word, words - 1)];
  }
  __device__ bool top(int group, std::uint32_t (&word)[vectors]) {
#pragma unroll
    for (int x = 0; x < vectors; ++x) word[x] = ahead[x];
    return true;
  }
  __device__ void visit(int t, std::uint32_t (&v)[vectors][Words]) const {
    if (t != lane) return;
#pragma unroll
    for (int i = 0; i < vectors * Words; ++i) v[i / Words][i % Words] = memory.state[i][lane];
    if constexpr (first_trace(vectors) > 0)
      if (lane >= which.first_lane && lane < which.last_lane)
#pragma unroll
        for (int i = 0; i < vectors * Words; ++i)
          to[block_words * t + i * (warp_lanes * step) + step - 1] = memory.state[i][lane];
  }
  __device__ void trace(int k, const std::uint32_t (&v)[vectors][Words]) {
#pragma unroll
    for (int x = 0; x < vectors; ++x)
#pragma unroll
      for (int w = 0; w < Words; ++w)
        (k == 0 ? four[x][w].x : k == 1 ? four[x][w].y : k == 2 ? four[x][w].z : four[x][w].w) = v[x][w];
  }
  __device__ void traced(int t) {
    const int block = t - lane;
    if (block < 0 || block >= words * (32 / step) || lane < which.first_lane || lane >= which.last_lane)
      return;
    std::uint32_t* const block_to = to + block_words * (t + first_trace(vectors));
#pragma unroll
    for (int x = 0; x < vectors; ++x)
#pragma unroll
      for (int w = 0; w < Words; ++w)
        __stcs(reinterpret_cast<uint4*>(block_to + (x * Words + w) * (warp_lanes * step)), four[x][w]);
  }
  __device__ void bottom(int, const std::uint32_t (&)[vectors]) const {}
};

// The masks of a strip's rows, by this warp, in `masks`; the shared address of this lane's part.
template <int Words, int Tables>
__device__ std::uint32_t strip_masks(const table_job& job, char* masks, int strip, int lane) {
  const std::int64_t first = (std::int64_t{job.first_strip} + strip) * (warp_lanes * 32 * Words);
  build_masks<Words, Tables>(masks, job.rows + (first - job.above), job.above - first, job.sigma, lane);
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(masks)) +
         lane * mask_layout<Words, Tables>::lane_bytes;
}

template <class Column, int Words, int Tables>
__global__ void __launch_bounds__(max_warps* warp_lanes, 1)
    sweep_kernel(const __grid_constant__ table_job job) {
  extern __shared__ uint4 shared[];
  const int lane = threadIdx.x % warp_lanes;
  char* const mine = reinterpret_cast<char*>(shared) +
                     threadIdx.x / warp_lanes * mask_layout<Words, Tables>::bytes(job.sigma);
  for (;;) {
    const int strip = take_ticket(job.ticket, lane);
    if (strip >= job.strips || (job.stop != nullptr && *job.stop != 0)) return;
    const std::uint32_t masks = strip_masks<Words, Tables>(job, mine, strip, lane);
    sweep_port<Column, Words, sweep_step> port(job, strip, lane);
    run_strip<Column, Words, Tables, sweep_step>(port, masks, job.row_size, job.columns,
                                                 job.words + sweep_step, lane);
  }
}

template <class Column, int Words, int Tables>
__global__ void __launch_bounds__(max_replay_warps* warp_lanes, 1)
    replay_kernel(const __grid_constant__ table_job job, const tile* tiles, int count,
                  std::uint32_t* traces) {
  using memory_type = replay_memory<Column, Words>;
  constexpr int step = memory_type::step;
  extern __shared__ uint4 shared[];
  const int lane = threadIdx.x % warp_lanes, mask_bytes = mask_layout<Words, Tables>::bytes(job.sigma);
  char* const mine = reinterpret_cast<char*>(shared) +
                     threadIdx.x / warp_lanes * (mask_bytes + static_cast<int>(sizeof(memory_type)));
  for (;;) {
    const int ticket = take_ticket(job.ticket, lane);
    if (ticket >= count) return;
    const tile which = tiles[ticket];
    const std::uint32_t masks = strip_masks<Words, Tables>(job, mine, which.strip, lane);
    const std::int64_t size = tile_words(Column::vectors, Words, job.slab_shift);
    replay_port<Column, Words> port(job, which, traces + ticket * size,
                                    *reinterpret_cast<memory_type*>(mine + mask_bytes), lane);
    const uint4* const columns = port.columns();
    run_strip<Column, Words, Tables, step>(port, masks, job.row_size, columns, port.words + step, lane);
    __syncwarp();
  }
}

} // namespace weft::lcs_cuda
