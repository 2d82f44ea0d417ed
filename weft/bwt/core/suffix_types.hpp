// Types of suffixes: a suffix rises if it is less than the next suffix, and falls if it is greater.
//
// The plain version:
//     for i = n - 1 down to 0:  rises(i) = i + 1 < n and (text[i] < text[i + 1] or
//                                                        (text[i] == text[i + 1] and rises(i + 1)))
// (The last suffix falls, because it is greater than the empty suffix.) Here the types of 64 suffixes are the
// bits of a word, and the type of the first suffix after the word is an input to it.
//
// Source: Itoh & Tanaka, SPIRE 1999 (types A and B); Ko & Aluru, CPM 2003.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>

namespace weft::bwt_detail {

WEFT_HOST_DEVICE inline std::uint64_t reversed_bits(std::uint64_t word) {
#if defined(__CUDA_ARCH__)
  return __brevll(word);
#else
  std::uint64_t result = 0;
  for (int i = 0; i < 64; ++i) result |= (word >> i & 1) << (63 - i);
  return result;
#endif
}

// Returns which of 64 suffixes rise. Bit i of `less` and `equal` says how symbol i compares with the next
// symbol; next_rises is the type of the suffix after the 64. A type that passes through equal symbols is
// computed as the carry of an addition.
WEFT_HOST_DEVICE inline std::uint64_t rising(std::uint64_t less, std::uint64_t equal, bool next_rises) {
  const std::uint64_t makes = reversed_bits(less), passes = makes | reversed_bits(equal);
  const std::uint64_t sum = makes + passes + static_cast<std::uint64_t>(next_rises);
  const std::uint64_t carries = sum ^ makes ^ passes; // the carry into each bit
  return reversed_bits(makes | (passes & carries));
}

// The type of the first suffix of a word: rises, falls, or has the type of the first suffix after the word
// because all symbols between are equal.
enum class rise : std::uint8_t { no, yes, as_next };
WEFT_HOST_DEVICE inline rise first_rises(std::uint64_t less, std::uint64_t equal) {
  if ((rising(less, equal, false) & 1) != 0) return rise::yes;
  return (rising(less, equal, true) & 1) != 0 ? rise::as_next : rise::no;
}
// Combines the types of two adjacent ranges of suffixes; the right range is passed first.
struct rise_of_both {
  WEFT_HOST_DEVICE rise operator()(rise right, rise left) const {
    return left == rise::as_next ? right : left;
  }
};

} // namespace weft::bwt_detail
