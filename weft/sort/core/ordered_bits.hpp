// Numbers as unsigned keys in the same order.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <weft/base/host_device.hpp>

namespace weft {

__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

// Integers of 8 to 128 bits, and IEEE 754 numbers of 32 and 64 bits.
template <class T>
concept number = (std::integral<T> && !std::same_as<std::remove_cv_t<T>, bool>) ||
                 std::same_as<std::remove_cv_t<T>, uint128> || std::same_as<std::remove_cv_t<T>, int128> ||
                 std::same_as<std::remove_cv_t<T>, float> || std::same_as<std::remove_cv_t<T>, double>;

namespace detail {
template <std::size_t Bytes> struct unsigned_of;
template <> struct unsigned_of<1> { using type = std::uint8_t; };
template <> struct unsigned_of<2> { using type = std::uint16_t; };
template <> struct unsigned_of<4> { using type = std::uint32_t; };
template <> struct unsigned_of<8> { using type = std::uint64_t; };
template <> struct unsigned_of<16> { using type = uint128; };
} // namespace detail

template <number T> using ordered_bits_t = typename detail::unsigned_of<sizeof(T)>::type;

// a before b if and only if ordered_bits(a) < ordered_bits(b): integers by value; floating point as -inf ..
// -0, +0 .. +inf, then NaNs of sign 0 by payload, then NaNs of sign 1 (IEEE 754 totalOrder, but for the last,
// which it puts first). Distinct bits give distinct keys.
template <number T> WEFT_HOST_DEVICE constexpr ordered_bits_t<T> ordered_bits(T value) noexcept {
  using bits_type = ordered_bits_t<T>;
  constexpr bits_type sign = static_cast<bits_type>(bits_type{1} << (sizeof(T) * 8 - 1));
  if constexpr (std::floating_point<T>) {
    constexpr bits_type negative_nans =
        static_cast<bits_type>((bits_type{1} << (sizeof(T) == 8 ? 52 : 23)) - 1);
    const auto bits = __builtin_bit_cast(bits_type, value); // std::bit_cast is not for the device
    const bits_type total = (bits & sign) != 0 ? static_cast<bits_type>(~bits) : (bits | sign);
    return static_cast<bits_type>(total - negative_nans); // turns the first keys round to the end
  } else {
    const auto bits = static_cast<bits_type>(value);
    return static_cast<T>(-1) < static_cast<T>(0) ? static_cast<bits_type>(bits ^ sign) : bits;
  }
}

// The number whose ordered_bits these are.
template <number T> WEFT_HOST_DEVICE constexpr T number_of_ordered_bits(ordered_bits_t<T> bits) noexcept {
  using bits_type = ordered_bits_t<T>;
  constexpr bits_type sign = static_cast<bits_type>(bits_type{1} << (sizeof(T) * 8 - 1));
  if constexpr (std::floating_point<T>) {
    constexpr bits_type negative_nans =
        static_cast<bits_type>((bits_type{1} << (sizeof(T) == 8 ? 52 : 23)) - 1);
    const auto total = static_cast<bits_type>(bits + negative_nans);
    const auto own = static_cast<bits_type>((total & sign) != 0 ? total ^ sign : ~total);
    return __builtin_bit_cast(T, own);
  } else {
    return static_cast<T>(static_cast<T>(-1) < static_cast<T>(0) ? static_cast<bits_type>(bits ^ sign)
                                                                 : bits);
  }
}

// The comparators that engines know: for numbers the order of ordered_bits, for other types that of <.
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
