// The extension module weft._core. Its functions are called by the package alone, which documents them.
#include <nanobind/nanobind.h>
#include <weft/base/version.hpp>

#include "bindings.hpp"
#include "call.hpp"
#include "errors.hpp"

NB_MODULE(_core, module) {
  namespace python = weft::python;
  module.attr("__version__") = WEFT_VERSION;
  nanobind::set_leak_warnings(
      false); // objects that other modules hold when the interpreter ends are not lost
  python::register_errors();
  python::note_end_of_interpreter();
  python::bind_device_array(module);
  python::bind_lcs(module);
  python::bind_sort(module);
  python::bind_sort_file(module);
  python::bind_bwt(module);
  python::bind_index(module);
  python::bind_scan(module);
  python::bind_sequence_files(module);
  python::bind_command(module);
}
