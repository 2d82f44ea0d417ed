// What transforms on a GPU are measured by, where the peer is absent: a sort of as many pairs.
#pragma once

#include <cstdint>

namespace weft_bench {

// cub::DeviceRadixSort::SortPairs of n pairs (uint64_t, uint32_t), random keys, on the first GPU: the median
// of five, measured at the first call for each n.
[[nodiscard]] double sort_pairs_milliseconds(std::uint64_t n);

} // namespace weft_bench
