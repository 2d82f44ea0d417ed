// The functions that solve the problems of the engines (weft/bwt/engines.hpp). Those of the CPU are in cpu/
// and entry/sort_texts.cpp. Those of a GPU are in cuda/solve_on_gpu.cpp, which is linked only with CUDA: they
// copy inputs from host memory, call the functions for device memory, and copy results back. Each function
// throws memory_error if it needs more memory than the options allow or, on a GPU, than the GPU has; those of
// a GPU also throw device_error.
#pragma once

#include <string>
#include <weft/bwt/engines.hpp>

namespace weft::bwt_detail {

enum class text_sorter { suffix_sort, libdivsufsort, ternary_quicksort };

// Returns the bytes that an engine of the CPU needs to sort the suffixes or rotations of texts, including the
// results. suffix-sort can transform a text in parts: for the sentinel form of one text, only the bytes of
// the result count.
[[nodiscard]] std::uint64_t memory_to_sort(const text_problem& problem, text_sorter sorter);
// Sorts the suffixes or rotations of texts by an engine of the CPU.
void sort_texts(const text_problem& problem, text_sorter sorter);
// Sorts symbols of several bytes and collections by suffix-sort.
void sort_symbols(symbol_problem& problem);
// Computes LCPs in the order of the text.
void compute_lcps(lcp_problem& problem);
// Inverts a transform by chains.
void invert(inverse_problem& problem);
// Inverts a transform of a collection by a chain for each record.
void invert_collection(inverse_collection_problem& problem);
// Writes the sections of an FM-index.
void write_rows(fm_build_problem& problem);
// Searches an FM-index for batches of patterns.
void search_on_cpu(fm_search_problem& problem);
// Searches an FM-index of DNA with differences. On a GPU, patterns that it is not made for are searched by
// the CPU; then the device is chosen as by search_on_gpu().
void search_near_on_cpu(near_problem& problem);
void search_near_on_gpu(near_problem& problem);
// Finds the exact matches between queries and an FM-index of DNA.
void find_matches(fm_match_problem& problem);
// Appends the matches of a part to those before, on several threads. Throws memory_error if they then take
// more than run.memory bytes (0: memory_limit(0)).
void append_matches(fm_matches& all, const fm_matches& part, const run_options& run);

// Returns the transform of a text that is not empty. Index is uint32_t (fewer than 2^31 bytes) or uint64_t.
// suffix-sort uses the helpers, unless they are null.
template <class Index>
[[nodiscard]] bwt_text transform(std::string_view text, bwt_form form, text_sorter sorter,
                                 const run_options& run, suffix_helpers* helpers = nullptr);

// On a GPU: sorts the suffixes or rotations of texts by the engine of this name.
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
// Finds the maximal matches between queries and an FM-index of DNA, on the GPU that search_on_gpu() takes.
// Throws memory_error only before the first matches are passed on. Sets problem.gpu, unless it throws.
void find_matches_on_gpu(fm_match_problem& problem);

// Returns whether a GPU has a copy of the index. Looks for no GPU.
[[nodiscard]] bool has_copy_on_gpu(const fm_device_cache& cache);

} // namespace weft::bwt_detail
