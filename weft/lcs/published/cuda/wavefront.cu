// Engine wavefront: K. Kawanami & N. Fujimoto, "Computing the Longest Common Subsequence with
// Bit-Parallelism on a GPU". It reproduces the published method; the other engines are compared with it.
//
//   path(a, b):   on the host, wavefront_recursion.hpp
//     m or n < 4096: solved on the CPU
//     V1 = sweep(a[0..m/2), b);  V2 = backward sweep(a[m/2..m), b)
//     k  = the smallest column with L1[k] + L2[n - k] maximal, L1 and L2 counts of zeros in V1 and V2
//     path(a[0..m/2), b[0..k)), then path(a[m/2..m), b[k..n))
//   sweep(a, b):   on the host, wavefront.cpp
//     for d = 0 .. ceil(n/1024) + ceil(m/1024) - 2: one launch for the tiles of anti-diagonal d
//   tile(c, r): columns [1024 c, ..) of b, rows [1024 r, ..) of a; here and in published/wavefront_tile.hpp
//     V from global memory (all ones if r = 0), carries in from tile c - 1 (none if c = 0)
//     for each row: M = columns that match;  V = (V + (V & M)) | (V & ~M)   (Crochemore et al. 2001)
//         the addition of 1024 bits: conditional sums of 32 digits (Sklansky 1960; core/conditional_sum.hpp)
//     V and the carries out to global memory
//
// Invariants.
// - A zero at bit j of V after row i says that the LCS of the rows up to i grows by one at column j. So
//   L[k] is the number of zeros below bit k.
// - Launch d reads what launch d - 1 has written: tile (c, d - c) reads the V of tile (c, d - c - 1) and
//   the carries of tile (c - 1, d - c). Launches in a stream follow each other, so no block waits for
//   another.
// - Launch d writes carries into one half of their memory and reads the other half, because tile c writes
//   the words of c that tile c + 1 would read in the same launch.
//
// The same as in the paper: words of 32 bits, 32 threads in a block, tiles of 1024 x 1024 cells, a launch
// for each anti-diagonal; carries double-buffered in global memory, and in shared memory inside the loop;
// conditional sums in 5 steps; the strings are sent once, and all device memory is allocated before the
// recursion; the recursion and small problems on the CPU; forward and backward kernels instead of reversed
// strings.
//
// Different from the paper:
// 1. The texts are exchanged: the paper's A, along the bits, is our b. The paper divides the string along
//    the steps, so we divide a, as every engine of this library does, and get the same canonical path.
// 2. A launch starts only the tiles of its anti-diagonal. The paper starts all tiles, and the others
//    return.
// 3. There is no table of match vectors in global memory (256 m bits). A thread builds the planes of the
//    codes of its 32 columns when its tile begins, and computes a row's matches from them (2, 5 or 8
//    planes, as the alphabet needs).
// 4. There is no padding. A mask makes columns past the end match nothing, so all 256 bytes may occur, and
//    subproblems need no copy of their part of the strings.
// 5. There are barriers between the combining steps. The paper relied on the lockstep of a warp, which GPUs
//    since Volta do not guarantee.
// 6. The paper's Listing 5 selects in the half with lower indices, because its strings are stored from the
//    end. Here the lower index is the lower digit.
// 7. A part with n < 4096 also goes to the CPU, not only one with m < 4096, because a sweep over few tiles
//    occupies few multiprocessors.
#include <weft/base/block.hpp>
#include <weft/lcs/published/cuda/wavefront.hpp>

namespace weft::lcs_detail {

namespace {

// Returns the state of the calling thread: on the device every thread has only its own state.
template <int Planes> struct own_state {
  wavefront_thread<Planes>* mine;
  WEFT_HOST_DEVICE wavefront_thread<Planes>& operator()(int) const { return *mine; }
};

template <bool Backward, int Planes>
__global__ void __launch_bounds__(wavefront_threads)
    wavefront_kernel(wavefront_sweep sweep, std::uint64_t d, std::uint64_t first) {
  __shared__ wavefront_shared shared;
  wavefront_thread<Planes> mine;
  compute_wavefront_tile<Backward, Planes>(device_block{wavefront_threads}, own_state<Planes>{&mine}, shared,
                                           sweep, d, first + blockIdx.x);
}

template <bool Backward>
void launch(const wavefront_sweep& sweep, int planes, std::uint64_t d, cudaStream_t stream) {
  const wavefront_range tiles = wavefront_diagonal(sweep, d);
  const auto blocks = static_cast<unsigned>(tiles.last - tiles.first);
  if (planes <= 2)
    wavefront_kernel<Backward, 2><<<blocks, wavefront_threads, 0, stream>>>(sweep, d, tiles.first);
  else if (planes <= 5)
    wavefront_kernel<Backward, 5><<<blocks, wavefront_threads, 0, stream>>>(sweep, d, tiles.first);
  else
    wavefront_kernel<Backward, 8><<<blocks, wavefront_threads, 0, stream>>>(sweep, d, tiles.first);
}

} // namespace

cudaError_t launch_wavefront(const wavefront_sweep& sweep, bool backward, int planes, std::uint64_t d,
                             cudaStream_t stream) {
  if (backward)
    launch<true>(sweep, planes, d, stream);
  else
    launch<false>(sweep, planes, d, stream);
  return cudaGetLastError();
}

} // namespace weft::lcs_detail
