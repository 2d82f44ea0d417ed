// The kinds of image files that plots and figures are written to.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace weft::files {

enum class plot_kind { svg, png, pdf, html };

// Returns the ending of the names of such files, with its dot.
[[nodiscard]] constexpr std::string_view ending_of(plot_kind kind) {
  constexpr std::array<std::string_view, 4> endings = {".svg", ".png", ".pdf", ".html"};
  return endings[static_cast<std::size_t>(kind)];
}

} // namespace weft::files
