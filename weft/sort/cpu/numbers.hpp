// Numbers in a natural order on the CPU: the tasks of the engines (numbers.cpp), Highway's vqsort behind a
// parallel partition (number_sort.cpp), and the partition (partition.cpp). The tasks take types that are
// known at run time and are part of the library, so that a program that sorts numbers need not compile the
// engines.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <weft/base/monitor.hpp>
#include <weft/sort/engines.hpp>

namespace weft::sort_detail {

// Solve a problem of numbers by the engines vqsort and merge. vqsort finds orders of numbers of up to 64 bits
// only.
void sort_numbers_by_vqsort(const sort_problem& problem);
void sort_numbers_by_merge(const sort_problem& problem);

// Returns whether no number comes before the one in front of it. Uses the threads and the monitor of `run`.
[[nodiscard]] bool numbers_in_order(const void* items, std::uint64_t num_items, const number_type& type,
                                    const run_options& run);

// Calls sort(begin, end, threads) for each segment. Small segments are sorted at the same time, each on one
// thread; large segments one after another, each on all threads. The offsets must pass check_segments().
void for_each_segment(std::span<const std::uint64_t> offsets, int threads,
                      const std::function<void(std::uint64_t, std::uint64_t, int)>& sort);

enum class sort_order { ascending, descending };

// Moves the items that come before the pivot (smaller items, or greater ones if descending) to the front, in
// an unspecified order. Returns how many there are. O(n), in place. Number: u32, u64, i32, i64, uint128.
template <class Number>
std::uint64_t partition_before(Number* items, std::uint64_t n, Number pivot, sort_order order);

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
