#include "errors.hpp"

#include <exception>
#include <nanobind/nanobind.h>
#include <new>
#include <typeinfo>
#include <weft/base/error.hpp>

#include "names.hpp"

namespace weft::python {

namespace nb = nanobind;

namespace {

// Sets the Python exception that weft._errors.NAME(arguments...) returns.
template <class... Arguments> void set_error(const char* name, Arguments... arguments) {
  try {
    const nb::object error = nb::module_::import_("weft._errors").attr(name)(arguments...);
    PyErr_SetObject(nb::handle(error.type()).ptr(), error.ptr());
  } catch (nb::python_error& failure) {
    failure.restore();
  }
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const parse_error& error) {
    set_error("ParseError", str_of(error.what()), str_of(error.source()), error.line(), error.column());
  } catch (const io_error& error) {
    set_error("file_error", error.error_number(), str_of(error.what()));
  } catch (const unavailable_error& error) {
    set_error("UnavailableError", str_of(error.what()));
  } catch (const memory_error& error) {
    set_error("OutOfMemoryError", str_of(error.what()));
  } catch (const device_error& error) {
    set_error("DeviceError", str_of(error.what()), error.cuda_error());
  } catch (const cancelled_error& error) {
    PyErr_SetString(PyExc_KeyboardInterrupt, error.what());
  } catch (const error& error) {
    set_error("InputError", str_of(error.what()));
  } catch (const std::bad_alloc&) {
    set_error("OutOfMemoryError", "the memory of this machine is used up");
  } catch (const std::bad_cast&) {
    PyErr_SetString(PyExc_TypeError, "an argument, or an attribute of one, has the wrong type");
  }
  // Everything else passes on to nanobind: std::invalid_argument is ValueError.
}

} // namespace

void register_errors() { nb::register_exception_translator(translate, nullptr); }

} // namespace weft::python
