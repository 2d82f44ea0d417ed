// Partitions numbers in place, using vectors.
#pragma once

#include <cstdint>

namespace weft::sort_detail {

enum class sort_order { ascending, descending };

// Moves the items that come before the pivot (smaller items, or greater ones if descending) to the front, in
// an unspecified order. Returns how many there are. O(n), in place. Number: u32, u64, i32, i64, uint128.
template <class Number>
std::uint64_t partition_before(Number* items, std::uint64_t n, Number pivot, sort_order order);

} // namespace weft::sort_detail
