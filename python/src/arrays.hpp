// Arrays and texts that Python passes, and the arrays that it gets back. Nothing is copied unless the header
// says so.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <weft/io/npy.hpp>

#include "call.hpp"
#include "number_types.hpp"

namespace weft::python {

// A NumPy array. Type checkers see numpy.ndarray.
class numpy_object : public nb::object {
  static bool is_array(PyObject* value) { return PyObject_HasAttrString(value, "__array_interface__") != 0; }

public:
  NB_OBJECT_DEFAULT(numpy_object, nb::object, "numpy.ndarray", is_array)
};

// An access says whether a function writes to an array.
enum class access { read, write };

// A set of types of numbers.
class type_set {
public:
  constexpr type_set(std::initializer_list<io::element_type> types) {
    for (const io::element_type type : types) bits_ |= bit(type);
  }
  [[nodiscard]] constexpr bool contains(io::element_type type) const { return (bits_ & bit(type)) != 0; }
  [[nodiscard]] constexpr type_set with(io::element_type type) const {
    type_set result = *this;
    result.bits_ |= bit(type);
    return result;
  }
  // Returns the names of the types, as NumPy has them.
  [[nodiscard]] std::string names() const;

private:
  static constexpr std::uint32_t bit(io::element_type type) { return 1U << static_cast<unsigned>(type); }
  std::uint32_t bits_ = 0;
};

// A one-dimensional array of numbers in the memory of the host or of a GPU. Contiguous, in the byte order of
// the machine.
struct array_argument {
  io::element_type type{};
  void* data = nullptr;
  std::uint64_t size = 0; // number of items
  int device = -1;        // CUDA index of the GPU that holds the items; -1: the host
  memory_owner kept;      // keeps the memory alive

  [[nodiscard]] bool on_gpu() const noexcept { return device >= 0; }
  // Returns the items, which must have the type.
  template <class T> [[nodiscard]] std::span<T> items() const {
    return {static_cast<T*>(data), static_cast<std::size_t>(size)};
  }
};

// Returns the array that `value` is: an object with the buffer protocol (NumPy, array.array, memoryview),
// with __dlpack__ or with __cuda_array_interface__. Copies a buffer that is not contiguous or not aligned, if
// it is only read; refuses other arrays that are not contiguous. Throws TypeError for an object of another
// kind and for other items than numbers of `accepted`, and ValueError for other dimensions than one, and for
// memory that cannot be written if `how` is write. `name` is that of the parameter. For an array on a GPU,
// work that was enqueued for it before comes before all work on the stream of `started`.
[[nodiscard]] array_argument read_array(nb::handle value, const char* name, type_set accepted, access how,
                                        const call& started);

// All types of numbers that can be sorted.
inline constexpr type_set number_types{io::element_type::u8,  io::element_type::u16, io::element_type::u32,
                                       io::element_type::u64, io::element_type::i8,  io::element_type::i16,
                                       io::element_type::i32, io::element_type::i64, io::element_type::f32,
                                       io::element_type::f64};

// A text_kind is the kind of object that a text was, so that the result can be of the same kind.
enum class text_kind { str, bytes, array };

// A text: symbols of 8, 16 or 32 bits.
struct text_argument {
  array_argument symbols;
  text_kind kind = text_kind::bytes;

  // Returns a text of bytes. Undefined for other symbols.
  [[nodiscard]] std::string_view bytes() const noexcept {
    return {static_cast<const char*>(symbols.data), static_cast<std::size_t>(symbols.size)};
  }
};

// Returns the text that `value` is: a str of ASCII characters, bytes, or an array of unsigned numbers of
// `accepted` (int8 and characters count as u8). Throws as read_array(), and ValueError for a str with other
// characters.
[[nodiscard]] text_argument read_text(nb::handle value, const char* name, type_set accepted,
                                      const call& started);

// Returns text[0, size) as an object of the kind: bytes for a str too, because a transform of a text need not
// be a str; a NumPy array of uint8 for an array, which takes over the memory.
[[nodiscard]] nb::object text_result(std::string text, text_kind kind);

// Returns a NumPy array that takes over the items.
template <class T, class Allocator> [[nodiscard]] numpy_object numpy_array(std::vector<T, Allocator> items) {
  using vector = std::vector<T, Allocator>;
  auto* const held = new vector(std::move(items));
  const nb::capsule owner(held, [](void* pointer) noexcept { delete static_cast<vector*>(pointer); });
  return nb::borrow<numpy_object>(nb::cast(nb::ndarray<nb::numpy, T>(held->data(), {held->size()}, owner)));
}

// Returns a new NumPy array of `size` items, and their memory.
[[nodiscard]] std::pair<nb::object, void*> new_numpy_array(io::element_type type, std::uint64_t size);

// Returns the type of numbers that DLPack describes, or nothing if they cannot be sorted.
[[nodiscard]] std::optional<io::element_type> element_type_of(nb::dlpack::dtype type);

// Keeps the memory of an array alive.
[[nodiscard]] memory_owner keep_alive(nb::ndarray<> array);

// Returns the NumPy name of a type: uint8 .. float64.
[[nodiscard]] const char* dtype_name(io::element_type type);

} // namespace weft::python
