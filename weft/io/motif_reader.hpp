// Motif files as text: PROSITE flat files, and lists of one pattern a line. What the patterns mean is
// weft/scan's business.
#pragma once

#include <cstdint>
#include <string>
#include <vector>
#include <weft/io/byte_source.hpp>

namespace weft::io {

struct motif_record {
  std::string name, accession, description,
      pattern; // pattern: PA lines joined, white space and closing period removed
  bool skip_flag = false;
  std::uint64_t line = 0; // of the first pattern line, 1-based
  // For each byte of `pattern`: where it stood in the file, so that a fault in a pattern over several lines
  // is reported at its own line and column.
  struct place {
    std::uint64_t line, column;
  };
  std::vector<place> places;
};

struct motif_file {
  std::string name; // of the source
  std::vector<motif_record> records;
  std::uint64_t matrix_entries = 0; // MATRIX entries (profiles) of a PROSITE file: counted and skipped
  std::uint64_t rule_entries = 0;   // RULE entries (post-processing rules), likewise
};

// A file whose first non-blank line starts with a PROSITE line code (ID, CC, AC, ..., 3D) followed by blanks,
// or with "//", is a PROSITE flat file; any other is a list: "pattern" or "name<TAB>pattern" a line; blank
// lines and lines that start with '#' are skipped. Throws parse_error (line, column) on: an entry without ID,
// AC or // where the format needs it, a PATTERN entry without PA, a binary file, a line over 1 MiB.
[[nodiscard]] motif_file read_motifs(byte_source& source);
[[nodiscard]] motif_file read_motifs(const std::string& path);

} // namespace weft::io
