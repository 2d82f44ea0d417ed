// The output of the chunks of a scan of files: counts of matches, or rows that all threads format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
#include <weft/base/run.hpp>
#include <weft/files/formats/scan_formats.hpp>
#include <weft/files/ranks/rank_output.hpp>
#include <weft/files/scan/match_collector.hpp>
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

// A slice_writer formats matches block by block on several threads, and writes the blocks in order.
class slice_writer {
public:
  // Formats at most `num_blocks` blocks at the same time, on the threads of `run`. All arguments must outlive
  // the object. write() throws cancelled_error if the monitor of `run` has been cancelled.
  slice_writer(const match_writer& format, std::size_t num_blocks, const run_options& run, rank_output& out)
      : format_(format), texts_(num_blocks), run_(run), out_(out) {}

  // Writes the lines of a slice of the chunk's matches.
  void write(const io::sequence_chunk& chunk, const match_slice& slice);

private:
  struct block {
    std::size_t first, last;
  };

  const match_writer& format_;
  std::vector<std::string> texts_;
  std::vector<block> blocks_;
  const run_options& run_;
  rank_output& out_;
};

} // namespace weft::files
