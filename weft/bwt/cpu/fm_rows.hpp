// Writes, on the CPU, the sections of an FM-index that follow from the order of the suffixes.
#pragma once

#include <weft/bwt/core/fm_row_task.hpp>

namespace weft::detail {

// Writes the sections by means of the suffix array, on the host's threads. Takes an index a symbol and the
// marks of open rows; for alphabets other than DNA, later two codes a symbol.
template <class Index> void write_rows(const fm_row_task<Index>& task);

} // namespace weft::detail
