// Sorts all suffixes of a text of bytes in device memory by the method that is faster for the text.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/bwt/cuda/suffix_sort/suffix_sort.hpp>

namespace weft::bwt_cuda {

// The suffixes of texts with fewer symbols than this can be numbered with 32 bits.
inline constexpr std::uint64_t suffix_32_limit = (std::uint64_t{1} << 32) - 1;

// Passes all suffixes of d_text[0 .. n-1], n >= 1, to the sink in ascending order: as one block from
// induced_sort if that is faster, else as the blocks of sort_suffixes(). Ignores the options d_chosen and
// chosen. d_rows: null, or memory for n items in which the rows may be made. Index: uint32_t (n <
// suffix_32_limit) or uint64_t.
//
// induced_sort is used with 32-bit indexes if the text has at least 2^24 symbols and 2^14 for each pair of
// letters, and 7.25 n bytes of device memory are available. If that memory turns out not to be enough,
// sort_suffixes() runs instead. Extra memory besides that of induced_sort: the packed text, n bytes for the
// bytes before suffixes, and 4 n bytes for the rows if d_rows is null. Time, waits and errors are those of
// the method that runs.
template <class Index>
void order_suffixes(const unsigned char* d_text, std::uint64_t n, Index* d_rows, const row_sink<Index>& sink,
                    const suffix_sort_options& options, cudaStream_t stream);

} // namespace weft::bwt_cuda
