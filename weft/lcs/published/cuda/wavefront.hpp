// The kernels of engine wavefront, as the host launches them. Needs the headers of the CUDA runtime, but
// not nvcc.
#pragma once

#include <cuda_runtime_api.h>
#include <weft/lcs/published/wavefront_tile.hpp>

namespace weft::lcs_detail {

// Starts the tiles of anti-diagonal d < wavefront_diagonals(sweep). All pointers lead to device memory. All
// codes are below 2^planes, planes <= 8. The anti-diagonals of a sweep must follow each other in one
// stream.
[[nodiscard]] cudaError_t launch_wavefront(const wavefront_sweep& sweep, bool backward, int planes,
                                           std::uint64_t d, cudaStream_t stream);

} // namespace weft::lcs_detail
