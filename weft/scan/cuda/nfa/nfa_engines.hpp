// The engines nfa-array and shift-and on a GPU, and how tests and benchmarks ask for variants of them. The
// algorithm is told in nfa_kernels.cu.
#pragma once

#include <vector>
#include <weft/scan/cuda/gpu_engine.hpp>

namespace weft::scan_cuda {

// Where shift-and reads the masks of its motifs: the paper's NFA-BPL and NFA-BP.
enum class mask_placement { explicit_shared, cached };

struct nfa_options {
  std::uint32_t threads = 0;        // q: most motifs of a block of threads; 0: as is quickest
  std::uint64_t block_residues = 0; // B; 0: as the length of the text and the motifs suggest
  mask_placement placement = mask_placement::explicit_shared; // where the masks fit
  std::vector<std::uint32_t> only = {};                       // motifs, ascending; none: all
};

// As in gpu_engine.hpp. An engine's memory is given back when it ends: what find() enqueued must be done.
[[nodiscard]] std::unique_ptr<gpu_engine> make_nfa_array(const motif_set::compiled& motifs, edge which,
                                                         cudaStream_t stream, const nfa_options& options);
[[nodiscard]] std::unique_ptr<gpu_engine> make_shift_and(const motif_set::compiled& motifs, edge which,
                                                         cudaStream_t stream, const nfa_options& options);

} // namespace weft::scan_cuda
