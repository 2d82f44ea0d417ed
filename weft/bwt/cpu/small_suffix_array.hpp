// Suffix arrays of short texts. They are sorted by comparisons, because libdivsufsort clears 65,536 buckets
// for each text, which takes longer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>

namespace weft::detail {

inline constexpr std::size_t min_divsufsort_size =
    1000; // libdivsufsort is as fast or faster from this size on

// Sets sa[0 .. n-1] to the suffix array of text[0 .. n-1]. O(n log n) comparisons.
template <class Index> void sort_small_text(std::string_view text, std::span<Index> sa) {
  std::iota(sa.begin(), sa.end(), Index{0});
  std::sort(sa.begin(), sa.end(), [&](Index a, Index b) { return text.substr(a) < text.substr(b); });
}

} // namespace weft::detail
