// Counts how often each byte occurs in a text.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <weft/base/parallel.hpp>

namespace weft {

// Returns the number of occurrences of each byte value in `text`. O(n); `threads` = 0 uses all threads.
[[nodiscard]] inline std::array<std::uint64_t, 256> count_bytes(std::string_view text, int threads) {
  std::array<std::uint64_t, 256> counts{};
  std::mutex mutex;
  parallel_for(0, text.size(), std::uint64_t{1} << 22, threads, [&](std::uint64_t first, std::uint64_t last) {
    std::array<std::uint64_t, 256> range_counts{};
    for (std::uint64_t i = first; i < last; ++i) ++range_counts[static_cast<unsigned char>(text[i])];
    const std::lock_guard lock(mutex);
    for (std::size_t byte = 0; byte < 256; ++byte) counts[byte] += range_counts[byte];
  });
  return counts;
}

} // namespace weft
