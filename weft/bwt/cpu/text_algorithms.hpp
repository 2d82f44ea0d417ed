// The algorithms of the CPU's engines for texts: transforms by libdivsufsort (divsufsort.cpp) and by the
// engine suffix-sort (suffix_transform.cpp), and the inverse transform (inverse.cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <weft/base/run.hpp>
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/cpu/suffix_ranges.hpp>

namespace weft::bwt_detail {

// Return the sentinel form of the transform of a text that is not empty. Index is uint32_t (fewer than 2^31
// bytes) or uint64_t.
//   By libdivsufsort: O(n log n), on one thread; takes an index a symbol.
template <class Index> [[nodiscard]] bwt_text transform_by_divsufsort(std::string_view text);
//   By the engine suffix-sort, by ranges of suffixes if anything else takes too much memory for run.memory,
//   and if the helpers, which may be null, are worthwhile.
template <class Index>
[[nodiscard]] bwt_text transform_by_suffix_sort(std::string_view text, const run_options& run,
                                                suffix_helpers* helpers);

// Returns the rotation form, by sorting the suffixes of the least rotation of the text's root:
// sort_suffixes(root, sa) writes a suffix array. The rotations of a root are all different, and those of its
// least rotation have the order of its suffixes.
template <class Index>
[[nodiscard]] bwt_text
transform_rotations(std::string_view text, const run_options& run,
                    const std::function<void(std::string_view, std::span<Index>)>& sort_suffixes);

// Returns the text that has this transform. Throws error(invalid_input) if no text has it. Index is uint32_t
// (fewer than 2^31 rows) or uint64_t. `chains` is the maximal number of segments into which the text is cut.
template <class Index>
[[nodiscard]] std::string inverse_by_chains(std::string_view bytes, std::uint64_t primary_index,
                                            bwt_form form, std::uint64_t chains, const run_options& options);

} // namespace weft::bwt_detail
