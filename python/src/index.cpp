#include "bindings.hpp"

namespace weft::python {

void bind_index(nanobind::module_&) {}

} // namespace weft::python
