// One strand's matches, range by range on several threads: occurrences from an engine of the CPU, or from
// pieces of text on a device; then the rule.
#pragma once

#include <vector>
#include <weft/scan/core/pieces.hpp>
#include <weft/scan/cpu/engine.hpp>
#include <weft/scan/cpu/resolve.hpp>

namespace weft::scan_detail {

struct range_matches {
  match_vector matches;
  std::vector<resolver::candidate> open; // of sequences that reach out of the range
};

// Residues of a range, so that there is work for all threads.
[[nodiscard]] std::uint64_t range_size(std::uint64_t residues, int threads);

// Cuts the text [begin, end), begin < end, into ranges of about `size` residues, between sequences where no
// sequence is much longer than that.
[[nodiscard]] std::vector<std::uint64_t> cut_ranges(const sequence_batch& sequences, std::uint64_t begin,
                                                    std::uint64_t end, std::uint64_t size);

// Scans the ranges of the text [begin, end). Motifs that engines are not asked of are looked for only where
// that is the whole batch.
[[nodiscard]] std::vector<range_matches> scan_ranges(const motif_set::compiled& motifs,
                                                     const sequence_batch& sequences,
                                                     const scan_options& options, engine_function find,
                                                     std::uint64_t begin, std::uint64_t end);

// The pieces are all of the batch, in order; `search` is for edge_of(options.rule). size: of a range.
[[nodiscard]] std::vector<range_matches>
scan_pieces(const motif_set::compiled& motifs, const sequence_batch& sequences, const scan_options& options,
            const std::vector<text_piece>& pieces, piece_searcher& search, std::uint64_t size);

// The matches of all ranges, ordered; what reaches over ranges is put together here.
[[nodiscard]] match_vector join_ranges(const scan_options& options, std::vector<range_matches> ranges);

} // namespace weft::scan_detail
