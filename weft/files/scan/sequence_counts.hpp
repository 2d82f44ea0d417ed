// Counts the matches of each sequence and motif of a chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
#include <weft/files/formats/scan_formats.hpp>
#include <weft/io/sequence_reader.hpp>
#include <weft/scan/scanner.hpp>

namespace weft::files {

// A sequence_counts counts the matches of the parts that scanner::feed() visits.
class sequence_counts {
public:
  // Adds the matches of a part.
  void add(const scan_part& part);
  // Appends the lines of the ordered counts, and clears the counts.
  void append_lines(std::string& lines, const match_writer& format, const io::sequence_chunk& chunk);

private:
  struct count {
    std::uint32_t sequence, motif;
    std::uint64_t matches;
  };
  // Orders the counts, and adds up those of the same sequence and motif.
  void merge();

  std::vector<count> counts_;
  std::size_t merged_ = 0; // number of counts after the last merge()
};

} // namespace weft::files
