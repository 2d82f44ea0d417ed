// Scans files of sequences of any size while they are read, and writes the matches in order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>
#include <weft/files/plot/domain_rows.hpp>
#include <weft/files/scan/scan_input.hpp>
#include <weft/io/output_file.hpp>
#include <weft/scan/scanner.hpp>

namespace weft::files {

// The shares into which the memory of a scan is divided.
struct scan_memory {
  std::uint64_t first_residues,
      max_residues; // residues of the first chunk of whole records, and of any chunk
  part_limits parts;
  std::size_t max_matches;         // matches that wait to be sorted
  std::size_t num_blocks;          // blocks of text that are formatted at the same time
  std::uint64_t limit, max_record; // limit: bytes of all memory; max_record: residues of a record; 0: none
};

// Divides a limit on memory (0: the user set none). `copies` is the number of times that each residue of a
// long record is in memory.
[[nodiscard]] scan_memory divide_memory(std::uint64_t limit, int threads, std::uint64_t copies);

// The kind of output.
struct scan_output {
  std::string format;                        // a format of match_writer
  enum { matches, counts, no_rows } content; // counts: the number of matches of each sequence and motif
};

// Scans all sequences of `input` with `scanner` and writes the output. The scanner's monitor, if it has one,
// can cancel it. If `domains` is not null, it receives all matches as well, provided that the content is
// scan_output::matches. If the system cannot start threads, the caller's thread does all the work. Throws the
// errors of the reader, the scanner and the output file, after writing the matches found until then.
void stream_scan(scan_input& input, scanner& scanner, const scan_memory& memory, const scan_output& content,
                 io::output_file& out, domain_collector* domains = nullptr);

} // namespace weft::files
