// Plain version of reduce_path: put every matched pair (i, j) into cell (i / a_cell, j / b_cell) of a table;
// each cell keeps the least and the greatest i and j, and how many there were. Here
//   1. the table is the list of the cells met so far: a path never comes back to one that it has left, so
//      only the last of the list can still grow;
//   2. a run of matches is taken in steps that end where it leaves a cell, not pair by pair.
#include <cli/plot/lcs_plot.hpp>

#include <algorithm>
#include <cli/plot/picture.hpp>
#include <fmt/format.h>
#include <weft/base/error.hpp>

namespace weft::cli {

namespace {

// The picture is 760 pixels wide: two cells a pixel, and a window every four. The page can be zoomed.
constexpr std::uint64_t picture_cells = 1520, picture_windows = 190, page_cells = std::uint64_t{1} << 15;

std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

void add_matches(reduced_path& path, std::uint64_t i, std::uint64_t j, std::uint64_t length) {
  path.matches += length;
  while (length > 0) {
    const std::uint64_t step =
        std::min({length, path.a_cell - i % path.a_cell, path.b_cell - j % path.b_cell});
    if (path.pieces.empty() || path.pieces.back().a_begin / path.a_cell != i / path.a_cell ||
        path.pieces.back().b_begin / path.b_cell != j / path.b_cell)
      path.pieces.push_back({i, i, j, j, 0});
    path_piece& last = path.pieces.back();
    last.a_end = i += step;
    last.b_end = j += step;
    last.matches += step;
    length -= step;
  }
}

} // namespace

reduced_path reduce_path(std::span<const edit_run> runs, std::uint64_t m, std::uint64_t n,
                         std::uint64_t cells) {
  reduced_path path;
  path.m = m;
  path.n = n;
  path.a_cell = std::max<std::uint64_t>(1, divide_up(m, cells));
  path.b_cell = std::max<std::uint64_t>(1, divide_up(n, cells));
  std::uint64_t i = 0, j = 0;
  for (const edit_run& run : runs) {
    if (run.op == edit_op::match) add_matches(path, i, j, run.length);
    if (run.op != edit_op::insert) i += run.length;
    if (run.op != edit_op::remove) j += run.length;
  }
  return path;
}

bool is_exact(const path_piece& piece) {
  return piece.matches == piece.a_end - piece.a_begin && piece.matches == piece.b_end - piece.b_begin;
}

std::vector<path_piece> joined(std::span<const path_piece> pieces) {
  std::vector<path_piece> result;
  for (const path_piece& piece : pieces)
    if (!result.empty() && is_exact(result.back()) && is_exact(piece) &&
        result.back().a_end == piece.a_begin && result.back().b_end == piece.b_begin) {
      result.back().a_end = piece.a_end;
      result.back().b_end = piece.b_end;
      result.back().matches += piece.matches;
    } else {
      result.push_back(piece);
    }
  return result;
}

match_windows windows_of(const reduced_path& path, std::uint64_t most) {
  const std::uint64_t least = std::max<std::uint64_t>(20, divide_up(path.m, most));
  match_windows windows;
  windows.symbols = divide_up(least, path.a_cell) * path.a_cell;
  windows.matches.resize(divide_up(path.m, windows.symbols));
  for (const path_piece& piece : path.pieces)
    windows.matches[piece.a_begin / windows.symbols] += piece.matches;
  return windows;
}

plot_kind plot_kind_of(std::string_view path) {
  if (path.ends_with(".svg")) return plot_kind::svg;
  if (path.ends_with(".html")) return plot_kind::html;
  if (!path.ends_with(".png"))
    throw error(
        errc::invalid_input,
        fmt::format("--plot FILE ends in .svg, .png or .html, which says what it becomes: not '{}'", path));
  if (!has_png())
    throw error(errc::invalid_input,
                "this weft was built without libpng: --plot writes .svg and .html, but no .png");
  return plot_kind::png;
}

std::string plot(plot_kind kind, const plot_subject& subject, std::span<const edit_run> runs, std::uint64_t m,
                 std::uint64_t n) {
  if (kind == plot_kind::html) {
    const reduced_path path = reduce_path(runs, m, n, page_cells);
    return html_page(subject, path);
  }
  const reduced_path path = reduce_path(runs, m, n, picture_cells);
  const picture drawn = draw_plot(subject, path, windows_of(path, picture_windows));
  return kind == plot_kind::svg ? svg_image(drawn) : png_image_of(drawn);
}

} // namespace weft::cli
