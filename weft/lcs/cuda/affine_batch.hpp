// Engine affine-batch: its plan, and its kernels as the host launches them (core/affine_batch.hpp). Warps
// persist, and take tasks by a counter.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <span>
#include <vector>
#include <weft/lcs/core/affine_batch.hpp>
#include <weft/lcs/cuda/batch_plan.hpp>

namespace weft::lcs_detail {

inline constexpr int affine_warps = 4, affine_threads = affine_warps * 32; // in a block
inline constexpr int affine_blocks = 3;                                    // at least, for a multiprocessor

// Plans the pairs of a share of the sequences of at most max_length letters, in order of descending length.
// Throws error(invalid_input) if there are more than 2^30 sequences.
[[nodiscard]] batch_plan plan_short_pairs(std::span<const std::uint64_t> offsets, std::uint64_t max_length,
                                          const lcs_options::pair_share& share = {});

// The items and the chunks of a plan.
struct affine_layout {
  std::vector<affine_item> items;
  std::vector<affine_chunk> chunks;
  std::int64_t column_words = 0;
  int border_rows = 1; // more if there are columns of more than one stripe

  affine_layout(const batch_plan& plan, std::span<const std::uint64_t> offsets);
};

// Returns a job without its memory: the numbers that follow from the penalties, the layout and the piece.
[[nodiscard]] affine_job plain_affine_job(const affine_pair_penalties& penalties, const affine_layout& layout,
                                          const batch_piece& piece);

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
