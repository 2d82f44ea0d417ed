// A plot as a list of shapes with coordinates, from which SVG and PNG are made. Coordinates are pixels, y
// increases downwards.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace weft::files {

// The kinds of image files that plots and figures are written to.
enum class plot_kind { svg, png, pdf, html };

// Returns the ending of the names of such files, with its dot.
[[nodiscard]] constexpr std::string_view ending_of(plot_kind kind) {
  constexpr std::array<std::string_view, 4> endings = {".svg", ".png", ".pdf", ".html"};
  return endings[static_cast<std::size_t>(kind)];
}

struct point {
  double x, y;
};

using polyline = std::vector<point>;

// Lines of one colour and width.
struct strokes {
  std::vector<polyline> lines;
  std::uint32_t colour; // 0xrrggbb
  double width;
};

struct rectangle {
  double x, y, width, height;
};

// Filled rectangles of one colour.
struct filled {
  std::vector<rectangle> rectangles;
  std::uint32_t colour;
};

enum class anchor { begin, middle, end };

// A line of text. `at` is a point on the base line. `upright` text is rotated and reads from bottom to top.
struct caption {
  point at;
  std::string text;
  anchor where = anchor::begin;
  bool upright = false;
};

// The shapes of a plot, in the order in which they are drawn.
struct picture {
  double width = 0, height = 0;
  std::vector<std::variant<strokes, filled, caption>> shapes;
};

constexpr std::uint32_t text_colour = 0x222222, paper_colour = 0xffffff, frame_colour = 0x888888,
                        grid_colour = 0xe6e6e6;

// A mark at a round position of an axis, and its label: "200 b", "1.5 Mb", "2 k". round_ticks() returns 0 and
// at most `max_ticks` other round positions in [0, length].
struct tick {
  std::uint64_t position;
  std::string text;
};
[[nodiscard]] std::vector<tick> round_ticks(std::uint64_t length, std::string_view unit,
                                            std::uint64_t max_ticks);

// Returns the coordinate of a position on an axis that begins at `origin` and has `length` positions on
// `size` pixels. A negative `size` is an axis against the coordinates.
[[nodiscard]] double along(double origin, double size, std::uint64_t position, std::uint64_t length);

// Return the lower and the right edge of a rectangle, and its outline.
[[nodiscard]] double bottom(const rectangle& box);
[[nodiscard]] double right(const rectangle& box);
[[nodiscard]] polyline outline(const rectangle& box);

// Draws the ruler of an axis of `x_length` positions below the box and of one of `y_length` positions on its
// left, with lines of a grid through their ticks. The lines of the x axis go through `track`, too, if it is
// not null.
constexpr std::uint64_t max_ruler_ticks = 8;
void draw_rulers(picture& page, const rectangle& box, std::uint64_t x_length, std::uint64_t y_length,
                 std::string_view unit, const rectangle* track = nullptr);

// Returns the number with separators of thousands: "16,569".
[[nodiscard]] std::string grouped(std::uint64_t number);

// Returns a name as it is shown. Invalid UTF-8 and control characters, which names in files may contain,
// become U+FFFD. If the name has more than `max_letters` letters, the middle is replaced by "...".
[[nodiscard]] std::string shown_name(std::string_view name, std::size_t max_letters);

[[nodiscard]] std::string svg_image(const picture& drawn);

// Returns a self-contained page that can be zoomed: the frame that all such pages share (zoom_page.html),
// with the data of a plot as JSON, and the script that draws them.
[[nodiscard]] std::string page_with(std::string_view json, std::string_view script);

[[nodiscard]] bool has_png(); // whether this program was built with libpng
[[nodiscard]] std::string png_image_of(const picture& drawn);

// Returns true if the dot (x, y) of a letter is set, 0 <= x < 5 and 0 <= y < 9.
[[nodiscard]] bool font_dot(char letter, int x, int y);

} // namespace weft::files
