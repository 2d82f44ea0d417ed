// What the entry points of bwt check before they begin, and what the inverse transform refuses, on every
// device.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/entry/engine_choice.hpp>

namespace weft::detail {

// Throws memory_error, naming both figures, if `what` needs more bytes than memory_limit(requested).
void need_memory(std::uint64_t bytes, std::uint64_t requested, const char* what);

// Throws std::invalid_argument if offsets do not ascend from 0 to the size.
void check_offsets(std::uint64_t size, std::span<const std::uint64_t> offsets, const char* what);

// Symbols of the largest text, [offsets[i], offsets[i + 1]).
[[nodiscard]] inline std::uint64_t largest_of(std::span<const std::uint64_t> offsets) {
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    largest = std::max(largest, offsets[i + 1] - offsets[i]);
  return largest;
}

// Throws error(invalid_input), naming the range, if n bytes have no such primary index.
void check_primary_index(std::uint64_t n, std::uint64_t primary_index, bwt_form form);

// Throws error(invalid_input): no text has this transform.
[[noreturn]] void refuse_transform();

} // namespace weft::detail
