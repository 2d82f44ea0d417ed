// The kernels of a batch of pairs, as the host launches them. See batch.cuh.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/base/host_device.hpp>

namespace weft::lcs_detail {

inline constexpr int batch_warps = 4, batch_threads = batch_warps * 32; // in a block, pairs in a task
inline constexpr int batch_band_rows = 1024;                            // at most

// A sequence of the batch.
struct batch_item {
  std::int64_t symbols; // where its symbols begin, for use as rows
  std::int64_t columns; // its first block of columns; a block without any symbol follows its last one
  std::int64_t length;
};

// What the kernels of a piece are compiled for. `words`: words of 32 rows in a band; 4, 8, 16, 24 or 32.
// `linked`: the pairs have more than one band, or the metric is edit.
struct batch_shape {
  bool edit, linked;
  int words;
  [[nodiscard]] int vectors() const { return edit ? 2 : 1; }
};

// Describes a piece of the batch, which is a range of rows with all their columns.
struct batch_job {
  const std::uint8_t* symbols;
  const void* columns; // points to lcs_detail::column_block
  const batch_item* items;
  const int* cuts;            // item p is paired with items 0 .. cuts[p] - 1
  const std::int64_t* begins; // the position of the values of item p among all values
  int first, last, chunks; // first, last: the items of this piece that are rows; chunks: tasks for each item
  int sigma;
  std::uint32_t row_size;   // bytes of a row of masks; launch_batch sets it
  int link_words;           // words of 32 columns for each lane
  std::uint32_t* links;     // [warp][word][vector][lane]
  unsigned* ticket;         // 0 at the start
  std::uint32_t* values;    // of this piece
  const volatile int* stop; // host memory: a value other than 0 ends the piece, whose values are then void
};

// Describes how the values of a piece are stored among the values of all pairs.
struct batch_store {
  const batch_item* items;
  const std::uint32_t* order; // item p is sequence order[p] of the batch
  const int* cuts;            // as in batch_job
  const std::int64_t* begins; // as in batch_job
  int first, last;            // the items of the piece that are rows
  bool lengths;               // whether LCS lengths are stored; if not, distances are
  const std::uint32_t* from;  // the values of the piece
  std::uint64_t* to;          // the values of all pairs, in the order of lcs_all_pairs()
};

// Returns the index of the value of sequences i and j in the order of lcs_all_pairs().
WEFT_HOST_DEVICE inline std::uint64_t pair_index(std::uint32_t i, std::uint32_t j) {
  const std::uint64_t later = i > j ? i : j, earlier = i > j ? j : i;
  return later * (later - 1) / 2 + earlier;
}

// Sets *blocks to the number of blocks that fit a multiprocessor.
cudaError_t batch_occupancy(const batch_shape& shape, int sigma, int* blocks);
cudaError_t launch_batch(const batch_shape& shape, const batch_job& job, int blocks, cudaStream_t stream);
// Encodes the symbols of `count` items as columns.
cudaError_t launch_batch_columns(const batch_item* items, int count, const std::uint8_t* symbols, int sigma,
                                 void* columns, cudaStream_t stream);
// Stores the values of a piece, in which an item is paired with at most max_cut items.
cudaError_t launch_batch_store(const batch_store& job, int max_cut, cudaStream_t stream);

} // namespace weft::lcs_detail
