#include <weft/files/formats/text_formats.hpp>
#include <weft/files/plot/picture.hpp>

#include <fmt/format.h>
#include <iterator>

namespace weft::files {

namespace {

// An svg_writer writes each shape as one element.
struct svg_writer {
  std::string text;

  void operator()(const strokes& shape) {
    if (shape.lines.empty()) return;
    text += "<path d=\"";
    for (const polyline& line : shape.lines)
      for (std::size_t i = 0; i < line.size(); ++i)
        fmt::format_to(std::back_inserter(text), "{}{:.1f} {:.1f}",
                       i == 0   ? "M"
                       : i == 1 ? "L"
                                : " ",
                       line[i].x, line[i].y);
    fmt::format_to(std::back_inserter(text),
                   "\" fill=\"none\" stroke=\"#{:06x}\" stroke-width=\"{:g}\" stroke-linecap=\"square\"/>\n",
                   shape.colour, shape.width);
  }

  void operator()(const filled& shape) {
    if (shape.rectangles.empty()) return;
    text += "<path d=\"";
    for (const rectangle& each :
         shape.rectangles) // all edges are rounded in the same way, so that adjacent rectangles touch
      fmt::format_to(std::back_inserter(text), "M{:.1f} {:.1f}H{:.1f}V{:.1f}H{:.1f}z", each.x, each.y,
                     each.x + each.width, each.y + each.height, each.x);
    fmt::format_to(std::back_inserter(text), "\" fill=\"#{:06x}\" shape-rendering=\"crispEdges\"/>\n",
                   shape.colour);
  }

  void operator()(const caption& shape) {
    const char* where = shape.where == anchor::begin    ? "start"
                        : shape.where == anchor::middle ? "middle"
                                                        : "end";
    const std::string turn =
        shape.upright ? fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", shape.at.x, shape.at.y) : "";
    fmt::format_to(std::back_inserter(text),
                   "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", shape.at.x, shape.at.y,
                   where, turn, xml_escaped(shape.text));
  }
};

} // namespace

std::string svg_image(const picture& drawn) {
  svg_writer writer;
  writer.text = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" "
                            "viewBox=\"0 0 {0:g} {1:g}\" font-family=\"sans-serif\" font-size=\"15\" "
                            "fill=\"#{2:06x}\">\n",
                            drawn.width, drawn.height, text_colour);
  for (const auto& shape : drawn.shapes) std::visit(writer, shape);
  return writer.text + "</svg>\n";
}

} // namespace weft::files
