// Residues modulo 64 such that every difference modulo 64 is one of two of them: of any two suffixes that
// agree in their first 64 symbols, some less than 64 symbols further on both stand at such residues. So the
// order of the suffixes at these positions, 9 of 64, decides all others.
//
// Source: Burkhardt & Karkkainen, CPM 2003, 55-69; Karkkainen, Theor. Comput. Sci. 387 (2007) 249-257.
#pragma once

#include <bit>
#include <cstdint>
#include <weft/base/host_device.hpp>

namespace weft::bwt_core {

inline constexpr std::uint32_t cover_period = 64, cover_size = 9;

// Residue `number` of the cover: 0, 1, 2, 5, 14, 16, 34, 42, 59; six bits each.
WEFT_HOST_DEVICE constexpr std::uint32_t cover_residue(std::uint32_t number) {
  constexpr std::uint64_t residues = 0ULL | 1ULL << 6 | 2ULL << 12 | 5ULL << 18 | 14ULL << 24 | 16ULL << 30 |
                                     34ULL << 36 | 42ULL << 42 | 59ULL << 48;
  return static_cast<std::uint32_t>(residues >> (6 * number) & 63);
}

inline constexpr std::uint64_t cover_mask = [] {
  std::uint64_t mask = 0;
  for (std::uint32_t k = 0; k < cover_size; ++k) mask |= std::uint64_t{1} << cover_residue(k);
  return mask;
}();

WEFT_HOST_DEVICE constexpr bool in_cover(std::uint64_t position) {
  return (cover_mask >> (position % cover_period) & 1) != 0;
}

WEFT_HOST_DEVICE constexpr std::uint32_t cover_below(std::uint32_t residue) {
  const std::uint64_t below = cover_mask & ((std::uint64_t{1} << residue) - 1);
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__popcll(static_cast<long long>(below)));
#else
  return static_cast<std::uint32_t>(std::popcount(below));
#endif
}

// The number of a position in the cover, or how many of its positions are before. Position: uint32_t or
// uint64_t.
template <class Position> WEFT_HOST_DEVICE constexpr Position cover_number(Position position) {
  return position / cover_period * cover_size +
         cover_below(static_cast<std::uint32_t>(position % cover_period));
}
WEFT_HOST_DEVICE constexpr std::uint64_t cover_position(std::uint64_t number) {
  return number / cover_size * cover_period + cover_residue(static_cast<std::uint32_t>(number % cover_size));
}

// How far behind a and b, less than a period, both positions are in the cover: to the lowest residue r such
// that r and r + (b - a) are.
template <class Position> WEFT_HOST_DEVICE constexpr Position cover_shift(Position a, Position b) {
  const auto difference = static_cast<int>((b - a) % cover_period);
  const std::uint64_t back =
      difference == 0 ? cover_mask : cover_mask >> difference | cover_mask << (cover_period - difference);
#if defined(__CUDA_ARCH__)
  const int residue = __ffsll(static_cast<long long>(cover_mask & back)) - 1;
#else
  const int residue = std::countr_zero(cover_mask & back);
#endif
  return (static_cast<Position>(residue) - a) % cover_period;
}

// How many positions of the cover there are from a position of this residue to `shift` further on, less than
// a period.
WEFT_HOST_DEVICE constexpr std::uint32_t cover_steps(std::uint32_t residue, std::uint32_t shift) {
  return cover_number(residue + shift) - cover_number(residue);
}

} // namespace weft::bwt_core
