// The kernels of engine wavefront, as its host side starts them. Needs the CUDA runtime's headers, not nvcc.
#pragma once

#include <cuda_runtime_api.h>
#include <weft/lcs/core/wavefront_tile.hpp>

namespace weft::lcs_cuda {

// Starts the tiles of anti-diagonal d < wavefront_diagonals(sweep); all pointers lead to device memory. All
// codes are below 2^planes, planes <= 8. Anti-diagonals of a sweep follow each other in one stream.
[[nodiscard]] cudaError_t launch_wavefront(const lcs_core::wavefront_sweep& sweep, bool backward, int planes,
                                           std::uint64_t d, cudaStream_t stream);

} // namespace weft::lcs_cuda
