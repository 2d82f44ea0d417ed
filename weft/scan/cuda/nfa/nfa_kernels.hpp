// The kernels of nfa-array and shift-and, as their host side starts them. Needs the CUDA runtime's headers,
// not nvcc.
#pragma once

#include <cuda_runtime_api.h>
#include <weft/scan/core/nfa_scan.hpp>

namespace weft::scan_cuda {

// Bytes of dynamic shared memory that the masks of a group take; 0: they are not put there (longer, array,
// and four words, of which so few blocks would fit beside each other that caches do better).
[[nodiscard]] std::size_t nfa_shared_masks(const scan_detail::nfa_class_shape& shape);

// Bytes of job.scratch that one block needs.
[[nodiscard]] std::size_t nfa_scratch(const scan_detail::nfa_class_view& motifs);

// Scans all items of the job with so many blocks; all pointers lead to device memory.
[[nodiscard]] cudaError_t launch_nfa(const scan_detail::nfa_job& job, bool masks_in_shared, unsigned blocks,
                                     cudaStream_t stream);

} // namespace weft::scan_cuda
