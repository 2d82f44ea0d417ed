// Sorts numbers in their own order. These functions take types that are known at run time and are part of the
// library, so that a program that sorts numbers need not compile the engines.
#pragma once

#include <cstdint>
#include <span>
#include <vector>
#include <weft/sort/core/number_key.hpp>
#include <weft/sort/sort_options.hpp>

namespace weft::detail {

// Each function takes num_items numbers of `type` at `items`. It does what the function of weft/sort/sort.hpp
// named in its comment does, and throws the same errors.

// sort(), or stable_sort() if `stable`. The engine sample-merge cannot do the latter.
void sort_numbers(void* items, std::uint64_t num_items, const number_type& type, const sort_options& options,
                  bool stable);
// argsort().
[[nodiscard]] std::vector<std::uint64_t> argsort_numbers(const void* items, std::uint64_t num_items,
                                                         const number_type& type,
                                                         const sort_options& options);
// top_k(). Writes the items to first[0 .. k-1]; k <= num_items.
void top_k_numbers(const void* items, std::uint64_t num_items, const number_type& type, std::uint64_t k,
                   void* first, const sort_options& options);
// segmented_sort().
void sort_number_segments(void* items, std::uint64_t num_items, std::span<const std::uint64_t> offsets,
                          const number_type& type, const sort_options& options);
// is_sorted().
[[nodiscard]] bool numbers_in_order(const void* items, std::uint64_t num_items, const number_type& type,
                                    int threads);

} // namespace weft::detail
