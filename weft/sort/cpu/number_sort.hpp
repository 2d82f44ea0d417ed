// Sorts numbers by Highway's vqsort, behind a parallel partition, and corrects the order of floating-point
// numbers.
#pragma once

#include <cstdint>
#include <span>
#include <weft/base/monitor.hpp>
#include <weft/sort/core/ordered_bits.hpp>
#include <weft/sort/cpu/partition.hpp>

namespace weft::sort_detail {

// Sorts integers of 8 to 128 bits, signed or unsigned, in place. O(n log n) time for any distribution. O(1)
// extra memory, but for counters if numbers have 8 or 16 bits.
template <class Number>
void sort_integers(std::span<Number> items, sort_order order, int threads, task_monitor* monitor);

// Sorts IEEE 754 numbers that are given as their bits (i32, i64) in the order -inf .. -0 +0 .. +inf, then
// NaNs of sign 0, then NaNs of sign 1, each by payload; descending is the reverse. (This is totalOrder,
// except that totalOrder puts NaNs of sign 1 first. They go last here because 0.0 / 0.0 gives such NaNs on
// x86.)
template <class Bits>
void sort_floats(std::span<Bits> items, sort_order order, int threads, task_monitor* monitor);

} // namespace weft::sort_detail
