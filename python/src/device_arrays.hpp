// Arrays in the memory of a GPU that Python passes.
#pragma once

#include "arrays.hpp"

namespace weft::python {

// Returns whether `value` says that it is an array in the memory of a GPU.
[[nodiscard]] bool is_device_array(nb::handle value);

// Returns the array in the memory of a GPU that `value` is; see read_array(). Throws UnavailableError if this
// library cannot use a GPU on this machine.
[[nodiscard]] array_argument read_device_array(nb::handle value, const char* name, access how,
                                               const call& started);

// Throws UnavailableError: `function` has no form for arrays in the memory of a GPU.
[[noreturn]] void refuse_device_array(const char* function);

} // namespace weft::python
