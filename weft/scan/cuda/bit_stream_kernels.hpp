// The kernels of engine `bit-stream`.
#pragma once

#include <weft/scan/cuda/bit_stream_tables.hpp>

namespace weft::scan_cuda {

// Starts in [begin, end) of the text. mirror: 0, or the size of the text whose reverse this is; then the ends
// in that text, mirror - start. Throws device_error.
void find_starts(const stream_tables& tables, const device_text& text, std::uint64_t begin, std::uint64_t end,
                 std::uint64_t mirror, const found_buffer& to, unsigned blocks, cudaStream_t stream);

// The most words of streams that the current device has shared memory for. Throws device_error.
[[nodiscard]] std::uint32_t most_stream_words();
// Device memory that find_starts takes for a while on so many blocks, and the most blocks that so many bytes
// and the current device let it have, at least one.
[[nodiscard]] std::uint64_t find_starts_bytes(unsigned blocks);
[[nodiscard]] unsigned most_blocks(std::uint64_t bytes);

// residues[i] = from.residues[size - 1 - i], and the starts that belong to it; both as device_text has them.
void reverse_text(const device_text& from, unsigned char* residues, std::uint32_t* starts,
                  cudaStream_t stream);

} // namespace weft::scan_cuda
