// The picture of a dot plot.
#include <weft/files/plot/dot_plot.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace weft::files {

namespace {

// The layout: the segments are in a square, with rulers on the left and below, and the names of records above
// and on the right. The legend is right of them.
constexpr double page_width = 1230, page_height = 905;
constexpr rectangle square{110, 70, 760, 760};
constexpr std::size_t square_pixels = 760;
constexpr double words_x = 920, line_height = 26, letter_width = 9, min_line_pixels = 1.5;
constexpr std::size_t words_width = 33, title_width = 76; // maximum letters of a line of text and of a title
constexpr std::size_t min_label_letters = 4;
constexpr std::size_t max_lines = 20'000, max_borders = 1000;
constexpr std::uint32_t border_colour = 0xb4b4b4;
constexpr double line_pixels = 2.5, dot_pixels = 2.5;

double x_of(const dot_plot& plot, std::uint64_t x) {
  return along(square.x, square.width, x, plot.x().length());
}
double y_of(const dot_plot& plot, std::uint64_t y) {
  return along(bottom(square), -square.height, y, plot.y().length());
}

// Returns a name as it fits into `pixels`, or nothing if too few letters would be left.
std::string fitted_name(const std::string& name, double pixels) {
  const double letters = pixels / letter_width - 0.5;
  const std::string whole = shown_name(name, name.size() + 1);
  if (static_cast<double>(whole.size()) <= letters) return whole;
  return letters < static_cast<double>(2 * min_label_letters)
             ? ""
             : shown_name(name, static_cast<std::size_t>(letters));
}

// Draws the borders between records, and those of their names that fit.
void draw_records(picture& page, const dot_plot& plot) {
  strokes borders{{}, border_colour, 1};
  if (plot.x().num_records() > 1)
    for (const dot_record& each : plot.x().longest(max_borders)) {
      const double begin = x_of(plot, each.begin), end = x_of(plot, each.begin + each.length);
      for (const double x : {begin, end}) borders.lines.push_back({{x, square.y}, {x, bottom(square)}});
      page.shapes.emplace_back(
          caption{{(begin + end) / 2, square.y - 8}, fitted_name(each.name, end - begin), anchor::middle});
    }
  if (plot.y().num_records() > 1)
    for (const dot_record& each : plot.y().longest(max_borders)) {
      const double begin = y_of(plot, each.begin), end = y_of(plot, each.begin + each.length);
      for (const double y : {begin, end}) borders.lines.push_back({{square.x, y}, {right(square), y}});
      page.shapes.emplace_back(caption{{right(square) + 20, (begin + end) / 2},
                                       fitted_name(each.name, begin - end),
                                       anchor::middle,
                                       true});
    }
  std::erase_if(page.shapes, [](const auto& shape) {
    const caption* label = std::get_if<caption>(&shape);
    return label != nullptr && label->text.empty();
  });
  page.shapes.emplace_back(std::move(borders));
}

// Returns a dot for each pixel that a cell of the grid with this group lies on. Dots that are next to each
// other in a row are one rectangle.
filled dots_of(const dot_plot& plot, const dot_grid& grid, std::size_t group) {
  std::vector<std::uint8_t> pixels(square_pixels * square_pixels);
  const auto pixel_of = [](std::uint64_t cell, std::uint64_t size, std::uint64_t length) {
    const double middle = (static_cast<double>(cell) + 0.5) * static_cast<double>(size);
    return std::min<std::size_t>(
        square_pixels - 1,
        static_cast<std::size_t>(middle / static_cast<double>(length) * static_cast<double>(square_pixels)));
  };
  for (std::uint64_t y = 0; y < dot_grid::side && y * grid.y_cell() < plot.y().length(); ++y)
    for (std::uint64_t x = 0; x < dot_grid::side && x * grid.x_cell() < plot.x().length(); ++x)
      if ((grid.groups_at(x, y) >> group & 1) != 0)
        pixels[pixel_of(y, grid.y_cell(), plot.y().length()) * square_pixels +
               pixel_of(x, grid.x_cell(), plot.x().length())] = 1;
  filled dots{{}, plot.groups()[group].colour};
  constexpr double margin = (dot_pixels - 1) / 2;
  for (std::size_t y = 0; y < square_pixels; ++y)
    for (std::size_t x = 0; x < square_pixels;) {
      std::size_t end = x;
      while (end < square_pixels && pixels[y * square_pixels + end] != 0) ++end;
      if (end > x)
        dots.rectangles.push_back({square.x + static_cast<double>(x) - margin,
                                   bottom(square) - static_cast<double>(y) - 1 - margin,
                                   static_cast<double>(end - x) + 2 * margin, dot_pixels});
      x = std::max(x + 1, end);
    }
  return dots;
}

// Draws the segments: the longest ones as lines, all others as dots over them.
void draw_segments(picture& page, const dot_plot& plot) {
  std::vector<strokes> lines;
  for (const dot_group& each : plot.groups()) lines.push_back({{}, each.colour, line_pixels});
  dot_grid grid = plot.grid();
  std::size_t drawn = 0;
  for (const dot_segment& each : plot.longest()) {
    const double left = x_of(plot, each.x_begin), end = x_of(plot, each.x_begin + each.x_length),
                 low = y_of(plot, each.y_begin), high = y_of(plot, each.y_begin + each.y_length);
    if (drawn == max_lines || std::max(end - left, low - high) < min_line_pixels) {
      grid.mark(each);
      continue;
    }
    lines[each.group].lines.push_back({{left, each.reverse ? high : low}, {end, each.reverse ? low : high}});
    ++drawn;
  }
  for (strokes& each : lines) page.shapes.emplace_back(std::move(each));
  for (std::size_t group = 0; group < plot.groups().size(); ++group)
    page.shapes.emplace_back(dots_of(plot, grid, group));
}

void draw_words(picture& page, const dot_plot& plot, const dot_texts& texts) {
  double y = square.y + 14;
  const auto say = [&](const std::string& text) {
    page.shapes.emplace_back(caption{{words_x, y}, shown_name(text, words_width)});
    y += line_height;
  };
  for (std::size_t group = 0; group < plot.groups().size(); ++group) {
    const dot_group& each = plot.groups()[group];
    page.shapes.emplace_back(strokes{{{{words_x, y - 5}, {words_x + 26, y - 5}}}, each.colour, 5});
    page.shapes.emplace_back(
        caption{{words_x + 40, y}, fmt::format("{}: {}", each.name, grouped(plot.count(group)))});
    y += line_height;
  }
  y += line_height;
  for (const std::string& each : texts.notes) say(each);
  const auto letters_of_pixel = [](std::uint64_t length) {
    return grouped((length + square_pixels - 1) / square_pixels);
  };
  say(fmt::format("a pixel: {} x {} b", letters_of_pixel(plot.x().length()),
                  letters_of_pixel(plot.y().length())));
  say(fmt::format("shorter {} are dots", texts.segments));
  if (std::max(plot.x().num_records(), plot.y().num_records()) > max_borders)
    say(fmt::format("borders: {} longest records", grouped(max_borders)));
}

} // namespace

picture dot_picture(const dot_plot& plot, const dot_texts& texts) {
  picture page{page_width, page_height, {}};
  page.shapes.emplace_back(filled{{{0, 0, page_width, page_height}}, paper_colour});
  page.shapes.emplace_back(caption{{square.x, 26}, shown_name(texts.title, title_width)});
  draw_rulers(page, square, plot.x().length(), plot.y().length(), "b");
  draw_records(page, plot);
  draw_segments(page, plot);
  page.shapes.emplace_back(strokes{{outline(square)}, frame_colour, 1});
  page.shapes.emplace_back(caption{{square.x + square.width / 2, bottom(square) + 56},
                                   axis_title(texts.x_name, plot.x(), title_width),
                                   anchor::middle});
  page.shapes.emplace_back(caption{{22, square.y + square.height / 2},
                                   axis_title(texts.y_name, plot.y(), title_width),
                                   anchor::middle,
                                   true});
  draw_words(page, plot, texts);
  return page;
}

} // namespace weft::files
