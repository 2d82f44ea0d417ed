// Finds the matches of a batch that a device searches piece by piece.
#pragma once

#include <weft/scan/core/compiled.hpp>
#include <weft/scan/core/pieces.hpp>

namespace weft::scan_detail {

// Returns the matches on one strand: `search` finds the occurrences in pieces within `limits`, and threads of
// the host apply the rule. `search` must be for edge_of(options.rule). Throws memory_error as cut_pieces().
[[nodiscard]] match_vector scan_in_pieces(const motif_set::compiled& motifs, const sequences_view& sequences,
                                          const scan_options& options, const piece_limits& limits,
                                          piece_searcher& search);

} // namespace weft::scan_detail
