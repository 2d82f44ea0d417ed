// Building an FM-index on a GPU: what cpu/fm_rows.hpp does of the coded text, the same bytes.
#pragma once

#include <weft/bwt/core/fm_row_task.hpp>

namespace weft::bwt_cuda {

// detail::write_rows on that GPU, of a text with 1 symbol or more and at most 256 codes. Index: uint32_t
// (fewer than 2^31 symbols) or uint64_t.
//
// Time          that of the suffix sort (order_suffixes.hpp), and O(n) for all else.
// Memory        of the GPU, for n symbols in m segments: 2.1 n bytes, an index for each sample, 16 m, and
//               what the suffix sort takes, at least n / 8 a bit of a code and some MB. Of the host nothing
//               but the sections.
// Waits         for all it does.
// Throws        memory_error (also where the suffix sort does), device_error. Sections are then not written,
//               or in part.
template <class Index> void write_rows(const detail::fm_row_task<Index>& task, int gpu);

} // namespace weft::bwt_cuda
