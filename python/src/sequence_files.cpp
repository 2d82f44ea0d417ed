#include "bindings.hpp"

namespace weft::python {

void bind_sequence_files(nanobind::module_&) {}

} // namespace weft::python
