// The kernels of engine systolic, as the host launches them. See link.cuh, sweep.cuh, sliced.cu, meet.cu,
// walk.cuh.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <vector_types.h>
#include <weft/base/host_device.hpp>

namespace weft::lcs_detail {

inline constexpr int warp_lanes = 32;
inline constexpr int max_warps = 16, max_replay_warps = 4; // in a block
inline constexpr int sweep_step = 8;                       // columns between two shuffles
// Numbers of columns that must be readable before the first word of 32 columns, and after the last.
inline constexpr int columns_before = 32 * sweep_step, columns_after = 32 * sweep_step + 64;
// The same for a bit-sliced table, in blocks of 8 columns.
inline constexpr int sliced_before = 160, sliced_after = 164;
// The smallest distance between checkpoints, as a binary logarithm of words: 2048 columns.
inline constexpr int narrowest_slab = 6;

// A kernel_shape selects the compiled form of a sweep kernel. `words`: registers of 32 rows in a lane; 2, 4,
// 8 or 16 (16 only for lcs with one table of masks; bit-sliced: 8, 16 or 32). `tables`: tables of masks; 1
// for up to 32 symbols, otherwise 2. `planes`: 0, or for a bit-sliced table of up to 2^planes symbols
// (launch_sliced()).
struct kernel_shape {
  bool edit;
  int words, tables, planes = 0;
  // Returns the shape, with carries, of the kernel that replays tiles of this sweep.
  [[nodiscard]] kernel_shape replay_shape() const { return {edit, words, tables}; }
  [[nodiscard]] constexpr int vectors() const { return edit ? 2 : 1; }
  [[nodiscard]] std::int64_t strip_rows() const { return std::int64_t{1024} * words; }
  [[nodiscard]] std::int64_t mask_bytes(int sigma) const { // shared memory for each warp
    return planes > 0 ? 0 : ((tables == 1 ? sigma : 32) + 1) * words * 128LL;
  }
  // Returns the number of 32-bit words of a lane's checkpoint.
  [[nodiscard]] constexpr int state_words() const { return planes > 0 ? 2 * words + 4 : vectors() * words; }
  // Returns the bytes of shared memory that a warp additionally needs to replay a tile (replay_memory in
  // sweep.cuh).
  [[nodiscard]] constexpr std::int64_t replay_bytes() const {
    return (edit ? 2 : 1) * words * 128LL + 4 * (128 + 136 * 32);
  }
};

// Describes a sweep, or a replay of tiles, for the kernels.
struct table_job {
  const std::uint8_t* rows;  // symbols of the rows
  std::int64_t missing_rows; // the number of rows of the first strip that lie above row 0 and do not exist
  int sigma;                 // symbols are below sigma
  std::uint32_t row_size;    // bytes of a row of masks: 128 words
  const uint4* columns;      // points to column 0; four columns in one uint4
  int words;                 // words of 32 columns
  int first_strip, strips;   // `strips` counts from first_strip
  unsigned long long* link;  // [vector][words]; tags count from 0
  unsigned* ticket;          // 0 at the start
  // Checkpoints, or null.
  //   kept_tops    the differences above every kept_every-th strip:
  //                [strip / kept_every][vector][words]
  //   kept_states  v of each strip to the left of column 32 k 2^slab_shift, k > 0:
  //                [k - 1][strip][lane][vector][w], or, if `sliced`, [k - 1][strip][lane] of kept_lane
  //                (core/sliced_lane.hpp)
  std::uint32_t* kept_tops;
  int kept_every;
  std::uint32_t* kept_states;
  bool sliced;    // whether the sweep that kept them is bit-sliced
  int slab_shift; // binary logarithm of the words between checkpoints: at least 3, for bit-sliced sweeps at
                  // least 6; 31: no checkpoints
  // Device memory, or null: a value other than 0 ends the sweep, whose results are then void.
  const volatile int* stop;
};

// Returns a lane's part of a checkpoint, which is a State.
template <class State>
WEFT_HOST_DEVICE State* checkpoint(const table_job& job, std::int64_t slab, std::int64_t strip, int lane) {
  return reinterpret_cast<State*>(job.kept_states) + ((slab - 1) * job.strips + strip) * warp_lanes + lane;
}

// A tile is a strip in a slab. Its lanes [first_lane, last_lane) are traced.
struct tile {
  int strip, slab, first_lane, last_lane;
};

// Returns the block of four columns in a trace at which lane 0 begins. For edit it is not 0, because the
// walk looks at the column to the left.
[[nodiscard]] WEFT_HOST_DEVICE constexpr int first_trace(int vectors) { return vectors - 1; }
// Returns the number of 32-bit words of a tile's trace.
[[nodiscard]] WEFT_HOST_DEVICE constexpr std::int64_t tile_words(int vectors, int words, int slab_shift) {
  const std::int64_t blocks = (std::int64_t{8} << slab_shift) + warp_lanes + first_trace(vectors);
  return blocks * 128 * vectors * words;
}

// How a sweep is launched: blocks of `warps` warps, one block on each multiprocessor.
struct launch_shape {
  int blocks, warps;
};

// The launch of kernels whose threads loop over any number of items.
inline constexpr int plain_threads = 256;
[[nodiscard]] constexpr int plain_blocks(std::int64_t items) {
  const std::int64_t blocks = (items + plain_threads - 1) / plain_threads;
  return blocks < 1 ? 1 : blocks > 4096 ? 4096 : static_cast<int>(blocks);
}

cudaError_t launch_sweep(const kernel_shape& shape, const table_job& job, const launch_shape& launch,
                         cudaStream_t stream);
// Replays tiles. `traces` receives one tile after the other, each as
//   [column of the slab / 4 + lane + first_trace][vector][w][lane][column % 4]
// This is the order in which the lanes compute them, so a warp writes whole lines.
cudaError_t launch_replay(const kernel_shape& shape, const table_job& job, const tile* tiles, int count,
                          std::uint32_t* traces, int multiprocessors, cudaStream_t stream);

// Returns the number of 32-bit words of encoded columns, with the columns before and after them. Column 0
// is at first_column.
[[nodiscard]] constexpr std::int64_t encoded_size(const kernel_shape& shape, std::int64_t n) {
  const std::int64_t words = (n + 31) / 32;
  return shape.planes > 0 ? sliced_before + words * 4 + sliced_after
                          : columns_before + words * 32 + columns_after;
}
[[nodiscard]] constexpr std::int64_t first_column(const kernel_shape& shape) {
  return shape.planes > 0 ? sliced_before : columns_before;
}
// Encodes columns; `columns` has encoded_size words.
cudaError_t launch_encode(const kernel_shape& shape, const std::uint8_t* symbols, std::int64_t n, int sigma,
                          std::uint32_t* columns, cudaStream_t stream);
// Sets to[i] = from[n - 1 - i].
cudaError_t launch_reverse(const std::uint8_t* from, std::uint8_t* to, std::int64_t n, cudaStream_t stream);
// Fills `link` with the differences above strip 0, with tag 0: those above the table, or, if `tops` is not
// null, the ones kept at tops[vector][kept_words]. Sets *ticket = 0.
cudaError_t launch_start(bool edit, unsigned long long* link, int words, const std::uint32_t* tops,
                         int kept_words, unsigned* ticket, cudaStream_t stream);
// Sets *sum to the sum of the differences in `link`, over n columns.
cudaError_t launch_sum(bool edit, const unsigned long long* link, int words, std::int64_t n, long long* sum,
                       cudaStream_t stream);
// Sets *value = base + factor * *sum, modulo 2^64. If `sum` is null, sets *value = base.
cudaError_t launch_value(std::uint64_t base, std::int64_t factor, const long long* sum, std::uint64_t* value,
                         cudaStream_t stream);

// The following types and functions walk through traced tiles (walk.cuh).

// The traced lanes [first, last) of a slab. Lanes are counted through all strips of the job: lane l of strip
// s is 32 s + l. `tile` is the tile of the first lane's strip; the tiles of the other strips follow.
struct slab_band {
  int first, last, tile;
};
// Describes a walk through a window of slabs.
struct walk_job {
  const std::uint8_t *rows, *columns; // symbols
  std::int64_t missing_rows;
  int first_strip, strips;
  int words_shift; // binary logarithm of the words of a lane
  int slab_shift;
  const std::uint32_t* traces;
  const slab_band* bands; // bands of the slabs from first_slab on
  int first_slab, slabs;
  std::int64_t x, y; // rows and columns that are left; y lies in the last slab
};
// Where a walk through a window has ended.
struct walk_end {
  std::int64_t x, y;
  int slabs; // the number of slabs that were walked, the last one perhaps in part, counted from the right
};
inline constexpr int scout_spacing = 32;

// Runs the scouts. A scout follows the path that enters slab s at its last column (in the first slab:
// column y) in row x = lowest row of the band + i * scout_spacing. ends[s][i] is the row x where this path
// leaves the slab, or -1 if it leaves the band.
cudaError_t launch_scouts(bool edit, const walk_job& job, int scouts, std::int64_t* ends,
                          cudaStream_t stream);
// Follows the path through the window, with the scouts' ends, or, if `ends` is null, by walking. For the
// slabs that are walked, counted from the right, entries[s] is x at the entry of the slab, and first_run[s]
// is the position of its runs.
cudaError_t launch_compose(bool edit, const walk_job& job, int scouts, const std::int64_t* ends,
                           std::int64_t* entries, std::int64_t* first_run, walk_end* end,
                           cudaStream_t stream);
// Writes the runs: the op in the two lowest bits (0 match, 1 substitute, 2 insert, 3 remove), the length
// above. Slab s has counts[s] runs from runs[first_run[s]] on.
cudaError_t launch_runs(bool edit, const walk_job& job, const std::int64_t* entries,
                        const std::int64_t* first_run, const walk_end* end, std::uint32_t* runs,
                        std::uint32_t* counts, cudaStream_t stream);

// Sweeps both halves of a table, to get its LCS length from both of its sides at once (meet.cu). Both jobs
// have the same shape and the same number of strips; left.ticket counts the strips of both. Writes v to the
// right of the last column to `last`: first the strips of the left half, then those of the right half,
// [strip][lane][w].
cudaError_t launch_meet(const kernel_shape& shape, const table_job& left, const table_job& right,
                        std::uint32_t* last, const launch_shape& launch, cudaStream_t stream);

// Sweeps one half of a table, whose other half another GPU sweeps. Writes v to the right of the last column
// to `last`, [strip][lane][w].
cudaError_t launch_half(const kernel_shape& shape, const table_job& job, std::uint32_t* last,
                        const launch_shape& launch, cudaStream_t stream);

// A stretch of rows in which the halves may meet. `sum`: how much the matches of both halves grow in total
// over the stretch. `best`: the largest growth from the start of the stretch to one of its rows. `right`:
// the matches of the right half in the stretch.
struct meeting_stretch {
  long long sum, best, right;
};
inline constexpr int max_stretches = 256;
// Sets *length to the largest number of matches over all rows in which the halves can meet. `words` is the
// number of words of 32 rows in a half's part of `last`. `stretches` is workspace for max_stretches
// stretches.
cudaError_t launch_best_meeting(const std::uint32_t* last, std::int64_t words, std::int64_t missing_rows,
                                meeting_stretch* stretches, long long* length, cudaStream_t stream);

// Bit-sliced sweeps (sliced.cu) are for edit tables whose symbols are below 8.
// The largest number of warps in a block of such a sweep; a lane with more words needs more registers.
[[nodiscard]] constexpr int max_sliced_warps(int words) { return words <= 16 ? 16 : 8; }

// The words of a lane in sweeps with checkpoints. The form with carries, which replays the tiles, has the
// same strips.
inline constexpr int kept_sliced_words = 8;

cudaError_t launch_sliced(const kernel_shape& shape, const table_job& job, const launch_shape& launch,
                          cudaStream_t stream);
cudaError_t launch_encode_sliced(int planes, const std::uint8_t* symbols, std::int64_t n,
                                 std::uint32_t* blocks, std::int64_t total, cudaStream_t stream);

} // namespace weft::lcs_detail
