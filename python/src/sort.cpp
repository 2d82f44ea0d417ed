#include "bindings.hpp"

namespace weft::python {

void bind_sort(nanobind::module_&) {}

} // namespace weft::python
