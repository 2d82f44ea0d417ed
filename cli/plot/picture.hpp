// A plot as shapes at places: one layout for SVG and PNG. Pixels, y downwards.
#pragma once

#include <cli/plot/lcs_plot.hpp>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace weft::cli {

struct point {
  double x, y;
};

using polyline = std::vector<point>;

struct strokes {
  std::vector<polyline> lines;
  std::uint32_t colour; // 0xrrggbb
  double width;
};

struct rectangle {
  double x, y, width, height;
};

struct filled {
  std::vector<rectangle> rectangles;
  std::uint32_t colour;
};

enum class anchor { begin, middle, end };

// `at` is on the base line. Text that is `upright` reads from below to above.
struct caption {
  point at;
  std::string text;
  anchor where = anchor::begin;
  bool upright = false;
};

struct picture {
  double width = 0, height = 0;
  std::vector<std::variant<strokes, filled, caption>> shapes;
};

constexpr std::uint32_t text_colour = 0x222222;

// Round positions in [0, length], at most `most` of them besides 0, and how they read: "200 b", "1.5 Mb",
// "2 k".
struct tick {
  std::uint64_t position;
  std::string text;
};
[[nodiscard]] std::vector<tick> round_ticks(std::uint64_t length, std::string_view unit, std::uint64_t most);

// "16,569"
[[nodiscard]] std::string grouped(std::uint64_t number);

// Names are whatever a file says: what is no UTF-8, and control characters, become U+FFFD; of more
// than `most` letters those in the middle become "...".
[[nodiscard]] std::string shown_name(std::string_view name, std::size_t most);

[[nodiscard]] picture draw_plot(const plot_subject& subject, const reduced_path& path,
                                const match_windows& windows, const strand_lines& lines);

[[nodiscard]] std::string svg_image(const picture& drawn);

// A page of its own, with nothing from elsewhere: the path as JSON, and a script that draws it.
[[nodiscard]] std::string html_page(const plot_subject& subject, const reduced_path& path,
                                    const strand_lines& lines);

[[nodiscard]] bool has_png(); // whether this program was built with libpng
[[nodiscard]] std::string png_image_of(const picture& drawn);

// Whether the dot (x, y) of a letter is set, 0 <= x < 5 and 0 <= y < 9.
[[nodiscard]] bool font_dot(char letter, int x, int y);

} // namespace weft::cli
