// A scan from host memory to host memory whose rules are applied on the device.
//
// The batch is cut into pieces of whole sequences. Each goes to the device, is scanned there as
// weft::gpu::scan does, and its matches come back; the three at the same time, with a piece each:
//
//   upload piece k + 1 | scan piece k | append the matches of piece k - 1 (the caller's thread)
//
// Pieces are in order and matches begin with their sequence, so that nothing is left to be sorted or joined.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>
#include <weft/scan/cuda/engine_cache.hpp>
#include <weft/scan/scan.hpp>

namespace weft::scan_cuda {

// Residues of a piece, about: a fourth of the batch, so that the three have something to do at the same time.
[[nodiscard]] constexpr std::uint64_t usual_piece(std::uint64_t residues) {
  return std::clamp(residues / 4, std::uint64_t{1} << 20, std::uint64_t{1} << 23);
}

// All matches of the batch, which has residues, on the strands that are asked for. Nothing, and the monitor
// as it was before, where that takes more memory of the device than options allow, or more than 63 bits for a
// match: a sequence or its matches are too large, and piece_scanner can divide them. Callers that share
// motifs and a device take turns, a batch each. Throws device_error, cancelled_error, bad_alloc.
[[nodiscard]] std::optional<match_vector> staged_scan(const motif_set::compiled& motifs,
                                                      const engine_key& key, const sequence_batch& sequences,
                                                      const scan_options& options,
                                                      std::uint64_t preferred_piece);

} // namespace weft::scan_cuda
