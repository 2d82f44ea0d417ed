// Columns of results: records of the library as NumPy's structured arrays, whose types weft._dtypes defines.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "arrays.hpp"

namespace weft::python {

// Returns a structured array that takes over the records. `dtype` is the name of their type in weft._dtypes.
template <class T, class Allocator>
[[nodiscard]] numpy_object structured_array(std::vector<T, Allocator> records, const char* dtype) {
  static_assert(std::is_trivially_copyable_v<T>);
  using vector = std::vector<T, Allocator>;
  auto* const held = new vector(std::move(records));
  const nb::capsule owner(held, [](void* pointer) noexcept { delete static_cast<vector*>(pointer); });
  const nb::object bytes = nb::cast(nb::ndarray<nb::numpy, std::uint8_t>(
      reinterpret_cast<std::uint8_t*>(held->data()), {held->size() * sizeof(T)}, owner));
  return nb::borrow<numpy_object>(bytes.attr("view")(nb::module_::import_("weft._dtypes").attr(dtype)));
}

// Returns the records of a structured array that structured_array() made.
template <class T> [[nodiscard]] std::vector<T> records_of(nb::handle array) {
  const nb::object contiguous = nb::module_::import_("numpy").attr("ascontiguousarray")(array);
  const nb::object view = contiguous.attr("view")("u1");
  nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig> bytes;
  if (!nb::try_cast(view, bytes) || bytes.size() % sizeof(T) != 0)
    throw nb::value_error("the records must have the type of those that weft returned");
  std::vector<T> records(bytes.size() / sizeof(T));
  if (!records.empty()) std::memcpy(records.data(), bytes.data(), bytes.size());
  return records;
}

// A run of a path with its positions, as in difflib.
struct opcode_record {
  char op;
  std::uint64_t a_begin, a_end = 0, b_begin, b_end = 0;
};

} // namespace weft::python
