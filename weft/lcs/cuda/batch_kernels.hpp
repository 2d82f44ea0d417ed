// The kernels of a batch of pairs, as its host side launches them. See batch.cuh.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

namespace weft::lcs_cuda {

inline constexpr int batch_warps = 4, batch_threads = batch_warps * 32; // of a block, pairs of a task
inline constexpr int batch_band_rows = 1024;                            // at most

struct batch_item {
  std::int64_t symbols; // where its symbols begin, as rows
  std::int64_t columns; // its first block of columns; behind its last there is one without any symbol
  std::int64_t length;
};

// What the kernels of a piece are made for: words of 32 rows a band: 4, 8, 16, 24 or 32; linked: more than
// one band a pair, or edit.
struct batch_shape {
  bool edit, linked;
  int words;
  [[nodiscard]] int vectors() const { return edit ? 2 : 1; }
};

struct batch_job {
  const std::uint8_t* symbols;
  const void* columns; // lcs_core::column_block
  const batch_item* items;
  const int* cuts;            // item p is paired with items 0 .. cuts[p] - 1
  const std::int64_t* begins; // where the values of item p begin among those of all
  int first, last, chunks;    // items of this piece as rows; tasks an item
  int sigma;
  std::uint32_t row_size;   // of masks, in bytes: launch_batch sets it
  int link_words;           // of 32 columns, a lane
  std::uint32_t* links;     // [warp][word][vector][lane]
  unsigned* ticket;         // 0 before
  std::uint32_t* values;    // of this piece
  const volatile int* stop; // host memory: not zero ends the piece, whose values are then void
};

// Blocks that fit a multiprocessor.
cudaError_t batch_occupancy(const batch_shape& shape, int sigma, int* blocks);
cudaError_t launch_batch(const batch_shape& shape, const batch_job& job, int blocks, cudaStream_t stream);
// Columns of `count` items from their symbols.
cudaError_t launch_batch_columns(const batch_item* items, int count, const std::uint8_t* symbols, int sigma,
                                 void* columns, cudaStream_t stream);

} // namespace weft::lcs_cuda
