// Finds the shortest root and the least rotation of a text in device memory (core/rotation_steps.hpp); and
// the host functions that launch the kernels. Parameters named d_... point to device memory.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/bwt/core/rotation_steps.hpp>

namespace weft::bwt_detail {

// A circular text: a copy of a text in device memory whose end is followed by its beginning.
class text_circle {
public:
  // Copies d_text[0 .. n-1], n >= 1, in stream order.
  text_circle(const unsigned char* d_text, std::uint64_t n, cudaStream_t stream);

  // Returns the length of the shortest u for which the text is u^k. Takes O(n) for each prime factor of k;
  // for most texts k is 1, and each prime factor of n is ruled out early. Waits for the stream.
  [[nodiscard]] std::uint64_t shortest_root() const;
  // Returns where the least rotation of the first `root` symbols of the text begins. root: the result of
  // shortest_root(). O(n log n), for most texts O(n). Takes 0.19 bytes per symbol; waits for the stream.
  [[nodiscard]] std::uint64_t min_rotation(std::uint64_t root) const;

  // Returns the bytes that this object and min_rotation() take for a text of n symbols.
  [[nodiscard]] static std::uint64_t memory(std::uint64_t n) noexcept;

private:
  cudaStream_t stream_;
  std::uint64_t size_;
  gpu::device_buffer<std::uint64_t> words_;
};

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

} // namespace weft::bwt_detail
