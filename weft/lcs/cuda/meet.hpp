// The LCS length of a table from both of its sides at once: see meet.cuh.
#pragma once

#include <weft/lcs/cuda/systolic_kernels.hpp>

namespace weft::lcs_cuda {

// Both jobs are of one shape and have equally many strips; left.ticket counts for both. last: v right of the
// last column, of the left half's strips and then of the right half's, [strip][lane][w].
cudaError_t launch_meet(const kernel_shape& shape, const table_job& left, const table_job& right,
                        std::uint32_t* last, const launch_shape& launch, cudaStream_t stream);
// *length = the most matches over all rows in which the halves can meet; words: of 32 rows, in a half's last.
cudaError_t launch_best_meeting(const std::uint32_t* last, std::int64_t words, std::int64_t above,
                                long long* length, cudaStream_t stream);

} // namespace weft::lcs_cuda
