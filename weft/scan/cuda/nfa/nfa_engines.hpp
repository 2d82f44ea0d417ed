// The engines nfa-array and shift-and on a GPU, and the options with which tests and benchmarks choose
// variants of them; and the host functions that start their kernels. nfa_kernels.cu describes the algorithm.
#pragma once

#include <cuda_runtime_api.h>
#include <vector>
#include <weft/scan/core/nfa_scan.hpp>
#include <weft/scan/cuda/gpu_searcher.hpp>

namespace weft::scan_detail {

// The memory from which shift-and reads the masks of its motifs: shared memory (the paper's NFA-BPL) or
// global memory through the caches (NFA-BP).
enum class mask_placement { explicit_shared, cached };

// Options for tests and benchmarks; the defaults are what users get.
struct nfa_options {
  std::uint32_t threads = 0;        // q: maximal number of motifs for a block of threads; 0: the fastest
  std::uint64_t block_residues = 0; // B; 0: chosen by the length of the text and the motifs
  mask_placement placement =
      mask_placement::explicit_shared;  // explicit_shared applies only where the masks fit
  std::vector<std::uint32_t> only = {}; // indices of motifs, ascending; empty: all motifs
};

// Make searchers as the functions in gpu_searcher.hpp do. The memory of a searcher is freed with it, so all
// work that find() enqueued must have finished by then.
[[nodiscard]] std::unique_ptr<gpu_searcher> make_nfa_array(const motif_set::compiled& motifs, edge which,
                                                           cudaStream_t stream, const nfa_options& options);
[[nodiscard]] std::unique_ptr<gpu_searcher> make_shift_and(const motif_set::compiled& motifs, edge which,
                                                           cudaStream_t stream, const nfa_options& options);

// Returns the bytes of dynamic shared memory that the masks of a group take, or 0 if the masks are not kept
// in shared memory. Classes of the kinds longer and array are not, and neither are classes of four words: so
// few blocks would fit on a multiprocessor that reading through the caches is faster.
[[nodiscard]] std::size_t nfa_shared_masks(const nfa_class_shape& shape);

// Returns the bytes of job.scratch that one block needs.
[[nodiscard]] std::size_t nfa_scratch(const nfa_class_view& motifs);

// Scans all items of the job with `blocks` blocks of threads. All pointers in the job are device pointers.
[[nodiscard]] cudaError_t launch_nfa(const nfa_job& job, bool masks_in_shared, unsigned blocks,
                                     cudaStream_t stream);

} // namespace weft::scan_detail
