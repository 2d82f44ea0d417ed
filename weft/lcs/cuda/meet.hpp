// The LCS length of a table from both of its sides at once: see meet.cu.
#pragma once

#include <weft/lcs/cuda/systolic_kernels.hpp>

namespace weft::lcs_cuda {

// Both jobs are of one shape and have equally many strips; left.ticket counts for both. last: v right of the
// last column, of the left half's strips and then of the right half's, [strip][lane][w].
cudaError_t launch_meet(const kernel_shape& shape, const table_job& left, const table_job& right,
                        std::uint32_t* last, const launch_shape& launch, cudaStream_t stream);

// A stretch of rows in which the halves may meet: what their matches together grow by over it, the most that
// they grow by up to one of its rows, and the right half's matches.
struct meeting_stretch {
  long long sum, best, right;
};
inline constexpr int max_stretches = 256;
// *length = the most matches over all rows in which the halves can meet; words: of 32 rows, in a half's last.
// stretches: max_stretches of them, for what is between.
cudaError_t launch_best_meeting(const std::uint32_t* last, std::int64_t words, std::int64_t above,
                                meeting_stretch* stretches, long long* length, cudaStream_t stream);

} // namespace weft::lcs_cuda
