// Maps numbers to unsigned keys that have the same order.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <weft/base/host_device.hpp>

namespace weft {

__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

// The integers of 8 to 128 bits, except bool, and the IEEE 754 numbers of 32 and 64 bits.
template <class T>
concept number = (std::integral<T> && !std::same_as<std::remove_cv_t<T>, bool>) ||
                 std::same_as<std::remove_cv_t<T>, uint128> || std::same_as<std::remove_cv_t<T>, int128> ||
                 std::same_as<std::remove_cv_t<T>, float> || std::same_as<std::remove_cv_t<T>, double>;

namespace sort_detail {
template <std::size_t Bytes> struct unsigned_of;
template <> struct unsigned_of<1> { using type = std::uint8_t; };
template <> struct unsigned_of<2> { using type = std::uint16_t; };
template <> struct unsigned_of<4> { using type = std::uint32_t; };
template <> struct unsigned_of<8> { using type = std::uint64_t; };
template <> struct unsigned_of<16> { using type = uint128; };
} // namespace sort_detail

template <number T> using ordered_bits_t = typename sort_detail::unsigned_of<sizeof(T)>::type;

// Returns the key of a number: a comes before b if and only if ordered_bits(a) < ordered_bits(b). Integers
// are ordered by value. Floating-point numbers are ordered -inf .. -0, +0 .. +inf, then NaNs of sign 0 by
// payload, then NaNs of sign 1 (IEEE 754 totalOrder, except that totalOrder puts NaNs of sign 1 first).
// Distinct bits give distinct keys.
template <number T> WEFT_HOST_DEVICE constexpr ordered_bits_t<T> ordered_bits(T value) noexcept {
  using bits_type = ordered_bits_t<T>;
  constexpr bits_type sign = static_cast<bits_type>(bits_type{1} << (sizeof(T) * 8 - 1));
  if constexpr (std::floating_point<T>) {
    constexpr bits_type negative_nans =
        static_cast<bits_type>((bits_type{1} << (sizeof(T) == 8 ? 52 : 23)) - 1);
    const auto bits = __builtin_bit_cast(bits_type, value); // std::bit_cast is not available in device code
    const bits_type ordered = (bits & sign) != 0 ? static_cast<bits_type>(~bits) : (bits | sign);
    return static_cast<bits_type>(ordered - negative_nans); // wraps NaNs of sign 1 to the end
  } else {
    const auto bits = static_cast<bits_type>(value);
    return static_cast<T>(-1) < static_cast<T>(0) ? static_cast<bits_type>(bits ^ sign) : bits;
  }
}

// Returns the number that has this key: the inverse of ordered_bits.
template <number T> WEFT_HOST_DEVICE constexpr T number_of_ordered_bits(ordered_bits_t<T> bits) noexcept {
  using bits_type = ordered_bits_t<T>;
  constexpr bits_type sign = static_cast<bits_type>(bits_type{1} << (sizeof(T) * 8 - 1));
  if constexpr (std::floating_point<T>) {
    constexpr bits_type negative_nans =
        static_cast<bits_type>((bits_type{1} << (sizeof(T) == 8 ? 52 : 23)) - 1);
    const auto ordered = static_cast<bits_type>(bits + negative_nans);
    const auto original_bits = static_cast<bits_type>((ordered & sign) != 0 ? ordered ^ sign : ~ordered);
    return __builtin_bit_cast(T, original_bits);
  } else {
    return static_cast<T>(static_cast<T>(-1) < static_cast<T>(0) ? static_cast<bits_type>(bits ^ sign)
                                                                 : bits);
  }
}

// The comparators that the engines recognize. They order numbers by ordered_bits, and other types by <.
struct ascending {
  template <class T> WEFT_HOST_DEVICE constexpr bool operator()(const T& a, const T& b) const {
    if constexpr (std::floating_point<T>)
      return ordered_bits(a) < ordered_bits(b);
    else
      return a < b;
  }
};
struct descending {
  template <class T> WEFT_HOST_DEVICE constexpr bool operator()(const T& a, const T& b) const {
    return ascending()(b, a);
  }
};

} // namespace weft
