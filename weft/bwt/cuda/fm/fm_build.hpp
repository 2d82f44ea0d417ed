// Builds the sections of an FM-index on a GPU from the coded text. Writes the same bytes as cpu/fm_rows.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/bwt/core/fm_build_steps.hpp>
#include <weft/bwt/core/fm_row_task.hpp>

namespace weft::bwt_detail {

// Does what bwt_detail::write_rows does, on the given GPU, for a text with 1 symbol or more and at most 256
// codes. Index: uint32_t (fewer than 2^31 symbols) or uint64_t.
//
// Time          that of the suffix sort (sort_all_suffixes()), and O(n) for the other steps.
// Memory        of the GPU, for n symbols in m segments: 2.1 n bytes, one index for each sample, 16 m bytes,
//               and the memory of the suffix sort, at least n / 8 for each bit of a code and some MB. Of the
//               host: only the sections.
// Waits         for all work that it enqueues.
// Throws        memory_error (also if the suffix sort does), device_error. The sections are then unwritten or
//               partially written.
template <class Index> void write_rows(const fm_row_task<Index>& task, int gpu);

// The host functions below launch the kernels that build an FM-index; core/fm_build_steps.hpp has the steps
// of the kernels. Each function enqueues its work; parameters named d_... point to device memory, and
// pointers to codes must be aligned to 8 bytes. Index is uint32_t or uint64_t and holds rows and positions.

// Packs n codes of DNA to bases of 2 bits, in d_words[0 .. n / 32 + 1].
void pack_bases(const unsigned char* d_codes, std::uint64_t n, std::uint64_t* d_words, cudaStream_t stream);

// Rows [first, first + count), count >= 1, of the suffix array, and their suffixes.
template <class Index> struct suffix_rows {
  std::uint64_t first, count;
  const Index* d_suffixes;
};
// Sets the bits of the rows whose suffix is a multiple of the rate. d_marks must be 0 for rows that have not
// been marked yet.
template <class Index>
void mark_rows(const suffix_rows<Index>& rows, std::uint32_t rate, std::uint64_t* d_marks,
               cudaStream_t stream);
// Sets d_positions[i], for i < count, to the suffix of row d_rows[i].
template <class Index>
void read_positions(const suffix_rows<Index>& rows, const std::uint64_t* d_rows, std::uint64_t count,
                    std::uint64_t* d_positions, cudaStream_t stream);

// Functions with d_temp have two phases: with d_temp null they only set `bytes`.

// Selects the suffixes that are multiples of the rate, and writes them divided by the rate, in the order of
// the rows. *d_count becomes their number.
template <class Index>
[[nodiscard]] cudaError_t select_samples(void* d_temp, std::size_t& bytes, const suffix_rows<Index>& rows,
                                         std::uint32_t rate, Index* d_samples, std::uint64_t* d_count,
                                         cudaStream_t stream);
// Selects, of the rows [first, first + count), those whose code before is 0 (open rows). *d_count becomes
// their number.
[[nodiscard]] cudaError_t select_open_rows(void* d_temp, std::size_t& bytes, const unsigned char* d_before,
                                           std::uint64_t first, std::uint64_t count, std::uint64_t* d_rows,
                                           std::uint64_t* d_count, cudaStream_t stream);
// Sets d_counts[g] to the number of ones in the groups of 8 words before group g.
[[nodiscard]] cudaError_t sum_ones(void* d_temp, std::size_t& bytes, const std::uint64_t* d_words,
                                   std::uint64_t groups, std::uint64_t* d_counts, cudaStream_t stream);

// Make the blocks of ranks for n rows of DNA. write_blocks() writes blocks with the counts of their own rows.
// sum_blocks() sets d_sums[b] to the counts of all blocks up to and including b. set_block_counts() replaces
// the counts in the blocks by those that an index has, and writes the counts of the superblocks.
void write_blocks(const unsigned char* d_codes, std::uint64_t n, dna_block* d_blocks, cudaStream_t stream);
[[nodiscard]] cudaError_t sum_blocks(void* d_temp, std::size_t& bytes, const dna_block* d_blocks,
                                     std::uint64_t blocks, base_counts* d_sums, cudaStream_t stream);
void set_block_counts(const base_counts* d_sums, std::uint64_t blocks, dna_block* d_blocks,
                      std::uint64_t* d_supers, cudaStream_t stream);
// Writes the rows of k-mer x, see kmer_rows, to d_table[2 x] and d_table[2 x + 1].
template <class Index>
void write_kmers(const fm_parts& index, std::uint32_t k, Index* d_table, cudaStream_t stream);

// write_level() writes the words of a level of the matrix, in whole groups of 8. move_codes() copies the
// codes to d_to in the order of the next level.
void write_level(const unsigned char* d_codes, std::uint64_t n, int shift, std::uint64_t* d_words,
                 cudaStream_t stream);
void move_codes(const wavelet_matrix& matrix, int level, std::uint64_t zeros, const unsigned char* d_codes,
                std::uint64_t n, unsigned char* d_to, cudaStream_t stream);

} // namespace weft::bwt_detail
