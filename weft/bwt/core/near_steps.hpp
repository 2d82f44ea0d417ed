// Comparing a pattern with the packed text of an FM-index, 32 letters at a time.
//
// Each letter of a pattern stands for a set of bases, the bits of a mask: A 1, C 2, G 4, T 8. The plain
// version for a text position:
//     mismatches = 0
//     for i in 0 .. size - 1:  if sets[i] does not contain text[position + i]: ++mismatches
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/bits.hpp>
#include <weft/bwt/core/fm_parts.hpp>

namespace weft::bwt_detail {

constexpr std::uint64_t even_bits = 0x5555555555555555ULL;

// 32 letters of a pattern: bit 2 i of contains[b] says whether the set of letter i contains base b. Behind
// the end of the pattern every set contains all bases.
struct near_word {
  std::uint64_t contains[4];

  // Returns the mismatches with 32 letters of a text: bit 2 i is set if letter i does not match.
  [[nodiscard]] [[gnu::always_inline]] WEFT_HOST_DEVICE std::uint64_t mismatches(std::uint64_t text) const {
    const std::uint64_t low = text, high = text >> 1;
    const std::uint64_t matches = (contains[0] & ~low & ~high) | (contains[1] & low & ~high) |
                                  (contains[2] & ~low & high) | (contains[3] & low & high);
    return even_bits & ~matches;
  }
};

// Returns 32 letters of a packed text from `position` on, 2 bits each, the first lowest.
[[nodiscard]] [[gnu::always_inline]] WEFT_HOST_DEVICE inline std::uint64_t
text_letters(const std::uint64_t* packed_text, std::uint64_t position) {
  const std::uint64_t* const word = packed_text + position / 32;
  const std::uint64_t shift = 2 * (position % 32);
  return shift == 0 ? word[0] : word[0] >> shift | word[1] << (64 - shift);
}

// The mismatches of a pattern with a stretch of text: their number, and the indices of the first `limit`
// ones. If there are more than `limit`, the number is limit + 1.
template <unsigned Capacity> struct near_mismatches {
  unsigned count = 0;
  std::uint64_t letters[Capacity];

  // Adds the mismatch of a letter. Returns false if there are too many now.
  [[nodiscard]] WEFT_HOST_DEVICE bool add(std::uint64_t letter, unsigned limit) {
    if (count < limit) letters[count] = letter;
    return ++count <= limit;
  }
  // Returns whether a mismatch is among the letters [begin, end).
  [[nodiscard]] WEFT_HOST_DEVICE bool any_in(std::uint64_t begin, std::uint64_t end) const {
    return count_in(begin, end) > 0;
  }
  // Returns how many mismatches are among the letters [begin, end).
  [[nodiscard]] WEFT_HOST_DEVICE unsigned count_in(std::uint64_t begin, std::uint64_t end) const {
    unsigned sum = 0;
    for (unsigned i = 0; i < count; ++i) sum += letters[i] >= begin && letters[i] < end ? 1 : 0;
    return sum;
  }
};

// Compares a pattern of `size` letters with the text at `position`, where no separator lies in between.
template <unsigned Capacity>
[[nodiscard]] WEFT_HOST_DEVICE near_mismatches<Capacity>
compare_near(const fm_parts& index, const near_word* words, std::uint64_t size, std::uint64_t position,
             unsigned limit) {
  near_mismatches<Capacity> found;
  for (std::uint64_t i = 0; i < size; i += 32, ++words)
    for (std::uint64_t bits = words->mismatches(text_letters(index.packed_text, position + i)); bits != 0;
         bits &= bits - 1)
      if (!found.add(i + static_cast<unsigned>(lowest_one(bits)) / 2, limit)) return found;
  return found;
}

} // namespace weft::bwt_detail
