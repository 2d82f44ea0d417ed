// The host functions that start the kernels of the engine `bit-stream`.
#pragma once

#include <weft/scan/cuda/bit_stream/bit_stream_tables.hpp>

namespace weft::scan_cuda {

// Limits for the temporary device memory of find_starts: the number of blocks of its kernel, at least one,
// and the number of deferred rows (rows with gaps that a second launch checks). Lower limits make a search
// slower but never incomplete.
struct find_starts_memory {
  unsigned blocks;
  std::uint64_t rows;
};

// Finds the matches that start in [begin, end) of the text. `mirror` is 0, or the size of a text whose
// reverse is `text`; then the reported positions are the ends of matches in the unreversed text, mirror -
// start. Waits for the stream. Throws device_error, memory_error.
void find_starts(const stream_tables& tables, const device_text& text, std::uint64_t begin, std::uint64_t end,
                 std::uint64_t mirrored_size, const found_buffer& to, const find_starts_memory& memory,
                 cudaStream_t stream);

// Returns how many words of streams the shared memory of the current device can hold. Throws device_error.
[[nodiscard]] std::uint32_t max_stream_words();
// Returns the bytes of device memory that the limits allow; and the limits for at most `bytes` bytes on the
// current device. Throws device_error.
[[nodiscard]] std::uint64_t find_starts_bytes(const find_starts_memory& memory);
[[nodiscard]] find_starts_memory find_starts_within(std::uint64_t bytes);

// Writes the reversed text, residues[i] = from.residues[size - 1 - i], with its padding, and the start bits
// of the reversed text. Both have the form of device_text.
void reverse_text(const device_text& from, unsigned char* residues, std::uint32_t* starts,
                  cudaStream_t stream);

} // namespace weft::scan_cuda
