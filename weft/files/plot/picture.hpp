// A plot as a list of shapes with coordinates, from which SVG and PNG are made. Coordinates are pixels, y
// increases downwards.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>
#include <weft/files/plot/lcs_plot.hpp>

namespace weft::files {

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

constexpr std::uint32_t text_colour = 0x222222;

// A mark at a round position of an axis, and its label: "200 b", "1.5 Mb", "2 k". round_ticks() returns 0 and
// at most `max_ticks` other round positions in [0, length].
struct tick {
  std::uint64_t position;
  std::string text;
};
[[nodiscard]] std::vector<tick> round_ticks(std::uint64_t length, std::string_view unit,
                                            std::uint64_t max_ticks);

// Returns the number with separators of thousands: "16,569".
[[nodiscard]] std::string grouped(std::uint64_t number);

// Returns a name as it is shown. Invalid UTF-8 and control characters, which names in files may contain,
// become U+FFFD. If the name has more than `max_letters` letters, the middle is replaced by "...".
[[nodiscard]] std::string shown_name(std::string_view name, std::size_t max_letters);

[[nodiscard]] picture draw_plot(const plot_subject& subject, const reduced_path& path,
                                const match_windows& windows, const strand_lines& lines);

[[nodiscard]] std::string svg_image(const picture& drawn);

// Returns a self-contained page, which loads nothing from elsewhere: the path as JSON, and a script that
// draws it.
[[nodiscard]] std::string html_page(const plot_subject& subject, const reduced_path& path,
                                    const strand_lines& lines);

[[nodiscard]] bool has_png(); // whether this program was built with libpng
[[nodiscard]] std::string png_image_of(const picture& drawn);

// Returns true if the dot (x, y) of a letter is set, 0 <= x < 5 and 0 <= y < 9.
[[nodiscard]] bool font_dot(char letter, int x, int y);

} // namespace weft::files
