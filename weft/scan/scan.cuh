// Scans sequences that are in device memory, on the caller's stream, and returns the matches of weft::scan in
// device memory. Needs <cuda_runtime_api.h>, but not nvcc. For sequences in host memory see
// weft/scan/scan.hpp, which also explains motif sets, matches and rules.
//
//   // d_residues: n sequences in device memory, end to end; d_offsets: where each begins, and the end.
//   weft::gpu::scan_matches find(const char* d_residues, std::uint64_t size, const std::uint64_t* d_offsets,
//                                std::uint64_t n, cudaStream_t stream) {
//     static const weft::motif_set motifs({weft::parse_motif("N-{P}-[ST]-{P}"), weft::parse_motif("R-G-D")});
//     return weft::gpu::scan(motifs, {d_residues, d_offsets, n, size}, {}, stream);
//   }
//
// The tests run the whole program: examples/scan_gpu.cpp.
//
// Sources: see weft/scan/scan.hpp.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/sequences.hpp>
#include <weft/scan/scan.hpp>

namespace weft::gpu {

// Matches in device memory, in the order of scan(): by sequence, motif, begin, end and strand. The memory is
// freed in the order of the call's stream, which must outlive the object. Can be moved, but not copied.
class scan_matches {
public:
  scan_matches() = default;
  // Takes ownership of `items`.
  explicit scan_matches(device_buffer<scan_match> items) : items_(std::move(items)) {}
  // Return the items and their number.
  [[nodiscard]] const scan_match* data() const noexcept { return items_.data(); } // null if there are none
  [[nodiscard]] std::uint64_t count() const noexcept { return items_.size(); }

private:
  device_buffer<scan_match> items_;
};

// Returns all matches of the motifs in the sequences: the same items in the same order as weft::scan returns.
//
// Options       those of weft::scan. `circular` is an error, `run.threads` and `run.memory` are not needed,
//               and `run.device` is automatic or the current device.
// Device        the current one; the stream and all memory called d_... belong to it.
// Time          the time of the engine's search, O(residues * motifs / word) in the worst case, and one
//               thread for each occurrence to find begin or end and to apply the rule. One thread alone
//               handles: a run of overlapping occurrences of one motif, one after another, if overlap is
//               false; the begin of a match, for rule ends; a motif with [<M] in one sequence, for the other
//               rules.
// Extra memory  in device memory, freed at the end except for the matches: 1.2 bytes for each residue (a copy
//               of the text, aligned and padded as the engines need it, and the sequence starts; twice that
//               for rule ends); the engine's memory; up to 64 MB for walks (or, for a single walk, a bit for
//               each residue of the longest sequence and element of a motif without a limit on its length);
//               17 bytes for each occurrence (25 if overlap is false); and 32 for each match (96 for rule
//               ends and for the reverse strand). The motif set keeps the engine's tables for the next call.
// Ranges        size < 2^40, sequences < 2^32, at most 2^24 motifs and 2^31 - 1 occurrences on a strand. The
//               bits of the largest sequence index, of the largest motif index, and of the size of the
//               longest sequence are at most 63 together.
// Alignment     d_offsets: the alignment of its type; d_data: none (16 bytes save a pass over the text).
// Aliasing      the text is only read.
// Waits         for all earlier work of the stream, then for numbers that the next step needs, and finally
//               for the matches; the stream may not be in capture. Several threads may call at the same time,
//               also with one motif set, whose searches then take turns.
// Throws        std::invalid_argument (offsets that do not ascend from 0 to size, a null pointer, a value out
//               of range, another device), error (unknown engine, strands without dna, circular),
//               memory_error (more than run.device_memory, or than there is), device_error,
//               cancelled_error (asked before the search).
[[nodiscard]] scan_matches scan(const motif_set& motifs, const sequences_view& sequences,
                                const scan_options& options, cudaStream_t stream);

} // namespace weft::gpu
