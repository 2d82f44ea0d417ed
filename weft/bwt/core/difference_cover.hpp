// Residues modulo 32 such that every difference modulo 32 is one of two of them: of any two suffixes that
// agree in their first 32 symbols, some less than 32 symbols further on both stand at such residues. So the
// order of the suffixes at these positions, 7 of 32, decides all others.
//
// Source: Burkhardt & Karkkainen, CPM 2003, 55-69; Karkkainen, Theor. Comput. Sci. 387 (2007) 249-257.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>

namespace weft::bwt_core {

inline constexpr std::uint64_t cover_period = 32, cover_size = 7;

// Residue `number` of the cover. (Tables in words: constants on the device as well.)
WEFT_HOST_DEVICE constexpr std::uint64_t cover_residue(std::uint64_t number) {
  return 0x130b0703020100ULL >> (8 * number) & 0xff;
}

inline constexpr std::uint32_t cover_mask =
    1U << 0 | 1U << 1 | 1U << 2 | 1U << 3 | 1U << 7 | 1U << 11 | 1U << 19;

WEFT_HOST_DEVICE constexpr bool in_cover(std::uint64_t position) {
  return (cover_mask >> (position % cover_period) & 1) != 0;
}

// How many positions below `size` are in the cover.
WEFT_HOST_DEVICE constexpr std::uint64_t cover_positions(std::uint64_t size) {
  std::uint64_t count = size / cover_period * cover_size;
  for (std::uint64_t i = 0; i < size % cover_period; ++i) count += in_cover(i) ? 1 : 0;
  return count;
}

WEFT_HOST_DEVICE constexpr std::uint64_t cover_position(std::uint64_t number) {
  return number / cover_size * cover_period + cover_residue(number % cover_size);
}

WEFT_HOST_DEVICE constexpr int ones_below(std::uint32_t mask, std::uint64_t bit) {
  mask &= (1U << bit) - 1;
#if defined(__CUDA_ARCH__)
  return __popc(mask);
#else
  return __builtin_popcount(mask);
#endif
}

// The number of a position in the cover. Position: uint32_t or uint64_t.
template <class Position> WEFT_HOST_DEVICE constexpr Position cover_number(Position position) {
  return position / static_cast<Position>(cover_period) * static_cast<Position>(cover_size) +
         static_cast<Position>(ones_below(cover_mask, position % cover_period));
}

// A residue r of the cover such that r + difference is one, too; 5 bits for each difference.
struct cover_shifts {
  std::uint64_t words[3] = {}; // of 12 differences each
  constexpr cover_shifts() {
    for (std::uint64_t difference = 0; difference < cover_period; ++difference)
      for (std::uint64_t k = cover_size; k-- > 0;)
        if (in_cover(cover_residue(k) + difference)) {
          words[difference / 12] &= ~(std::uint64_t{31} << (5 * (difference % 12)));
          words[difference / 12] |= cover_residue(k) << (5 * (difference % 12));
        }
  }
};

// How far behind a and b, less than 32 symbols, both positions are in the cover.
template <class Position> WEFT_HOST_DEVICE constexpr Position cover_shift(Position a, Position b) {
  constexpr cover_shifts shifts;
  const Position difference = (b - a) % static_cast<Position>(cover_period);
  const std::uint64_t word = difference < 12   ? shifts.words[0]
                             : difference < 24 ? shifts.words[1]
                                               : shifts.words[2];
  return (static_cast<Position>(word >> (5 * (difference % 12)) & 31) - a) %
         static_cast<Position>(cover_period);
}

// How many positions of the cover there are from a position of this residue to `shift` further on, less than
// a period.
WEFT_HOST_DEVICE constexpr std::uint32_t cover_steps(std::uint32_t residue, std::uint32_t shift) {
  return cover_number(residue + shift) - cover_number(residue);
}

} // namespace weft::bwt_core
