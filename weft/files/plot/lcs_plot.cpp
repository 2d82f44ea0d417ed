// A simple reduce_path() would put every matched pair (i, j) into cell (i / a_cell, j / b_cell) of a table,
// and each cell would keep the smallest and the largest i and j and the number of pairs. The implementation
// below differs from it:
//   1. The table is the list of the cells met so far. A path never returns to a cell that it has left, so
//      only the last cell of the list can still grow.
//   2. A run of matches is processed in steps that end where it leaves a cell, not pair by pair.
#include <weft/files/plot/lcs_plot.hpp>

#include <algorithm>
#include <weft/files/plot/picture.hpp>

namespace weft::files {

namespace {

// The picture is 760 pixels wide. It has two cells per pixel, and a window for every four pixels. The page
// has more cells, because it can be zoomed.
constexpr std::uint64_t picture_cells = 1520, picture_windows = 190, page_cells = std::uint64_t{1} << 15;
// The maximum numbers of strand lines; each takes 20 to 30 bytes.
constexpr std::size_t picture_lines = 5000, page_lines = 20000;

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

match_windows windows_of(const reduced_path& path, std::uint64_t max_windows) {
  const std::uint64_t min_symbols = std::max<std::uint64_t>(20, divide_up(path.m, max_windows));
  match_windows windows;
  windows.symbols = divide_up(min_symbols, path.a_cell) * path.a_cell;
  windows.matches.resize(divide_up(path.m, windows.symbols));
  for (const path_piece& piece : path.pieces)
    windows.matches[piece.a_begin / windows.symbols] += piece.matches;
  return windows;
}

strand_lines strand_lines_of(const strand_anchors& anchors, std::uint64_t a_cell, std::uint64_t b_cell,
                             std::size_t max_lines) {
  const std::uint64_t cell = std::max(a_cell, b_cell);
  // The largest gap within a line: gaps that are too small to be seen, or that occur in diverged texts or
  // between sampled k-mers.
  const std::uint64_t max_gap = std::max({4 * cell, std::uint64_t{16} * anchors.k, 256 * anchors.spacing});
  strand_lines lines{anchors.k, 0, join_anchors(anchors, max_gap, cell - 1)};
  lines.found = lines.segments.size();
  if (lines.found <= max_lines) return lines;
  const auto longer = [](const strand_segment& x, const strand_segment& y) {
    const std::uint64_t x_length = x.a_end - x.a_begin, y_length = y.a_end - y.a_begin;
    return x_length != y_length ? x_length > y_length : x < y;
  };
  std::sort(lines.segments.begin(), lines.segments.end(), longer);
  lines.segments.resize(max_lines);
  return lines;
}

std::string plot(plot_kind kind, const plot_subject& subject, std::span<const edit_run> runs, std::uint64_t m,
                 std::uint64_t n, const strand_anchors& anchors) {
  const bool page = kind == plot_kind::html;
  const reduced_path path = reduce_path(runs, m, n, page ? page_cells : picture_cells);
  const strand_lines lines =
      strand_lines_of(anchors, path.a_cell, path.b_cell, page ? page_lines : picture_lines);
  if (page) return html_page(subject, path, lines);
  const picture drawn = draw_plot(subject, path, windows_of(path, picture_windows), lines);
  return kind == plot_kind::svg ? svg_image(drawn) : png_image_of(drawn);
}

} // namespace weft::files
