// Host functions that launch the kernels that find maximal matches. core/match_row_steps.hpp has the work of
// a thread. All functions enqueue, and throw device_error if they cannot.
//
// Matches are appended in the order in which threads run, and then sorted by keys that all differ, so the
// result does not depend on that order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/bwt/core/match_row_steps.hpp>

namespace weft::bwt_detail {

// Numbers of matches in device memory. `matches` and `unfinished` may exceed what the buffers hold: matches
// behind their end are counted, but not stored.
struct match_counts {
  unsigned long long matches, unfinished; // `unfinished` counts some of the matches
  std::uint32_t damaged;                  // 1 if a row leads to no position
};

// The matches found so far, in device memory: keys and lengths, in no particular order; and the indexes of
// those that may extend further to the right. The arrays have `capacity` items.
struct match_buffers {
  std::uint64_t *keys, *lengths, *unfinished;
  std::uint64_t capacity;
  match_counts* counts;
};

// The anchors of a kernel. The rows of anchor a have the numbers [row_starts[a], row_starts[a + 1]).
struct anchor_list {
  match_anchor* anchors;
  std::uint64_t* row_starts; // num_anchors + 1 entries
  std::uint64_t num_anchors;
};

// Makes seeds [first, first + seeds.num_anchors) of the job's strand. Sets row_starts[a] to the number of
// rows of anchor a, and windows[a] to the number of windows that replace it; the entries behind the last
// become 0.
void make_seeds(const match_row_job& job, std::uint64_t first, const anchor_list& seeds,
                std::uint64_t* d_windows, cudaStream_t stream);
// Makes windows [first, first + windows.num_anchors) of all seeds. The windows of seed s have the numbers
// [window_starts[s], window_starts[s + 1]). Sets row_starts as make_seeds() does.
void make_windows(const match_row_job& job, const anchor_list& seeds, const std::uint64_t* d_window_starts,
                  std::uint64_t first, const anchor_list& windows, cudaStream_t stream);
// Looks up rows [first, first + count) of the anchors, 1 <= count <= 2^38, and appends their matches.
void match_rows(const match_row_job& job, const match_keys& keys, const anchor_list& anchors,
                std::uint64_t first, std::uint64_t count, const match_buffers& matches, cudaStream_t stream);
// Extends the first `count` unfinished matches to the right as far as the letters agree.
void extend_matches(const match_row_job& job, const match_keys& keys, const match_buffers& matches,
                    std::uint64_t count, cudaStream_t stream);

// The columns of fm_matches in device memory.
struct match_columns {
  std::uint64_t *query, *query_begin, *record, *begin, *length;
  std::uint8_t* reverse;
};
// Writes `count` matches to the columns, 1 <= count <= 2^38.
void write_columns(const fm_parts& index, const match_keys& keys, const std::uint64_t* d_keys,
                   const std::uint64_t* d_lengths, std::uint64_t count, const match_columns& columns,
                   cudaStream_t stream);

// Sorts n matches by their keys. Has two phases: with d_temp null it only sets `bytes`.
[[nodiscard]] cudaError_t sort_matches(void* d_temp, std::size_t& bytes, std::uint64_t* d_keys,
                                       std::uint64_t* d_lengths, std::uint64_t n, cudaStream_t stream);

} // namespace weft::bwt_detail
