// The penalties of metric affine as engines use them, and bounds that follow from them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <weft/base/error.hpp>
#include <weft/lcs/entry/call.hpp>

namespace weft::lcs_detail {

// Throws error(invalid_input) if a penalty is out of range.
inline void check_penalties(const affine_penalties& penalties) {
  const auto check = [](const char* name, std::uint32_t value, std::uint32_t min_value) {
    if (value < min_value || value > max_affine_penalty)
      throw error(errc::invalid_input, fmt::format("lcs: the penalty {} must be from {} to {}, not {}", name,
                                                   min_value, max_affine_penalty, value));
  };
  check("gap_open", penalties.gap_open, 0);
  check("gap_extend", penalties.gap_extend, 1);
  check("mismatch", penalties.mismatch, 1);
}

// Returns the penalty of a gap of `length` symbols; 0 for no gap.
[[nodiscard]] constexpr std::uint64_t gap_penalty(const affine_penalties& penalties, std::uint64_t length) {
  return length == 0 ? 0 : penalties.gap_open + length * penalties.gap_extend;
}

// Returns an upper bound for the penalty of texts of m and n symbols: deleting a and inserting b.
[[nodiscard]] constexpr std::uint64_t max_penalty(const affine_penalties& penalties, std::uint64_t m,
                                                  std::uint64_t n) {
  return gap_penalty(penalties, m) + gap_penalty(penalties, n);
}

// Returns the largest number of runs that a path of m and n symbols with this penalty can have. Each run that
// is no match costs a mismatch or a gap of one symbol at least, and matches stand between such runs.
[[nodiscard]] constexpr std::uint64_t max_affine_runs(const affine_penalties& penalties, std::uint64_t m,
                                                      std::uint64_t n, std::uint64_t penalty) {
  const std::uint64_t smallest = std::min<std::uint64_t>(penalties.mismatch, gap_penalty(penalties, 1));
  return std::min(m + n, 2 * (penalty / smallest) + 1);
}

} // namespace weft::lcs_detail
