// Computes links. The bytes are ranked in stable order (byte_ranks.hpp); the link of a byte is its rank.
#include <weft/bwt/cuda/inverse/inverse.hpp>

#include <weft/base/cuda/device_memory.hpp>
#include <weft/bwt/cuda/byte_ranks.cuh>

namespace weft::bwt_detail {

namespace {

constexpr int tile_threads = rank_threads, warp = rank_warp;

template <class Links>
__global__ void __launch_bounds__(tile_threads, 2)
    link_kernel(const unsigned char* __restrict__ bytes, std::uint64_t n, std::uint64_t tiles,
                const typename Links::index* __restrict__ sums, std::uint32_t* words) {
  using index = typename Links::index;
  const unsigned lane = threadIdx.x % warp;
  const auto begin = [&](unsigned byte) { return sums[byte * tiles + blockIdx.x]; };
  rank_tile<index>(bytes, n, begin, [&](std::uint64_t first, std::uint32_t, index link) {
    std::uint32_t* const to = words + Links::num_words(first);
    if constexpr (Links::words_of_32 == warp) {
      to[lane] = link;
    } else {
      for (int w = static_cast<int>(lane); w < 2 * warp; w += warp) { // all lanes take part in the shuffles
        const std::uint32_t word =
            Links::word_of_32(w, [&](int other) { return __shfl_sync(0xffffffffU, link, other); });
        if (w < Links::words_of_32) to[w] = word;
      }
    }
  });
}

template <class Index>
__global__ void first_bytes_kernel(const Index* sums, std::uint64_t tiles, std::uint64_t n, Index shift,
                                   first_bytes<Index>* table) {
  __shared__ Index begins[257];
  begins[threadIdx.x] = sums[threadIdx.x * tiles];
  if (threadIdx.x == 0) begins[256] = static_cast<Index>(n);
  __syncthreads();
  table->begins[threadIdx.x] = begins[threadIdx.x];
  if (threadIdx.x == 0) {
    table->begins[256] = begins[256];
    table->shift = shift;
  }
  for (unsigned cell = threadIdx.x; cell < first_bytes<Index>::num_cells; cell += 256)
    table->cells[cell] = first_bytes<Index>::byte_of_cell(begins, static_cast<Index>(cell) << shift);
}

} // namespace

template <class Links>
void make_links(const unsigned char* d_bytes, std::uint64_t n, std::uint64_t tiles,
                const typename Links::index* d_sums, std::uint32_t* d_words,
                first_bytes<typename Links::index>* d_first_bytes, cudaStream_t stream) {
  link_kernel<Links>
      <<<static_cast<unsigned>(tiles), tile_threads, 0, stream>>>(d_bytes, n, tiles, d_sums, d_words);
  gpu::check(cudaGetLastError(), "link rows");
  using table = first_bytes<typename Links::index>;
  first_bytes_kernel<<<1, 256, 0, stream>>>(d_sums, tiles, n, table::shift_for(n), d_first_bytes);
  gpu::check(cudaGetLastError(), "make a table of bytes");
}

template void make_links<links_32>(const unsigned char*, std::uint64_t, std::uint64_t, const std::uint32_t*,
                                   std::uint32_t*, first_bytes<std::uint32_t>*, cudaStream_t);
template void make_links<links_40>(const unsigned char*, std::uint64_t, std::uint64_t, const std::uint64_t*,
                                   std::uint32_t*, first_bytes<std::uint64_t>*, cudaStream_t);

} // namespace weft::bwt_detail
