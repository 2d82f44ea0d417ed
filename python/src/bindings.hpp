// The functions that add what a capability offers to the module, one for each source.
#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

void bind_device_array(nanobind::module_& module);
void bind_lcs(nanobind::module_& module);
void bind_sort(nanobind::module_& module);
void bind_sort_file(nanobind::module_& module);
void bind_bwt(nanobind::module_& module);
void bind_index(nanobind::module_& module);
void bind_scan(nanobind::module_& module);
void bind_sequence_files(nanobind::module_& module);
void bind_command(nanobind::module_& module);

} // namespace weft::python
