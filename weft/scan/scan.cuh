// Scan of sequences that are in device memory, on the caller's stream: the matches of weft::scan, in device
// memory as well. Needs <cuda_runtime_api.h>, not nvcc. For sequences in host memory see weft/scan/scan.hpp,
// which also says what a motif set, a match and the rules are.
//
//   // d_residues: n sequences in device memory, end to end; d_offsets: where each begins, and the end.
//   weft::gpu::scan_matches find(const unsigned char* d_residues, std::uint64_t size,
//                                const std::uint64_t* d_offsets, std::uint64_t n, cudaStream_t stream) {
//     static const weft::motif_set motifs({weft::parse_motif("N-{P}-[ST]-{P}"), weft::parse_motif("R-G-D")});
//     return weft::gpu::scan(motifs, {d_residues, size, d_offsets, n}, {}, stream);
//   }
//
// In full, and run by the tests: examples/scan_gpu.cpp.
//
// Sources: as weft/scan/scan.hpp names.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <string>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/scan/scan.hpp>

namespace weft::gpu {

// Concatenated sequences in device memory: sequence i is d_residues[d_offsets[i] .. d_offsets[i + 1] - 1].
// d_offsets[0 .. sequences] ascends from 0 to size. A view: owns nothing. A pointer to nothing may be null.
struct scan_text {
  // The bytes and how many, the offsets, and how many sequences they are of.
  const unsigned char* d_residues = nullptr;
  std::uint64_t size = 0;
  const std::uint64_t* d_offsets = nullptr;
  std::uint64_t sequences = 0;
};

// As in scan_options.
struct scan_device_options {
  // See there.
  match_rule rule = match_rule::ps_scan;
  bool overlap = true;
  bool included = false;
  int max_x = 0;
  strand_choice strands = strand_choice::forward;
  std::string engine = "auto";     // see scan_engines(): each has a form for a GPU
  std::uint64_t device_memory = 0; // bytes that a call may take beside the motifs; 0: what there is
};

// Matches in device memory, in scan()'s order: by sequence, motif, begin, end and strand. Given back in the
// order of the call's stream, which must outlive it. Moves, does not copy.
class scan_matches {
public:
  scan_matches() = default;
  // Takes them over.
  explicit scan_matches(device_buffer<scan_match> items) : items_(std::move(items)) {}
  // The items, and how many.
  [[nodiscard]] const scan_match* data() const noexcept { return items_.data(); } // null if there are none
  [[nodiscard]] std::uint64_t count() const noexcept { return items_.size(); }

private:
  device_buffer<scan_match> items_;
};

// All matches of the motifs in the text: the same items in the same order as weft::scan gives for it.
//
// Device        the current one; the stream and all memory called d_... belong to it.
// Time          that of the engine's search, O(residues * motifs / word) in the worst case, and a thread an
//               occurrence for begin, end and rule. Without overlap, occurrences of a motif that reach over
//               one another in a long row are looked at one by one by one thread; so is, for rule ends, a
//               match for its begin, and for the others a sequence for each motif with [<M].
// Extra memory  of the device, given back at the end but for matches: 1.2 bytes a residue (a copy of the
//               text, which engines want aligned and padded, and where sequences begin; for rule ends twice
//               that), what the engine takes, up to 64 MB to walk with (or for one walk a bit for each
//               residue of the longest sequence and element of a motif without a bound), 17 bytes an
//               occurrence (25 without overlap), and 32 a match; 96 a match for rule ends, and where the
//               reverse strand is asked for. The set keeps what the engine has made of its motifs for the
//               next call.
// Ranges        size < 2^40, sequences < 2^32, at most 2^24 motifs and 2^31 - 1 occurrences a strand; and the
//               bits of a number below `sequences`, of one below the motifs, and of the longest sequence's
//               size, are 63 at most together.
// Alignment     of d_offsets that of its type, of d_residues none (16 bytes save a pass over the text).
// Aliasing      the text is read only.
// Waits         for all that is in the stream before, then for numbers the next step needs, and at last until
//               the matches are there; may not be captured. Several threads may call at once, also with one
//               set, whose searches then take turns.
// Throws        std::invalid_argument (offsets that do not ascend from 0 to size, a null pointer, a range),
//               error (unknown engine, strands without dna), memory_error (more than device_memory,
//               or than there is), device_error.
[[nodiscard]] scan_matches scan(const motif_set& motifs, const scan_text& text,
                                const scan_device_options& options, cudaStream_t stream);

} // namespace weft::gpu
