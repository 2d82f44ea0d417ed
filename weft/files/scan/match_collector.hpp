// Collects matches that arrive in parts, and passes them on in the order in which they are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>
#include <weft/io/temporary_file.hpp>
#include <weft/scan/scanner.hpp>

namespace weft::files {

// A match_slice is some consecutive matches of a chunk, in order: matches[first, last). The match before them
// and the match after them are in the vector as well if they are in the same sequences.
struct match_slice {
  match_vector matches;
  std::size_t first = 0, last = 0;
};

// Orders the parts that scanner::feed() visits. If the matches of one sequence do not fit the memory, they
// are sorted run by run, written to a temporary file, and merged.
class match_collector {
public:
  using sink_function = std::function<void(match_slice)>;
  // Keeps about max_matches (at least 1) in memory.
  match_collector(std::size_t max_matches, sink_function sink)
      : max_matches_(max_matches), sink_(std::move(sink)) {}

  // Takes the next part. When it completes its sequences, passes their matches to the sink. Throws io_error
  // of the temporary file, and the exceptions of the sink.
  void add(scan_part part);

private:
  class run_reader;
  void spill();
  void merge();

  std::size_t max_matches_;
  sink_function sink_;
  match_vector held_;
  std::optional<io::temporary_file> file_;
  std::vector<std::uint64_t> run_ends_; // ends of the sorted runs in the file
};

} // namespace weft::files
