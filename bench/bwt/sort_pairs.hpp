// CUB's sort of pairs, which suffix arrays on a GPU are compared with.
#pragma once

#include <cstdint>

namespace weft::bench {

// The time of a sort, and whether the keys are in order behind it.
struct sorted_pairs {
  double seconds = 0;
  bool in_order = false;
};
// Sorts n pairs (uint64_t, uint32_t) with random keys by cub::DeviceRadixSort::SortPairs on the current
// device.
[[nodiscard]] sorted_pairs sort_random_pairs(std::uint64_t n);

} // namespace weft::bench
