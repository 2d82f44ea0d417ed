// Suffix arrays and LCP arrays.
//
//   const std::vector<std::uint32_t> sa = weft::suffix_array("banana");
//   sa;                                             // == {5, 3, 1, 0, 4, 2}
//   weft::lcp_array<std::uint32_t>("banana", sa);   // == {0, 1, 3, 0, 0, 2}
//
// sa[0 .. n) are the starting positions of the suffixes of text[0 .. n) in lexicographic order, symbols
// compared as unsigned numbers, a suffix before every longer one that it begins. lcp[i] is the number of
// symbols that suffixes sa[i - 1] and sa[i] have in common; lcp[0] = 0.
//
// Index: uint32_t for n < 2^31, uint64_t for any n; std::invalid_argument if n is too large.
//
// Collections. Records are text[offsets[r], offsets[r + 1]); each ends in a sentinel of its own that is
// smaller than every symbol, that of record r smaller than that of record s for r < s. The suffix array of a
// collection orders the suffixes of all records, the empty ones (sentinels alone) left out: entries are
// positions in text, so that equal suffixes stand in the order of their records.
//
// Source: Mori, libdivsufsort (bytes); Manber & Myers, SIAM J. Comput. 22 (1993) 935-948, and Larsson &
// Sadakane, Theor. Comput. Sci. 387 (2007) 258-272 (other symbols, collections: prefix doubling of what is
// not yet in order); Karkkainen, Manzini & Puglisi, CPM 2009 (LCP).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>
#include <weft/bwt/bwt_options.hpp>

namespace weft {

// Bytes, by libdivsufsort: O(n log n), one thread. Beside the result: O(1) memory.
void suffix_array_into(std::string_view text, std::span<std::uint32_t> sa);
void suffix_array_into(std::string_view text, std::span<std::uint64_t> sa);

// The same with a choice of engines: suffix-sort, which is auto, or ternary-quicksort (bwt.hpp; twice the
// result beside it). On a GPU, which device auto takes from 2^22 bytes on if its memory is enough: none
// beside the result, and of the GPU's the text, the result and what weft::gpu::suffix_array takes
// (weft/bwt/bwt.cuh). Index is uint32_t or uint64_t. Throws error (unknown engine), memory_error if
// options.memory is less than the result and the engine need, or the memory of a GPU that is asked for is,
// bad_alloc, unavailable_error (no such GPU), device_error, cancelled_error.
template <class Index = std::uint32_t>
[[nodiscard]] std::vector<Index> suffix_array(std::string_view text, const bwt_options& options = {});

// Symbols of 16 or 32 bits, by prefix-doubling on a CPU: O(n log^2 n), threaded; 48 n bytes in all. On a GPU,
// which device auto takes from 2^22 bytes of text on, by suffix-sort: none beside the result. Throws as
// above; no other engine than suffix-sort, which is auto, can be asked for.
template <class Index = std::uint32_t>
[[nodiscard]] std::vector<Index> suffix_array(std::span<const std::uint16_t> text,
                                              const bwt_options& options = {});
template <class Index = std::uint32_t>
[[nodiscard]] std::vector<Index> suffix_array(std::span<const std::uint32_t> text,
                                              const bwt_options& options = {});

// A collection (above); offsets ascend from 0 to text.size(), else std::invalid_argument. On a CPU by prefix
// doubling, O(n log^2 n), threaded; 56 bytes in all for each symbol and record. On a GPU, which device auto
// takes from 2^22 symbols on, as suffix_array (weft/bwt/bwt_batch.cuh). options.engine does not count. Throws
// as above.
template <class Index = std::uint32_t>
[[nodiscard]] std::vector<Index> collection_suffix_array(std::string_view text,
                                                         std::span<const std::uint64_t> offsets,
                                                         const bwt_options& options = {});

// sa must be the suffix array of the text. O(n), threaded; n indexes beside the result. On a GPU, which
// device auto takes from 2^26 symbols on if they fit its memory: O(n log n); no memory beside the result, and
// of the GPU's a byte and two indexes a symbol. Throws std::invalid_argument (not as many entries as symbols;
// on a GPU also an entry that is not less than n), memory_error, bad_alloc, unavailable_error (no such GPU),
// device_error, cancelled_error.
template <class Index>
[[nodiscard]] std::vector<Index> lcp_array(std::string_view text, std::span<const Index> sa,
                                           const bwt_options& options = {});

// Both, as the functions above make them, with the errors of both. If suffixes are sorted on a GPU, the LCP
// array is made there as well, of what is there already, and else on the CPU, also where the GPU's memory is
// too little for it alone and device is auto.
template <class Index> struct suffix_and_lcp_arrays {
  // Either of them.
  std::vector<Index> sa, lcp;
};
// Throws what either does.
template <class Index = std::uint32_t>
[[nodiscard]] suffix_and_lcp_arrays<Index> suffix_and_lcp_array(std::string_view text,
                                                                const bwt_options& options = {});

} // namespace weft
