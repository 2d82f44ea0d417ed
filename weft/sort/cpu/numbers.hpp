// Numbers in their own order on the CPU. These functions take types that are known at run time and are part
// of the library, so that a program that sorts numbers need not compile the engines.
#pragma once

#include <cstdint>
#include <weft/sort/engines.hpp>

namespace weft::sort_detail {

// Solve a problem of numbers: the engines vqsort and merge. vqsort finds orders of numbers of up to 64 bits
// only.
void sort_numbers_by_vqsort(const sort_problem& problem);
void sort_numbers_by_merge(const sort_problem& problem);

// Returns whether no number comes before the one in front of it. Uses the threads and the monitor of `run`.
[[nodiscard]] bool numbers_in_order(const void* items, std::uint64_t num_items, const number_type& type,
                                    const run_options& run);

} // namespace weft::sort_detail
