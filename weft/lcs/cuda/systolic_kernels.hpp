// The kernels of engine systolic, as its host side launches them. See link.cuh, sweep.cuh, sliced.cu,
// walk.cuh.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <vector_types.h>
#include <weft/base/host_device.hpp>

namespace weft::lcs_cuda {

inline constexpr int warp_lanes = 32;
inline constexpr int max_warps = 16, max_replay_warps = 4; // in a block
inline constexpr int sweep_step = 8;                       // columns between two shuffles
// Columns that must be readable before the first and behind the last word of 32.
inline constexpr int columns_before = 32 * sweep_step, columns_behind = 32 * sweep_step + 64;
// Likewise of a bit-sliced table, blocks of 8 columns.
inline constexpr int sliced_before = 160, sliced_behind = 164;
inline constexpr int narrowest_slab = 6; // between checkpoints, as a binary logarithm of words: 2048 columns

// What a table's kernels are made for. words: registers of 32 rows a lane, 2, 4, 8 or 16 (16: lcs with one
// table of masks alone; bit-sliced: 8, 16 or 32). tables: of masks, 1 for up to 32 symbols, else 2. planes:
// 0, or of a bit-sliced table, for up to 2^planes symbols (sliced.hpp).
struct kernel_shape {
  bool edit;
  int words, tables, planes = 0;
  // The form with carries that replays tiles of this one.
  [[nodiscard]] kernel_shape of_replay() const { return {edit, words, tables}; }
  [[nodiscard]] constexpr int vectors() const { return edit ? 2 : 1; }
  [[nodiscard]] std::int64_t strip_rows() const { return std::int64_t{1024} * words; }
  [[nodiscard]] std::int64_t mask_bytes(int sigma) const { // shared memory a warp
    return planes > 0 ? 0 : ((tables == 1 ? sigma : 32) + 1) * words * 128LL;
  }
  // 32-bit words of a lane's checkpoint.
  [[nodiscard]] constexpr int state_words() const { return planes > 0 ? 2 * words + 4 : vectors() * words; }
  // Shared memory that a warp takes besides, to replay a tile (replay_memory in sweep.cuh).
  [[nodiscard]] constexpr std::int64_t replay_bytes() const {
    return (edit ? 2 : 1) * words * 128LL + 4 * (128 + 136 * 32);
  }
};

struct table_job {
  const std::uint8_t* rows; // symbols of the rows
  std::int64_t above;       // rows of the first strip that do not exist: they stand above row 0
  int sigma;                // symbols are below it
  std::uint32_t row_size;   // bytes of a row of masks: 128 words
  const uint4* columns;     // of column 0, four in one
  int words;                // of 32 columns
  int first_strip, strips;  // strips counts from the first
  unsigned long long* link; // [vector][words], tags count from 0
  unsigned* ticket;         // 0 before
  // Checkpoints, or null: the differences above every kept_every-th strip, [strip /
  // kept_every][vector][words]; v of each strip left of column 32 k 2^slab_shift, k > 0: [k -
  // 1][strip][lane][vector][w], or (sliced) [k - 1][strip][lane], a kept_lane (core/sliced_lane.hpp).
  std::uint32_t* kept_tops;
  int kept_every;
  std::uint32_t* kept_states;
  bool sliced;    // the sweep that kept them is
  int slab_shift; // binary logarithm of the words between checkpoints, at least 3, of sliced sweeps 6; 31:
                  // none
  const volatile int* stop; // device memory: not zero ends the sweep, whose results are then void; or null
};

// A lane's part of a checkpoint, a State.
template <class State>
WEFT_HOST_DEVICE State* checkpoint(const table_job& job, std::int64_t slab, std::int64_t strip, int lane) {
  return reinterpret_cast<State*>(job.kept_states) + ((slab - 1) * job.strips + strip) * warp_lanes + lane;
}

// A strip in a slab, of which lanes [first_lane, last_lane) are traced.
struct tile {
  int strip, slab, first_lane, last_lane;
};

// The block of four columns of a trace that lane 0 begins with: the walk for edit looks at the column before.
[[nodiscard]] WEFT_HOST_DEVICE constexpr int first_trace(int vectors) { return vectors - 1; }
// 32-bit words of a tile's trace.
[[nodiscard]] WEFT_HOST_DEVICE constexpr std::int64_t tile_words(int vectors, int words, int slab_shift) {
  const std::int64_t blocks = (std::int64_t{8} << slab_shift) + warp_lanes + first_trace(vectors);
  return blocks * 128 * vectors * words;
}

// How a sweep runs: blocks of `warps` warps, one a multiprocessor.
struct launch_shape {
  int blocks, warps;
};

// Lets a kernel have all the shared memory that a block may: threads that launch it with more and with less
// are then not in each other's way.
cudaError_t allow_shared_memory(const void* kernel);

// Of kernels whose threads take any number of items in turn.
inline constexpr int plain_threads = 256;
[[nodiscard]] constexpr int plain_blocks(std::int64_t items) {
  const std::int64_t blocks = (items + plain_threads - 1) / plain_threads;
  return blocks < 1 ? 1 : blocks > 4096 ? 4096 : static_cast<int>(blocks);
}

cudaError_t launch_sweep(const kernel_shape& shape, const table_job& job, const launch_shape& launch,
                         cudaStream_t stream);
// traces: a tile after the other, each [column of the slab / 4 + lane + first_trace][vector][w][lane][column
// % 4]: as the lanes come to them, so that a warp writes whole lines.
cudaError_t launch_replay(const kernel_shape& shape, const table_job& job, const tile* tiles, int count,
                          std::uint32_t* traces, int multiprocessors, cudaStream_t stream);

// 32-bit words of encoded columns, with those around them; column 0 at first_column.
[[nodiscard]] constexpr std::int64_t encoded_size(const kernel_shape& shape, std::int64_t n) {
  const std::int64_t words = (n + 31) / 32;
  return shape.planes > 0 ? sliced_before + words * 4 + sliced_behind
                          : columns_before + words * 32 + columns_behind;
}
[[nodiscard]] constexpr std::int64_t first_column(const kernel_shape& shape) {
  return shape.planes > 0 ? sliced_before : columns_before;
}
// columns: encoded_size of them.
cudaError_t launch_encode(const kernel_shape& shape, const std::uint8_t* symbols, std::int64_t n, int sigma,
                          std::uint32_t* columns, cudaStream_t stream);
// to[i] = from[n - 1 - i].
cudaError_t launch_reverse(const std::uint8_t* from, std::uint8_t* to, std::int64_t n, cudaStream_t stream);
// What strip 0 reads: the top of the table, or (not null) tops kept at [vector][kept_words]; and ticket = 0.
cudaError_t launch_start(bool edit, unsigned long long* link, int words, const std::uint32_t* tops,
                         int kept_words, unsigned* ticket, cudaStream_t stream);
// *sum = the sum of the differences in link, over n columns.
cudaError_t launch_sum(bool edit, const unsigned long long* link, int words, std::int64_t n, long long* sum,
                       cudaStream_t stream);
// *value = base + factor * *sum, modulo 2^64; sum null: base.
cudaError_t launch_value(std::uint64_t base, std::int64_t factor, const long long* sum, std::uint64_t* value,
                         cudaStream_t stream);

// The walk through traced tiles (walk.cuh).
// Lanes [first, last) of a slab are traced, counted through all strips of the job: lane l of strip s is
// 32 s + l. tile: that of the first one's strip; the others follow.
struct slab_band {
  int first, last, tile;
};
struct walk_job {
  const std::uint8_t *rows, *columns; // symbols
  std::int64_t above;
  int first_strip, strips;
  int words_shift; // binary logarithm of words a lane
  int slab_shift;
  const std::uint32_t* traces;
  const slab_band* bands; // of slabs first_slab ..
  int first_slab, slabs;
  std::int64_t x, y; // rows and columns left; y ends in the last slab
};
// What a walk through a window came to. entry[s]: x where it entered slab s of the window.
struct walk_end {
  std::int64_t x, y;
  int slabs; // walked, the last one perhaps in part, counted from the right
};
inline constexpr int scout_spacing = 32;

// Scouts: ends[s][i] = x where the path that enters slab s at its last column (of the first slab: column y)
// in row x = lowest row of the band + i * scout_spacing leaves it, or -1 if it leaves the band.
cudaError_t launch_scouts(bool edit, const walk_job& job, int scouts, std::int64_t* ends,
                          cudaStream_t stream);
// Follows the path through the window by the scouts' ends (null: by walking). entries[s], first_run[s]: for
// the slabs walked, counted from the right: x at its entry, where its runs begin.
cudaError_t launch_compose(bool edit, const walk_job& job, int scouts, const std::int64_t* ends,
                           std::int64_t* entries, std::int64_t* first_run, walk_end* end,
                           cudaStream_t stream);
// The runs: op in the two lowest bits (0 match, 1 substitute, 2 insert, 3 remove), length above. counts[s]
// runs from runs[first_run[s]] on.
cudaError_t launch_runs(bool edit, const walk_job& job, const std::int64_t* entries,
                        const std::int64_t* first_run, const walk_end* end, std::uint32_t* runs,
                        std::uint32_t* counts, cudaStream_t stream);

} // namespace weft::lcs_cuda
