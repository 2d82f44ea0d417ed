// A figure for a paper as shapes: one layout for SVG, PDF and pages. Points (1/72 inch), y downwards.
#pragma once

#include <cli/plot/picture.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace weft::cli {

struct figure_line {
  point from, to;
  std::uint32_t colour; // 0xrrggbb
  double width;
};

enum class box_shape { rounded, right_arrow, left_arrow };

// A filled box. `group` is the number of what it stands for, or -1: a page shows the boxes of a group
// together.
struct figure_box {
  rectangle at;
  box_shape shape;
  std::uint32_t fill, edge;
  std::string title; // what a page shows under the pointer
  int group = -1;
};

// Text in Helvetica; `at` is on the base line.
struct figure_text {
  point at;
  std::string text;
  double size;
  anchor where = anchor::begin;
  std::uint32_t colour = text_colour;
};

struct figure {
  double width = 0, height = 0;
  std::string title;
  std::vector<std::variant<figure_line, figure_box, figure_text>> shapes;
};

// The corners of a box that is an arrow: where it begins, where its head begins, its tip.
struct arrow_places {
  double tail, neck, tip;
};
[[nodiscard]] arrow_places places_of_arrow(const figure_box& box);

constexpr double corner_radius = 1.6; // of rounded boxes, at most half of their sides

// Returns the width of text in Helvetica of this size. Letters outside ASCII count as wide ones.
[[nodiscard]] double text_width(std::string_view text, double size);

[[nodiscard]] std::string figure_svg(const figure& drawn);
// A page of its own, with nothing from elsewhere, that holds the figure and tells what lies under the
// pointer.
[[nodiscard]] std::string figure_page(const figure& drawn);

[[nodiscard]] bool has_pdf(); // whether this program was built with libharu
[[nodiscard]] std::string figure_pdf(const figure& drawn);

} // namespace weft::cli
