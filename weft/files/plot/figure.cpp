#include <weft/files/plot/figure.hpp>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <weft/files/formats/text_formats.hpp>
#include <weft/io/escape.hpp>

namespace weft::files {

extern const std::string_view domain_page; // domain_page.html

namespace {

// The widths of the letters ' ' to '~' in thousandths of the font size, from Adobe's metrics of Helvetica.
constexpr std::array<std::uint16_t, 95> helvetica_widths = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};
constexpr unsigned wide_letter = 1000;

// An svg_writer writes each shape as one element.
struct svg_writer {
  std::string text;

  void operator()(const figure_line& line) {
    add("<path d=\"M{:.2f} {:.2f}L{:.2f} {:.2f}\" stroke=\"#{:06x}\" stroke-width=\"{:g}\"/>\n", line.from.x,
        line.from.y, line.to.x, line.to.y, line.colour, line.width);
  }

  void operator()(const figure_box& box) {
    const rectangle& at = box.at;
    const std::string paint =
        fmt::format("fill=\"#{:06x}\" stroke=\"#{:06x}\" stroke-width=\"0.4\"{}", box.fill, box.edge,
                    box.group < 0 ? "" : fmt::format(" data-group=\"{}\"", box.group));
    if (box.shape == box_shape::rounded) {
      add("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" rx=\"{:.2f}\" {}", at.x, at.y,
          at.width, at.height, std::min({corner_radius, at.width / 2, at.height / 2}), paint);
      close("rect", box.title);
    } else {
      const arrow_corners x = corners_of_arrow(box);
      add("<path d=\"M{0:.2f} {3:.2f}H{1:.2f}L{2:.2f} {4:.2f}L{1:.2f} {5:.2f}H{0:.2f}z\" {6}", x.tail, x.neck,
          x.tip, at.y, at.y + at.height / 2, at.y + at.height, paint);
      close("path", box.title);
    }
  }

  void operator()(const figure_text& shape) {
    const char* where = shape.where == anchor::begin    ? "start"
                        : shape.where == anchor::middle ? "middle"
                                                        : "end";
    add("<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{:g}\" text-anchor=\"{}\" fill=\"#{:06x}\">{}</text>\n",
        shape.at.x, shape.at.y, shape.size, where, shape.colour, xml_escaped(shape.text));
  }

private:
  template <class... Values> void add(fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(text), form, std::forward<Values>(values)...);
  }
  void close(std::string_view element, const std::string& title) {
    if (title.empty())
      text += "/>\n";
    else
      add("><title>{}</title></{}>\n", xml_escaped(title), element);
  }
};

} // namespace

arrow_corners corners_of_arrow(const figure_box& box) {
  const rectangle& at = box.at;
  const double head = std::min(at.width, 0.6 * at.height);
  return box.shape == box_shape::right_arrow ? arrow_corners{at.x, at.x + at.width - head, at.x + at.width}
                                             : arrow_corners{at.x + at.width, at.x + head, at.x};
}

double text_width(std::string_view text, double size) {
  unsigned sum = 0;
  while (!text.empty()) {
    const std::size_t bytes = std::max<std::size_t>(1, io::utf8_size(text));
    const auto first = static_cast<unsigned char>(text.front());
    sum += first >= ' ' && first <= '~' ? helvetica_widths[first - ' '] : wide_letter;
    text.remove_prefix(bytes);
  }
  return sum * size / 1000;
}

std::string figure_svg(const figure& drawn) {
  constexpr double mm = 25.4 / 72;
  svg_writer writer;
  writer.text =
      fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{2:.2f}mm\" height=\"{3:.2f}mm\" "
                  "viewBox=\"0 0 {0:.2f} {1:.2f}\" font-family=\"Helvetica, Arial, 'Liberation Sans', "
                  "sans-serif\">\n<title>{4}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
                  drawn.width, drawn.height, drawn.width * mm, drawn.height * mm, xml_escaped(drawn.title));
  for (const auto& shape : drawn.shapes) std::visit(writer, shape);
  return writer.text + "</svg>\n";
}

std::string figure_page(const figure& drawn) {
  std::string page(domain_page);
  for (const auto& [key, text] : {std::pair{std::string_view("{{title}}"), xml_escaped(drawn.title)},
                                  {std::string_view("{{figure}}"), figure_svg(drawn)}})
    page.replace(page.find(key), key.size(), text);
  return page;
}

} // namespace weft::files
