// Converts motifs to regular expressions for Hyperscan.
#pragma once

#include <fmt/format.h>
#include <string>
#include <weft/scan/motif.hpp>

namespace weft::bench {

// Returns the motif as a regular expression. Its classes are sets of bytes, and x is any byte, so it must be
// compiled with HS_FLAG_DOTALL.
inline std::string regular_expression(const weft::motif& m) {
  std::string text = m.anchor_n ? "^" : "";
  for (const weft::motif_element& element : m.elements) {
    std::string set = ".";
    if (!element.any) {
      set = "[";
      for (unsigned c = 0; c < 256; ++c)
        if (element.accepts[c]) set += fmt::format("\\x{:02x}", c);
      set += "]";
    }
    if (element.or_sequence_start) set = "(?:" + set + "|^)";
    if (element.or_sequence_end) set = "(?:" + set + "|\\z)";
    text += fmt::format("{}{{{},{}}}", set, element.min,
                        element.max == weft::motif_element::unbounded ? "" : std::to_string(element.max));
  }
  return text + (m.anchor_c ? "\\z" : "");
}

} // namespace weft::bench
