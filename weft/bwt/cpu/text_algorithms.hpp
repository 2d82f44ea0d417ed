// The algorithms of the CPU's engines for texts: transforms by libdivsufsort (divsufsort.cpp), suffix sorting
// of symbols that are not bytes (prefix_doubling.cpp), and the inverse transform (inverse.cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>
#include <weft/base/run.hpp>
#include <weft/bwt/bwt.hpp>

namespace weft::bwt_detail {

// Returns the transform of a text that is not empty. Index is uint32_t (fewer than 2^31 bytes) or uint64_t.
// O(n log n), on one thread.
template <class Index>
[[nodiscard]] bwt_text transform_by_divsufsort(std::string_view text, bwt_form form, const run_options& run);

// Sorts suffixes by ranks of prefixes of growing length. Returns the positions [0, n) in the order of their
// suffixes. symbol(i) is the symbol at position i, and is below 2^42; n < 2^42.
[[nodiscard]] std::vector<std::uint64_t>
prefix_doubling(std::uint64_t n, const std::function<std::uint64_t(std::uint64_t)>& symbol,
                const run_options& options);

// Returns the text that has this transform. Throws error(invalid_input) if no text has it. Index is uint32_t
// (fewer than 2^31 rows) or uint64_t. `chains` is the maximal number of segments into which the text is cut.
template <class Index>
[[nodiscard]] std::string inverse_by_chains(std::string_view bytes, std::uint64_t primary_index,
                                            bwt_form form, std::uint64_t chains, const run_options& options);

} // namespace weft::bwt_detail
