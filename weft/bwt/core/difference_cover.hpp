// A difference cover modulo 128: 13 residues such that every difference modulo 128 is the difference of two
// of them. For any two suffixes that agree in their first 128 symbols, there is therefore a distance below
// 128 such that both suffixes, moved forward by that distance, start at positions whose residues are in the
// cover. So the order of the suffixes at the covered positions (13 of 128) decides the order of all others.
//
// Source: Burkhardt & Karkkainen, CPM 2003, 55-69; Karkkainen, Theor. Comput. Sci. 387 (2007) 249-257. The
// residues were found by simulated annealing. Twelve residues have at most 132 differences, of which 127
// would have to be distinct.
#pragma once

#include <bit>
#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/bits.hpp>

namespace weft::bwt_detail {

inline constexpr std::uint32_t cover_period = 128, cover_size = 13;

// Returns residue `number` of the cover: 0, 1, 4, 10, 30, 51, 56, 67, 75, 93, 100, 115, 127. They are packed
// in seven bits each.
WEFT_HOST_DEVICE constexpr std::uint32_t cover_residue(std::uint32_t number) {
  constexpr std::uint64_t low = 0ULL | 1ULL << 7 | 4ULL << 14 | 10ULL << 21 | 30ULL << 28 | 51ULL << 35 |
                                56ULL << 42,
                          high =
                              67ULL | 75ULL << 7 | 93ULL << 14 | 100ULL << 21 | 115ULL << 28 | 127ULL << 35;
  return static_cast<std::uint32_t>((number < 7 ? low >> (7 * number) : high >> (7 * (number - 7))) & 127);
}

// Returns a bit mask of the residues of the cover that are less than 64 (half 0) or at least 64 (half 1).
inline constexpr auto cover_half = [](std::uint32_t half) {
  std::uint64_t mask = 0;
  for (std::uint32_t k = 0; k < cover_size; ++k)
    if (cover_residue(k) / 64 == half) mask |= std::uint64_t{1} << (cover_residue(k) % 64);
  return mask;
};
inline constexpr std::uint64_t cover_low = cover_half(0), cover_high = cover_half(1);

// Returns the membership bits of the 64 residues from `distance` on, modulo 128; `distance` is less than 128.
WEFT_HOST_DEVICE constexpr std::uint64_t cover_from(std::uint32_t distance) {
  const std::uint64_t first = distance < 64 ? cover_low : cover_high,
                      next = distance < 64 ? cover_high : cover_low;
  return distance % 64 == 0 ? first : first >> (distance % 64) | next << (64 - distance % 64);
}

WEFT_HOST_DEVICE constexpr bool in_cover(std::uint64_t position) {
  return ((position % cover_period < 64 ? cover_low : cover_high) >> (position % 64) & 1) != 0;
}

WEFT_HOST_DEVICE constexpr std::uint32_t cover_below(std::uint32_t residue) {
  const std::uint64_t below = (std::uint64_t{1} << (residue % 64)) - 1;
  return residue < 64 ? count_ones(cover_low & below)
                      : count_ones(cover_low) + count_ones(cover_high & below);
}

// Returns the number of covered positions before `position`; for a covered position, this is its own number.
// Position is uint32_t or uint64_t.
template <class Position> WEFT_HOST_DEVICE constexpr Position cover_number(Position position) {
  return position / cover_period * cover_size +
         cover_below(static_cast<std::uint32_t>(position % cover_period));
}
WEFT_HOST_DEVICE constexpr std::uint64_t cover_position(std::uint64_t number) {
  return number / cover_size * cover_period + cover_residue(static_cast<std::uint32_t>(number % cover_size));
}

// Returns the distance, less than 128, from a and b to a pair of covered positions: to the lowest residue r
// such that r and r + (b - a) are both in the cover.
template <class Position> WEFT_HOST_DEVICE constexpr Position cover_shift(Position a, Position b) {
  const auto difference = static_cast<std::uint32_t>((b - a) % cover_period);
  const std::uint64_t low = cover_low & cover_from(difference),
                      word = low != 0 ? low : cover_high & cover_from((difference + 64) % cover_period);
#if defined(__CUDA_ARCH__)
  const int first = __ffsll(static_cast<long long>(word)) - 1;
#else
  const int first = std::countr_zero(word);
#endif
  const int residue = low != 0 ? first : 64 + first;
  return (static_cast<Position>(residue) - a) % cover_period;
}

// Returns how many covered positions lie in the `shift` positions that begin at a position with residue
// `residue`; `shift` is less than 128.
WEFT_HOST_DEVICE constexpr std::uint32_t cover_steps(std::uint32_t residue, std::uint32_t shift) {
  return cover_number(residue + shift) - cover_number(residue);
}

} // namespace weft::bwt_detail
