// The steps of the LCP array on the current device, enqueued; lcp.cpp puts them together, and
// weft/bwt/core/lcp_steps.hpp tells what they are. They throw as gpu::check().
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/bwt/core/lcp_steps.hpp>

namespace weft::bwt_cuda {

using bwt_core::lcp_item;
using bwt_core::lcp_level;
using bwt_core::readable_letters;

// Items in no stated order. The counter goes on where there is no room, which only arrays that are no suffix
// array come to: what they put there is dropped.
template <class Index> struct lcp_list {
  lcp_item<Index>* items;
  std::uint64_t room;
  unsigned long long* count; // 0 before
};

// d_plcp[d_sa[r]] = d_sa[r - 1], for row 0 more than any position; *d_wrong = 1 if an entry is not less than
// n.
template <class Index>
void write_before(const Index* d_sa, std::uint64_t n, Index* d_plcp, unsigned long long* d_wrong,
                  cudaStream_t stream);

// A thread a position of the level.
template <class Index>
void compare_by_threads(const readable_letters& text, const lcp_level& level, Index* d_plcp,
                        std::uint64_t limit, const lcp_list<Index>& longer, cudaStream_t stream);

// A block an item.
template <class Index>
void compare_by_blocks(const readable_letters& text, Index* d_plcp, const lcp_list<Index>& items,
                       std::uint64_t limit, const lcp_list<Index>& longer, cudaStream_t stream);

// All blocks each item.
template <class Index>
void compare_by_all(const readable_letters& text, Index* d_plcp, const lcp_list<Index>& items,
                    cudaStream_t stream);

// d_lcp[r] = d_plcp[d_sa[r]]; d_lcp may be d_sa, whose entries are less than n.
template <class Index>
void permute_back(const Index* d_plcp, const Index* d_sa, std::uint64_t n, Index* d_lcp, cudaStream_t stream);

} // namespace weft::bwt_cuda
