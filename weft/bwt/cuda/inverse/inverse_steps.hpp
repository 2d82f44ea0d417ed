// The steps of the inverse transform on the current device, enqueued; inverse.cpp puts them together. Links
// is links_32 or links_40. They throw as gpu::check().
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/bwt/core/inverse_chains.hpp>

namespace weft::bwt_cuda {

// Links out of sums of counts (byte_ranks.hpp), of whole tiles, and the table of first bytes.
template <class Links>
void make_links(const unsigned char* d_bytes, std::uint64_t n, std::uint64_t tiles,
                const typename Links::index* d_sums, std::uint32_t* d_words,
                bwt_core::first_bytes<typename Links::index>* d_first_bytes, cudaStream_t stream);

// Lanes that the device runs at the same time.
template <class Links> [[nodiscard]] std::uint64_t lanes_at_once();

// Follows all chains on so many lanes. The counters are 0 before.
template <class Links>
void follow(const bwt_core::chain_walk<Links>& walk, std::uint64_t lanes,
            const bwt_core::first_bytes<typename Links::index>* d_first_bytes, cudaStream_t stream);

// Sums for every chain up to the end, in walk.sums or d_other; returns where.
template <class Links>
[[nodiscard]] bwt_core::chain_sum<typename Links::index>*
put_in_order(const bwt_core::chain_walk<Links>& walk, bwt_core::chain_sum<typename Links::index>* d_other,
             cudaStream_t stream);

// The pieces of chains that are in order, to their places. max_chunks: no more were taken.
template <class Links>
void copy_pieces(const bwt_core::chain_walk<Links>& walk, std::uint64_t max_chunks, unsigned char* d_text,
                 cudaStream_t stream);

// *d_differ = 1 if of `times` bytes, from 0 on, not all are equal to the first.
void compare_groups(const unsigned char* d_bytes, std::uint64_t n, std::uint64_t times,
                    std::uint32_t* d_differ, cudaStream_t stream);

// d_text[0 .. n-1] out of its first `period` bytes.
void repeat(unsigned char* d_text, std::uint64_t n, std::uint64_t period, cudaStream_t stream);

} // namespace weft::bwt_cuda
