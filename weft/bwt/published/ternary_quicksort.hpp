// The engine `ternary-quicksort`: sorts suffixes or rotations by ternary quicksort, level by level.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <weft/base/run.hpp>
#include <weft/bwt/bwt.hpp>

namespace weft::bwt_detail {

// Sets rows[0 .. n) to the positions [0, n) in the order of the suffixes that begin there or, if `cyclic`, of
// the rotations; equal rotations get an order that is the same in every run. Rows that agree in depth_limit
// symbols are equal: depth_limit is n, or the length of the shortest root of a cyclic text. Index is uint32_t
// for n < 2^31, or uint64_t. O(n (log n + common prefixes)) symbol comparisons. Memory: n indexes, and about
// as much for the segments.
template <class Index>
void ternary_quicksort(std::string_view text, bool cyclic, std::uint64_t depth_limit, std::span<Index> rows,
                       const run_options& options);

// Returns the transform of a text that is not empty. Index is as above.
template <class Index>
[[nodiscard]] bwt_text transform_by_quicksort(std::string_view text, bwt_form form, const run_options& run);

} // namespace weft::bwt_detail
