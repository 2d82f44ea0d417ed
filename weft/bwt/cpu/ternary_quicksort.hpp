// The engine `ternary-quicksort`: suffixes or rotations by ternary quicksort, level by level.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <weft/bwt/bwt_options.hpp>

namespace weft::detail {

// rows[0 .. n) becomes the positions [0, n) in the order of the suffixes that begin there; cyclic: of the
// rotations, equal ones in an order that is the same on every run. depth_limit: rows that agree in so many
// symbols are equal (n, or the shortest root of a cyclic text). Index: uint32_t for n < 2^31, or uint64_t.
// O(n (log n + common prefixes)) symbol comparisons; memory: n indexes, and about as much for the segments.
template <class Index>
void ternary_quicksort(std::string_view text, bool cyclic, std::uint64_t depth_limit, std::span<Index> rows,
                       const bwt_options& options);

} // namespace weft::detail
