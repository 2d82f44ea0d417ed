// From a number's type at run time to its C++ type.
#pragma once

#include <cstdint>
#include <weft/sort/core/number_key.hpp>

namespace weft::detail {

// Calls body(null pointer to the C++ type, ascending() or descending()).
template <class Body> void with_number(const number_type& type, const Body& body) {
  const auto in_order = [&](auto* null) {
    if (type.descending)
      body(null, descending());
    else
      body(null, ascending());
  };
  const auto of_width = [&](auto* whole, auto* negative) {
    if (type.kind == number_kind::signed_integer)
      in_order(negative);
    else
      in_order(whole);
  };
  if (type.kind == number_kind::floating && type.bytes == 4) return in_order(static_cast<float*>(nullptr));
  if (type.kind == number_kind::floating) return in_order(static_cast<double*>(nullptr));
  switch (type.bytes) {
  case 1:
    return of_width(static_cast<std::uint8_t*>(nullptr), static_cast<std::int8_t*>(nullptr));
  case 2:
    return of_width(static_cast<std::uint16_t*>(nullptr), static_cast<std::int16_t*>(nullptr));
  case 4:
    return of_width(static_cast<std::uint32_t*>(nullptr), static_cast<std::int32_t*>(nullptr));
  case 8:
    return of_width(static_cast<std::uint64_t*>(nullptr), static_cast<std::int64_t*>(nullptr));
  default:
    return of_width(static_cast<uint128*>(nullptr), static_cast<int128*>(nullptr));
  }
}

} // namespace weft::detail
