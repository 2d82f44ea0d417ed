// Cuts the lines of all ranks of a job, in their order, into parts of equally many bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>
#include <weft/files/ranks/line_sample.hpp>
#include <weft/multi/communicator.hpp>
#include <weft/sort/line_order.hpp>

namespace weft::files {

// The begin of a part: the first line with this text, or with a text that equals it in the order, that has at
// least this position. `code` is the code of the line.
struct line_splitter {
  std::string line, code;
  std::uint64_t position = 0;
};

// How lines are cut.
struct line_cut_settings {
  const line_order& order;
  bool unique = false;                           // never cut lines with equal keys apart
  std::uint64_t max_pivots = 1;                  // of all ranks in a round, at least one of each
  std::uint64_t memory = std::uint64_t{1} << 26; // of a rank, for lines with their codes, and a quarter of
                                                 // it for the lines of pivots of all ranks
  int threads = 1;                               // 0: all
};

// Returns the begins of all parts but the first one: as many parts as ranks. Each cut is the end of a line
// that leaves as many bytes of the lines of all ranks before it as equal parts would, within a thousandth of
// a part or half a line; or, if `unique`, within half of the lines that equal one another. All ranks call it
// together, each with its own lines; a position belongs to one line. Without lines, all parts but the last
// one are empty.
//
// Cost, with n lines on each of p ranks: O(n log n) time, and two rounds for most inputs, in which every rank
// sends its pivots, with 40 bytes each, and 8 bytes for each pivot of all ranks, and searches its lines for
// all of them; then it sends and receives at most 4 p lines with 16 bytes each. A rank gives fewer pivots if
// their lines are long. Each rank gives a pivot for every cut that a round looks for; from p^2 > max_pivots
// on, more rounds follow one another, each of which looks for max_pivots / p cuts. Memory: 150 bytes and the
// code for each own line; 100 bytes for each pivot of all ranks in a round; how.memory / 4, or one line of
// each rank if that is more, for the lines of pivots; and then at most 6 p lines with their codes. If the own
// lines with codes take more than how.memory, only some of them are used, at least 64: of lines that follow
// one another, one is chosen at random, and stands for the bytes of all.
[[nodiscard]] std::vector<line_splitter> find_splitters(multi::communicator& ranks,
                                                        const std::vector<weighted_line>& own,
                                                        const line_cut_settings& how);

} // namespace weft::files
