// Suffixes that are less than the next one, and those that are greater.
//
// The plain version:
//     for i = n - 1 down to 0:  rises(i) = i + 1 < n and (text[i] < text[i + 1] or
//                                                        (text[i] == text[i + 1] and rises(i + 1)))
// (The last suffix is greater than the empty one.) Here 64 suffixes are bits of a word, and what the first
// behind it does comes in from the right.
//
// Source: Itoh & Tanaka, SPIRE 1999 (types A and B); Ko & Aluru, CPM 2003.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>

namespace weft::bwt_core {

WEFT_HOST_DEVICE inline std::uint64_t reversed_bits(std::uint64_t word) {
#if defined(__CUDA_ARCH__)
  return __brevll(word);
#else
  std::uint64_t result = 0;
  for (int i = 0; i < 64; ++i) result |= (word >> i & 1) << (63 - i);
  return result;
#endif
}

// Which of 64 suffixes rise. Bit i of less and equal: how symbol i of these compares with the one behind it;
// next_rises: of the suffix behind all of them. What falls through equal symbols is a carry of an addition.
WEFT_HOST_DEVICE inline std::uint64_t rising(std::uint64_t less, std::uint64_t equal, bool next_rises) {
  const std::uint64_t makes = reversed_bits(less), passes = makes | reversed_bits(equal);
  const std::uint64_t sum = makes + passes + static_cast<std::uint64_t>(next_rises);
  const std::uint64_t carries = sum ^ makes ^ passes; // into each bit
  return reversed_bits(makes | (passes & carries));
}

// Whether the first suffix of a word rises: as the first behind the word if all between are equal.
enum class rise : std::uint8_t { no, yes, as_next };
WEFT_HOST_DEVICE inline rise first_rises(std::uint64_t less, std::uint64_t equal) {
  if ((rising(less, equal, false) & 1) != 0) return rise::yes;
  return (rising(less, equal, true) & 1) != 0 ? rise::as_next : rise::no;
}
// Of two neighbours, the one on the right first.
struct rise_of_both {
  WEFT_HOST_DEVICE rise operator()(rise right, rise left) const {
    return left == rise::as_next ? right : left;
  }
};

} // namespace weft::bwt_core
