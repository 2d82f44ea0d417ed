// What the entry points of bwt check before they begin.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

namespace weft::detail {

// Throws memory_error, naming both figures, if `what` needs more bytes than memory_limit(requested).
void need_memory(std::uint64_t bytes, std::uint64_t requested, const char* what);

// Whether options.engine names ternary-quicksort; throws error(invalid_input) if it names no engine.
[[nodiscard]] bool is_quicksort(std::string_view engine, const char* what);

// Throws std::invalid_argument if offsets do not ascend from 0 to the size.
void check_offsets(std::uint64_t size, std::span<const std::uint64_t> offsets, const char* what);

// Symbols of the largest text, [offsets[i], offsets[i + 1]).
[[nodiscard]] inline std::uint64_t largest_of(std::span<const std::uint64_t> offsets) {
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    largest = std::max(largest, offsets[i + 1] - offsets[i]);
  return largest;
}

} // namespace weft::detail
