// The LCS length of a table from both of its sides at once; see meet.cu.
#pragma once

#include <weft/lcs/cuda/systolic_kernels.hpp>

namespace weft::lcs_cuda {

// Sweeps both halves. Both jobs have the same shape and the same number of strips; left.ticket counts the
// strips of both. Writes v to the right of the last column to `last`: first the strips of the left half,
// then those of the right half, [strip][lane][w].
cudaError_t launch_meet(const kernel_shape& shape, const table_job& left, const table_job& right,
                        std::uint32_t* last, const launch_shape& launch, cudaStream_t stream);

// A stretch of rows in which the halves may meet. `sum`: how much the matches of both halves grow in total
// over the stretch. `best`: the largest growth from the start of the stretch to one of its rows. `right`:
// the matches of the right half in the stretch.
struct meeting_stretch {
  long long sum, best, right;
};
inline constexpr int max_stretches = 256;
// Sets *length to the largest number of matches over all rows in which the halves can meet. `words` is the
// number of words of 32 rows in a half's part of `last`. `stretches` is workspace for max_stretches
// stretches.
cudaError_t launch_best_meeting(const std::uint32_t* last, std::int64_t words, std::int64_t above,
                                meeting_stretch* stretches, long long* length, cudaStream_t stream);

} // namespace weft::lcs_cuda
