// Solves the problems of the engines (weft/bwt/engines.hpp) on the CPU. Each function throws memory_error if
// it needs more memory than the options allow.
#pragma once

#include <weft/bwt/engines.hpp>

namespace weft::detail {

enum class text_sorter { suffix_sort, ternary_quicksort };

// Sorts the suffixes or rotations of texts by libdivsufsort, or by ternary quicksort.
void sort_texts(const text_problem& problem, text_sorter sorter);
// Sorts symbols of several bytes and collections by prefix doubling.
void sort_symbols(symbol_problem& problem);
// Computes LCPs in the order of the text.
void compute_lcps(lcp_problem& problem);
// Inverts a transform by chains.
void invert(inverse_problem& problem);
// Writes the sections of an FM-index.
void write_rows(fm_build_problem& problem);
// Searches an FM-index for batches of patterns.
void search(fm_search_problem& problem);

// Returns the transform of a text that is not empty. Index is uint32_t (fewer than 2^31 bytes) or uint64_t.
template <class Index>
[[nodiscard]] bwt_text transform(std::string_view text, bwt_form form, text_sorter sorter,
                                 const run_options& run);

} // namespace weft::detail
