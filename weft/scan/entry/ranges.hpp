// One strand's matches, range by range on several threads: occurrences from an engine of the CPU, or from
// pieces of text on a device; then the rule.
#pragma once

#include <functional>
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

[[nodiscard]] std::vector<range_matches> scan_ranges(const motif_set::compiled& motifs,
                                                     const sequence_batch& sequences,
                                                     const scan_options& options, engine_function find);

// The pieces are all of the batch, in order; `search` is for edge_of(options.rule). size: of a range.
[[nodiscard]] std::vector<range_matches>
scan_pieces(const motif_set::compiled& motifs, const sequence_batch& sequences, const scan_options& options,
            const std::vector<text_piece>& pieces, piece_searcher& search, std::uint64_t size);

// The matches of all ranges, ordered; what reaches over ranges is put together here.
[[nodiscard]] match_vector join_ranges(const scan_options& options, std::vector<range_matches> ranges);

// The matches on the strands that are asked for, out of those of one strand: `scan_strand` is given the
// batch, or the reverse complement of each of its sequences.
using strand_scanner = std::function<match_vector(const sequence_batch&)>;
[[nodiscard]] match_vector scan_strands(const sequence_batch& sequences, strand_choice strands,
                                        const strand_scanner& scan_strand);

} // namespace weft::scan_detail
