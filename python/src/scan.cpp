#include "bindings.hpp"

namespace weft::python {

void bind_scan(nanobind::module_&) {}

} // namespace weft::python
