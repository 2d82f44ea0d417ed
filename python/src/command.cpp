#include "bindings.hpp"

namespace weft::python {

void bind_command(nanobind::module_&) {}

} // namespace weft::python
