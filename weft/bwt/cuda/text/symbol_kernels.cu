// Kernels for texts of symbols of 16 and 32 bits (text_kernels.hpp).
#include <weft/bwt/cuda/text/text_kernels.hpp>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <weft/base/cuda/grid.cuh>

namespace weft::bwt_detail {

using gpu::all_threads, gpu::first_item, gpu::launch;

namespace {

constexpr int threads = 256; // per block

// Reads a bit before setting it, because few symbols are new. If the read returns an old value, the bit is
// set twice, which is harmless.
template <class Symbol>
__global__ void __launch_bounds__(threads)
    mark_symbols_kernel(const Symbol* text, std::uint64_t n, unsigned long long* in_use) {
  for (std::uint64_t i = first_item(); i < n; i += all_threads()) {
    const std::uint64_t symbol = text[i];
    const unsigned long long bit = 1ULL << (symbol % 64);
    if ((in_use[symbol / 64] & bit) == 0) atomicOr(&in_use[symbol / 64], bit);
  }
}

struct symbols_in_group {
  const std::uint64_t* in_use;
  __host__ __device__ std::uint32_t operator()(std::uint64_t group) const {
    return bwt_detail::symbols_of_group(in_use, group);
  }
};

template <class Symbol>
__global__ void __launch_bounds__(threads)
    pack_symbols_kernel(const Symbol* text, symbol_codes codes, std::uint64_t* words, std::uint64_t size,
                        std::uint32_t bits, std::uint64_t num_words) {
  for (std::uint64_t w = first_item(); w < num_words; w += all_threads())
    words[w] = bwt_detail::packed_word(w, size, bits, [&](std::uint64_t i) { return codes(text[i]); });
}

template <class Symbol, class Index>
__global__ void __launch_bounds__(threads)
    write_symbol_rows_kernel(const Symbol* text, std::uint64_t n, const Index* suffixes, std::uint64_t count,
                             std::uint64_t first_row, const unsigned long long* text_row, Symbol* bwt) {
  const std::uint64_t skipped_row = *text_row;
  for (std::uint64_t i = first_item(); i < count; i += all_threads()) {
    const std::uint64_t row = first_row + i, suffix = suffixes[i];
    if (row != skipped_row) bwt[row < skipped_row ? row + 1 : row] = text[suffix == 0 ? n - 1 : suffix - 1];
  }
}

} // namespace

template <class Symbol>
cudaError_t find_greatest(void* d_temp, std::size_t& bytes, const Symbol* d_text, std::uint64_t n,
                          Symbol* d_greatest, cudaStream_t stream) {
  return cub::DeviceReduce::Max(d_temp, bytes, d_text, d_greatest, n, stream);
}

template <class Symbol>
void mark_symbols(const Symbol* d_text, std::uint64_t n, std::uint64_t* d_in_use, cudaStream_t stream) {
  launch(mark_symbols_kernel<Symbol>, n / 8 + 1, threads, stream, d_text, n,
         reinterpret_cast<unsigned long long*>(d_in_use));
}

cudaError_t sum_symbols(void* d_temp, std::size_t& bytes, const std::uint64_t* d_in_use,
                        std::uint32_t* d_before, std::uint64_t groups, cudaStream_t stream) {
  const auto counts = thrust::make_transform_iterator(thrust::make_counting_iterator(std::uint64_t{0}),
                                                      symbols_in_group{d_in_use});
  return cub::DeviceScan::ExclusiveSum(d_temp, bytes, counts, d_before, groups, stream);
}

template <class Symbol>
void pack_symbols(const Symbol* d_text, const symbol_codes& codes, std::uint64_t* d_words,
                  const bit_text& text, cudaStream_t stream) {
  const std::uint64_t words = bwt_detail::words_of_text(text.size, text.bits);
  launch(pack_symbols_kernel<Symbol>, words, threads, stream, d_text, codes, d_words, text.size, text.bits,
         words);
}

template <class Symbol, class Index>
void write_symbol_rows(const Symbol* d_text, std::uint64_t n, const Index* d_suffixes, std::uint64_t count,
                       std::uint64_t first_row, const unsigned long long* d_row, Symbol* d_bwt,
                       cudaStream_t stream) {
  launch(write_symbol_rows_kernel<Symbol, Index>, count, threads, stream, d_text, n, d_suffixes, count,
         first_row, d_row, d_bwt);
}

template cudaError_t find_greatest(void*, std::size_t&, const std::uint16_t*, std::uint64_t, std::uint16_t*,
                                   cudaStream_t);
template cudaError_t find_greatest(void*, std::size_t&, const std::uint32_t*, std::uint64_t, std::uint32_t*,
                                   cudaStream_t);
template void mark_symbols(const std::uint16_t*, std::uint64_t, std::uint64_t*, cudaStream_t);
template void mark_symbols(const std::uint32_t*, std::uint64_t, std::uint64_t*, cudaStream_t);
template void pack_symbols(const std::uint16_t*, const symbol_codes&, std::uint64_t*, const bit_text&,
                           cudaStream_t);
template void pack_symbols(const std::uint32_t*, const symbol_codes&, std::uint64_t*, const bit_text&,
                           cudaStream_t);
template void write_symbol_rows(const std::uint16_t*, std::uint64_t, const std::uint32_t*, std::uint64_t,
                                std::uint64_t, const unsigned long long*, std::uint16_t*, cudaStream_t);
template void write_symbol_rows(const std::uint32_t*, std::uint64_t, const std::uint32_t*, std::uint64_t,
                                std::uint64_t, const unsigned long long*, std::uint32_t*, cudaStream_t);
template void write_symbol_rows(const std::uint16_t*, std::uint64_t, const std::uint64_t*, std::uint64_t,
                                std::uint64_t, const unsigned long long*, std::uint16_t*, cudaStream_t);
template void write_symbol_rows(const std::uint32_t*, std::uint64_t, const std::uint64_t*, std::uint64_t,
                                std::uint64_t, const unsigned long long*, std::uint32_t*, cudaStream_t);

} // namespace weft::bwt_detail
