// Computes the inverse transform in device memory; and the host functions that launch its steps.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/base/monitor.hpp>
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/core/inverse_chains.hpp>

namespace weft::bwt_detail {

inline constexpr std::uint64_t max_inverse_bytes = std::uint64_t{1} << 39;

struct inverse_options {
  std::uint64_t device_memory = 0; // bytes; 0: all free memory
  task_monitor* monitor = nullptr; // only asked for cancellation, not told of progress
  bool wide = false;               // use links of 40 bits even if 32 are enough
  int stretch_bits = -1;           // chains start about 2^stretch_bits rows apart; -1: chosen by n
};

// Returns the bytes of device memory that invert_transform() takes for a non-empty transform, besides the
// transform and the text.
[[nodiscard]] std::uint64_t inverse_memory(std::uint64_t n, const inverse_options& options);

// Does what weft::gpu::inverse_bwt does; n > 0, and primary_index must be in range.
void invert_transform(const unsigned char* d_bytes, std::uint64_t n, std::uint64_t primary_index,
                      bwt_form form, unsigned char* d_text, const inverse_options& options,
                      cudaStream_t stream);

// The functions below launch the steps on the current device; inverse.cpp combines them. Links is links_32 or
// links_40. They enqueue their work and throw as gpu::check().

// Computes the links of whole tiles from the sums of counts (byte_ranks.hpp), and the table of first bytes.
template <class Links>
void make_links(const unsigned char* d_bytes, std::uint64_t n, std::uint64_t tiles,
                const typename Links::index* d_sums, std::uint32_t* d_words,
                first_bytes<typename Links::index>* d_first_bytes, cudaStream_t stream);

// Returns the number of lanes that the device runs at the same time.
template <class Links> [[nodiscard]] std::uint64_t lanes_at_once();

// Follows all chains on `lanes` lanes. The counters must be 0.
template <class Links>
void follow_all_chains(const chain_walk<Links>& walk, std::uint64_t lanes,
                       const first_bytes<typename Links::index>* d_first_bytes, cudaStream_t stream);

// Computes for every chain the number of bytes from it to the end of the walk, which is the beginning of the
// text. Returns where the result is: walk.sums or d_other.
template <class Links>
[[nodiscard]] chain_sum<typename Links::index>*
order_chains(const chain_walk<Links>& walk, chain_sum<typename Links::index>* d_other, cudaStream_t stream);

// Copies the pieces of the ordered chains to their positions in the text. max_chunks: upper bound of the
// number of chunks that lanes have taken.
template <class Links>
void copy_pieces(const chain_walk<Links>& walk, std::uint64_t max_chunks, unsigned char* d_text,
                 cudaStream_t stream);

// Divides the bytes into groups of `times` consecutive ones. Sets *d_differ to 1 if the bytes of some group
// are not all equal, else to 0.
void compare_groups(const unsigned char* d_bytes, std::uint64_t n, std::uint64_t times,
                    std::uint32_t* d_differ, cudaStream_t stream);

// Fills d_text[0 .. n-1] by repeating its first `period` bytes.
void repeat_period(unsigned char* d_text, std::uint64_t n, std::uint64_t period, cudaStream_t stream);

} // namespace weft::bwt_detail
