// Computes LCP arrays in device memory; and the host functions that launch its steps.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/base/monitor.hpp>
#include <weft/bwt/core/lcp_steps.hpp>

namespace weft::bwt_detail {

// Options of the LCP array. Callers keep the default limits; tests set smaller ones. A thread compares two
// suffixes up to `thread_limit` symbols, which takes some 10 us; then a block continues up to `block_limit`
// more, in 0.2 ms; then all blocks together.
struct lcp_options {
  std::uint64_t device_memory = 0; // bytes; 0: all free memory
  task_monitor* monitor = nullptr; // only asked for cancellation, not told of progress
  std::uint64_t thread_limit = 1024, block_limit = std::uint64_t{1} << 20;
};

// Returns the bytes of device memory that lcp_array() takes besides text and arrays; n > 0.
template <class Index> [[nodiscard]] std::uint64_t lcp_memory(std::uint64_t n, const lcp_options& options);

// Does what weft::gpu::lcp_array does; n > 0.
template <class Index>
void lcp_array(const unsigned char* d_text, std::uint64_t n, const Index* d_sa, Index* d_lcp,
               const lcp_options& options, cudaStream_t stream);

// The functions below launch the steps on the current device. lcp.cpp combines them;
// weft/bwt/core/lcp_steps.hpp explains them. They enqueue their work and throw as gpu::check().

// A list of items in unspecified order. The counter also counts items beyond the capacity, which are dropped;
// this happens only if the given array is not a suffix array.
template <class Index> struct lcp_list {
  lcp_item<Index>* items;
  std::uint64_t capacity;
  unsigned long long* count; // items added so far; must be 0 at first
};

// Sets d_plcp[d_sa[r]] = d_sa[r - 1]; for row 0 a number greater than any position. Sets *d_wrong = 1 if an
// entry of d_sa is not less than n.
template <class Index>
void write_predecessors(const Index* d_sa, std::uint64_t n, Index* d_plcp, unsigned long long* d_wrong,
                        cudaStream_t stream);

// Compares the positions of a level, one thread per position. Comparisons that reach the limit are added to
// `longer`.
template <class Index>
void compare_by_threads(const readable_letters& text, const lcp_level& level, Index* d_plcp,
                        std::uint64_t limit, const lcp_list<Index>& longer, cudaStream_t stream);

// Continues the comparisons of a list, one block per item. Comparisons that reach the limit are added to
// `longer`.
template <class Index>
void compare_by_blocks(const readable_letters& text, Index* d_plcp, const lcp_list<Index>& items,
                       std::uint64_t limit, const lcp_list<Index>& longer, cudaStream_t stream);

// Finishes the comparisons of a list, with all blocks on each item.
template <class Index>
void compare_by_all(const readable_letters& text, Index* d_plcp, const lcp_list<Index>& items,
                    cudaStream_t stream);

// Sets d_lcp[r] = d_plcp[d_sa[r]]; d_lcp may be d_sa. All entries of d_sa must be less than n.
template <class Index>
void permute_back(const Index* d_plcp, const Index* d_sa, std::uint64_t n, Index* d_lcp, cudaStream_t stream);

} // namespace weft::bwt_detail
