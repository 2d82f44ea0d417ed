#include <weft/files/plot/lcs_plot.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace weft::files {

namespace {

// The layout: the path is in a square, with its ticks on the left and below. The track of identity is below
// them, and the texts are on the right.
constexpr double page_width = 1200, page_height = 1000;
constexpr rectangle square{110, 30, 760, 760}, track{110, 850, 760, 90};
constexpr double words_x = 905, line_height = 26;
constexpr std::size_t words_width = 30, title_width = 60; // maximum letters of a line of text and of a title

constexpr std::uint32_t match_colour = 0x1f5fb4, gap_colour = 0x808080, track_colour = 0x8fb8e0,
                        forward_colour = 0x56b4e9,
                        reverse_colour = 0xd55e00; // colour-blind readers can distinguish both strands
constexpr double match_width = 2, gap_width = 1, forward_width = 4, reverse_width = 4;

point point_of(const reduced_path& path, std::uint64_t a, std::uint64_t b) {
  return {along(square.x, square.width, a, path.m), along(bottom(square), -square.height, b, path.n)};
}

// The lines of a path: its matches, and the gaps between them.
struct drawn_path {
  std::vector<polyline> matches, gaps;
};

// Returns the lines of a path. A piece is a line from its first match to its last one. Visible gaps are steps
// along A and then along B; lines are drawn over smaller gaps.
drawn_path lines_of(const reduced_path& path) {
  constexpr double visible = 0.75;
  drawn_path drawn;
  point at = point_of(path, 0, 0);
  const auto gap_to = [&](point next) {
    const bool seen = std::max(next.x - at.x, at.y - next.y) >= visible;
    if (seen) drawn.gaps.push_back({at, {next.x, at.y}, next});
    return seen;
  };
  for (const path_piece& piece : joined(path.pieces)) {
    const point begin = point_of(path, piece.a_begin, piece.b_begin),
                end = point_of(path, piece.a_end, piece.b_end);
    if (gap_to(begin) || drawn.matches.empty())
      drawn.matches.push_back({begin, end});
    else
      drawn.matches.back().push_back(end);
    at = end;
  }
  gap_to(point_of(path, path.m, path.n));
  return drawn;
}

// Draws the lines of both strands. They are wide, so that they remain visible on both sides of a path along
// them.
void draw_strands(picture& page, const reduced_path& path, const strand_lines& lines) {
  strokes forward{{}, forward_colour, forward_width}, reverse{{}, reverse_colour, reverse_width};
  for (const strand_segment& each : lines.segments)
    if (each.reverse)
      reverse.lines.push_back(
          {point_of(path, each.a_begin, each.b_end), point_of(path, each.a_end, each.b_begin)});
    else
      forward.lines.push_back(
          {point_of(path, each.a_begin, each.b_begin), point_of(path, each.a_end, each.b_end)});
  page.shapes.emplace_back(std::move(forward));
  page.shapes.emplace_back(std::move(reverse));
}

void draw_axes(picture& page, const plot_subject& subject, const reduced_path& path) {
  draw_rulers(page, square, path.m, path.n, subject.unit, &track);
  page.shapes.emplace_back(caption{{square.x + square.width / 2, bottom(track) + 34},
                                   "A: " + shown_name(subject.a_name, title_width),
                                   anchor::middle});
  page.shapes.emplace_back(caption{{22, square.y + square.height / 2},
                                   "B: " + shown_name(subject.b_name, title_width),
                                   anchor::middle,
                                   true});
}

void draw_track(picture& page, const reduced_path& path, const match_windows& windows) {
  filled bars{{}, track_colour};
  for (std::size_t w = 0; w < windows.matches.size(); ++w) {
    const std::uint64_t begin = w * windows.symbols, end = std::min(path.m, begin + windows.symbols);
    const double x = along(track.x, track.width, begin, path.m),
                 height = track.height * static_cast<double>(windows.matches[w]) /
                          static_cast<double>(end - begin);
    if (windows.matches[w] > 0)
      bars.rectangles.push_back(
          {x, bottom(track) - height, along(track.x, track.width, end, path.m) - x, height});
  }
  page.shapes.emplace_back(std::move(bars));
  const double middle = track.y + track.height / 2;
  page.shapes.emplace_back(strokes{{{{track.x, middle}, {right(track), middle}}}, grid_colour, 1});
  page.shapes.emplace_back(strokes{{outline(track)}, frame_colour, 1});
  constexpr std::array<const char*, 3> scale = {"100 %", "50 %", "0 %"};
  for (std::size_t i = 0; i < scale.size(); ++i)
    page.shapes.emplace_back(caption{
        {track.x - 8, track.y + track.height * static_cast<double>(i) / 2 + 5}, scale[i], anchor::end});
}

void draw_words(picture& page, const plot_subject& subject, const reduced_path& path,
                const match_windows& windows, const strand_lines& lines) {
  double y = square.y + 14;
  const auto say = [&](const std::string& text) {
    page.shapes.emplace_back(caption{{words_x, y}, shown_name(text, words_width)});
    y += line_height;
  };
  for (const record_field& each : subject.numbers) {
    std::string key = each.key;
    std::replace(key.begin(), key.end(), '_', ' ');
    const bool count = !each.text && each.value.find_first_not_of("0123456789") == std::string::npos;
    say(fmt::format("{}: {}", key, count ? grouped(std::stoull(each.value)) : each.value));
  }
  y += line_height;
  const auto explain = [&](const std::string& text, std::uint32_t colour, double width) {
    page.shapes.emplace_back(strokes{{{{words_x, y - 5}, {words_x + 30, y - 5}}}, colour, width});
    page.shapes.emplace_back(caption{{words_x + 42, y}, text});
    y += line_height;
  };
  explain("matches of the path", match_colour, match_width);
  explain("gaps of the path", gap_colour, gap_width);
  if (lines.k > 0) {
    explain(fmt::format("forward strand, {}-mers", lines.k), forward_colour, forward_width);
    explain(fmt::format("reverse strand, {}-mers", lines.k), reverse_colour, reverse_width);
  }
  if (lines.segments.size() < lines.found) {
    say(fmt::format("the longest {} lines", grouped(lines.segments.size())));
    say(fmt::format("of {} on both strands", grouped(lines.found)));
  }
  if (path.a_cell > 1 || path.b_cell > 1)
    say(fmt::format("cells: {} x {} {}", grouped(path.a_cell), grouped(path.b_cell), subject.unit));
  y = track.y + 14;
  say("identity along A:");
  say("matches per window");
  say(fmt::format("of {} {}", grouped(windows.symbols), subject.unit));
}

} // namespace

picture draw_plot(const plot_subject& subject, const reduced_path& path, const match_windows& windows,
                  const strand_lines& lines) {
  picture page{page_width, page_height, {}};
  page.shapes.emplace_back(filled{{{0, 0, page_width, page_height}}, paper_colour});
  draw_axes(page, subject, path);
  draw_strands(page, path, lines);
  drawn_path drawn = lines_of(path);
  page.shapes.emplace_back(strokes{std::move(drawn.gaps), gap_colour, gap_width});
  page.shapes.emplace_back(strokes{std::move(drawn.matches), match_colour, match_width});
  page.shapes.emplace_back(strokes{{outline(square)}, frame_colour, 1});
  draw_track(page, path, windows);
  draw_words(page, subject, path, windows, lines);
  return page;
}

} // namespace weft::files
