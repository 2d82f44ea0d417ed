// Suffix arrays and LCP arrays.
//
//   const std::vector<std::uint32_t> sa = weft::suffix_array("banana");
//   sa;                                             // == {5, 3, 1, 0, 4, 2}
//   weft::lcp_array<std::uint32_t>("banana", sa);   // == {0, 1, 3, 0, 0, 2}
//
// sa[0 .. n) are the starting positions of the suffixes of text[0 .. n) in lexicographic order. Symbols are
// compared as unsigned numbers, and a suffix is less than every longer suffix that begins with it. lcp[i] is
// the number of symbols that suffixes sa[i - 1] and sa[i] have in common; lcp[0] = 0.
//
// Index is uint32_t for n < 2^31, or uint64_t for any n. All functions throw std::invalid_argument if n is
// too large for Index.
//
// Collections: each record of a collection ends in its own sentinel that is smaller
// than every symbol; the sentinel of record r is smaller than that of record s for r < s. The suffix array of
// a collection contains the suffixes of all records in order, without the empty ones (sentinels alone).
// Entries are positions in the text; equal suffixes have the order of their records.
//
// Sources: those of the engines of bwt.hpp; Larsson & Sadakane, Theor. Comput. Sci. 387 (2007) 258-272 (ranks
// of the suffixes that decide about repeats); Karkkainen, Manzini & Puglisi, CPM 2009 (LCP).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>
#include <weft/base/sequences.hpp>
#include <weft/bwt/bwt_options.hpp>

namespace weft {

// Writes the suffix array of a text of bytes, computed by libdivsufsort: O(n log n), one thread. Takes O(1)
// memory beside the result.
void suffix_array_into(std::string_view text, std::span<std::uint32_t> sa);
void suffix_array_into(std::string_view text, std::span<std::uint64_t> sa);

// Returns the suffix array of a text of bytes by one of the engines of bwt.hpp: suffix-sort, on all threads,
// which takes 5 n bytes beside the result; libdivsufsort, on one thread, which takes nothing beside it; or
// ternary-quicksort, which takes twice the result beside it. On a CPU, auto is suffix-sort, or libdivsufsort
// if run.memory allows no more than the result. On a GPU, the call takes no host memory beside the result,
// and of the GPU's memory the text, the result and what weft::gpu::suffix_array takes (weft/bwt/bwt.cuh).
// Device auto takes a GPU for 2^23 bytes or more if its memory suffices. Index is uint32_t or uint64_t.
// Throws error for an unknown engine, memory_error if run.memory or the memory of a requested GPU is too
// small for the result and the engine, bad_alloc, unavailable_error if the requested GPU does not exist,
// device_error, cancelled_error.
template <class Index = std::uint32_t>
[[nodiscard]] std::vector<Index> suffix_array(std::string_view text, const bwt_options& options = {});

// Returns the suffix array of a text of 16-bit or 32-bit symbols by the engine suffix-sort. On a CPU:
// expected O(n log n), on all threads. Beside the result, takes up to 9 n bytes and a packed copy of the
// text, which has as many bits for each symbol as the largest one. With less memory, it takes O(n) more time
// for each of several ranges of the suffixes, and at least 0.2 n bytes, up to 3 n more if the text repeats
// itself in long stretches, and the copy. On a GPU, which device auto takes for 2^23 bytes of text or more,
// it takes no host memory beside the result. Throws as the overload for bytes does.
template <class Index = std::uint32_t>
[[nodiscard]] std::vector<Index> suffix_array(std::span<const std::uint16_t> text,
                                              const bwt_options& options = {});
template <class Index = std::uint32_t>
[[nodiscard]] std::vector<Index> suffix_array(std::span<const std::uint32_t> text,
                                              const bwt_options& options = {});

// Returns the suffix array of a collection (see above) by the engine suffix-sort. Throws
// std::invalid_argument as check_sequences(). On a CPU, cost and memory are those for symbols of 16 bits, the
// bits of a symbol being those that number the distinct bytes. On a GPU, which device auto takes for 2^23
// symbols or more, it works as for suffix_array (weft/bwt/bwt_batch.cuh). Throws as suffix_array does.
template <class Index = std::uint32_t>
[[nodiscard]] std::vector<Index> collection_suffix_array(const sequences_view& collection,
                                                         const bwt_options& options = {});

// Returns the LCP array of a text; `sa` must be its suffix array. On a CPU, O(n), on several threads; n
// indexes beside the result. On a GPU, which device auto takes for 2^26 symbols or more if they fit its
// memory, O(n log n); no host memory beside the result, and a byte and two indexes a symbol of the GPU's
// memory. Throws std::invalid_argument if there are not as many entries as symbols or, on a GPU, if an entry
// is not less than n, memory_error, bad_alloc, unavailable_error if the requested GPU does not exist,
// device_error, cancelled_error. The engine is permuted-lcp.
template <class Index>
[[nodiscard]] std::vector<Index> lcp_array(std::string_view text, std::span<const Index> sa,
                                           const bwt_options& options = {});

// A suffix array and its LCP array, with the values that suffix_array and lcp_array compute.
template <class Index> struct suffix_and_lcp_arrays {
  // The suffix array, and the LCP array.
  std::vector<Index> sa, lcp;
};
// Returns the suffix array and the LCP array of a text of bytes. If suffixes are sorted on a GPU, the LCP
// array is computed there as well, from the data that is already there. Otherwise the CPU computes it; also
// if device is auto and the GPU's memory is too small for the LCP array alone. Throws what suffix_array and
// lcp_array throw.
template <class Index = std::uint32_t>
[[nodiscard]] suffix_and_lcp_arrays<Index> suffix_and_lcp_array(std::string_view text,
                                                                const bwt_options& options = {});

} // namespace weft
