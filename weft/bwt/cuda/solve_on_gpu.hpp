// Solves the problems of the engines (weft/bwt/engines.hpp) on a GPU: copies inputs from host memory, calls
// the functions for device memory, and copies results back. Each function throws memory_error if the GPU's
// memory does not suffice, and device_error.
#pragma once

#include <string>
#include <weft/bwt/engines.hpp>

namespace weft::detail {

// Sorts the suffixes or rotations of texts by the engine of this name.
void sort_texts_on_gpu(text_problem& problem, const std::string& engine);
// Sorts symbols of several bytes and collections.
void sort_symbols_on_gpu(symbol_problem& problem);
// Computes LCPs.
void compute_lcps_on_gpu(lcp_problem& problem);
// Inverts a transform.
void invert_on_gpu(inverse_problem& problem);
// Writes the sections of an FM-index.
void write_rows_on_gpu(fm_build_problem& problem);
// Searches an FM-index, on a GPU that has a copy of it or else on the first one, if the options name none.
// Sets problem.gpu, unless it throws.
void search_on_gpu(fm_search_problem& problem);

// Returns whether a GPU has a copy of the index. Looks for no GPU.
[[nodiscard]] bool has_copy_on_gpu(const fm_kept& kept);

} // namespace weft::detail
