// ordered_bits of types that are known at run time only: numbers of any type as unsigned keys of a few
// widths, so that code compiled for a width sorts them all.
#pragma once

#include <concepts>
#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/sort/core/ordered_bits.hpp>

namespace weft {

enum class number_kind : std::uint8_t { unsigned_integer, signed_integer, floating };

struct number_type {
  std::uint32_t bytes; // 1, 2, 4, 8, 16; floating: 4, 8
  number_kind kind;
  bool descending; // the order that is asked for
};

template <number T> constexpr number_type number_type_of(bool descending) {
  return {sizeof(T),
          std::floating_point<T>                   ? number_kind::floating
          : static_cast<T>(-1) < static_cast<T>(0) ? number_kind::signed_integer
                                                   : number_kind::unsigned_integer,
          descending};
}

namespace detail {

// Bits are their own keys.
WEFT_HOST_DEVICE constexpr bool is_plain(const number_type& type) {
  return type.kind == number_kind::unsigned_integer && !type.descending;
}

template <class Key> WEFT_HOST_DEVICE constexpr Key sign_of(const number_type& type) {
  return static_cast<Key>(Key{1} << (8 * type.bytes - 1));
}
template <class Key> WEFT_HOST_DEVICE constexpr Key all_bits_of(const number_type& type) {
  return static_cast<Key>(sign_of<Key>(type) | (sign_of<Key>(type) - 1));
}

// A number's bits, zeros above, as a key: a before b in the type's order if and only if key_of(a) <
// key_of(b). Key: u32 (types of up to 32 bits), u64, uint128 (of just that width).
template <class Key> WEFT_HOST_DEVICE constexpr Key key_of(Key bits, const number_type& type) {
  Key key = bits;
  if (type.kind == number_kind::signed_integer) key = static_cast<Key>(bits ^ sign_of<Key>(type));
  if constexpr (sizeof(Key) == 4)
    if (type.kind == number_kind::floating) key = ordered_bits(__builtin_bit_cast(float, bits));
  if constexpr (sizeof(Key) == 8)
    if (type.kind == number_kind::floating) key = ordered_bits(__builtin_bit_cast(double, bits));
  return type.descending ? static_cast<Key>(key ^ all_bits_of<Key>(type)) : key;
}

// The bits whose key this is.
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

} // namespace detail
} // namespace weft
