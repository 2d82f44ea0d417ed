// Partition of numbers in place, by vectors.
#pragma once

#include <cstdint>

namespace weft::detail {

enum class sort_order { ascending, descending };

// Moves items before the pivot (less, or greater if descending) to the front, in no stated order; returns how
// many. O(n), in place. Number: u32, u64, i32, i64, uint128.
template <class Number>
std::uint64_t partition_before(Number* items, std::uint64_t n, Number pivot, sort_order order);

} // namespace weft::detail
