// The Python exceptions for the errors of the library.
#pragma once

namespace weft::python {

// Registers the translation of weft::error and what derives from it to the exceptions of weft._errors.
void register_errors();

} // namespace weft::python
