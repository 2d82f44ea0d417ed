// The page of `weft scan --format html`. Its data are JSON: one row for each sequence with matches, followed
// by the data that are known at the end. A row is an array: name, description, length, and four items for
// each match: motif (on the reverse strand -1 - motif), begin, end (1-based, inclusive), residues.
#pragma once

#include <string>
#include <vector>
#include <weft/scan/scanner.hpp>

namespace weft::files {

// Returns the page up to the first row. Each row must then be written after ",\n".
[[nodiscard]] std::string page_begin();

// Returns the page behind the last row. `motifs_from` and `sequences_from` are paths as the user gave them;
// the page shows only their file names.
[[nodiscard]] std::string page_end(const motif_set& motifs, const std::string& motifs_from,
                                   const std::vector<std::string>& sequences_from, const scan_totals& sum);

} // namespace weft::files
