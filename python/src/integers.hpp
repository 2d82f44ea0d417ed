// Integers that Python passes.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <nanobind/nanobind.h>

namespace weft::python {

namespace nb = nanobind;

// Returns the number that `value` is: an int, or an object with __index__ such as a number of NumPy. Throws
// TypeError for other objects, and ValueError for a number that is negative or exceeds `max`. `name` is that
// of the parameter.
[[nodiscard]] inline std::uint64_t read_integer(nb::handle value, const char* name,
                                                std::uint64_t max = ~std::uint64_t{0}) {
  const nb::object number = nb::steal(PyNumber_Index(value.ptr()));
  if (!number.is_valid()) {
    PyErr_Clear();
    const nb::object type = nb::handle(value.type()).attr("__name__");
    throw nb::type_error(fmt::format("{} must be an int, not {}", name, nb::str(type).c_str()).c_str());
  }
  const unsigned long long result = PyLong_AsUnsignedLongLong(number.ptr());
  const bool is_out_of_range = PyErr_Occurred() != nullptr;
  PyErr_Clear();
  if (is_out_of_range || result > max)
    throw nb::value_error(fmt::format("{} must be from 0 to {}", name, max).c_str());
  return result;
}

} // namespace weft::python
