// Files of sequences of any size, scanned as they are read, their matches written in order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>
#include <weft/io/output_file.hpp>
#include <weft/scan/scan.hpp>

namespace weft::cli {

struct scan_totals {
  std::uint64_t sequences = 0, residues = 0, matches = 0;
  std::vector<std::uint64_t> by_motif;
};

// format: see match_writer; empty: matches are counted, not written. memory: about the most that it may take
// (0: no limit).
[[nodiscard]] scan_totals stream_scan(const std::vector<std::string>& files, const motif_set& motifs,
                                      const scan_options& options, std::uint64_t memory,
                                      const std::string& format, io::output_file& out);

} // namespace weft::cli
