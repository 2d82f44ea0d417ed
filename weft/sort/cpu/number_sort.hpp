// Sorting numbers: Highway's vqsort, behind a parallel partition and with floating-point order made right.
#pragma once

#include <cstdint>
#include <span>
#include <weft/base/monitor.hpp>
#include <weft/sort/core/ordered_bits.hpp>
#include <weft/sort/cpu/partition.hpp>

namespace weft::detail {

// Sorts in place; O(n log n) time for any distribution, O(1) extra memory (8 and 16 bits: counters). Number:
// 8 to 128 bits, signed or not.
template <class Number>
void sort_integers(std::span<Number> items, sort_order order, int threads, task_monitor* monitor);

// IEEE 754 numbers as their bits (i32, i64): -inf .. -0 +0 .. +inf, then the NaNs of sign 0, then those of
// sign 1, each by payload; descending: the reverse. (totalOrder, but for the NaNs of sign 1, which it puts
// first: 0.0 / 0.0 makes such NaNs on x86.)
template <class Bits>
void sort_floats(std::span<Bits> items, sort_order order, int threads, task_monitor* monitor);

} // namespace weft::detail
