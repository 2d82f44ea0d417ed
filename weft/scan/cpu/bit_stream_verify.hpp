// Exact checks of `bit-stream` on the text itself.
#pragma once

#include <cstdint>
#include <vector>
#include <weft/scan/core/bit_stream_plan.hpp>

namespace weft::scan_detail {

// The text in the direction of the scan: position p is origin[p * step].
struct directed_text {
  const unsigned char* origin = nullptr;
  std::int64_t step = 1;
  [[nodiscard]] unsigned char operator[](std::uint64_t p) const noexcept {
    return origin[static_cast<std::int64_t>(p) * step];
  }
};

// Returns whether the row's segments from `segment` on match after `start`, in a sequence that ends at
// `limit`. O(length of the longest match * segments) in the worst case; `ends` is scratch.
[[nodiscard]] bool matches_row(const bit_stream_plan& plan, const stream_row& row, std::uint32_t segment,
                               directed_text text, std::uint64_t start, std::uint64_t limit,
                               std::vector<std::uint64_t>& ends);

// Appends all starts of the row in [first, last), ascending, within one sequence [begin, limit). Takes
// O((last - first + longest match) * checks) time, however wide the gaps are.
void find_row(const bit_stream_plan& plan, const stream_row& row, directed_text text, std::uint64_t begin,
              std::uint64_t limit, std::uint64_t first, std::uint64_t last,
              std::vector<std::uint64_t>& starts);

} // namespace weft::scan_detail
