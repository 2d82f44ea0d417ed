// Reads motif files as text: PROSITE flat files, and the formats of pattern_reader.hpp. weft/scan/motif.hpp
// parses the patterns.
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

// A pattern as it is in a file, not yet parsed.
struct motif_record {
  // The pattern has the PA lines joined, without white space and closing period.
  std::string name, accession, description, pattern;
  bool skip_flag = false; // the entry has a line CC /SKIP-FLAG=TRUE
  std::uint64_t line = 0; // the first line of the pattern, 1-based; 0 for a record of FASTA or FASTQ
  // A position in the file.
  struct position {
    // Both are 1-based.
    std::uint64_t line, column;
  };
  // The position of each byte of `pattern`, so that an error in a pattern of several lines is reported at its
  // own line and column. Empty for a record of FASTA or FASTQ.
  std::vector<position> positions;
};

// The patterns of a file, and the number of entries that were skipped.
struct motif_file {
  std::string name; // name of the source
  // The patterns in the order of the file.
  std::vector<motif_record> records;
  std::uint64_t matrix_entries = 0; // skipped MATRIX entries (profiles) of a PROSITE file
  std::uint64_t rule_entries = 0;   // skipped RULE entries (post-processing rules)
  bool is_prosite = false;          // whether the file is a PROSITE flat file
};

// Reads a motif file. If the first non-blank line starts with a PROSITE line code (ID, CC, AC, ..., 3D) and a
// blank, or with "//", the file is a PROSITE flat file. Otherwise it is a list with a "pattern" or
// "name<TAB>pattern" on each line, FASTA or FASTQ, as in pattern_reader.hpp; white space within a pattern is
// dropped. Throws parse_error (line, column) for an entry without a required ID, AC or // line, a PATTERN
// entry without PA line, a flat file without entries, a binary file, or a line of a flat file over 1 MiB;
// memory_error for a line of a list or a record over 1 MiB, and for patterns that take more than `memory`
// bytes (0: no limit); io_error if the file cannot be opened or read. O(bytes); memory: the result and a
// buffer.
[[nodiscard]] motif_file read_motifs(byte_source& source, std::uint64_t memory = 0);
[[nodiscard]] motif_file read_motifs(const std::string& path);

// Passes each pattern of a file to `take`, in the order of the file. Returns what read_motifs() returns,
// without the patterns. Throws as read_motifs(), but memory_error if the record of one pattern takes more
// than `memory` bytes (0: no limit); passes on the exceptions of `take`. O(bytes); memory: one pattern and a
// buffer.
motif_file for_each_motif(byte_source& source, const std::function<void(motif_record&&)>& take,
                          std::uint64_t memory = 0);

} // namespace weft::io
