// Checks of the arguments of bwt's entry points, and the error for bytes that are not a transform; the same
// on every device.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/entry/engine_choice.hpp>

namespace weft::detail {

// Throws memory_error, with both numbers, if `what` needs more bytes than memory_limit(requested).
void require_memory(std::uint64_t bytes, std::uint64_t requested, const char* what);

// Throws std::invalid_argument if `offsets` do not ascend from 0 to `size`.
void check_offsets(std::uint64_t size, std::span<const std::uint64_t> offsets, const char* what);

// Returns the number of symbols of the largest text [offsets[i], offsets[i + 1]).
[[nodiscard]] inline std::uint64_t largest_text_size(std::span<const std::uint64_t> offsets) {
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    largest = std::max(largest, offsets[i + 1] - offsets[i]);
  return largest;
}

// Throws error(invalid_input), with the valid range, if a transform of n bytes cannot have this primary
// index.
void check_primary_index(std::uint64_t n, std::uint64_t primary_index, bwt_form form);

// Throws error(invalid_input), which says that no text has this transform.
[[noreturn]] void refuse_transform();

} // namespace weft::detail
