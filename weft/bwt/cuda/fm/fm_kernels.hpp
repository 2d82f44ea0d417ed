// The kernels of a search in an FM-index. All functions enqueue, and throw device_error if they cannot.
//
// Results of counting are sums, those of locating have places that do not depend on which thread is first.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/bwt/core/fm_steps.hpp>
#include <weft/bwt/fm_index.hpp>

namespace weft::bwt_cuda {

// An index and patterns, all in device memory: pattern p is text[offsets[p] - base, offsets[p + 1] - base).
struct fm_job {
  detail::fm_parts index;
  detail::readable_letters text;
  const std::uint64_t* offsets = nullptr;
  std::uint64_t base = 0, patterns = 0; // 1 to 2^38 of them
};

// The patterns' intervals, and d_totals[p]: their rows, or 0 if a rest is to be compared.
void find_intervals(const fm_job& job, detail::fm_interval* d_intervals, std::uint64_t* d_totals,
                    cudaStream_t stream);
// Adds to d_totals the rows of intervals with a rest that have it before them. *d_damaged becomes 1 if a row
// leads nowhere; may be null.
void count_rest(const fm_job& job, const detail::fm_interval* d_intervals, std::uint64_t* d_totals,
                std::uint32_t* d_damaged, cudaStream_t stream);

// Rows to look at, one behind the other: those of pattern p are candidates [starts[p], starts[p + 1]).
struct fm_candidates {
  const detail::fm_interval* intervals = nullptr;
  const std::uint64_t* starts = nullptr; // patterns + 1
  std::uint64_t count = 0;               // starts[patterns]; 1 to 2^38
};
// d_numbers[p]: how many rows of the pattern are to be looked at, if max_hits are asked for; 0 behind them.
void count_candidates(const detail::fm_interval* d_intervals, std::uint64_t patterns, std::uint64_t max_hits,
                      std::uint64_t* d_numbers, cudaStream_t stream);
// d_where[c]: the candidate's occurrence, or no_position; d_found[c]: 1 or 0, and 0 behind them.
void find_positions(const fm_job& job, const fm_candidates& of, std::uint64_t* d_where,
                    std::uint64_t* d_found, std::uint32_t* d_damaged, cudaStream_t stream);
// Found before each candidate -> d_totals[p], occurrences of the pattern; d_kept[p], those to be told; 0
// behind them.
void count_hits(const fm_candidates& of, std::uint64_t patterns, const std::uint64_t* d_found,
                std::uint64_t max_hits, std::uint64_t* d_totals, std::uint64_t* d_kept, cudaStream_t stream);
// Positions of occurrences to d_offsets[p] and behind, by rows, so many of each pattern as there is room for.
void gather_positions(const fm_candidates& of, std::uint64_t patterns, const std::uint64_t* d_where,
                      const std::uint64_t* d_found, const std::uint64_t* d_offsets,
                      std::uint64_t* d_positions, cudaStream_t stream);
// Positions to records and positions in them; 1 <= n <= 2^38.
void place_hits(const detail::fm_parts& index, const std::uint64_t* d_positions, std::uint64_t n,
                fm_hit* d_hits, cudaStream_t stream);

} // namespace weft::bwt_cuda
