// The host functions that start the kernels of nfa-array and shift-and. Needs the headers of the CUDA
// runtime, but not nvcc.
#pragma once

#include <cuda_runtime_api.h>
#include <weft/scan/core/nfa_scan.hpp>

namespace weft::scan_cuda {

// Returns the bytes of dynamic shared memory that the masks of a group take, or 0 if the masks are not kept
// in shared memory. Classes of the kinds longer and array are not, and neither are classes of four words: so
// few blocks would fit on a multiprocessor that reading through the caches is faster.
[[nodiscard]] std::size_t nfa_shared_masks(const scan_detail::nfa_class_shape& shape);

// Returns the bytes of job.scratch that one block needs.
[[nodiscard]] std::size_t nfa_scratch(const scan_detail::nfa_class_view& motifs);

// Scans all items of the job with `blocks` blocks of threads. All pointers in the job are device pointers.
[[nodiscard]] cudaError_t launch_nfa(const scan_detail::nfa_job& job, bool masks_in_shared, unsigned blocks,
                                     cudaStream_t stream);

} // namespace weft::scan_cuda
