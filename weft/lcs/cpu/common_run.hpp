// Finds how far two texts agree, forwards or backwards, eight bytes at a time.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <weft/lcs/entry/call.hpp>

namespace weft::lcs_detail {

inline std::uint64_t load_difference(const void* a, const void* b) {
  std::uint64_t x = 0, y = 0;
  std::memcpy(&x, a, sizeof x);
  std::memcpy(&y, b, sizeof y);
  return x ^ y;
}
inline int equal_low_bits(std::uint64_t x) {
  return std::endian::native == std::endian::little ? std::countr_zero(x) : std::countl_zero(x);
}
inline int equal_high_bits(std::uint64_t x) {
  return std::endian::native == std::endian::little ? std::countl_zero(x) : std::countr_zero(x);
}

// Returns the largest r <= limit with a[0..r) = b[0..r).
template <class Symbol> std::uint64_t common_prefix(const Symbol* a, const Symbol* b, std::uint64_t limit) {
  constexpr std::uint64_t step = sizeof(std::uint64_t) / sizeof(Symbol);
  std::uint64_t r = 0;
  for (; r + step <= limit; r += step)
    if (const std::uint64_t x = load_difference(a + r, b + r))
      return r + static_cast<std::uint64_t>(equal_low_bits(x)) / (8 * sizeof(Symbol));
  while (r < limit && a[r] == b[r]) ++r;
  return r;
}

// Returns the largest r <= limit with a[-r..0) = b[-r..0). `a` and `b` point past the ends of the texts.
template <class Symbol> std::uint64_t common_suffix(const Symbol* a, const Symbol* b, std::uint64_t limit) {
  constexpr std::uint64_t step = sizeof(std::uint64_t) / sizeof(Symbol);
  std::uint64_t r = 0;
  for (; r + step <= limit; r += step)
    if (const std::uint64_t x = load_difference(a - r - step, b - r - step))
      return r + static_cast<std::uint64_t>(equal_high_bits(x)) / (8 * sizeof(Symbol));
  while (r < limit && *(a - r - 1) == *(b - r - 1)) ++r;
  return r;
}

// Compares symbols by their values.
struct equal_symbols {
  template <class Symbol> std::uint64_t prefix(const Symbol* a, const Symbol* b, std::uint64_t limit) const {
    return common_prefix(a, b, limit);
  }
  template <class Symbol> std::uint64_t suffix(const Symbol* a, const Symbol* b, std::uint64_t limit) const {
    return common_suffix(a, b, limit);
  }
};

// Compares bytes, some of which are wildcards that equal every byte.
struct equal_or_wild {
  const byte_set* wildcards;

  std::uint64_t prefix(const std::uint8_t* a, const std::uint8_t* b, std::uint64_t limit) const {
    std::uint64_t r = 0;
    for (;; ++r) {
      r += common_prefix(a + r, b + r, limit - r);
      if (r == limit || !(wildcards->contains(a[r]) || wildcards->contains(b[r]))) return r;
    }
  }
  std::uint64_t suffix(const std::uint8_t* a, const std::uint8_t* b, std::uint64_t limit) const {
    std::uint64_t r = 0;
    for (;; ++r) {
      r += common_suffix(a - r, b - r, limit - r);
      if (r == limit || !(wildcards->contains(*(a - r - 1)) || wildcards->contains(*(b - r - 1)))) return r;
    }
  }
};

} // namespace weft::lcs_detail
