// Periods and least rotations of texts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <weft/bwt/core/rotation_steps.hpp>

namespace weft::bwt_detail {

// Returns the length of the shortest u with text = u^k, which is n if only k = 1 is possible. O(n log n), and
// O(n) for a text that is not nearly periodic.
[[nodiscard]] inline std::uint64_t shortest_root(std::string_view text) {
  return bwt_detail::root_length(text.size(), [&](std::uint64_t root, std::uint64_t part) {
    return text.substr(part, root - part) == text.substr(0, root - part);
  });
}

// Returns the start of the lexicographically least rotation of the text; of equal rotations, the first start.
// O(n) time, O(1) memory.
//
// Compares two candidates i and j for the start, which agree in k bytes. At a difference, the greater
// candidate is excluded, and with it the k starts after it.
[[nodiscard]] inline std::uint64_t min_rotation(std::string_view text) noexcept {
  const std::uint64_t n = text.size();
  std::uint64_t i = 0, j = 1, k = 0;
  while (i < n && j < n && k < n) {
    const auto a = static_cast<unsigned char>(text[i + k < n ? i + k : i + k - n]);
    const auto b = static_cast<unsigned char>(text[j + k < n ? j + k : j + k - n]);
    if (a == b) {
      ++k;
      continue;
    }
    (a > b ? i : j) += k + 1;
    if (i == j) ++j;
    k = 0;
  }
  return std::min(i, j);
}

} // namespace weft::bwt_detail
