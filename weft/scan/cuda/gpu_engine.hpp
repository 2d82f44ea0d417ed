// What a scan engine on a GPU is: text in device memory in, exact occurrences out, there too. The rules of
// scan_options are applied afterwards, by one piece of code for all engines, as on the CPU (cpu/engine.hpp).
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <memory>
#include <weft/scan/core/compiled.hpp>
#include <weft/scan/core/occurrences.hpp>

namespace weft::scan_cuda {

using scan_detail::device_text;
using scan_detail::edge;

// Residues of a text in device memory are aligned to 16 bytes. Behind them are text_padding more, 0, which
// may be read; and there are starts for these, 0.
inline constexpr std::uint64_t text_padding = 16384;
[[nodiscard]] constexpr std::uint64_t start_words(std::uint64_t residues) {
  return (residues + text_padding) / 32 + 1;
}

// Where occurrences go, in any order, one perhaps several times: motif << position_bits | position (of
// residues, as in occurrence_block). count goes on where capacity ends: who asks sees that there were more.
inline constexpr int position_bits = scan_detail::found_position_bits;
struct found_buffer {
  std::uint64_t* found;
  std::uint64_t capacity;
  unsigned long long* count;
};

// Motifs compiled for one device and one edge, in its memory.
class gpu_engine {
public:
  virtual ~gpu_engine() = default;
  gpu_engine() = default;
  gpu_engine(const gpu_engine&) = delete;
  gpu_engine& operator=(const gpu_engine&) = delete;

  // Has searches from now on take a fair part of so many bytes of device memory, whatever the text; returns
  // how many that is.
  virtual std::uint64_t bound_memory(std::uint64_t allowed) {
    (void)allowed;
    return 0;
  }

  // Bytes of device memory that a search takes beside those, by the residues of the text.
  [[nodiscard]] virtual std::uint64_t text_bytes(std::uint64_t residues) const {
    (void)residues;
    return 0;
  }

  // Enqueues the search for all occurrences whose position lies in [begin, end) of the text (starts) or
  // (begin, end] (ends), reading outside where a match does; adds them to `to`. Motifs that are
  // not asked_of_engines() are passed over. May wait for the stream. Throws device_error, memory_error.
  virtual void find(const device_text& text, std::uint64_t begin, std::uint64_t end, const found_buffer& to,
                    cudaStream_t stream) = 0;
};

// What makes one: motifs on the current device; the stream is for copies only.
using gpu_engine_maker = std::unique_ptr<gpu_engine> (*)(const motif_set::compiled& motifs, edge which,
                                                         cudaStream_t stream);

// Engines nfa-array, shift-and and bit-stream.
[[nodiscard]] std::unique_ptr<gpu_engine> make_nfa_array(const motif_set::compiled& motifs, edge which,
                                                         cudaStream_t stream);
[[nodiscard]] std::unique_ptr<gpu_engine> make_shift_and(const motif_set::compiled& motifs, edge which,
                                                         cudaStream_t stream);
[[nodiscard]] std::unique_ptr<gpu_engine> make_bit_stream(const motif_set::compiled& motifs, edge which,
                                                          cudaStream_t stream);

} // namespace weft::scan_cuda
