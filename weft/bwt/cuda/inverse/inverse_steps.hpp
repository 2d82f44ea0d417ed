// Host functions that launch the steps of the inverse transform on the current device; inverse.cpp combines
// them. Links is links_32 or links_40. They enqueue their work and throw as gpu::check().
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/bwt/core/inverse_chains.hpp>

namespace weft::bwt_cuda {

// Computes the links of whole tiles from the sums of counts (byte_ranks.hpp), and the table of first bytes.
template <class Links>
void make_links(const unsigned char* d_bytes, std::uint64_t n, std::uint64_t tiles,
                const typename Links::index* d_sums, std::uint32_t* d_words,
                bwt_core::first_bytes<typename Links::index>* d_first_bytes, cudaStream_t stream);

// Returns the number of lanes that the device runs at the same time.
template <class Links> [[nodiscard]] std::uint64_t lanes_at_once();

// Follows all chains on `lanes` lanes. The counters must be 0.
template <class Links>
void follow_all_chains(const bwt_core::chain_walk<Links>& walk, std::uint64_t lanes,
                       const bwt_core::first_bytes<typename Links::index>* d_first_bytes,
                       cudaStream_t stream);

// Computes for every chain the number of bytes from it to the end of the walk, which is the beginning of the
// text. Returns where the result is: walk.sums or d_other.
template <class Links>
[[nodiscard]] bwt_core::chain_sum<typename Links::index>*
order_chains(const bwt_core::chain_walk<Links>& walk, bwt_core::chain_sum<typename Links::index>* d_other,
             cudaStream_t stream);

// Copies the pieces of the ordered chains to their positions in the text. max_chunks: upper bound of the
// number of chunks that lanes have taken.
template <class Links>
void copy_pieces(const bwt_core::chain_walk<Links>& walk, std::uint64_t max_chunks, unsigned char* d_text,
                 cudaStream_t stream);

// Divides the bytes into groups of `times` consecutive ones. Sets *d_differ to 1 if the bytes of some group
// are not all equal, else to 0.
void compare_groups(const unsigned char* d_bytes, std::uint64_t n, std::uint64_t times,
                    std::uint32_t* d_differ, cudaStream_t stream);

// Fills d_text[0 .. n-1] by repeating its first `period` bytes.
void repeat_period(unsigned char* d_text, std::uint64_t n, std::uint64_t period, cudaStream_t stream);

} // namespace weft::bwt_cuda
