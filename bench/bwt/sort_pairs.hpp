// A yardstick for transforms on a GPU if no other software is available: the sort of as many pairs.
#pragma once

#include <cstdint>

namespace weft_bench {

// Returns the time that cub::DeviceRadixSort::SortPairs takes on the first GPU for n pairs (uint64_t,
// uint32_t) with random keys. It is the median of five runs, which are made at the first call for each n.
[[nodiscard]] double sort_pairs_milliseconds(std::uint64_t n);

} // namespace weft_bench
