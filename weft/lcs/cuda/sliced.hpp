// Sweeps in bit-sliced form (sliced.cu) of edit tables whose symbols are below 8.
#pragma once

#include <weft/lcs/cuda/systolic_kernels.hpp>

namespace weft::lcs_cuda {

// The largest number of warps in a block; a lane with more words needs more registers.
[[nodiscard]] constexpr int max_sliced_warps(int words) { return words <= 16 ? 16 : 8; }

// The words of a lane in sweeps with checkpoints. The form with carries, which replays the tiles, has the
// same strips.
inline constexpr int kept_sliced_words = 8;

cudaError_t launch_sliced(const kernel_shape& shape, const table_job& job, const launch_shape& launch,
                          cudaStream_t stream);
cudaError_t launch_encode_sliced(int planes, const std::uint8_t* symbols, std::int64_t n,
                                 std::uint32_t* blocks, std::int64_t total, cudaStream_t stream);

} // namespace weft::lcs_cuda
