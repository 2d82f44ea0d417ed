// Host functions that launch the kernels for periods and least rotations (core/rotation_steps.hpp).
// Parameters named d_... point to device memory.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/bwt/core/rotation_steps.hpp>

namespace weft::bwt_cuda {

using bwt_core::circular_text;
using bwt_core::tournament_round;

// rotation_window: symbols of a window of the first round; one thread searches a window. rotation_piece:
// symbols of a piece in a comparison of two candidates; one warp compares a piece.
inline constexpr std::uint64_t rotation_window = 64, rotation_piece = 4096;

// Fills the words behind the n bytes of the text with the beginning of the text.
void close_circle(std::uint64_t* d_words, std::uint64_t n, cudaStream_t stream);
// Sets *d_differs to 0 if `part`, a divisor of text.size, is a period of the text, else to 1.
void find_period(const circular_text& text, std::uint64_t part, unsigned* d_differs, cudaStream_t stream);
// Sets d_candidates[k] to the candidate of window k.
void choose_candidates(const circular_text& text, std::uint64_t* d_candidates, cudaStream_t stream);
// Sets d_differences[0 .. pairs-1], which must be no_difference, to the first differences of the candidates
// of each pair.
void compare_candidates(const circular_text& text, const tournament_round& round,
                        const std::uint64_t* d_candidates, unsigned long long* d_differences,
                        cudaStream_t stream);
// Stores the winning candidate of each pair in the entry of its left window, and sets the pair's difference
// to no_difference again.
void keep_candidates(const circular_text& text, const tournament_round& round, std::uint64_t* d_candidates,
                     unsigned long long* d_differences, cudaStream_t stream);

} // namespace weft::bwt_cuda
