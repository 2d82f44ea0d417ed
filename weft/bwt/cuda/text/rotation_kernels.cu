// Kernels for periods and least rotations (text_circle.hpp).
#include <weft/bwt/cuda/text/text_circle.hpp>

#include <weft/base/cuda/grid.cuh>

namespace weft::bwt_detail {

using gpu::all_threads, gpu::first_item, gpu::launch;

namespace {

constexpr int threads = 256; // per block
// The maximal number of threads of a launch. It is limited so that threads that start late can skip work that
// the results of earlier ones have made unnecessary.
constexpr std::uint64_t at_a_time = std::uint64_t{1} << 20;
constexpr unsigned all_lanes = ~0U;

__global__ void __launch_bounds__(threads)
    close_circle_kernel(unsigned char* bytes, std::uint64_t n, std::uint64_t more) {
  for (std::uint64_t i = first_item(); i < more; i += all_threads()) bytes[n + i] = bytes[i % n];
}

// Each block compares tiles of words, and stops as soon as any block has found a difference.
constexpr std::uint64_t period_words = 8; // words per thread and tile
__global__ void __launch_bounds__(threads)
    find_period_kernel(circular_text text, std::uint64_t part, volatile unsigned* differs) {
  constexpr std::uint64_t tile = period_words * threads;
  const std::uint64_t words = (text.size + 7) / 8;
  for (std::uint64_t begin = blockIdx.x * tile; begin < words; begin += gridDim.x * tile) {
    if (*differs != 0) return;
    bool repeats = true;
    WEFT_UNROLL
    for (std::uint64_t k = 0; k < period_words; ++k) {
      const std::uint64_t number = begin + k * threads + threadIdx.x;
      if (number < words) repeats &= bwt_detail::word_repeats(text, number, part);
    }
    if (!repeats) *differs = 1;
  }
}

__global__ void __launch_bounds__(threads)
    choose_candidates_kernel(circular_text text, std::uint64_t* candidates, std::uint64_t windows) {
  for (std::uint64_t k = first_item(); k < windows; k += all_threads()) {
    const std::uint64_t begin = k * rotation_window;
    candidates[k] = bwt_detail::candidate_of_window(text, begin, min(begin + rotation_window, text.size));
  }
}

// Compares candidates, one warp per piece. The first pieces of all pairs come before their second pieces,
// because a pair in which a difference was found needs no comparison of later pieces.
__global__ void __launch_bounds__(threads)
    compare_candidates_kernel(circular_text text, tournament_round round, std::uint64_t pieces,
                              const std::uint64_t* candidates, unsigned long long* differences) {
  const unsigned lane = threadIdx.x % 32;
  const std::uint64_t pairs = round.pairs();
  for (std::uint64_t item = first_item() / 32; item < pairs * pieces; item += all_threads() / 32) {
    std::uint64_t pair = item, begin = 0;
    if (item >= pairs) { // most items are first pieces, and a division takes as long as all the rest
      pair = item % pairs;
      begin = item / pairs * rotation_piece;
    }
    const std::uint64_t i = candidates[round.left(pair)], j = candidates[round.right(pair)];
    if (begin >= j - i) continue;
    unsigned long long found = 0; // the smallest difference so far, as lane 0 sees it
    if (begin > 0 && lane == 0) found = *const_cast<volatile unsigned long long*>(&differences[pair]);
    if (begin > 0 && __shfl_sync(all_lanes, found, 0) < begin) continue;
    const std::uint64_t end = min(begin + rotation_piece, j - i);
    for (std::uint64_t at = begin; at < end; at += 8 * 32) {
      const std::uint64_t mine = at + 8 * lane;
      const std::uint64_t difference =
          mine < end ? bwt_detail::difference_at(text, i, j, mine) : no_difference;
      const unsigned differ = __ballot_sync(all_lanes, difference != no_difference);
      if (differ == 0) continue;
      if (lane == static_cast<unsigned>(__ffs(static_cast<int>(differ)) - 1))
        atomicMin(&differences[pair], static_cast<unsigned long long>(difference));
      break;
    }
  }
}

__global__ void __launch_bounds__(threads)
    keep_candidates_kernel(circular_text text, tournament_round round, std::uint64_t* candidates,
                           unsigned long long* differences) {
  for (std::uint64_t pair = first_item(); pair < round.pairs(); pair += all_threads()) {
    std::uint64_t& candidate = candidates[round.left(pair)];
    candidate = bwt_detail::winner_of_duel(text, candidate, candidates[round.right(pair)], differences[pair]);
    differences[pair] = no_difference;
  }
}

} // namespace

void close_circle(std::uint64_t* d_words, std::uint64_t n, cudaStream_t stream) {
  const std::uint64_t more = circular_text::words_for(n) * 8 - n;
  launch(close_circle_kernel, more, 32, stream, reinterpret_cast<unsigned char*>(d_words), n, more);
}

void find_period(const circular_text& text, std::uint64_t part, unsigned* d_differs, cudaStream_t stream) {
  gpu::check(cudaMemsetAsync(d_differs, 0, sizeof(*d_differs), stream), "clear a flag");
  launch(find_period_kernel, std::min(text.size / 8 / period_words + 1, at_a_time), threads, stream, text,
         part, static_cast<volatile unsigned*>(d_differs));
}

void choose_candidates(const circular_text& text, std::uint64_t* d_candidates, cudaStream_t stream) {
  const std::uint64_t windows = (text.size + rotation_window - 1) / rotation_window;
  launch(choose_candidates_kernel, windows, threads, stream, text, d_candidates, windows);
}

void compare_candidates(const circular_text& text, const tournament_round& round,
                        const std::uint64_t* d_candidates, unsigned long long* d_differences,
                        cudaStream_t stream) {
  const std::uint64_t furthest = std::min(2 * round.stride * rotation_window, text.size),
                      pieces = (furthest + rotation_piece - 1) / rotation_piece;
  launch(compare_candidates_kernel, std::min(round.pairs() * pieces * 32, at_a_time), threads, stream, text,
         round, pieces, d_candidates, d_differences);
}

void keep_candidates(const circular_text& text, const tournament_round& round, std::uint64_t* d_candidates,
                     unsigned long long* d_differences, cudaStream_t stream) {
  launch(keep_candidates_kernel, round.pairs(), threads, stream, text, round, d_candidates, d_differences);
}

} // namespace weft::bwt_detail
