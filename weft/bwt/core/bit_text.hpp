// A text packed into a string of bits, and the 64-bit keys by which its suffixes are sorted.
//
// Each symbol is replaced by a code of `bits` bits. Codes have the order of the symbols, so comparing bit
// strings compares the texts, and any 64 bits of a suffix form a number to sort by. Zeros follow the end of
// the text.
//
// The first key of a suffix holds, in its lowest bits, the symbol before the suffix. These bits do not take
// part in the order. If the rest of the key already distinguishes the suffix from all others, the transform
// can take the symbol from the key and need not read the text. If no caller needs that symbol, the lowest
// bits belong to the suffix as well.
//
// A suffix that has ended is less than a suffix that continues with zeros. From the second key on, the
// highest bit is therefore set if the suffix continues; a suffix that has ended gets its length as its key,
// so shorter suffixes come first. (First keys have no such bit: they are equal if two suffixes differ only in
// zeros after the end of the text. Such suffixes are distinguished in the first later round in which one of
// them has ended.) Keys distinguish all suffixes, at the latest in the round in which all but one have ended.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>

namespace weft::bwt_detail {

// Returns how many leading bits of a suffix the keys of the first `rounds` rounds cover. The first key (round
// 0) covers 64 - `bits_before` bits, because its lowest `bits_before` bits hold the symbol before the suffix.
// Every later key covers 63 bits.
WEFT_HOST_DEVICE constexpr std::uint64_t key_depth(std::uint32_t bits_before, std::uint32_t rounds) {
  return rounds == 0 ? 0 : 64 - bits_before + std::uint64_t{63} * (rounds - 1);
}

// Returns how many 64-bit words a text of `symbols` symbols takes.
WEFT_HOST_DEVICE constexpr std::uint64_t words_of_text(std::uint64_t symbols, std::uint32_t bits) {
  return symbols * bits / 64 + 2;
}

// A view of a packed text; it owns nothing.
struct bit_text {
  const std::uint64_t* words;       // bit k of the string: bit 63 - k % 64 of words[k / 64]
  std::uint64_t size;               // size of the text in symbols
  std::uint32_t bits;               // bits per symbol, 1 to 32
  bool omits_symbol_before = false; // true: first keys do not hold the symbol before the suffix

  // Returns the number of lowest bits of a first key that hold the symbol before the suffix and do not take
  // part in the order.
  WEFT_HOST_DEVICE std::uint32_t bits_before() const { return omits_symbol_before ? 0 : bits; }
  // Returns how many leading bits of a suffix the keys of the first `rounds` rounds cover.
  WEFT_HOST_DEVICE std::uint64_t depth(std::uint32_t rounds) const {
    return key_depth(bits_before(), rounds);
  }
  // Returns the 64 bits that begin at `bit`; bit < size * bits.
  WEFT_HOST_DEVICE std::uint64_t from(std::uint64_t bit) const {
    const std::uint64_t* const word = words + bit / 64;
    const auto shift = static_cast<unsigned>(bit % 64);
    return word[0] << shift | word[1] >> 1 >> (63 - shift);
  }
  // Returns symbol i. Reads a second word only if the symbol crosses a word boundary.
  WEFT_HOST_DEVICE std::uint64_t symbol(std::uint64_t i) const {
    const std::uint64_t bit = i * bits;
    const auto end = static_cast<unsigned>(bit % 64) + bits; // end in the word
    const std::uint64_t first = words[bit / 64] << (bit % 64) >> (64 - bits);
    return end <= 64 ? first : first | words[bit / 64 + 1] >> (128 - end);
  }
  // Returns the symbol before a suffix; for suffix 0, the last symbol of the text.
  WEFT_HOST_DEVICE std::uint64_t symbol_before(std::uint64_t suffix) const {
    return symbol(suffix == 0 ? size - 1 : suffix - 1);
  }
  WEFT_HOST_DEVICE std::uint64_t first_key(std::uint64_t suffix) const {
    if (omits_symbol_before) return from(suffix * bits);
    if (suffix == 0) return from(0) >> bits << bits | symbol(size - 1);
    const std::uint64_t word = from((suffix - 1) * bits);
    return word << bits | word >> (64 - bits);
  }
  // Returns the mask of the bits of a first key that hold the symbol before the suffix.
  WEFT_HOST_DEVICE std::uint64_t mask_of_symbol() const { return (std::uint64_t{1} << bits_before()) - 1; }
  // Returns the key of a suffix in a round after the first; round >= 1.
  WEFT_HOST_DEVICE std::uint64_t later_key(std::uint64_t suffix, std::uint32_t round) const {
    const std::uint64_t bit = suffix * bits + depth(round);
    if (bit >= size * bits) return size - suffix;
    return std::uint64_t{1} << 63 | from(bit) >> 1;
  }
};

// Returns word `number` of the packed text; code(i) returns the code of symbol i.
template <class Code>
WEFT_HOST_DEVICE std::uint64_t packed_word(std::uint64_t number, std::uint64_t size, std::uint32_t bits,
                                           const Code& code) {
  const std::uint64_t begin = number * 64;
  std::uint64_t word = 0;
  for (std::uint64_t i = begin / bits; i < size && i * bits < begin + 64; ++i) {
    const auto at = static_cast<long long>(i * bits) - static_cast<long long>(begin); // -bits < at < 64
    const int shift = 64 - static_cast<int>(bits) - static_cast<int>(at); // how far the code is shifted left
    const std::uint64_t c = code(i);
    word |= shift >= 0 ? c << shift : c >> -shift;
  }
  return word;
}

} // namespace weft::bwt_detail
