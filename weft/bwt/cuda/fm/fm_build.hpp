// Builds the sections of an FM-index on a GPU from the coded text. Writes the same bytes as cpu/fm_rows.hpp.
#pragma once

#include <weft/bwt/core/fm_row_task.hpp>

namespace weft::bwt_cuda {

// Does what detail::write_rows does, on the given GPU, for a text with 1 symbol or more and at most 256
// codes. Index: uint32_t (fewer than 2^31 symbols) or uint64_t.
//
// Time          that of the suffix sort (order_suffixes.hpp), and O(n) for the other steps.
// Memory        of the GPU, for n symbols in m segments: 2.1 n bytes, one index for each sample, 16 m bytes,
//               and the memory of the suffix sort, at least n / 8 for each bit of a code and some MB. Of the
//               host: only the sections.
// Waits         for all work that it enqueues.
// Throws        memory_error (also if the suffix sort does), device_error. The sections are then unwritten or
//               partially written.
template <class Index> void write_rows(const detail::fm_row_task<Index>& task, int gpu);

} // namespace weft::bwt_cuda
