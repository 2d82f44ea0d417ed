// Converts a type of numbers that is known at run time to a type of C++. nvcc compiles this header too.
#pragma once

#include <cstdint>
#include <weft/io/npy.hpp>

namespace weft::python {

// Calls body with a value of the type of the numbers: body(std::uint8_t{}) .. body(double{}). Python has no
// numbers of 128 bits.
template <class Body> decltype(auto) with_number_type(io::element_type type, Body body) {
  switch (type) {
  case io::element_type::u8:
    return body(std::uint8_t{});
  case io::element_type::u16:
    return body(std::uint16_t{});
  case io::element_type::u32:
    return body(std::uint32_t{});
  case io::element_type::u64:
    return body(std::uint64_t{});
  case io::element_type::i8:
    return body(std::int8_t{});
  case io::element_type::i16:
    return body(std::int16_t{});
  case io::element_type::i32:
    return body(std::int32_t{});
  case io::element_type::i64:
    return body(std::int64_t{});
  case io::element_type::f32:
    return body(float{});
  default:
    return body(double{});
  }
}

} // namespace weft::python
