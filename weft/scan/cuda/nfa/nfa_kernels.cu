// The kernels of nfa-array and shift-and, after H. Sasakawa, Y. Kaneta & H. Arimura, "GPU Acceleration of
// Large-scale Parallel String Matching". The kernel's body is in core/nfa_scan.hpp, the automaton of a thread
// in core/nfa_lanes.hpp.
//
// As in the paper, each thread runs the automaton of one motif. A block has q threads, which process the
// motifs (the paper's logical threads) in turns, and the text is cut into blocks of B residues. NFA-BP reads
// the masks (the paper's table Ch) through the caches (mask_placement::cached); NFA-BPL keeps them in shared
// memory (explicit_shared).
//
// Differences from the paper:
// 1. The turns are blocks of the grid. An item is a pair of a block of text and a group of q motifs, and the
//    group index changes fastest. In the paper, each multiprocessor runs one block of threads that loops over
//    the groups. Either way each group reads the text again. But thousands of items keep 132 multiprocessors
//    busy to the end, the groups of one block of text run at about the same time and so find the text in the
//    L2 cache, and loading the masks (28 KB) takes little time compared with B = 4,096 to 32,768 steps of 256
//    threads.
// 2. Motifs are divided into classes by their number of words and by what they need (nfa_kind), and each
// class
//    is a launch: most motifs of PROSITE have no optional position and need no flood, and few have anchors.
// 3. The text of a tile is translated once, for all threads, into offsets of mask rows: a step then costs one
//    addition for the address and one load without bank conflicts. Bytes that no motif distinguishes share a
//    row.
// 4. Acceptance is tested only every 16 or 8 residues; until then the states stay in registers.
// 5. The kernels also support longer motifs, unbounded repeats, anchors, many sequences, and both starts and
//    ends of matches.
#include <weft/base/block.hpp>
#include <weft/base/cuda/kernel_limits.hpp>
#include <weft/scan/cuda/nfa/nfa_engines.hpp>

namespace weft::scan_detail {

namespace {

template <class Lane> struct own_lane {
  Lane* mine;
  WEFT_HOST_DEVICE Lane& operator()(int) const { return *mine; }
};

template <class Lane, bool InShared, int Threads>
__global__ void __launch_bounds__(Threads) nfa_kernel(const __grid_constant__ nfa_job job) {
  __shared__ nfa_shared shared;
  extern __shared__ uint4 masks[];
  Lane lane;
  const std::uint64_t items = nfa_items(job);
  for (std::uint64_t index = blockIdx.x; index < items; index += gridDim.x)
    scan_item<Lane, InShared>(device_block{static_cast<int>(blockDim.x)}, own_lane<Lane>{&lane}, shared,
                              reinterpret_cast<typename Lane::Word*>(masks), job, index, blockIdx.x);
}

template <class Lane, bool InShared, int Threads>
cudaError_t start(const nfa_job& job, unsigned blocks, cudaStream_t stream) {
  const auto kernel = nfa_kernel<Lane, InShared, Threads>;
  const std::size_t bytes = InShared ? nfa_shared_masks(job.motifs) : 0;
  if constexpr (InShared) {
    if (const cudaError_t status = base_detail::allow_shared_memory(kernel, bytes); status != cudaSuccess)
      return status;
  }
  kernel<<<blocks, job.motifs.threads, bytes, stream>>>(job);
  return cudaGetLastError();
}

template <class Lane, int Threads>
cudaError_t start(const nfa_job& job, bool in_shared, unsigned blocks, cudaStream_t stream) {
  return in_shared ? start<Lane, true, Threads>(job, blocks, stream)
                   : start<Lane, false, Threads>(job, blocks, stream);
}

template <nfa_kind Kind>
cudaError_t start_bits(const nfa_job& job, bool in_shared, unsigned blocks, cudaStream_t stream) {
  if (job.motifs.word_bits == 32)
    return start<bit_lane<std::uint32_t, 1, Kind>, 1024>(job, in_shared, blocks, stream);
  if constexpr (Kind != nfa_kind::rigid) {
    switch (job.motifs.words) {
    case 1:
      return start<bit_lane<std::uint64_t, 1, Kind>, 512>(job, in_shared, blocks, stream);
    case 2:
      return start<bit_lane<std::uint64_t, 2, Kind>, 512>(job, in_shared, blocks, stream);
    case 4:
      return start<bit_lane<std::uint64_t, 4, Kind>, false, 256>(job, blocks, stream);
    default:
      break;
    }
  }
  return cudaErrorInvalidValue;
}

} // namespace

std::size_t nfa_shared_masks(const nfa_class_shape& shape) {
  if (shape.kind == nfa_kind::longer || shape.kind == nfa_kind::array || shape.words > 2) return 0;
  return (std::size_t{shape.codes} + 1) * static_cast<std::size_t>(shape.words * shape.word_bits / 8) *
         shape.threads;
}

std::size_t nfa_scratch(const nfa_class_view& motifs) {
  if (motifs.kind == nfa_kind::longer) return longer_lane::scratch_bytes(motifs);
  return motifs.kind == nfa_kind::array ? array_lane::scratch_bytes(motifs) : 0;
}

cudaError_t launch_nfa(const nfa_job& job, bool masks_in_shared, unsigned blocks, cudaStream_t stream) {
  switch (job.motifs.kind) {
  case nfa_kind::rigid:
    return start_bits<nfa_kind::rigid>(job, masks_in_shared, blocks, stream);
  case nfa_kind::gaps:
    return start_bits<nfa_kind::gaps>(job, masks_in_shared, blocks, stream);
  case nfa_kind::full:
    return start_bits<nfa_kind::full>(job, masks_in_shared, blocks, stream);
  case nfa_kind::longer:
    return start<longer_lane, false, 256>(job, blocks, stream);
  case nfa_kind::array:
    return start<array_lane, false, 256>(job, blocks, stream);
  }
  return cudaErrorInvalidValue;
}

} // namespace weft::scan_detail
