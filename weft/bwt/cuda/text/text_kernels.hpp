// Host functions that launch the kernels for texts of symbols of 16 and 32 bits (symbol_kernels.cu), and for
// texts in parts (part_kernels.cu; text_parts in packed_text.hpp). They do the work before and after the
// suffix sort. Each function enqueues its work; parameters named d_... point to device memory. Symbol is
// uint16_t or uint32_t. Index is uint32_t or uint64_t and holds a position in the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/bwt/core/bit_text.hpp>
#include <weft/bwt/core/symbol_codes.hpp>
#include <weft/bwt/cuda/text/packed_text.hpp>

namespace weft::bwt_detail {

// Sets *d_greatest to the greatest symbol of the text, n >= 1. Two phases, as CUB's functions.
template <class Symbol>
[[nodiscard]] cudaError_t find_greatest(void* d_temp, std::size_t& bytes, const Symbol* d_text,
                                        std::uint64_t n, Symbol* d_greatest, cudaStream_t stream);
// Sets the bits of the symbols that occur in the text (core/symbol_codes.hpp), and no others.
template <class Symbol>
void mark_symbols(const Symbol* d_text, std::uint64_t n, std::uint64_t* d_in_use, cudaStream_t stream);
// Sets d_before[g], for each of `groups` groups, to the number of symbols in use below group g. Two phases.
[[nodiscard]] cudaError_t sum_symbols(void* d_temp, std::size_t& bytes, const std::uint64_t* d_in_use,
                                      std::uint32_t* d_before, std::uint64_t groups, cudaStream_t stream);
// Packs the codes of the text into words_of_text() words.
template <class Symbol>
void pack_symbols(const Symbol* d_text, const symbol_codes& codes, std::uint64_t* d_words,
                  const bit_text& text, cudaStream_t stream);

// Does what write_sentinel_rows does, with the symbols before suffixes taken from the text.
template <class Symbol, class Index>
void write_symbol_rows(const Symbol* d_text, std::uint64_t n, const Index* d_suffixes, std::uint64_t count,
                       std::uint64_t first_row, const unsigned long long* d_row, Symbol* d_bwt,
                       cudaStream_t stream);

// Makes all blocks of a text of `size` >= 1 symbols, see bwt_detail::part_block_of.
void make_part_blocks(const std::uint64_t* d_begins, std::uint64_t parts, std::uint64_t size,
                      part_block* d_blocks, cudaStream_t stream);

// Looks in rows [first_row, first_row + count) for the suffixes d_wanted[p], each of which is in part p, and
// sets d_rows[p] to the row where one is found. Leaves the other entries unchanged.
void find_part_rows(const std::uint32_t* d_suffixes, std::uint64_t count, std::uint64_t first_row,
                    const part_layout& parts, const std::uint64_t* d_wanted, std::uint64_t* d_rows,
                    cudaStream_t stream);

// Writes the bytes before the suffixes of these rows to the sentinel forms of the parts (core/part_rows.hpp).
void write_part_sentinel_rows(const unsigned char* d_text, const unsigned char* d_before, std::uint64_t count,
                              std::uint64_t first_row, const part_layout& parts, const std::uint64_t* d_rows,
                              unsigned char* d_bwt, cudaStream_t stream);

// Sets d_sa[i], for i < count, to the position of the suffix of row first_row + i in its part. Rows are in
// the order of the parts.
template <class Index>
void write_positions_in_parts(const std::uint32_t* d_suffixes, std::uint64_t count, std::uint64_t first_row,
                              const part_layout& parts, Index* d_sa, cudaStream_t stream);

// Writes the roots, one after another, to d_rotated[0 .. size-1], each rotated so that it begins at its
// rotation's start.
void rotate_parts(const unsigned char* d_text, const part_rotation* d_rotations, const part_layout& roots,
                  std::uint64_t size, unsigned char* d_rotated, cudaStream_t stream);
// Writes the bytes before the suffixes of these rows of the rotated roots to the rotation forms of the parts,
// which have `size` bytes in all.
void write_part_rotation_rows(const unsigned char* d_rotated, const unsigned char* d_before,
                              std::uint64_t count, std::uint64_t first_row, const part_layout& roots,
                              const std::uint64_t* d_rows, const part_layout& parts, std::uint64_t size,
                              unsigned char* d_bwt, cudaStream_t stream);

// Sets d_last[p], for p < count, to the last byte of part p.
void read_last_bytes(const unsigned char* d_text, const std::uint64_t* d_begins, std::uint64_t count,
                     unsigned char* d_last, cudaStream_t stream);

// Looks in rows [first_row, first_row + count) for suffixes that are a whole part: d_rows[p] becomes the row
// of part p. If d_inside is not null, d_inside[i] becomes 0 if the suffix of row first_row + i is a whole
// part, else 1.
template <class Index>
void find_whole_parts(const Index* d_suffixes, std::uint64_t count, std::uint64_t first_row,
                      const part_layout& parts, std::uint8_t* d_inside, std::uint64_t* d_rows,
                      cudaStream_t stream);
// Copies the bytes of d_before whose d_inside is not 0 to d_to, in their order; *d_kept becomes their number.
// Two phases.
[[nodiscard]] cudaError_t select_inside(void* d_temp, std::size_t& bytes, const unsigned char* d_before,
                                        const std::uint8_t* d_inside, std::uint64_t count,
                                        unsigned char* d_to, std::uint64_t* d_kept, cudaStream_t stream);

} // namespace weft::bwt_detail
