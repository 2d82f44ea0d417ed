// The kernels of engine affine-batch, as the host launches them: they compute the penalties with affine gaps
// of pairs of short sequences (core/affine_pairs.hpp).
//
// Sequences, called items, are sorted by descending length. The pairs of item p as rows with the items
// q < p, none of which is shorter, as columns are computed by warps: a task is an item p and a chunk of 64
// items, two for each lane. So all lanes read the same letter of a row, and their tables have about the same
// size. Warps persist, and take tasks by a counter.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/lcs/core/affine_pairs.hpp>

namespace weft::lcs_detail {

inline constexpr int affine_warps = 4, affine_threads = affine_warps * 32; // in a block
inline constexpr int affine_blocks = 4;                                    // at least, for a multiprocessor
inline constexpr int affine_chunk_items = 64;

// A sequence.
struct affine_item {
  std::int64_t begin; // where its letters begin in the text
  int length;
};

// A chunk of items as columns.
struct affine_chunk {
  std::int64_t begin;   // where the letters of its columns begin: [column][lane]
  int stripes, columns; // of a stripe
};

// Describes a piece of the batch: rows with all their columns.
struct affine_job {
  const std::uint32_t* row_letters;    // of the text, and one more entry
  const std::uint32_t* column_letters; // of the chunks
  const affine_item* items;
  const affine_chunk* chunks;
  const std::int64_t* begins; // the position of the values of item p among all values
  int first, last;            // the items of this piece that are rows
  int max_chunks;             // tasks for each item
  affine_pair_costs costs;
  int extend;
  int border_rows;          // for each lane
  affine_border* borders;   // [warp][row][lane]
  unsigned* ticket;         // launch_affine_batch() resets it
  std::uint32_t* values;    // of this piece
  const volatile int* stop; // host memory: a value other than 0 ends the piece, whose values are then void
};

// Sets *blocks to the number of blocks that fit a multiprocessor.
cudaError_t affine_batch_occupancy(letter_form form, int* blocks);
cudaError_t launch_affine_batch(letter_form form, const affine_job& job, int blocks, cudaStream_t stream);
// Encodes a text of `size` letters as rows; row_letters has size + 1 entries.
cudaError_t launch_affine_rows(const std::uint8_t* text, std::int64_t size, const affine_codes& codes,
                               std::uint32_t* row_letters, cudaStream_t stream);
// Encodes the columns of the chunks of `count` items.
cudaError_t launch_affine_columns(const std::uint8_t* text, const affine_item* items, int count,
                                  const affine_chunk* chunks, const affine_codes& codes,
                                  std::uint32_t* column_letters, cudaStream_t stream);

} // namespace weft::lcs_detail
