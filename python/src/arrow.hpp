// Strings in the format of Apache Arrow, which PyArrow, polars, pandas and DuckDB pass as PyCapsules.
//
// Sources: The Arrow C data interface, The Arrow C stream interface and The Arrow PyCapsule interface
// (https://arrow.apache.org/docs/format/CDataInterface.html).
#pragma once

#include "sequences.hpp"

namespace weft::python {

// Returns whether `value` offers its items as Arrow arrays.
[[nodiscard]] bool is_arrow(nb::handle value);

// Returns the strings of an Arrow array or of a stream of arrays. Throws as read_sequences().
[[nodiscard]] sequences_argument read_arrow(nb::handle value, const char* name);

} // namespace weft::python
