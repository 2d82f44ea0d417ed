// One-dimensional arrays of numbers as NumPy keeps them in .npy files (format 1.0, 2.0 and 3.0).
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

// What every such file begins with.
constexpr std::string_view npy_magic = "\x93NUMPY";

// Types of numbers: unsigned, signed, and IEEE 754.
enum class element_type { u8, u16, u32, u64, i8, i16, i32, i64, i128, f32, f64 };

// Bytes of an item, and "u8" .. "f64".
[[nodiscard]] std::uint64_t size_of(element_type type) noexcept; // bytes
[[nodiscard]] std::string_view name_of(element_type type) noexcept;
// "u8" .. "f64"; throws error(invalid_input).
[[nodiscard]] element_type parse_element_type(std::string_view name);

// What the header says.
struct npy_array {
  // Of the items, and how many there are.
  element_type type;
  std::uint64_t count; // items
};

// What stands before the items of a one-dimensional little-endian array; a multiple of 64 bytes. Throws
// error(invalid_input) for i128, which the format does not know.
[[nodiscard]] std::string npy_header(const npy_array& array);

// Reads that much of a source; the items come next. Throws parse_error if it is no .npy file, or one of
// several dimensions, big-endian numbers, or a type other than those above. Whether as many items follow as
// the header says is for the reader of the items to see.
[[nodiscard]] npy_array read_npy_header(byte_source& source);

} // namespace weft::io
