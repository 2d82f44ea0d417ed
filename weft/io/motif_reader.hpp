// Motif files as text: PROSITE flat files, and what pattern_reader.hpp reads. What the patterns mean is
// weft/scan's business.
//
//   const weft::io::motif_file motifs = weft::io::read_motifs("motifs.txt");
//   motifs.records[0].name;                         // == "sequon"
//   motifs.records[0].pattern;                      // == "N-{P}-[ST]"
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>
#include <weft/io/byte_source.hpp>

namespace weft::io {

// A pattern as a file has it, not yet parsed.
struct motif_record {
  // Pattern: PA lines joined, white space and closing period removed.
  std::string name, accession, description, pattern;
  bool skip_flag = false; // CC /SKIP-FLAG=TRUE
  std::uint64_t line = 0; // of the first pattern line, 1-based; 0: a record of FASTA or FASTQ
  // Where something stood in the file.
  struct place {
    // Both 1-based.
    std::uint64_t line, column;
  };
  // Of each byte of `pattern`, so that a fault in a pattern over several lines is reported at its own line
  // and column. Empty for a record of FASTA or FASTQ.
  std::vector<place> places;
};

// The patterns of a file, and what was passed over.
struct motif_file {
  std::string name; // of the source
  // In the order of the file.
  std::vector<motif_record> records;
  std::uint64_t matrix_entries = 0; // MATRIX entries (profiles) of a PROSITE file: counted and skipped
  std::uint64_t rule_entries = 0;   // RULE entries (post-processing rules), likewise
  bool is_prosite = false;          // a PROSITE flat file, not a list
};

// A file whose first non-blank line starts with a PROSITE line code (ID, CC, AC, ..., 3D) followed by a
// blank, or with "//", is a PROSITE flat file. Any other is a list of "pattern" or "name<TAB>pattern" a line,
// FASTA or FASTQ, as pattern_reader has it; white space within a pattern is dropped. Throws parse_error
// (line, column) on: an entry without ID, AC or // where the format needs it, a PATTERN entry without PA, a
// flat file without entries, a binary file, a line of a flat file over 1 MiB; memory_error on a line of a
// list, or a record, over 1 MiB, and on patterns that take more than `memory` bytes (0: no limit); io_error
// if the file cannot be opened or read. O(bytes); memory: the result and a buffer.
[[nodiscard]] motif_file read_motifs(byte_source& source, std::uint64_t memory = 0);
[[nodiscard]] motif_file read_motifs(const std::string& path);

// Passes each pattern of a file to `take`, in the order of the file, and returns what read_motifs() returns
// without the patterns. Throws as read_motifs(), but memory_error where one pattern takes more than `memory`
// bytes (0: no limit) with all that its record holds; and what `take` throws. O(bytes); memory: one pattern
// and a buffer.
motif_file for_each_motif(byte_source& source, const std::function<void(motif_record&&)>& take,
                          std::uint64_t memory = 0);

} // namespace weft::io
