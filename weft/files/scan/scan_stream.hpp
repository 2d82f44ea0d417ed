// Scans files of sequences of any size while they are read, and writes the matches in order.
#pragma once

#include <weft/files/plot/domain_rows.hpp>
#include <weft/files/ranks/rank_output.hpp>
#include <weft/files/scan/chunk_scan.hpp>
#include <weft/files/scan/scan_input.hpp>
#include <weft/files/scan/scan_memory.hpp>
#include <weft/scan/scanner.hpp>

namespace weft::files {

// Returns whether chunks of a task of so many residues (0: unknown) would be scanned on a GPU. Throws the
// errors of scan() that depend only on the options.
[[nodiscard]] bool is_scanned_on_gpu(const motif_set& motifs, const scan_options& options,
                                     std::uint64_t expected_residues);

// Scans all sequences of `input`, writes the output, and returns the totals. The monitor of the options, if
// there is one, can cancel it. If `domains` is not null, it receives all matches as well, provided that the
// content is scan_output::matches. If the system cannot start threads, the caller's thread does all the work.
// Throws the errors of the reader, the scanner and the output file, after writing the matches of all chunks
// before.
scan_totals stream_scan(scan_input& input, const scan_task& task, const scan_memory& memory,
                        const scan_output& content, rank_output& out, domain_collector* domains = nullptr);

} // namespace weft::files
