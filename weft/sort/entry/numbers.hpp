// Sorting numbers in their own order: functions of the library, for types that are known at run time, so that
// a program that sorts numbers need not compile the engines.
#pragma once

#include <cstdint>
#include <span>
#include <vector>
#include <weft/sort/core/number_key.hpp>
#include <weft/sort/sort_options.hpp>

namespace weft::detail {

// All take num_items numbers of `type` at `items`, and do what the function of weft/sort/sort.hpp that is
// named does, with the same errors.

// sort() and, if `stable`, stable_sort(), which sample-merge is no engine for.
void sort_numbers(void* items, std::uint64_t num_items, const number_type& type, const sort_options& options,
                  bool stable);
// argsort().
[[nodiscard]] std::vector<std::uint64_t> order_of_numbers(const void* items, std::uint64_t num_items,
                                                          const number_type& type,
                                                          const sort_options& options);
// top_k(), into first[0 .. k-1]; k <= num_items.
void first_numbers(const void* items, std::uint64_t num_items, const number_type& type, std::uint64_t k,
                   void* first, const sort_options& options);
// segmented_sort().
void sort_number_segments(void* items, std::uint64_t num_items, std::span<const std::uint64_t> offsets,
                          const number_type& type, const sort_options& options);
// is_sorted().
[[nodiscard]] bool numbers_in_order(const void* items, std::uint64_t num_items, const number_type& type,
                                    int threads);

} // namespace weft::detail
