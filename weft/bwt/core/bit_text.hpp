// A text as a string of bits, and the keys that its suffixes are sorted by.
//
// Each symbol becomes a code of `bits` bits, codes in the order of the symbols: then strings of bits compare
// as the symbols do, and 64 bits of a suffix from any depth on are a number to sort by. Behind the end stand
// zeros.
//
// The first key has the symbol before the suffix in its last bits, which say nothing of the order: where the
// rest of the key tells a suffix from all others, the transform needs no look at the text. If nobody asks for
// that symbol, these bits are of the suffix as well.
//
// A suffix that has ended is less than those that go on with zeros: from the second key on the highest bit
// says that there is more, and what has ended is in the order of the lengths, shorter ones first. (The first
// keys of two suffixes that differ by zeros behind the end alone are equal; so are all before that where both
// have ended.) So keys tell all suffixes apart, at the latest when all but one have ended.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>

namespace weft::bwt_core {

// How deep in bits the keys of so many rounds lead; round 0 is that of the first key, which has so many bits
// of the symbol before the suffix.
WEFT_HOST_DEVICE constexpr std::uint64_t key_depth(std::uint32_t bits_before, std::uint32_t rounds) {
  return rounds == 0 ? 0 : 64 - bits_before + std::uint64_t{63} * (rounds - 1);
}

// Words that a text of so many symbols takes.
WEFT_HOST_DEVICE constexpr std::uint64_t words_of_text(std::uint64_t symbols, std::uint32_t bits) {
  return symbols * bits / 64 + 2;
}

// A view.
struct bit_text {
  const std::uint64_t* words; // bit k of the string: bit 63 - k % 64 of words[k / 64]
  std::uint64_t size;         // symbols
  std::uint32_t bits;         // of a symbol: 1 to 32
  bool alone = false;         // first keys have no symbol before the suffix

  // Bits of a first key that say nothing of the order.
  WEFT_HOST_DEVICE std::uint32_t bits_before() const { return alone ? 0 : bits; }
  // How deep in bits the keys of so many rounds lead.
  WEFT_HOST_DEVICE std::uint64_t depth(std::uint32_t rounds) const {
    return key_depth(bits_before(), rounds);
  }
  // bit < size * bits
  WEFT_HOST_DEVICE std::uint64_t from(std::uint64_t bit) const {
    const std::uint64_t* const word = words + bit / 64;
    const auto shift = static_cast<unsigned>(bit % 64);
    return word[0] << shift | word[1] >> 1 >> (63 - shift);
  }
  // Reads one word where it can.
  WEFT_HOST_DEVICE std::uint64_t symbol(std::uint64_t i) const {
    const std::uint64_t bit = i * bits;
    const auto end = static_cast<unsigned>(bit % 64) + bits; // in the word
    const std::uint64_t first = words[bit / 64] << (bit % 64) >> (64 - bits);
    return end <= 64 ? first : first | words[bit / 64 + 1] >> (128 - end);
  }
  // That of the whole text: the last symbol.
  WEFT_HOST_DEVICE std::uint64_t symbol_before(std::uint64_t suffix) const {
    return symbol(suffix == 0 ? size - 1 : suffix - 1);
  }
  WEFT_HOST_DEVICE std::uint64_t first_key(std::uint64_t suffix) const {
    if (alone) return from(suffix * bits);
    if (suffix == 0) return from(0) >> bits << bits | symbol(size - 1);
    const std::uint64_t word = from((suffix - 1) * bits);
    return word << bits | word >> (64 - bits);
  }
  // Of a first key.
  WEFT_HOST_DEVICE std::uint64_t mask_of_symbol() const { return (std::uint64_t{1} << bits_before()) - 1; }
  // round >= 1
  WEFT_HOST_DEVICE std::uint64_t later_key(std::uint64_t suffix, std::uint32_t round) const {
    const std::uint64_t bit = suffix * bits + depth(round);
    if (bit >= size * bits) return size - suffix;
    return std::uint64_t{1} << 63 | from(bit) >> 1;
  }
};

// Word `number` of the text; code(i): of symbol i.
template <class Code>
WEFT_HOST_DEVICE std::uint64_t packed_word(std::uint64_t number, std::uint64_t size, std::uint32_t bits,
                                           const Code& code) {
  const std::uint64_t begin = number * 64;
  std::uint64_t word = 0;
  for (std::uint64_t i = begin / bits; i < size && i * bits < begin + 64; ++i) {
    const auto at = static_cast<long long>(i * bits) - static_cast<long long>(begin); // -bits < at < 64
    const int shift = 64 - static_cast<int>(bits) - static_cast<int>(at);             // to the left
    const std::uint64_t c = code(i);
    word |= shift >= 0 ? c << shift : c >> -shift;
  }
  return word;
}

} // namespace weft::bwt_core
