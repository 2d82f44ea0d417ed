#include <weft/files/plot/picture.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <weft/io/escape.hpp>

namespace weft::files {

namespace {

// The layout: the path is in a square, with its ticks on the left and below. The track of identity is below
// them, and the texts are on the right.
constexpr double page_width = 1200, page_height = 1000;
constexpr rectangle square{110, 30, 760, 760}, track{110, 850, 760, 90};
constexpr double words_x = 905, line_height = 26;
constexpr std::size_t words_width = 30, title_width = 60; // maximum letters of a line of text and of a title

constexpr std::uint32_t paper = 0xffffff, frame_colour = 0x888888, grid_colour = 0xe6e6e6,
                        match_colour = 0x1f5fb4, gap_colour = 0x808080, track_colour = 0x8fb8e0,
                        forward_colour = 0x56b4e9,
                        reverse_colour = 0xd55e00; // colour-blind readers can distinguish both strands
constexpr double match_width = 2, gap_width = 1, forward_width = 4, reverse_width = 4;

double along(double origin, double size, std::uint64_t position, std::uint64_t length) {
  return origin +
         size * static_cast<double>(position) / static_cast<double>(std::max<std::uint64_t>(1, length));
}

double bottom(const rectangle& box) { return box.y + box.height; }
double right(const rectangle& box) { return box.x + box.width; }

polyline outline(const rectangle& box) {
  return {
      {box.x, box.y}, {right(box), box.y}, {right(box), bottom(box)}, {box.x, bottom(box)}, {box.x, box.y}};
}

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
  strokes grid{{}, grid_colour, 1};
  std::vector<caption> labels;
  for (const tick& each : round_ticks(path.m, subject.unit, 8)) {
    const double x = along(square.x, square.width, each.position, path.m);
    grid.lines.push_back({{x, square.y}, {x, bottom(square)}});
    grid.lines.push_back({{x, track.y}, {x, bottom(track)}});
    labels.push_back({{x, bottom(square) + 24}, each.text, anchor::middle});
  }
  for (const tick& each : round_ticks(path.n, subject.unit, 8)) {
    const double y = along(bottom(square), -square.height, each.position, path.n);
    grid.lines.push_back({{square.x, y}, {right(square), y}});
    labels.push_back({{square.x - 8, y + 5}, each.text, anchor::end});
  }
  page.shapes.emplace_back(std::move(grid));
  for (caption& each : labels) page.shapes.emplace_back(std::move(each));
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

std::vector<tick> round_ticks(std::uint64_t length, std::string_view unit, std::uint64_t max_ticks) {
  std::uint64_t step = 1;
  for (unsigned k = 0; length / step > max_ticks; ++k)
    step = step / (k % 3 == 1 ? 2 : 1) * (k % 3 == 1 ? 5 : 2);
  const auto [divisor, prefix] = length >= 2'000'000'000 ? std::pair{1e9, "G"}
                                 : length >= 2'000'000   ? std::pair{1e6, "M"}
                                 : length >= 2'000       ? std::pair{1e3, "k"}
                                                         : std::pair{1.0, ""};
  const std::string suffix = fmt::format("{}{}", prefix, unit == "b" ? unit : "");
  std::vector<tick> ticks;
  for (std::uint64_t i = 0; i <= length / step; ++i)
    ticks.push_back({i * step, fmt::format("{:g}{}{}", static_cast<double>(i * step) / divisor,
                                           suffix.empty() || i == 0 ? "" : " ", i == 0 ? "" : suffix)});
  return ticks;
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string shown_name(std::string_view name, std::size_t max_letters) {
  std::vector<std::string> letters;
  while (!name.empty()) {
    const std::size_t size = io::utf8_size(name);
    const bool control = static_cast<unsigned char>(name[0]) < 0x20 || name[0] == 0x7f;
    // U+FFFE and U+FFFF are no characters of XML
    const bool none = size == 3 && (name.starts_with("\xef\xbf\xbe") || name.starts_with("\xef\xbf\xbf"));
    letters.emplace_back(size == 0 || control || none ? "\xef\xbf\xbd" : name.substr(0, size));
    name.remove_prefix(std::max<std::size_t>(1, size));
  }
  if (letters.size() > max_letters) { // the middle is removed
    const auto cut = letters.begin() + static_cast<std::ptrdiff_t>((max_letters - 2) / 2);
    letters.erase(cut, cut + static_cast<std::ptrdiff_t>(letters.size() - max_letters + 3));
    letters.insert(letters.begin() + static_cast<std::ptrdiff_t>((max_letters - 2) / 2), "...");
  }
  return fmt::format("{}", fmt::join(letters, ""));
}

picture draw_plot(const plot_subject& subject, const reduced_path& path, const match_windows& windows,
                  const strand_lines& lines) {
  picture page{page_width, page_height, {}};
  page.shapes.emplace_back(filled{{{0, 0, page_width, page_height}}, paper});
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
