// Formats the matches of a large chunk on all threads.
#pragma once

#include <cstddef>
#include <string>
#include <vector>
#include <weft/base/run.hpp>
#include <weft/files/formats/scan_formats.hpp>
#include <weft/files/scan/match_collector.hpp>
#include <weft/io/output_file.hpp>

namespace weft::files {

// A slice_writer formats matches block by block on several threads, and writes the blocks in order.
class slice_writer {
public:
  // Formats at most `num_blocks` blocks at the same time, on the threads of `run`. All arguments must outlive
  // the object. write() throws cancelled_error if the monitor of `run` has been cancelled.
  slice_writer(const match_writer& format, std::size_t num_blocks, const run_options& run,
               io::output_file& out)
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
  io::output_file& out_;
};

} // namespace weft::files
