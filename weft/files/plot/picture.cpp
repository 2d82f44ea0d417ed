#include <weft/files/plot/picture.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <weft/io/escape.hpp>

namespace weft::files {

extern const std::string_view zoom_page; // zoom_page.html

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

void draw_rulers(picture& page, const rectangle& box, std::uint64_t x_length, std::uint64_t y_length,
                 std::string_view unit, const rectangle* track) {
  strokes grid{{}, grid_colour, 1};
  std::vector<caption> labels;
  for (const tick& each : round_ticks(x_length, unit, max_ruler_ticks)) {
    const double x = along(box.x, box.width, each.position, x_length);
    grid.lines.push_back({{x, box.y}, {x, bottom(box)}});
    if (track != nullptr) grid.lines.push_back({{x, track->y}, {x, bottom(*track)}});
    labels.push_back({{x, bottom(box) + 24}, each.text, anchor::middle});
  }
  for (const tick& each : round_ticks(y_length, unit, max_ruler_ticks)) {
    const double y = along(bottom(box), -box.height, each.position, y_length);
    grid.lines.push_back({{box.x, y}, {right(box), y}});
    labels.push_back({{box.x - 8, y + 5}, each.text, anchor::end});
  }
  page.shapes.emplace_back(std::move(grid));
  for (caption& each : labels) page.shapes.emplace_back(std::move(each));
}

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

std::string page_with(std::string_view json, std::string_view script) {
  constexpr std::string_view data_marker = "{{data}}", script_marker = "{{script}}";
  const std::size_t data = zoom_page.find(data_marker), data_end = data + data_marker.size(),
                    code = zoom_page.find(script_marker);
  return fmt::format("{}{}{}{}{}", zoom_page.substr(0, data), json,
                     zoom_page.substr(data_end, code - data_end), script,
                     zoom_page.substr(code + script_marker.size()));
}

} // namespace weft::files
