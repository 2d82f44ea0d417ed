// A figure for a paper as a list of shapes, from which SVG, PDF and pages are made. Coordinates are points
// (1/72 inch), y increases downwards.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>
#include <weft/files/plot/picture.hpp>

namespace weft::files {

// A straight line.
struct figure_line {
  point from, to;
  std::uint32_t colour; // 0xrrggbb
  double width;
};

enum class box_shape { rounded, right_arrow, left_arrow };

// A filled box. `group` is the number of the thing that the box represents, or -1: a page highlights all
// boxes of a group together.
struct figure_box {
  rectangle at;
  box_shape shape;
  std::uint32_t fill, edge;
  std::string title; // text that a page shows under the pointer
  int group = -1;
};

// Text in Helvetica. `at` is a point on the base line.
struct figure_text {
  point at;
  std::string text;
  double size;
  anchor where = anchor::begin;
  std::uint32_t colour = text_colour;
};

// The shapes of a figure, in the order in which they are drawn.
struct figure {
  double width = 0, height = 0;
  std::string title;
  std::vector<std::variant<figure_line, figure_box, figure_text>> shapes;
};

// The x coordinates of a box that is an arrow: its tail, the begin of its head, and its tip.
struct arrow_corners {
  double tail, neck, tip;
};
[[nodiscard]] arrow_corners corners_of_arrow(const figure_box& box);

// Radius of the corners of rounded boxes, which is at most half of their sides.
constexpr double corner_radius = 1.6;

// Returns the width of text in Helvetica of this size. Letters outside of ASCII count as wide letters.
[[nodiscard]] double text_width(std::string_view text, double size);

[[nodiscard]] std::string figure_svg(const figure& drawn);
// Returns a self-contained page, which loads nothing from elsewhere, with the figure and a text for the shape
// under the pointer.
[[nodiscard]] std::string figure_page(const figure& drawn);

[[nodiscard]] bool has_pdf(); // whether this program was built with libharu
[[nodiscard]] std::string figure_pdf(const figure& drawn);

} // namespace weft::files
