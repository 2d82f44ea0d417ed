#include "bindings.hpp"

namespace weft::python {

void bind_bwt(nanobind::module_&) {}

} // namespace weft::python
