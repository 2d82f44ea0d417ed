// Maps the type of numbers that is known at run time to a C++ type.
#pragma once

#include <cstdint>
#include <weft/sort/core/number_key.hpp>

namespace weft::detail {

// Calls body(pointer, comparator): a null pointer to the C++ type, and ascending() or descending().
template <class Body> void with_number(const number_type& type, const Body& body) {
  const auto call_in_order = [&](auto* null) {
    if (type.descending)
      body(null, descending());
    else
      body(null, ascending());
  };
  const auto call_integer = [&](auto* unsigned_null, auto* signed_null) {
    if (type.kind == number_kind::signed_integer)
      call_in_order(signed_null);
    else
      call_in_order(unsigned_null);
  };
  if (type.kind == number_kind::floating && type.bytes == 4)
    return call_in_order(static_cast<float*>(nullptr));
  if (type.kind == number_kind::floating) return call_in_order(static_cast<double*>(nullptr));
  switch (type.bytes) {
  case 1:
    return call_integer(static_cast<std::uint8_t*>(nullptr), static_cast<std::int8_t*>(nullptr));
  case 2:
    return call_integer(static_cast<std::uint16_t*>(nullptr), static_cast<std::int16_t*>(nullptr));
  case 4:
    return call_integer(static_cast<std::uint32_t*>(nullptr), static_cast<std::int32_t*>(nullptr));
  case 8:
    return call_integer(static_cast<std::uint64_t*>(nullptr), static_cast<std::int64_t*>(nullptr));
  default:
    return call_integer(static_cast<uint128*>(nullptr), static_cast<int128*>(nullptr));
  }
}

} // namespace weft::detail
