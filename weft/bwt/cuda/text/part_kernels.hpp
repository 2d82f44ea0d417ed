// The kernels of texts in parts (text_parts.hpp): what comes before and behind the suffix sort. Each function
// enqueues its work; what is called d_... is device memory. Index: uint32_t or uint64_t.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/bwt/cuda/text/text_parts.hpp>

namespace weft::bwt_cuda {

using bwt_core::part_layout;
using bwt_core::part_rotation;

// See bwt_core::part_block_of: all of them, size >= 1.
void make_part_blocks(const std::uint64_t* d_begins, std::uint64_t parts, std::uint64_t size,
                      bwt_core::part_block* d_blocks, cudaStream_t stream);

// Of rows [first_row, first_row + count) of all: d_rows[p] becomes the row whose suffix is d_wanted[p], which
// is in part p. Others stay as they are.
void find_part_rows(const std::uint32_t* d_suffixes, std::uint64_t count, std::uint64_t first_row,
                    const part_layout& parts, const std::uint64_t* d_wanted, std::uint64_t* d_rows,
                    cudaStream_t stream);

// Bytes before these rows' suffixes to the sentinel forms of the parts (core/part_rows.hpp).
void write_part_sentinel_rows(const unsigned char* d_text, const unsigned char* d_before, std::uint64_t count,
                              std::uint64_t first_row, const part_layout& parts, const std::uint64_t* d_rows,
                              unsigned char* d_bwt, cudaStream_t stream);

// d_sa[i], for i < count: where the suffix of row first_row + i, in the order of the parts, begins in its
// part.
template <class Index>
void positions_in_parts(const std::uint32_t* d_suffixes, std::uint64_t count, std::uint64_t first_row,
                        const part_layout& parts, Index* d_sa, cudaStream_t stream);

// d_rotated[0 .. size-1]: the roots, parts of their own, each from its rotation's start on.
void rotate_parts(const unsigned char* d_text, const part_rotation* d_rotations, const part_layout& roots,
                  std::uint64_t size, unsigned char* d_rotated, cudaStream_t stream);
// Bytes before these rows' suffixes of the rotated roots to the rotation forms of the parts, size bytes.
void write_part_rotation_rows(const unsigned char* d_rotated, const unsigned char* d_before,
                              std::uint64_t count, std::uint64_t first_row, const part_layout& roots,
                              const std::uint64_t* d_rows, const part_layout& parts, std::uint64_t size,
                              unsigned char* d_bwt, cudaStream_t stream);

// d_last[p], for p < count: the last byte of part p.
void last_of_parts(const unsigned char* d_text, const std::uint64_t* d_begins, std::uint64_t count,
                   unsigned char* d_last, cudaStream_t stream);

// Of rows [first_row, first_row + count) of all: d_rows[p] becomes the row whose suffix is all of part p;
// d_inside[i], if it is not null, whether the suffix of row first_row + i is not all of a part.
template <class Index>
void find_whole_parts(const Index* d_suffixes, std::uint64_t count, std::uint64_t first_row,
                      const part_layout& parts, std::uint8_t* d_inside, std::uint64_t* d_rows,
                      cudaStream_t stream);
// In two phases: the bytes that are marked, one behind the other, and how many they are.
[[nodiscard]] cudaError_t keep_inside(void* d_temp, std::size_t& bytes, const unsigned char* d_before,
                                      const std::uint8_t* d_inside, std::uint64_t count, unsigned char* d_to,
                                      std::uint64_t* d_kept, cudaStream_t stream);

} // namespace weft::bwt_cuda
