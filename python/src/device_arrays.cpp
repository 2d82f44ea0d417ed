#include "device_arrays.hpp"

#include <fmt/format.h>
#include <weft/base/error.hpp>

namespace weft::python {

bool is_device_array(nb::handle value) {
  if (nb::hasattr(value, "__cuda_array_interface__"))
    return true; // CuPy's arrays have a buffer too, which fails
  if (PyObject_CheckBuffer(value.ptr()) != 0) return false;
  if (!nb::hasattr(value, "__dlpack_device__")) return false;
  int kind = 0;
  try {
    kind = nb::cast<int>(nb::object(value.attr("__dlpack_device__")())[0]);
  } catch (const nb::python_error&) { // Arrow arrays of strings have no DLPack form
    return false;
  }
  return kind == nb::device::cuda::value || kind == nb::device::cuda_managed::value;
}

void refuse_device_array(const char* function) {
  throw unavailable_error(
      fmt::format("{} does not accept arrays in the memory of a GPU: copy them to the host first", function));
}

} // namespace weft::python
