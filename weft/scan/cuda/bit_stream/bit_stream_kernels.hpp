// The kernels of engine `bit-stream`.
#pragma once

#include <weft/scan/cuda/bit_stream/bit_stream_tables.hpp>

namespace weft::scan_cuda {

// What find_starts may take for a while of device memory: blocks of its kernel, at least one, and rows with
// gaps to be checked afterwards. Where there are more, all is found, later.
struct find_starts_memory {
  unsigned blocks;
  std::uint64_t rows;
};

// Starts in [begin, end) of the text. mirror: 0, or the size of the text whose reverse this is; then the ends
// in that text, mirror - start. Waits for the stream. Throws device_error, memory_error.
void find_starts(const stream_tables& tables, const device_text& text, std::uint64_t begin, std::uint64_t end,
                 std::uint64_t mirror, const found_buffer& to, const find_starts_memory& memory,
                 cudaStream_t stream);

// The most words of streams that the current device has shared memory for. Throws device_error.
[[nodiscard]] std::uint32_t max_stream_words();
// In bytes; and what so many bytes and the current device let it have. Throws device_error.
[[nodiscard]] std::uint64_t find_starts_bytes(const find_starts_memory& memory);
[[nodiscard]] find_starts_memory find_starts_within(std::uint64_t bytes);

// residues[i] = from.residues[size - 1 - i], and the starts that belong to it; both as device_text has them.
void reverse_text(const device_text& from, unsigned char* residues, std::uint32_t* starts,
                  cudaStream_t stream);

} // namespace weft::scan_cuda
