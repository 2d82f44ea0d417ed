// The page of weft scan --format html. Its data are JSON: rows, one for each sequence that has matches, and
// behind them what is known at the end. Rows are arrays: name, description, length, and four items for each
// match: motif (on the reverse strand -1 - motif), begin, end (1-based, inclusive), residues.
#pragma once

#include <cli/scan_stream.hpp>
#include <string>
#include <vector>
#include <weft/scan/scan.hpp>

namespace weft::cli {

// Up to the first row; each row is then written behind ",\n".
[[nodiscard]] std::string page_begin();

// All behind the last row. motifs_from, sequences_from: files, as given; the page shows the last parts of
// their paths.
[[nodiscard]] std::string page_end(const motif_set& motifs, const std::string& motifs_from,
                                   const std::vector<std::string>& sequences_from, const scan_totals& sum);

} // namespace weft::cli
