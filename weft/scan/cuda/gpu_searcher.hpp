// The interface of the scan engines on a GPU. A gpu_searcher searches a text in device memory and writes all
// exact occurrences to device memory. The rules of scan_options are applied afterwards, by code that all
// engines share, as on the CPU (core/engine.hpp).
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <memory>
#include <weft/scan/core/engine.hpp>
#include <weft/scan/core/occurrences.hpp>

namespace weft::scan_detail {

// The residues of a text in device memory are aligned to 16 bytes and followed by text_padding zero bytes,
// which searchers may read. The start bits (device_text::starts) cover the padding as well and are 0 there.
inline constexpr std::uint64_t text_padding = 16384;
[[nodiscard]] constexpr std::uint64_t start_words(std::uint64_t residues) {
  return (residues + text_padding) / 32 + 1;
}

// An array in device memory to which kernels append codes of occurrences (core/occurrences.hpp), in any order
// and possibly more than once each. `count` keeps counting beyond `capacity`, so that the caller sees that
// codes were lost.
struct code_buffer {
  std::uint64_t* codes;
  std::uint64_t capacity;
  unsigned long long* count;
};

// A gpu_searcher is the motifs of a set, compiled by one engine for one device and one edge of matches, in
// the memory of that device.
class gpu_searcher {
public:
  virtual ~gpu_searcher() = default;
  gpu_searcher() = default;
  gpu_searcher(const gpu_searcher&) = delete;
  gpu_searcher& operator=(const gpu_searcher&) = delete;

  // Limits the temporary memory of later searches to a fixed fraction of `allowed` bytes of device memory,
  // and returns the limit in bytes. The limit does not depend on the text. It is state of the searcher, which
  // scans share: whoever searches sets it before each search, and holds `busy` of the context from then on.
  virtual std::uint64_t limit_memory(std::uint64_t allowed) {
    (void)allowed;
    return 0;
  }

  // Returns the bytes of device memory that a search of `residues` residues takes in addition to that limit.
  [[nodiscard]] virtual std::uint64_t text_bytes(std::uint64_t residues) const {
    (void)residues;
    return 0;
  }

  // Enqueues a search for all occurrences in the range [begin, end) of the text (core/occurrences.hpp), and
  // adds them to `to`. Reads residues outside of the range where matches extend there. Skips motifs for which
  // is_searched_by_engines() is false. May wait for the stream. Throws device_error, memory_error.
  virtual void find(const device_text& text, std::uint64_t begin, std::uint64_t end, const code_buffer& to,
                    cudaStream_t stream) = 0;
};

// A function that compiles `motifs` for the current device. It uses the stream for copies only.
using gpu_searcher_maker = std::unique_ptr<gpu_searcher> (*)(const motif_set::compiled& motifs, edge which,
                                                             cudaStream_t stream);

// Make the searchers of the engines nfa-array, shift-and and bit-stream.
[[nodiscard]] std::unique_ptr<gpu_searcher> make_nfa_array(const motif_set::compiled& motifs, edge which,
                                                           cudaStream_t stream);
[[nodiscard]] std::unique_ptr<gpu_searcher> make_shift_and(const motif_set::compiled& motifs, edge which,
                                                           cudaStream_t stream);
[[nodiscard]] std::unique_ptr<gpu_searcher> make_bit_stream(const motif_set::compiled& motifs, edge which,
                                                            cudaStream_t stream);
// Does the part of make_bit_stream() that needs no device, and keeps the result in motifs.gpu_searchers for
// the next call of make_bit_stream(). That call uses the result if its device has as much shared memory as
// the GPUs of the Hopper architecture, for which the result is made.
void prepare_bit_stream(const motif_set::compiled& motifs, edge which);

} // namespace weft::scan_detail
