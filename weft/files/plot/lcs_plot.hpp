// The path of an LCS as a dot plot, independent of the format in which it is drawn.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/files/formats/lcs_formats.hpp>
#include <weft/files/plot/picture.hpp>
#include <weft/files/plot/strand_anchors.hpp>
#include <weft/lcs/lcs.hpp>

namespace weft::files {

// The matches of a path in one cell of a grid over A x B: their number, and the ranges [begin, end) that they
// span.
struct path_piece {
  std::uint64_t a_begin, a_end, b_begin, b_end, matches;
  friend bool operator==(const path_piece&, const path_piece&) = default;
};

// A path as the list of cells that contain its matches, from first to last. A cell has a_cell symbols of A
// and b_cell symbols of B.
struct reduced_path {
  std::uint64_t m = 0, n = 0, matches = 0; // m, n: symbols of A and B
  std::uint64_t a_cell = 1, b_cell = 1;
  std::vector<path_piece> pieces;
};

// Reduces a path to a grid of at most `cells` x `cells` (at least 1). The positions in A and B never decrease
// along a path, so it passes through fewer than 2 * `cells` cells, which bounds the number of pieces. Every
// matched pair of positions is in one piece. If cells are single symbols, the pieces are the path itself.
// O(runs + cells) time, O(cells) memory.
[[nodiscard]] reduced_path reduce_path(std::span<const edit_run> runs, std::uint64_t m, std::uint64_t n,
                                       std::uint64_t cells);

// Returns true if all positions of a piece match: the piece then is the path itself, not only its bounds.
[[nodiscard]] bool is_exact(const path_piece& piece);

// Returns the pieces, with consecutive exact pieces that have no gap between them joined to one.
[[nodiscard]] std::vector<path_piece> joined(std::span<const path_piece> pieces);

// The numbers of matches along A, in windows of `symbols` symbols.
struct match_windows {
  std::uint64_t symbols = 1;
  std::vector<std::uint64_t> matches;
};

// Returns at most `max_windows` windows of at least 20 symbols, each of whole cells.
[[nodiscard]] match_windows windows_of(const reduced_path& path, std::uint64_t max_windows);

// The texts of a plot.
struct plot_subject {
  std::string a_name, b_name;
  std::string unit;                  // unit of a position: "b", "aa", "bytes" or "lines"
  std::vector<record_field> numbers; // the fields of the record
};

// The lines of matches on each strand of DNA. k is 0 and there are no lines for other texts.
struct strand_lines {
  unsigned k = 0;
  std::uint64_t found = 0; // number of segments before the shortest ones were left out
  std::vector<strand_segment> segments;
};

// Returns the `max_lines` longest segments of the anchors, joined with the tolerance that suits a plot with
// cells of a_cell x b_cell letters.
[[nodiscard]] strand_lines strand_lines_of(const strand_anchors& anchors, std::uint64_t a_cell,
                                           std::uint64_t b_cell, std::size_t max_lines);

// Returns the plot as a picture.
[[nodiscard]] picture draw_plot(const plot_subject& subject, const reduced_path& path,
                                const match_windows& windows, const strand_lines& lines);

// Returns a self-contained page, which loads nothing from elsewhere: the path as JSON, and a script that
// draws it.
[[nodiscard]] std::string html_page(const plot_subject& subject, const reduced_path& path,
                                    const strand_lines& lines);

// The kinds of files that plot() can draw.
inline constexpr std::array lcs_plot_kinds = {plot_kind::svg, plot_kind::png, plot_kind::html};

// Returns the bytes of a file of this kind. `anchors` are drawn under the path.
[[nodiscard]] std::string plot(plot_kind kind, const plot_subject& subject, std::span<const edit_run> runs,
                               std::uint64_t m, std::uint64_t n, const strand_anchors& anchors = {});

} // namespace weft::files
