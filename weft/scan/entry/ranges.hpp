// Finds the matches on one strand, range by range on several threads: the occurrences come from an engine of
// the CPU or from pieces of text on a device, and then the rule is applied.
#pragma once

#include <vector>
#include <weft/scan/core/engine.hpp>
#include <weft/scan/core/pieces.hpp>
#include <weft/scan/cpu/resolve.hpp>
#include <weft/scan/engines.hpp>

namespace weft::scan_detail {

// The result of resolving one range: the matches of the sequences within the range, and the boundary
// candidates, which are the candidates of sequences that begin before or end after the range. The rule cannot
// be applied to these until all ranges are joined.
struct range_matches {
  found_matches found;
  std::vector<resolver::candidate> boundary;
};

// Returns the number of residues in a range for which there is work for all threads.
[[nodiscard]] std::uint64_t range_size(std::uint64_t residues, int threads);

// Cuts the text [begin, end), begin < end, into ranges of about `size` residues, at most twice as many, and
// returns where they begin, and `end`. Cuts between sequences unless a sequence is much longer than `size`,
// and takes no more than `size` residues of short sequences, because `size` is a number of whole tiles.
[[nodiscard]] std::vector<std::uint64_t> cut_ranges(const sequences_view& sequences, std::uint64_t begin,
                                                    std::uint64_t end, std::uint64_t size);

// Cuts the text [begin, end) into ranges, scans them on all threads, and returns their matches. Includes the
// optional-start motifs only if [begin, end) is the whole batch. If `counts` is not null, adds the matches of
// each motif to it, except boundary candidates, instead of returning them.
[[nodiscard]] std::vector<range_matches> scan_ranges(const motif_set::compiled& motifs,
                                                     const sequences_view& sequences,
                                                     const scan_options& options, engine_function find,
                                                     std::uint64_t begin, std::uint64_t end,
                                                     std::vector<std::uint64_t>* counts = nullptr);

// Scans the pieces of a batch, in order, in ranges of about `size` residues. `search` must be for
// edge_of(options.rule).
[[nodiscard]] std::vector<range_matches>
scan_pieces(const motif_set::compiled& motifs, const sequences_view& sequences, const scan_options& options,
            const std::vector<text_piece>& pieces, piece_searcher& search, std::uint64_t size);

// Returns the matches of all ranges, ordered, and the matches of sequences that span several ranges. Several
// threads write them, each match once.
[[nodiscard]] match_vector join_ranges(const scan_options& options, std::vector<range_matches> ranges);

// Adds the matches of a batch to the count of each motif.
void count_batch(const motif_set::compiled& motifs, const sequences_view& sequences,
                 const scan_options& options, engine_function find, std::vector<std::uint64_t>& counts);

// Solves a problem with limits: passes the matches of problem.sequences to *problem.visit in parts, or counts
// them (parts.cpp). `find` is an engine of the CPU.
void visit_parts(const scan_problem& problem, engine_function find);

} // namespace weft::scan_detail
