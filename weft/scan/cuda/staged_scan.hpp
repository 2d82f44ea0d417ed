// A scan of sequences in host memory that applies all rules on the device and returns the matches to host
// memory.
//
// The batch is cut into pieces of whole sequences. Each piece is uploaded, scanned as weft::gpu::scan does,
// and its matches are downloaded. The three stages run at the same time, each on a different piece:
//
//   upload piece k + 1 | scan piece k | append the matches of piece k - 1 (in the caller's thread)
//
// Pieces are processed in order and matches are sorted by sequence first, so the matches of the pieces are
// simply appended.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>
#include <weft/scan/cuda/engine_cache.hpp>
#include <weft/scan/scan.hpp>

namespace weft::scan_cuda {

// Returns about how many residues a piece should have: a quarter of the batch, so that all three stages are
// busy, within limits.
[[nodiscard]] constexpr std::uint64_t default_piece_residues(std::uint64_t residues) {
  return std::clamp(residues / 4, std::uint64_t{1} << 20, std::uint64_t{1} << 23);
}

// Returns all matches of the batch, which has residues, on the strands that options.strands names. Returns
// nothing, and leaves the monitor as it was, if that takes more device memory than the options allow or if a
// match key needs more than 63 bits: a sequence or its matches are then too large for one piece, and
// piece_scanner can divide them. Callers that share motifs and a device take turns, one batch at a time.
// Throws device_error, cancelled_error, bad_alloc.
[[nodiscard]] std::optional<match_vector> staged_scan(const motif_set::compiled& motifs,
                                                      const engine_key& key, const sequences_view& sequences,
                                                      const scan_options& options,
                                                      std::uint64_t preferred_piece);

} // namespace weft::scan_cuda
