// Sections of an FM-index that follow from the order of the suffixes, on the CPU.
#pragma once

#include <weft/bwt/core/fm_row_task.hpp>

namespace weft::detail {

// By the suffix array, on the host's threads. Memory: an index a symbol and the marks of open rows; of other
// alphabets than DNA then two codes a symbol.
template <class Index> void write_rows(const fm_row_task<Index>& task);

} // namespace weft::detail
