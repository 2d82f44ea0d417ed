// Matches that come in parts, in the order in which they are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>
#include <weft/io/temporary_file.hpp>
#include <weft/scan/scan.hpp>

namespace weft::cli {

// Some of the matches of a chunk, in order: matches[first, last). The items around them are the match before
// and the match behind them, where there are such of the same sequences.
struct match_piece {
  match_vector matches;
  std::size_t first = 0, last = 0;
};

// Puts the parts of scan_in_parts() in order. Where the matches of one sequence are too many for the memory,
// they go through a temporary file, sorted piece by piece, and are merged.
class match_collector {
public:
  using sink_function = std::function<void(match_piece)>;
  // Keeps about max_matches (at least 1) in memory.
  match_collector(std::size_t max_matches, sink_function sink)
      : max_matches_(max_matches), sink_(std::move(sink)) {}

  // Takes the next part; hands pieces to the sink when the part is complete. Throws io_error of the temporary
  // file, and what the sink throws.
  void add(scan_part part);

private:
  class run_reader;
  void spill();
  void merge();

  std::size_t max_matches_;
  sink_function sink_;
  match_vector held_;
  std::optional<io::temporary_file> file_;
  std::vector<std::uint64_t> run_ends_; // in the file
};

} // namespace weft::cli
