// The path of an LCS as a dot plot: what is drawn, whatever draws it.
#pragma once

#include <array>
#include <cli/lcs_formats.hpp>
#include <cli/plot/plot_files.hpp>
#include <cli/plot/strand_anchors.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/lcs/lcs.hpp>

namespace weft::cli {

// The matches of a path in one cell of a grid over A x B: how many, and the ranges [begin, end) that they
// span.
struct path_piece {
  std::uint64_t a_begin, a_end, b_begin, b_end, matches;
  friend bool operator==(const path_piece&, const path_piece&) = default;
};

// A path as the cells that hold its matches, first to last. A cell is a_cell symbols of A by b_cell of B.
struct reduced_path {
  std::uint64_t m = 0, n = 0, matches = 0; // symbols of A and B
  std::uint64_t a_cell = 1, b_cell = 1;
  std::vector<path_piece> pieces;
};

// Reduces a path to a grid of at most `cells` x `cells` (at least 1). A path only goes on in A and B, so it
// meets fewer than 2 `cells` of them: that bounds the pieces. Every matched pair of positions lies in one
// piece, and where cells are single symbols the pieces are the path. O(runs + cells) time, O(cells) memory.
[[nodiscard]] reduced_path reduce_path(std::span<const edit_run> runs, std::uint64_t m, std::uint64_t n,
                                       std::uint64_t cells);

// Whether all of a piece's positions match: then it is the path itself, not only its bounds.
[[nodiscard]] bool is_exact(const path_piece& piece);

// The pieces with every row of exact ones that follow each other without a gap made one.
[[nodiscard]] std::vector<path_piece> joined(std::span<const path_piece> pieces);

// Matches along A in windows of `symbols` symbols.
struct match_windows {
  std::uint64_t symbols = 1;
  std::vector<std::uint64_t> matches;
};

// At most `most` windows of at least 20 symbols, each of whole cells.
[[nodiscard]] match_windows windows_of(const reduced_path& path, std::uint64_t most);

// What a plot says beside its lines.
struct plot_subject {
  std::string a_name, b_name;
  std::string unit;                  // of a position: "b", "aa", "bytes" or "lines"
  std::vector<record_field> numbers; // the record
};

// The lines of matches on each strand, for texts of DNA. k is 0 for other texts, which have none.
struct strand_lines {
  unsigned k = 0;
  std::uint64_t found = 0; // segments before the shortest were left out
  std::vector<strand_segment> segments;
};

// Returns the `max_lines` longest segments of anchors that are joined as a plot needs it whose cells are
// a_cell by b_cell letters.
[[nodiscard]] strand_lines strand_lines_of(const strand_anchors& anchors, std::uint64_t a_cell,
                                           std::uint64_t b_cell, std::size_t max_lines);

// The kinds that plot() draws.
inline constexpr std::array lcs_plot_kinds = {plot_kind::svg, plot_kind::png, plot_kind::html};

// Returns the bytes of the file. `anchors` are drawn under the path.
[[nodiscard]] std::string plot(plot_kind kind, const plot_subject& subject, std::span<const edit_run> runs,
                               std::uint64_t m, std::uint64_t n, const strand_anchors& anchors = {});

} // namespace weft::cli
