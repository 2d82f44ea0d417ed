// Periods and least rotations.
#pragma once

#include <cstdint>
#include <string_view>

namespace weft::detail {

// The length of the shortest u with text = u^k; n if there is none but the text. O(n log n), and
// O(n) for a text that is not nearly periodic.
[[nodiscard]] std::uint64_t shortest_root(std::string_view text);

// Where the least rotation of the text begins, of equal ones the first. O(n), O(1) memory.
[[nodiscard]] std::uint64_t min_rotation(std::string_view text) noexcept;

} // namespace weft::detail
