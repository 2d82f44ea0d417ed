// Kernels that build an FM-index. One thread makes one word, one block of ranks, one k-mer or one row. All
// kernels are bound by memory bandwidth, and read and write each byte of memory once: the bytes of a thread
// are adjacent, so that after a warp's first round of reads the other rounds hit the L1 cache.
#include <weft/bwt/cuda/fm/fm_build.hpp>

#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <weft/base/cuda/grid.cuh>

namespace weft::bwt_detail {

using gpu::all_threads, gpu::first_item, gpu::launch;

namespace {

constexpr int block_threads = 256;

// Returns how many items a thread takes from `at` on: `max_items`, or fewer if the end n comes first.
__device__ unsigned count_items(std::uint64_t at, std::uint64_t n, unsigned max_items) {
  return at >= n ? 0 : n - at < max_items ? static_cast<unsigned>(n - at) : max_items;
}

__global__ void __launch_bounds__(block_threads)
    pack_bases_kernel(const unsigned char* codes, std::uint64_t n, std::uint64_t* words) {
  for (std::uint64_t w = first_item(); w < n / 32 + 2; w += all_threads())
    words[w] = packed_codes(codes + w * 32, count_items(w * 32, n, 32));
}

// Each warp marks 32 rows, from a multiple of 32 on: one half of a word. All lanes of a warp run to the end,
// because they vote. Words at both ends may be shared with the launches before and after, which run at other
// times, because they are on the same stream.
template <class Index>
__global__ void __launch_bounds__(block_threads)
    mark_rows_kernel(const suffix_rows<Index> rows, Index rate, std::uint32_t* halves) {
  const std::uint64_t behind = rows.first + rows.count;
  const unsigned lane = threadIdx.x % 32;
  for (std::uint64_t row = rows.first / 32 * 32 + first_item(); row - lane < behind; row += all_threads()) {
    const bool marked = row >= rows.first && row < behind && rows.d_suffixes[row - rows.first] % rate == 0;
    const unsigned bits = __ballot_sync(0xffffffffU, marked);
    if (lane == 0 && bits != 0) halves[row / 32] |= bits;
  }
}

template <class Index>
__global__ void __launch_bounds__(block_threads)
    read_positions_kernel(const suffix_rows<Index> rows, const std::uint64_t* wanted, std::uint64_t count,
                          std::uint64_t* positions) {
  for (std::uint64_t i = first_item(); i < count; i += all_threads())
    positions[i] = rows.d_suffixes[wanted[i] - rows.first];
}

__global__ void __launch_bounds__(block_threads)
    write_blocks_kernel(const unsigned char* codes, std::uint64_t n, dna_block* blocks) {
  for (std::uint64_t b = first_item(); b < dna_blocks_for(n); b += all_threads())
    blocks[b] = block_of_codes(codes + b * dna_block_rows,
                               count_items(b * dna_block_rows, n, static_cast<unsigned>(dna_block_rows)));
}

__device__ base_counts sum_before(const base_counts* sums, std::uint64_t b) {
  return b == 0 ? base_counts() : sums[b - 1];
}

__global__ void __launch_bounds__(block_threads)
    set_block_counts_kernel(const base_counts* sums, std::uint64_t count, dna_block* blocks,
                            std::uint64_t* supers) {
  for (std::uint64_t b = first_item(); b < count; b += all_threads()) {
    const std::uint64_t s = b >> dna_superblock_shift;
    const base_counts before = sum_before(sums, b), super = sum_before(sums, s << dna_superblock_shift);
    set_counts(blocks[b], before, super);
    if (b == s << dna_superblock_shift)
      for (unsigned base = 0; base < 4; ++base) supers[s * 4 + base] = super.of[base];
  }
}

template <class Index>
__global__ void __launch_bounds__(block_threads)
    write_kmers_kernel(const __grid_constant__ fm_parts index, std::uint32_t k, Index* table) {
  for (std::uint64_t kmer = first_item(); kmer < std::uint64_t{1} << (2 * k); kmer += all_threads()) {
    const kmer_rows rows(index, k, kmer);
    table[2 * kmer] = static_cast<Index>(rows.low);
    table[2 * kmer + 1] = static_cast<Index>(rows.high);
  }
}

__global__ void __launch_bounds__(block_threads)
    write_level_kernel(const unsigned char* codes, std::uint64_t n, int shift, std::uint64_t* words) {
  for (std::uint64_t w = first_item(); w < groups_for(n) * 8; w += all_threads())
    words[w] = level_word(codes + w * 64, count_items(w * 64, n, 64), shift);
}

__global__ void __launch_bounds__(block_threads)
    move_codes_kernel(const wavelet_matrix matrix, int level, std::uint64_t zeros, const unsigned char* codes,
                      std::uint64_t n, unsigned char* to) {
  for (std::uint64_t i = first_item(); i < n; i += all_threads())
    to[next_level_position(matrix, level, zeros, i)] = codes[i];
}

template <class Index> struct is_sample {
  Index rate;
  __host__ __device__ bool operator()(Index suffix) const { return suffix % rate == 0; }
};
template <class Index> struct sample_of {
  Index rate;
  __host__ __device__ Index operator()(Index suffix) const { return suffix / rate; }
};
struct is_open {
  const unsigned char* before;
  std::uint64_t first;
  __host__ __device__ bool operator()(std::uint64_t row) const { return before[row - first] == 0; }
};
struct count_group_ones {
  const std::uint64_t* words;
  __host__ __device__ std::uint64_t operator()(std::uint64_t group) const {
    return ones_of_group(words + group * 8);
  }
};
struct own_counts {
  __host__ __device__ base_counts operator()(const dna_block& block) const { return counts_of(block); }
};
struct add_counts {
  __host__ __device__ base_counts operator()(const base_counts& a, const base_counts& b) const {
    return a + b;
  }
};

} // namespace

void pack_bases(const unsigned char* d_codes, std::uint64_t n, std::uint64_t* d_words, cudaStream_t stream) {
  launch(pack_bases_kernel, n / 32 + 2, block_threads, stream, d_codes, n, d_words);
}

template <class Index>
void mark_rows(const suffix_rows<Index>& rows, std::uint32_t rate, std::uint64_t* d_marks,
               cudaStream_t stream) {
  // Little-endian: rows 0 to 31 of a word are its first half.
  launch(mark_rows_kernel<Index>, rows.count + rows.first % 32, block_threads, stream, rows,
         static_cast<Index>(rate), reinterpret_cast<std::uint32_t*>(d_marks));
}

template <class Index>
void read_positions(const suffix_rows<Index>& rows, const std::uint64_t* d_rows, std::uint64_t count,
                    std::uint64_t* d_positions, cudaStream_t stream) {
  launch(read_positions_kernel<Index>, count, block_threads, stream, rows, d_rows, count, d_positions);
}

template <class Index>
cudaError_t select_samples(void* d_temp, std::size_t& bytes, const suffix_rows<Index>& rows,
                           std::uint32_t rate, Index* d_samples, std::uint64_t* d_count,
                           cudaStream_t stream) {
  const auto wide = static_cast<Index>(rate);
  return cub::DeviceSelect::If(d_temp, bytes, rows.d_suffixes,
                               thrust::make_transform_output_iterator(d_samples, sample_of<Index>{wide}),
                               d_count, static_cast<std::int64_t>(rows.count), is_sample<Index>{wide},
                               stream);
}

cudaError_t select_open_rows(void* d_temp, std::size_t& bytes, const unsigned char* d_before,
                             std::uint64_t first, std::uint64_t count, std::uint64_t* d_rows,
                             std::uint64_t* d_count, cudaStream_t stream) {
  return cub::DeviceSelect::If(d_temp, bytes, thrust::make_counting_iterator(first), d_rows, d_count,
                               static_cast<std::int64_t>(count), is_open{d_before, first}, stream);
}

cudaError_t sum_ones(void* d_temp, std::size_t& bytes, const std::uint64_t* d_words, std::uint64_t groups,
                     std::uint64_t* d_counts, cudaStream_t stream) {
  const auto ones = thrust::make_transform_iterator(thrust::make_counting_iterator(std::uint64_t{0}),
                                                    count_group_ones{d_words});
  return cub::DeviceScan::ExclusiveSum(d_temp, bytes, ones, d_counts, static_cast<std::int64_t>(groups),
                                       stream);
}

void write_blocks(const unsigned char* d_codes, std::uint64_t n, dna_block* d_blocks, cudaStream_t stream) {
  launch(write_blocks_kernel, dna_blocks_for(n), block_threads, stream, d_codes, n, d_blocks);
}

cudaError_t sum_blocks(void* d_temp, std::size_t& bytes, const dna_block* d_blocks, std::uint64_t blocks,
                       base_counts* d_sums, cudaStream_t stream) {
  return cub::DeviceScan::InclusiveScan(d_temp, bytes,
                                        thrust::make_transform_iterator(d_blocks, own_counts{}), d_sums,
                                        add_counts{}, static_cast<std::int64_t>(blocks), stream);
}

void set_block_counts(const base_counts* d_sums, std::uint64_t blocks, dna_block* d_blocks,
                      std::uint64_t* d_supers, cudaStream_t stream) {
  launch(set_block_counts_kernel, blocks, block_threads, stream, d_sums, blocks, d_blocks, d_supers);
}

template <class Index>
void write_kmers(const fm_parts& index, std::uint32_t k, Index* d_table, cudaStream_t stream) {
  launch(write_kmers_kernel<Index>, std::uint64_t{1} << (2 * k), block_threads, stream, index, k, d_table);
}

void write_level(const unsigned char* d_codes, std::uint64_t n, int shift, std::uint64_t* d_words,
                 cudaStream_t stream) {
  launch(write_level_kernel, groups_for(n) * 8, block_threads, stream, d_codes, n, shift, d_words);
}

void move_codes(const wavelet_matrix& matrix, int level, std::uint64_t zeros, const unsigned char* d_codes,
                std::uint64_t n, unsigned char* d_to, cudaStream_t stream) {
  launch(move_codes_kernel, n, block_threads, stream, matrix, level, zeros, d_codes, n, d_to);
}

template void mark_rows(const suffix_rows<std::uint32_t>&, std::uint32_t, std::uint64_t*, cudaStream_t);
template void read_positions(const suffix_rows<std::uint32_t>&, const std::uint64_t*, std::uint64_t,
                             std::uint64_t*, cudaStream_t);
template cudaError_t select_samples(void*, std::size_t&, const suffix_rows<std::uint32_t>&, std::uint32_t,
                                    std::uint32_t*, std::uint64_t*, cudaStream_t);
template void write_kmers(const fm_parts&, std::uint32_t, std::uint32_t*, cudaStream_t);
template void mark_rows(const suffix_rows<std::uint64_t>&, std::uint32_t, std::uint64_t*, cudaStream_t);
template void read_positions(const suffix_rows<std::uint64_t>&, const std::uint64_t*, std::uint64_t,
                             std::uint64_t*, cudaStream_t);
template cudaError_t select_samples(void*, std::size_t&, const suffix_rows<std::uint64_t>&, std::uint32_t,
                                    std::uint64_t*, std::uint64_t*, cudaStream_t);
template void write_kmers(const fm_parts&, std::uint32_t, std::uint64_t*, cudaStream_t);

} // namespace weft::bwt_detail
