// Files of sequences of any size, scanned as they are read, their matches written in order.
#pragma once

#include <cli/plot/domain_rows.hpp>
#include <cli/scan_input.hpp>
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

// How the memory of a scan is divided.
struct scan_memory {
  std::uint64_t first_residues, max_residues; // of a chunk of whole records: of the first, and at most
  part_limits parts;
  std::size_t max_matches;         // that wait to be put in order
  std::size_t num_blocks;          // of text that are formatted at once
  std::uint64_t limit, max_record; // of all, and residues of one record; 0: none
};

// Divides a limit on memory (0: none was asked for). `copies` of each residue of a long record are in memory.
[[nodiscard]] scan_memory divide_memory(std::uint64_t limit, int threads, std::uint64_t copies);

// What is written of the matches.
struct scan_output {
  std::string format;                        // see match_writer
  enum { matches, counts, no_rows } content; // counts: of each sequence and motif
};

// Scans all sequences of `input`; `domains`, if not null, is given all matches of scan_output::matches, too.
// Where the system has no threads to give, the caller's does all. Throws what the reader, scan_in_parts() and
// the output file throw, after the matches found until then are written.
[[nodiscard]] scan_totals stream_scan(scan_input& input, const motif_set& motifs, const scan_options& options,
                                      const scan_memory& memory, const scan_output& content,
                                      io::output_file& out, domain_collector* domains = nullptr);

} // namespace weft::cli
