// A wavelet matrix: rank and access in a sequence of small numbers.
//
// Level l stores bit (levels - 1 - l) of every number. From each level to the next, the numbers are stably
// sorted by that bit, zeros first. Bits are in 64-bit words, and each level is padded to whole groups of 8
// words; counts[g] is the number of ones of the level before its group g. Source: Claude, Navarro & Ordonez,
// Inf. Syst. 47 (2015) 15-32.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/dna_rank.hpp>

namespace weft::bwt_detail {

// Returns the number of ones in the first `bits` < 512 bits of the eight words of a group.
[[gnu::always_inline]] WEFT_HOST_DEVICE inline std::uint64_t ones_in_group(const std::uint64_t* group,
                                                                           unsigned bits) {
  std::uint64_t count = 0;
#if defined(__CUDA_ARCH__) // reads the needed words as pairs, all at once
  WEFT_UNROLL
  for (unsigned pair = 0; pair < 4; ++pair) {
    if (bits <= pair * 128) continue;
    const ulonglong2 words = __ldg(reinterpret_cast<const ulonglong2*>(group) + pair);
    const unsigned low = bits - pair * 128, high = low < 64 ? 0 : low - 64;
    count += count_ones(low < 64 ? words.x & ((std::uint64_t{1} << low) - 1) : words.x) +
             count_ones(high < 64 ? words.y & ((std::uint64_t{1} << high) - 1) : words.y);
  }
#else
  // Reads all words, because a loop that ends at an unpredictable word would take more time.
  const std::uint64_t some = (std::uint64_t{1} << (bits % 64)) - 1; // of the word of the last bit
  for (unsigned w = 0; w < 8; ++w) {
    const std::uint64_t mask = w < bits / 64 ? ~std::uint64_t{0} : w == bits / 64 ? some : 0;
    count += count_ones(group[w] & mask);
  }
#endif
  return count;
}

struct wavelet_matrix {
  const std::uint64_t* words = nullptr;
  const std::uint64_t* counts = nullptr;
  const std::uint64_t* zeros = nullptr; // number of zeros of each level
  std::uint64_t groups = 0;             // groups of 8 words of each level
  int levels = 0;

  [[gnu::always_inline]] WEFT_HOST_DEVICE std::uint64_t ones_before(int level, std::uint64_t i) const {
    const std::uint64_t first = static_cast<std::uint64_t>(level) * groups, group = i / 512;
    return counts[first + group] + ones_in_group(words + (first + group) * 8, static_cast<unsigned>(i % 512));
  }
  WEFT_HOST_DEVICE bool bit(int level, std::uint64_t i) const {
    return (words[static_cast<std::uint64_t>(level) * groups * 8 + i / 64] >> (i % 64) & 1) != 0;
  }
  // Returns the position on the last level at which those of the numbers [0, i) end that equal `value`. Their
  // rank is this position less the one at which the numbers equal to `value` begin.
  [[gnu::always_inline]] WEFT_HOST_DEVICE std::uint64_t end_of(unsigned value, std::uint64_t i) const {
    for (int level = 0; level < levels; ++level) {
      const std::uint64_t ones = ones_before(level, i);
      i = (value >> (levels - 1 - level) & 1) != 0 ? zeros[level] + ones : i - ones;
    }
    return i;
  }
  // Returns number i, and sets i to its position on the last level.
  [[gnu::always_inline]] WEFT_HOST_DEVICE unsigned access(std::uint64_t& i) const {
    unsigned value = 0;
    for (int level = 0; level < levels; ++level) {
      const std::uint64_t ones = ones_before(level, i);
      const bool one = bit(level, i);
      value = value << 1 | static_cast<unsigned>(one);
      i = one ? zeros[level] + ones : i - ones;
    }
    return value;
  }
};

} // namespace weft::bwt_detail
