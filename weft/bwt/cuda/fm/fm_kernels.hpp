// Host functions that launch the kernels of a search in an FM-index, and the sums and sorts of the search.
// All functions enqueue, and throw device_error if they cannot.
//
// Results do not depend on the order in which threads run: counts are sums, and each located hit has an index
// that is determined by prefix sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/bwt/core/fm_steps.hpp>
#include <weft/bwt/fm_index.hpp>

namespace weft::bwt_detail {

// An index and patterns, all in device memory. Pattern p is text[offsets[p] - base, offsets[p + 1] - base).
struct fm_job {
  fm_parts index;
  readable_letters text;
  const std::uint64_t* offsets = nullptr;
  std::uint64_t base = 0, patterns = 0; // number of patterns: 1 to 2^38
};

// Finds the interval of each pattern. d_totals[p] becomes the number of its rows, or 0 if the interval has
// unmatched symbols.
void find_intervals(const fm_job& job, fm_interval* d_intervals, std::uint64_t* d_totals,
                    cudaStream_t stream);
// For intervals with unmatched symbols, adds to d_totals[p] the number of rows whose suffix is preceded by
// these symbols. d_damaged: null, or *d_damaged becomes 1 if a row leads to no position.
void count_by_comparing(const fm_job& job, const fm_interval* d_intervals, std::uint64_t* d_totals,
                        std::uint32_t* d_damaged, cudaStream_t stream);

// The candidates of all patterns: rows whose positions must be looked up. The candidates of pattern p have
// the numbers [starts[p], starts[p + 1]).
struct fm_candidates {
  const fm_interval* intervals = nullptr;
  const std::uint64_t* starts = nullptr; // patterns + 1 entries
  std::uint64_t count = 0;               // starts[patterns], 1 to 2^38
};
// Sets d_numbers[p] to the number of rows of pattern p that must be looked up for max_hits hits.
// d_numbers[patterns] becomes 0.
void count_candidates(const fm_interval* d_intervals, std::uint64_t patterns, std::uint64_t max_hits,
                      std::uint64_t* d_numbers, cudaStream_t stream);
// Sets d_occurrences[c] to the occurrence of candidate c, or no_position if it is none, and d_found[c] to 1
// or 0, respectively. d_found[count] becomes 0.
void find_positions(const fm_job& job, const fm_candidates& candidates, std::uint64_t* d_occurrences,
                    std::uint64_t* d_found, std::uint32_t* d_damaged, cudaStream_t stream);
// d_found has the number of occurrences found before each candidate. Sets d_totals[p] to the number of
// occurrences of pattern p, and d_kept[p] to the number of hits to return, at most max_hits. d_kept[patterns]
// becomes 0.
void count_hits(const fm_candidates& candidates, std::uint64_t patterns, const std::uint64_t* d_found,
                std::uint64_t max_hits, std::uint64_t* d_totals, std::uint64_t* d_kept, cudaStream_t stream);
// Writes the positions of the occurrences of pattern p, in the order of rows, to d_positions[d_offsets[p]]
// and following, up to d_positions[d_offsets[p + 1] - 1]; drops the others.
void gather_positions(const fm_candidates& candidates, std::uint64_t patterns,
                      const std::uint64_t* d_occurrences, const std::uint64_t* d_found,
                      const std::uint64_t* d_offsets, std::uint64_t* d_positions, cudaStream_t stream);
// Converts positions in the text to records and positions in these; 1 <= n <= 2^38.
void write_hits(const fm_parts& index, const std::uint64_t* d_positions, std::uint64_t n, fm_hit* d_hits,
                cudaStream_t stream);

// Both functions enqueue, and have two phases: with d_temp null they only set `bytes`.

// Replaces each item by the sum of the items before it.
[[nodiscard]] cudaError_t sum_before(void* d_temp, std::size_t& bytes, std::uint64_t* d_items,
                                     std::uint64_t n, cudaStream_t stream);
// Sorts the items of each segment d_items[d_offsets[s] .. d_offsets[s + 1] - 1].
[[nodiscard]] cudaError_t sort_segments(void* d_temp, std::size_t& bytes, std::uint64_t* d_items,
                                        std::uint64_t n, const std::uint64_t* d_offsets,
                                        std::uint64_t segments, cudaStream_t stream);

#if defined(__CUDACC__)
// Calls each(item, number) for the numbers [first, behind), which are not empty, on the threads of a block.
// Item i has the numbers [starts[i], starts[i + 1]). The items of the first and the last number are searched
// for among all items; those of the others lie between these two. All threads of the block call it once.
template <class Each>
__device__ void for_each_in_tile(const std::uint64_t* starts, std::uint64_t items, std::uint64_t first,
                                 std::uint64_t behind, const Each& each) {
  __shared__ std::uint64_t bounds[2];
  const std::uint64_t* const ends = starts + 1;
  if (threadIdx.x < 2)
    bounds[threadIdx.x] = pattern_of_row(ends, 0, items - 1, threadIdx.x == 0 ? first : behind - 1);
  __syncthreads();
  for (std::uint64_t c = first + threadIdx.x; c < behind; c += blockDim.x)
    each(pattern_of_row(ends, bounds[0], bounds[1], c), c);
}
#endif

} // namespace weft::bwt_detail
