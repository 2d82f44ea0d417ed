// Periods and least rotations of texts.
#pragma once

#include <cstdint>
#include <string_view>

namespace weft::detail {

// Returns the length of the shortest u with text = u^k, which is n if only k = 1 is possible. O(n log n), and
// O(n) for a text that is not nearly periodic.
[[nodiscard]] std::uint64_t shortest_root(std::string_view text);

// Returns the start of the lexicographically least rotation of the text; of equal rotations, the first start.
// O(n) time, O(1) memory.
[[nodiscard]] std::uint64_t min_rotation(std::string_view text) noexcept;

} // namespace weft::detail
