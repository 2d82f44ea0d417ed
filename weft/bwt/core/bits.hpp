// Bit operations on 64-bit words, and a bit set of the slots at which groups begin, for the host and for a
// device.
#pragma once

#include <bit>
#include <cstdint>
#include <weft/base/host_device.hpp>

namespace weft::bwt_detail {

// Return the index of the lowest and of the highest set bit. The word must not be 0.
WEFT_HOST_DEVICE constexpr int lowest_one(std::uint64_t word) {
#if defined(__CUDA_ARCH__)
  return __ffsll(static_cast<long long>(word)) - 1;
#else
  return std::countr_zero(word);
#endif
}
WEFT_HOST_DEVICE constexpr int highest_one(std::uint64_t word) {
#if defined(__CUDA_ARCH__)
  return 63 - __clzll(static_cast<long long>(word));
#else
  return 63 - std::countl_zero(word);
#endif
}

// Returns the number of set bits. The function is always inlined so that a caller compiled for a processor
// with a population count instruction uses that instruction.
[[gnu::always_inline]] WEFT_HOST_DEVICE constexpr std::uint32_t count_ones(std::uint64_t word) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__popcll(static_cast<long long>(word)));
#else
  return static_cast<std::uint32_t>(std::popcount(word));
#endif
}

inline constexpr int head_levels = 3;

// A view of a bit set of the slots at which groups begin, in three levels: bit i of the lowest level is set
// if slot i begins a group; a bit of a higher level is set if the corresponding word of the level below is
// not 0. So the next and the previous group begin are found from any slot in a few reads, however large the
// groups are. The view owns nothing. Slots are [0, size); the bit after the last slot is set as well.
struct head_bits {
  std::uint64_t* level[head_levels];
  std::uint64_t size;

  // Returns the number of words of a level, for `size` slots.
  WEFT_HOST_DEVICE static constexpr std::uint64_t words(std::uint64_t size, int of_level) {
    std::uint64_t count = size + 1;
    for (int i = 0; i <= of_level; ++i) count = (count + 63) / 64;
    return count;
  }
  WEFT_HOST_DEVICE bool at(std::uint64_t slot) const { return (level[0][slot / 64] >> (slot % 64) & 1) != 0; }

  // Returns the first group begin at the slot or after it; slot <= size.
  WEFT_HOST_DEVICE std::uint64_t next(std::uint64_t slot) const {
    std::uint64_t at = slot;
    for (int i = 0; i < head_levels; ++i) {
      const std::uint64_t word = at / 64 < words(size, i) ? level[i][at / 64] >> (at % 64) : 0;
      if (word != 0) return descend(i, at + static_cast<std::uint64_t>(lowest_one(word)), true);
      at = at / 64 + 1;
    }
    while (level[head_levels - 1][at] == 0) ++at; // the loop ends: bit `size` of the lowest level is set
    return descend(head_levels, at, true);
  }
  // Returns the last group begin at the slot or before it. It exists, because slot 0 begins a group.
  WEFT_HOST_DEVICE std::uint64_t last(std::uint64_t slot) const {
    std::uint64_t at = slot + 1; // the search covers all slots before this one
    for (int i = 0; i < head_levels; ++i) {
      const std::uint64_t word = at % 64 == 0 ? 0 : level[i][at / 64] & ((std::uint64_t{1} << (at % 64)) - 1);
      if (word != 0) return descend(i, at / 64 * 64 + static_cast<std::uint64_t>(highest_one(word)), false);
      at /= 64;
    }
    while (level[head_levels - 1][at - 1] == 0) --at;
    return descend(head_levels, at - 1, false);
  }

private:
  // Returns the first or last slot under a set bit of level `from`. If `from` is one above the highest level,
  // `bit` is the index of a word of that level that is not 0.
  WEFT_HOST_DEVICE std::uint64_t descend(int from, std::uint64_t bit, bool first) const {
    for (int i = from; i-- > 0;)
      bit = bit * 64 +
            static_cast<std::uint64_t>(first ? lowest_one(level[i][bit]) : highest_one(level[i][bit]));
    return bit;
  }
};

} // namespace weft::bwt_detail
