// All suffixes of a text of bytes in device memory, in order, in the way that suits it.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/bwt/cuda/suffix_sort/suffix_sort.hpp>

namespace weft::bwt_cuda {

// Texts of fewer symbols have suffixes that 32 bits number.
inline constexpr std::uint64_t one_word = (std::uint64_t{1} << 32) - 1;

// Gives the sink all suffixes of d_text[0 .. n-1], n >= 1, in order: by induced_sort, all in one block, where
// that pays; else by sort_suffixes(). The options' d_chosen and chosen are not looked at. d_rows: null, or n
// items that the rows may stand in. Index: uint32_t (n < one_word) or uint64_t.
//
// It pays for indexes of 32 bits from 2^24 symbols and 2^14 for each pair of letters on, where 7.25 n bytes
// of memory are there; if they turn out too few, blocks follow. Beside what induced_sort takes: the packed
// text, n bytes before suffixes, and 4 n for the rows without d_rows. Times, waits and errors are those of
// either.
template <class Index>
void order_suffixes(const unsigned char* d_text, std::uint64_t n, Index* d_rows, const row_sink<Index>& sink,
                    const suffix_sort_options& options, cudaStream_t stream);

} // namespace weft::bwt_cuda
