// Kernels for periods and least rotations (core/rotation_steps.hpp), as the host launches them. What is
// called d_... is device memory.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/bwt/core/rotation_steps.hpp>

namespace weft::bwt_cuda {

using bwt_core::circular_text;
using bwt_core::tournament_round;

// Symbols of the windows of the first round, each of which a thread looks through; and of the pieces of what
// two candidates are compared in, each of which a warp looks through.
inline constexpr std::uint64_t rotation_window = 64, rotation_piece = 4096;

// Behind the n bytes of the text, which stand there, the words become full of its beginning.
void close_circle(std::uint64_t* d_words, std::uint64_t n, cudaStream_t stream);
// *d_differs becomes 1 unless text.size has the part, a divisor of it, as a period.
void find_period(const circular_text& text, std::uint64_t part, unsigned* d_differs, cudaStream_t stream);
// d_candidates[k], for each window.
void choose_candidates(const circular_text& text, std::uint64_t* d_candidates, cudaStream_t stream);
// d_differences[0 .. pairs-1], no_difference before, become the first differences of the candidates of each
// pair.
void compare_candidates(const circular_text& text, const tournament_round& round,
                        const std::uint64_t* d_candidates, unsigned long long* d_differences,
                        cudaStream_t stream);
// Each pair's candidate to its place; its difference is none again.
void keep_candidates(const circular_text& text, const tournament_round& round, std::uint64_t* d_candidates,
                     unsigned long long* d_differences, cudaStream_t stream);

} // namespace weft::bwt_cuda
