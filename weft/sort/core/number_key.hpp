// Unsigned keys for numbers whose type is known only at run time. Numbers of every type become keys of a few
// widths, so that code compiled once for each width sorts them all.
#pragma once

#include <concepts>
#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/sort/core/ordered_bits.hpp>

namespace weft {

enum class number_kind : std::uint8_t { unsigned_integer, signed_integer, floating };

// The type of the numbers to sort, and the direction to sort them in.
struct number_type {
  std::uint32_t bytes; // 1, 2, 4, 8, 16; floating: 4, 8
  number_kind kind;
  bool descending; // whether greater numbers come first
};

template <number T> constexpr number_type number_type_of(bool descending) {
  return {sizeof(T),
          std::floating_point<T>                   ? number_kind::floating
          : static_cast<T>(-1) < static_cast<T>(0) ? number_kind::signed_integer
                                                   : number_kind::unsigned_integer,
          descending};
}

namespace sort_detail {

// Returns whether the bits of a number are already its key.
WEFT_HOST_DEVICE constexpr bool is_plain(const number_type& type) {
  return type.kind == number_kind::unsigned_integer && !type.descending;
}

// Returns a key in which only the sign bit of the type is set.
template <class Key> WEFT_HOST_DEVICE constexpr Key sign_of(const number_type& type) {
  return static_cast<Key>(Key{1} << (8 * type.bytes - 1));
}
// Returns a key in which exactly the bits of the type are set.
template <class Key> WEFT_HOST_DEVICE constexpr Key all_bits_of(const number_type& type) {
  return static_cast<Key>(sign_of<Key>(type) | (sign_of<Key>(type) - 1));
}

// Returns the key of the number that has these bits, extended by zeros: a comes before b in the type's order
// if and only if key_of(a) < key_of(b). Key is u32 for types of up to 32 bits, u64 for types of 64 bits, and
// uint128 for types of 128 bits.
template <class Key> WEFT_HOST_DEVICE constexpr Key key_of(Key bits, const number_type& type) {
  Key key = bits;
  if (type.kind == number_kind::signed_integer) key = static_cast<Key>(bits ^ sign_of<Key>(type));
  if constexpr (sizeof(Key) == 4)
    if (type.kind == number_kind::floating) key = ordered_bits(__builtin_bit_cast(float, bits));
  if constexpr (sizeof(Key) == 8)
    if (type.kind == number_kind::floating) key = ordered_bits(__builtin_bit_cast(double, bits));
  return type.descending ? static_cast<Key>(key ^ all_bits_of<Key>(type)) : key;
}

// Returns the bits of the number that has this key: the inverse of key_of.
template <class Key> WEFT_HOST_DEVICE constexpr Key bits_of_key(Key key, const number_type& type) {
  if (type.descending) key = static_cast<Key>(key ^ all_bits_of<Key>(type));
  if constexpr (sizeof(Key) == 4)
    if (type.kind == number_kind::floating)
      return __builtin_bit_cast(Key, number_of_ordered_bits<float>(key));
  if constexpr (sizeof(Key) == 8)
    if (type.kind == number_kind::floating)
      return __builtin_bit_cast(Key, number_of_ordered_bits<double>(key));
  return type.kind == number_kind::signed_integer ? static_cast<Key>(key ^ sign_of<Key>(type)) : key;
}

// Calls body(pointer, comparator): a type_tag pointer to the C++ type, and ascending() or descending().
template <class Body> void with_number(const number_type& type, const Body& body) {
  const auto call_in_order = [&](auto* type_tag) {
    if (type.descending)
      body(type_tag, descending());
    else
      body(type_tag, ascending());
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

} // namespace sort_detail
} // namespace weft
