// Searching an FM-index on a GPU: counts and occurrences of patterns in device memory, on the caller's
// stream. Needs <cuda_runtime_api.h>, not nvcc. For patterns in host memory see weft/bwt/fm_index.hpp, which
// also says what an index, a pattern and an occurrence are, and whose functions take a GPU as well.
//
//   // How often each pattern occurs, in device memory: kernels on the stream could take it from there.
//   // Waits for nothing.
//   weft::gpu::device_buffer<std::uint64_t> count(const weft::gpu::device_fm_index& index,
//                                                 const weft::gpu::fm_pattern_batch& patterns,
//                                                 cudaStream_t stream) {
//     weft::gpu::device_buffer<std::uint64_t> counts(patterns.patterns, stream);
//     weft::gpu::count(index.view(), patterns, counts.data(), stream);
//     return counts;
//   }
//
// In full, and run by the tests: examples/find_gpu.cpp.
//
// For all functions here:
//   Device      the current one; the stream and all memory called d_... belong to it.
//   Result      the same as the CPU's, on every device.
//   Patterns    d_letters[d_offsets[p] .. d_offsets[p + 1] - 1]; d_offsets[0 .. n] ascend from 0 to size: the
//               caller's promise. At most 2^38 of them. The empty one occurs nowhere. Letters may lie at any
//               address, offsets at that of their type; a pointer to nothing may be null.
//   Aliasing    what a call writes overlaps nothing else.
//   Threads     several may call at once, on streams of their own, also with one view.
//   Throws      std::invalid_argument (a null pointer to something, too many patterns), memory_error,
//               device_error.
//
// Sources: as weft/bwt/fm_index.hpp names.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/bwt/core/fm_parts.hpp>
#include <weft/bwt/fm_index.hpp>

namespace weft::gpu {

// An index in device memory, for as long as its bytes are there. A view: owns nothing, trivially copyable;
// kernels may take it (weft/bwt/core/fm_steps.hpp has the steps of a search). Of nothing: no pattern occurs.
struct fm_index_view {
  // For the library's own steps.
  weft::detail::fm_parts parts;
};

// The bytes of an index on the current device, but for names and offsets of records. Moves, does not copy.
//
// Extra memory  of the device: those bytes, 1.8 a base at a sample rate of 4, 1.3 at 8.
// Waits         for the copy. Its memory is given back in the order of the stream, which must outlive it.
class device_fm_index {
public:
  // Copies the index, in the order of the stream.
  device_fm_index(const fm_index& index, cudaStream_t stream);
  // What searches take, and how much memory it is.
  [[nodiscard]] fm_index_view view() const noexcept { return {parts_}; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return memory_.size(); }
  // What the constructor would take.
  [[nodiscard]] static std::uint64_t bytes_of(const fm_index& index);

private:
  weft::detail::fm_parts parts_;
  device_buffer<char> memory_;
};

// Patterns in device memory (above).
struct fm_pattern_batch {
  // The letters and how many, the offsets, and how many patterns they are of.
  const unsigned char* d_letters = nullptr;
  std::uint64_t size = 0;
  const std::uint64_t* d_offsets = nullptr;
  std::uint64_t patterns = 0;
};

// d_counts[p]: how often pattern p occurs.
//
// Time          of DNA, a pattern of m bases in n takes log4(n) - k steps of two reads of 64 bytes (k: of the
//               table, 12 at most), and for each row that is left then those of sample_rate / 2 more, and
//               m / 4 bytes of the text.
// Extra memory  24 bytes a pattern, of the device, in the order of the stream.
// Waits         never for the device (but if memory is short).
// Damage        an index whose rows lead nowhere (from_bytes() checks all else) has some number of
//               occurrences; nothing else is read or written than with any other.
void count(const fm_index_view& index, const fm_pattern_batch& patterns, std::uint64_t* d_counts,
           cudaStream_t stream);

// Of locate().
struct fm_locate_options {
  std::uint64_t max_hits = ~std::uint64_t{0}; // of each pattern
  std::uint64_t device_memory = 0;            // bytes that a call may take; 0: what there is
};

// As fm_hits, in device memory. Given back in the order of the call's stream, which must outlive it.
struct fm_device_hits {
  device_buffer<fm_hit> hits;           // by pattern, record and position
  device_buffer<std::uint64_t> offsets; // patterns + 1, the last being the number of hits
  device_buffer<std::uint64_t> totals;  // patterns
};

// Where the patterns occur: the hits of fm_index::locate, in the same order.
//
// Time          that of count(), of a position a row, and of a sort of each pattern's positions.
// Extra memory  of the device, given back at the end but for hits, offsets and totals: 48 bytes a pattern,
//               16 a row that is looked at, and 34 a hit.
// Ranges        at most 2^38 rows in all.
// Waits         for all that is in the stream before, and for three numbers that the next step needs; may not
//               be captured.
// Throws        also error(invalid_input) if the index leads nowhere.
[[nodiscard]] fm_device_hits locate(const fm_index_view& index, const fm_pattern_batch& patterns,
                                    const fm_locate_options& options, cudaStream_t stream);

} // namespace weft::gpu
