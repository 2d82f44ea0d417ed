// Reads and writes the headers of NumPy's .npy files (format 1.0, 2.0 and 3.0) for one-dimensional arrays of
// numbers.
//
//   const std::string header = weft::io::npy_header({weft::io::element_type::f64, 3});
//   header.size() % 64;                                                // == 0
//   const auto source = weft::io::memory_bytes(header, "three.npy");   // the items would come next
//   weft::io::read_npy_header(*source).count;                          // == 3
//
// Source: numpy.lib.format, "The NPY format".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <weft/io/byte_source.hpp>

namespace weft::io {

// The first bytes of every .npy file.
constexpr std::string_view npy_magic = "\x93NUMPY";

// Types of numbers: unsigned (u), signed (i), and IEEE 754 floating point (f), with their bits.
enum class element_type { u8, u16, u32, u64, i8, i16, i32, i64, i128, f32, f64 };

// Return the bytes of an item, and the name of its type: "u8" .. "f64".
[[nodiscard]] std::uint64_t size_of(element_type type) noexcept;
[[nodiscard]] std::string_view name_of(element_type type) noexcept;
// Returns the type with a name of "u8" .. "f64"; throws error(invalid_input) for any other name.
[[nodiscard]] element_type parse_element_type(std::string_view name);

// The content of a .npy header.
struct npy_array {
  // Type and number of the items.
  element_type type;
  std::uint64_t count;
};

// Returns the header of a one-dimensional little-endian array, which comes before the items; its size is a
// multiple of 64 bytes. Throws error(invalid_input) for i128, which the format does not have.
[[nodiscard]] std::string npy_header(const npy_array& array);

// Reads the header from a source, so that the items come next. Throws parse_error if the file is no .npy
// file, has several dimensions, big-endian numbers, or a type not in element_type. Does not check whether as
// many items follow as the header says.
[[nodiscard]] npy_array read_npy_header(byte_source& source);

} // namespace weft::io
