// Where groups begin, as bits: bit i of the lowest of three levels says that slot i begins a group; a bit of
// a higher level says that a word of the level below is not 0. So the next and the last begin are found from
// any slot in a few reads, however large the groups are.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/bits.hpp>

namespace weft::bwt_core {

inline constexpr int head_levels = 3;

// A view. Slots are [0, size); the bit behind the last is set as well.
struct head_bits {
  std::uint64_t* level[head_levels];
  std::uint64_t size;

  // Words of a level, so many slots.
  WEFT_HOST_DEVICE static constexpr std::uint64_t words(std::uint64_t size, int of_level) {
    std::uint64_t count = size + 1;
    for (int i = 0; i <= of_level; ++i) count = (count + 63) / 64;
    return count;
  }
  WEFT_HOST_DEVICE bool at(std::uint64_t slot) const { return (level[0][slot / 64] >> (slot % 64) & 1) != 0; }

  // The first begin at the slot or behind it; slot <= size.
  WEFT_HOST_DEVICE std::uint64_t next(std::uint64_t slot) const {
    std::uint64_t at = slot;
    for (int i = 0; i < head_levels; ++i) {
      const std::uint64_t word = at / 64 < words(size, i) ? level[i][at / 64] >> (at % 64) : 0;
      if (word != 0) return down(i, at + static_cast<std::uint64_t>(lowest_one(word)), true);
      at = at / 64 + 1;
    }
    while (level[head_levels - 1][at] == 0) ++at; // there is one
    return down(head_levels, at, true);
  }
  // The last begin at the slot or before it. There is one: slot 0 begins a group.
  WEFT_HOST_DEVICE std::uint64_t last(std::uint64_t slot) const {
    std::uint64_t at = slot + 1; // all before this
    for (int i = 0; i < head_levels; ++i) {
      const std::uint64_t word = at % 64 == 0 ? 0 : level[i][at / 64] & ((std::uint64_t{1} << (at % 64)) - 1);
      if (word != 0) return down(i, at / 64 * 64 + static_cast<std::uint64_t>(highest_one(word)), false);
      at /= 64;
    }
    while (level[head_levels - 1][at - 1] == 0) --at;
    return down(head_levels, at - 1, false);
  }

private:
  // The first or last slot below a bit that is set, of a level or, above the last, of none: a word of it that
  // is not 0.
  WEFT_HOST_DEVICE std::uint64_t down(int from, std::uint64_t bit, bool first) const {
    for (int i = from; i-- > 0;)
      bit = bit * 64 +
            static_cast<std::uint64_t>(first ? lowest_one(level[i][bit]) : highest_one(level[i][bit]));
    return bit;
  }
};

} // namespace weft::bwt_core
