// The kernels that build an FM-index (fm_build.hpp), as the host launches them; steps stand in
// core/fm_build_steps.hpp. Each function enqueues its work; what is called d_... is device memory, codes are
// at a multiple of 8. Index: uint32_t or uint64_t, of rows and positions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/bwt/core/fm_build_steps.hpp>

namespace weft::bwt_cuda {

// d_words[0 .. n / 32 + 1]: bases of 2 bits.
void pack_bases(const unsigned char* d_codes, std::uint64_t n, std::uint64_t* d_words, cudaStream_t stream);

// Rows [first, first + count), count >= 1, of suffixes in order.
template <class Index> struct suffix_rows {
  std::uint64_t first, count;
  const Index* d_suffixes;
};
// Sets the bits of rows whose suffix is a multiple of the rate; d_marks is 0 where no row has been.
template <class Index>
void mark_rows(const suffix_rows<Index>& rows, std::uint32_t rate, std::uint64_t* d_marks,
               cudaStream_t stream);
// d_positions[i], for i < count: the suffix of row d_rows[i].
template <class Index>
void read_positions(const suffix_rows<Index>& rows, const std::uint64_t* d_rows, std::uint64_t count,
                    std::uint64_t* d_positions, cudaStream_t stream);

// Those with d_temp have two phases: with d_temp null they set `bytes` only.

// Suffixes that are multiples of the rate, divided by it, in order; *d_count becomes how many there are.
template <class Index>
[[nodiscard]] cudaError_t select_samples(void* d_temp, std::size_t& bytes, const suffix_rows<Index>& rows,
                                         std::uint32_t rate, Index* d_samples, std::uint64_t* d_count,
                                         cudaStream_t stream);
// Rows [first, first + count) before which code 0 stands.
[[nodiscard]] cudaError_t select_open(void* d_temp, std::size_t& bytes, const unsigned char* d_before,
                                      std::uint64_t first, std::uint64_t count, std::uint64_t* d_rows,
                                      std::uint64_t* d_count, cudaStream_t stream);
// d_counts[g]: ones in the groups of 8 words before g.
[[nodiscard]] cudaError_t sum_ones(void* d_temp, std::size_t& bytes, const std::uint64_t* d_words,
                                   std::uint64_t groups, std::uint64_t* d_counts, cudaStream_t stream);

// The blocks of n rows, with their own counts; d_sums[b]: counts up to and with block b; then counts as they
// are to be, and those of superblocks.
void write_blocks(const unsigned char* d_codes, std::uint64_t n, detail::dna_block* d_blocks,
                  cudaStream_t stream);
[[nodiscard]] cudaError_t sum_blocks(void* d_temp, std::size_t& bytes, const detail::dna_block* d_blocks,
                                     std::uint64_t blocks, detail::base_counts* d_sums, cudaStream_t stream);
void place_counts(const detail::base_counts* d_sums, std::uint64_t blocks, detail::dna_block* d_blocks,
                  std::uint64_t* d_supers, cudaStream_t stream);
// d_table[2 x], d_table[2 x + 1]: the rows of k-mer x; see kmer_rows.
template <class Index>
void write_kmers(const detail::fm_parts& index, std::uint32_t k, Index* d_table, cudaStream_t stream);

// The words of a level, whole groups of 8; and the codes in the order of the next level, to another place.
void write_level(const unsigned char* d_codes, std::uint64_t n, int shift, std::uint64_t* d_words,
                 cudaStream_t stream);
void move_codes(const detail::wavelet_matrix& matrix, int level, std::uint64_t zeros,
                const unsigned char* d_codes, std::uint64_t n, unsigned char* d_to, cudaStream_t stream);

} // namespace weft::bwt_cuda
