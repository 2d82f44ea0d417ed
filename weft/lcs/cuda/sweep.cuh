// Sweeps all strips of a table in one persistent launch, and replays tiles of it from checkpoints.
//
// A sweep is run_strip() with a sweep_port: each warp takes strip after strip. link.cuh explains how strips
// follow each other, and why none waits for ever.
//
// A replay is run_strip() with a replay_port: each warp computes one tile, which is a strip between two
// checkpoints, once more and records v. A tile starts from checkpoints alone, so tiles can be replayed in any
// order.
#pragma once

#include <weft/lcs/core/sliced_lane.hpp>
#include <weft/lcs/cuda/link.cuh>
#include <weft/lcs/cuda/strip.cuh>
#include <weft/lcs/cuda/systolic_kernels.hpp>

namespace weft::lcs_detail {

// Sets v to its values to the left of the first column.
template <class Column, int Words>
__device__ void start(std::uint32_t (&v)[Column::vectors][Words], std::int64_t strip,
                      std::int64_t missing_rows, int lane) {
  const std::int64_t first = (strip * warp_lanes + lane) * Words * 32 - missing_rows;
#pragma unroll
  for (int w = 0; w < Words; ++w) {
    const std::int64_t missing = -(first + w * 32); // the rows of this word that lie above row 0
    const std::uint32_t rows = missing <= 0 ? ~0U : missing >= 32 ? 0 : ~0U << missing;
#pragma unroll
    for (int x = 0; x < Column::vectors; ++x) v[x][w] = Column::left(x, rows);
  }
}

// The v of a lane in a checkpoint: [vector][w].
template <class Column, int Words> struct lane_state { std::uint32_t word[Column::vectors * Words]; };

// The Port of a sweep: it links strips, starts lanes at their first column, and stores checkpoints.
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

  // Visits, before time t, the lanes that come to their first column or to a checkpoint.
  __device__ void visit(int t, std::uint32_t (&v)[vectors][Words]) const {
    if ((t & slab_mask) < warp_lanes) visit_lane(t - lane, v);
  }

  __device__ void visit_lane(int block, std::uint32_t (&v)[vectors][Words]) const {
    if ((block & slab_mask) != 0) return;
    if (block == 0) {
      start<Column>(v, job.first_strip + strip, job.missing_rows, lane);
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

// What a replay keeps in shared memory besides its masks: v at its left edge, and, if the slab is not wider
// than cached_words, its columns and the 32 blocks before them. Caches would not hold these columns,
// because the traces stream through them.
template <class Column, int Words> struct replay_memory {
  static constexpr int step = 4, cached_words = 128, before = 32 * step;
  std::uint32_t state[Column::vectors * Words][warp_lanes];
  std::uint32_t columns[before + (cached_words + 8) * 32];
};

// The Port of a replay: it starts from a checkpoint, reads the kept differences above the strip, and writes
// the traces.
template <class Column, int Words> struct replay_port {
  static constexpr int vectors = Column::vectors, step = 4;
  static constexpr std::int64_t block_words = vectors * Words * warp_lanes * step;
  static constexpr bool keeps_last = false;
  static_assert(sizeof(replay_memory<Column, Words>) == kernel_shape{vectors == 2, Words, 1}.replay_bytes());
  const table_job& job;
  const tile replayed_tile;
  replay_memory<Column, Words>& memory;
  int lane, words; // words: of this slab
  std::uint32_t* to;
  std::uint32_t ahead[vectors];
  uint4 quads[vectors][Words];

  __device__ replay_port(const table_job& the_job, const tile& the_tile, std::uint32_t* traces,
                         replay_memory<Column, Words>& the_memory, int the_lane)
      : job(the_job), replayed_tile(the_tile), memory(the_memory), lane(the_lane),
        words(min(1 << job.slab_shift, job.words - (replayed_tile.slab << job.slab_shift))),
        to(traces + lane * step) {
    look_ahead(0);
    if (replayed_tile.slab == 0) {
      std::uint32_t v[vectors][Words];
      start<Column>(v, job.first_strip + replayed_tile.strip, job.missing_rows, lane);
#pragma unroll
      for (int i = 0; i < vectors * Words; ++i) memory.state[i][lane] = v[i / Words][i % Words];
    } else {
      resume();
    }
  }

  // Loads the state from its checkpoint.
  __device__ void resume() {
    if constexpr (vectors == 2 && Words == kept_sliced_words)
      if (job.sliced) {
        resume_sliced();
        return;
      }
    const auto& kept =
        *checkpoint<lane_state<Column, Words>>(job, replayed_tile.slab, replayed_tile.strip, lane);
#pragma unroll
    for (int i = 0; i < vectors * Words; ++i) memory.state[i][lane] = kept.word[i];
  }

  __device__ void resume_sliced() {
    edit_lane<integer_ops<std::uint32_t>, Words, 3> rows;
    const std::int64_t first =
        ((std::int64_t{job.first_strip} + replayed_tile.strip) * warp_lanes + lane) * rows.rows -
        job.missing_rows;
    const std::uint8_t* const symbols = job.rows + first;
    rows.start(-first, [&](int r) { return static_cast<unsigned>(symbols[r]); });
    const auto* const columns = reinterpret_cast<const std::uint32_t*>(job.columns) +
                                (static_cast<std::int64_t>(replayed_tile.slab) << job.slab_shift) * 32 - 7;
    unsigned before[7]; // the form of replays has one table of masks, so a column is given as its symbol
#pragma unroll
    for (int i = 0; i < 7; ++i) before[i] = columns[i];
    rows.resume(*checkpoint<kept_lane<Words>>(job, replayed_tile.slab, replayed_tile.strip, lane), before);
#pragma unroll
    for (int i = 0; i < vectors * Words; ++i) memory.state[i][lane] = rows.rows_of(i / Words, i % Words);
  }

  // Returns the columns of this slab as run_strip() takes them.
  [[nodiscard]] __device__ const uint4* columns() {
    const auto* const slab_columns = reinterpret_cast<const std::uint32_t*>(job.columns) +
                                     (static_cast<std::int64_t>(replayed_tile.slab) << job.slab_shift) * 32;
    if (words > memory.cached_words) return reinterpret_cast<const uint4*>(slab_columns);
    for (int i = lane; i < memory.before + (words + 8) * 32; i += warp_lanes)
      memory.columns[i] = slab_columns[i - memory.before];
    __syncwarp();
    return reinterpret_cast<const uint4*>(memory.columns + memory.before);
  }
  [[nodiscard]] __device__ static uint4 load(const uint4* columns) { return *columns; }

  __device__ void look_ahead(int word) {
#pragma unroll
    for (int x = 0; x < vectors; ++x)
      ahead[x] = job.kept_tops[(std::int64_t{replayed_tile.strip} * vectors + x) * job.words +
                               (static_cast<std::int64_t>(replayed_tile.slab) << job.slab_shift) +
                               min(word, words - 1)];
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
      if (lane >= replayed_tile.first_lane && lane < replayed_tile.last_lane)
#pragma unroll
        for (int i = 0; i < vectors * Words; ++i)
          to[block_words * t + i * (warp_lanes * step) + step - 1] = memory.state[i][lane];
  }
  __device__ void trace(int k, const std::uint32_t (&v)[vectors][Words]) {
#pragma unroll
    for (int x = 0; x < vectors; ++x)
#pragma unroll
      for (int w = 0; w < Words; ++w)
        (k == 0 ? quads[x][w].x : k == 1 ? quads[x][w].y : k == 2 ? quads[x][w].z : quads[x][w].w) = v[x][w];
  }
  __device__ void traced(int t) {
    const int block = t - lane;
    if (block < 0 || block >= words * (32 / step) || lane < replayed_tile.first_lane ||
        lane >= replayed_tile.last_lane)
      return;
    std::uint32_t* const block_to = to + block_words * (t + first_trace(vectors));
#pragma unroll
    for (int x = 0; x < vectors; ++x)
#pragma unroll
      for (int w = 0; w < Words; ++w)
        __stcs(reinterpret_cast<uint4*>(block_to + (x * Words + w) * (warp_lanes * step)), quads[x][w]);
  }
  __device__ void bottom(int, const std::uint32_t (&)[vectors]) const {}
};

// Builds the masks of a strip's rows in `masks`, by this warp. Returns the shared address of this lane's
// part.
template <int Words, int Tables>
__device__ std::uint32_t strip_masks(const table_job& job, char* masks, int strip, int lane) {
  const std::int64_t first = (std::int64_t{job.first_strip} + strip) * (warp_lanes * 32 * Words);
  build_masks<Words, Tables>(masks, job.rows + (first - job.missing_rows), job.missing_rows - first,
                             job.sigma, lane);
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(masks)) +
         lane * mask_layout<Words, Tables>::lane_bytes;
}

// Sweeps the strips of a job, one warp for each strip at a time. make_port(strip, lane) returns the Port of a
// strip.
template <class Column, int Words, int Tables, class MakePort>
__device__ __forceinline__ void sweep_strips(const table_job& job, const MakePort& make_port) {
  extern __shared__ uint4 shared[];
  const int lane = threadIdx.x % warp_lanes;
  char* const mine = reinterpret_cast<char*>(shared) +
                     threadIdx.x / warp_lanes * mask_layout<Words, Tables>::bytes(job.sigma);
  for (;;) {
    const int strip = take_ticket(job.ticket, lane);
    if (strip >= job.strips || (job.stop != nullptr && *job.stop != 0)) return;
    const std::uint32_t masks = strip_masks<Words, Tables>(job, mine, strip, lane);
    auto port = make_port(strip, lane);
    run_strip<Column, Words, Tables, sweep_step>(port, masks, job.row_size, job.columns,
                                                 job.words + sweep_step, lane);
  }
}

template <class Column, int Words, int Tables>
__global__ void __launch_bounds__(max_warps* warp_lanes, 1)
    sweep_kernel(const __grid_constant__ table_job job) {
  sweep_strips<Column, Words, Tables>(
      job, [&](int strip, int lane) { return sweep_port<Column, Words, sweep_step>(job, strip, lane); });
}

// Replays tiles, one warp for each tile at a time, and writes their traces.
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
    const tile replayed_tile = tiles[ticket];
    const std::uint32_t masks = strip_masks<Words, Tables>(job, mine, replayed_tile.strip, lane);
    const std::int64_t size = tile_words(Column::vectors, Words, job.slab_shift);
    replay_port<Column, Words> port(job, replayed_tile, traces + ticket * size,
                                    *reinterpret_cast<memory_type*>(mine + mask_bytes), lane);
    const uint4* const columns = port.columns();
    run_strip<Column, Words, Tables, step>(port, masks, job.row_size, columns, port.words + step, lane);
    __syncwarp();
  }
}

} // namespace weft::lcs_detail
