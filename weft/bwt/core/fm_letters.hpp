// Conversion of pattern letters, eight or 32 at a time, from any address.
#pragma once

#include <cstdint>
#include <cstring>
#include <weft/base/host_device.hpp>

namespace weft::bwt_detail {

constexpr std::uint64_t byte_ones = 0x0101010101010101ULL;

// Converts eight letters, one a byte, to base codes: A 0, C 1, G 2, T 3, of either case. Sets `valid` to
// false if one is another letter.
[[gnu::always_inline]] WEFT_HOST_DEVICE inline std::uint64_t bases_of_letters(std::uint64_t letters,
                                                                              bool& valid) {
  letters &= ~(0x20 * byte_ones);
  std::uint64_t codes = letters >> 1 & 3 * byte_ones; // A 0, C 1, T 2, G 3
  codes ^= codes >> 1 & byte_ones;                    // A 0, C 1, G 2, T 3
  // The letters that the codes stand for: A = 41, C = 41 + 2, G = 41 + 6, T = 41 + 13 (hexadecimal).
  const std::uint64_t low = codes & byte_ones, high = codes >> 1 & byte_ones;
  const std::uint64_t expected =
      0x41 * byte_ones + 2 * (low & ~high) + 6 * (high & ~low) + 0x13 * (high & low);
  valid = valid && expected == letters;
  return codes;
}

// Packs eight bytes of 2 bits each into 16 bits, the first lowest.
[[gnu::always_inline]] WEFT_HOST_DEVICE inline std::uint64_t pack_pairs(std::uint64_t bytes) {
  bytes = (bytes | bytes >> 6) & 0x000F000F000F000FULL;
  bytes = (bytes | bytes >> 12) & 0x000000FF000000FFULL;
  return (bytes | bytes >> 24) & 0xFFFF;
}

// Packs eight letters into 16 bits, 2 for each; see bases_of_letters().
[[gnu::always_inline]] WEFT_HOST_DEVICE inline std::uint64_t pack_letters(std::uint64_t letters,
                                                                          bool& valid) {
  return pack_pairs(bases_of_letters(letters, valid));
}

// Returns a word with its 32 pairs of bits in reverse order.
[[nodiscard]] [[gnu::always_inline]] WEFT_HOST_DEVICE inline std::uint64_t
reversed_pairs(std::uint64_t pairs) {
  // Reverses the order within half-bytes, within bytes, and then of larger and larger halves.
  pairs = (pairs >> 2 & 0x3333333333333333ULL) | (pairs & 0x3333333333333333ULL) << 2;
  pairs = (pairs >> 4 & 0x0f0f0f0f0f0f0f0fULL) | (pairs & 0x0f0f0f0f0f0f0f0fULL) << 4;
#if defined(__CUDA_ARCH__)
  const std::uint32_t low = __byte_perm(static_cast<std::uint32_t>(pairs), 0, 0x0123),
                      high = __byte_perm(static_cast<std::uint32_t>(pairs >> 32), 0, 0x0123);
  return static_cast<std::uint64_t>(low) << 32 | high;
#else
  return __builtin_bswap64(pairs);
#endif
}

// Returns eight letters with a to z in upper case.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t upper_letters(std::uint64_t letters) {
  const std::uint64_t low = letters & 0x7F * byte_ones;
  const std::uint64_t from_a = low + (0x80 - 'a') * byte_ones, behind_z = low + (0x80 - 'z' - 1) * byte_ones;
  return letters - ((from_a & ~behind_z & ~letters & 0x80 * byte_ones) >> 2);
}

// Returns the first `count` of eight letters, with the others replaced by `other`; count <= 8.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t first_letters(std::uint64_t letters, std::uint64_t count,
                                                                  std::uint64_t other) {
  if (count >= 8) return letters;
  const std::uint64_t mask = (std::uint64_t{1} << (8 * count)) - 1;
  return (letters & mask) | (other * byte_ones & ~mask);
}

// A range of bytes that may be read. It is read in aligned words of 8 bytes, but never outside of the range.
struct readable_letters {
  const unsigned char *begin = nullptr, *end = nullptr;

  // Returns the eight bytes at an address that is a multiple of 8; bytes outside of the range are 0.
  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t word(std::uintptr_t address) const {
    const auto first = reinterpret_cast<std::uintptr_t>(begin), last = reinterpret_cast<std::uintptr_t>(end);
    std::uint64_t letters = 0;
    if (address >= first && address + 8 <= last) {
      const unsigned char* const from = begin + (address - first);
#if defined(__CUDA_ARCH__)
      return __ldg(reinterpret_cast<const unsigned long long*>(from));
#else
      std::memcpy(&letters, from, 8);
      return letters;
#endif
    }
    for (unsigned i = 0; i < 8; ++i)
      if (address + i >= first && address + i < last)
        letters |= static_cast<std::uint64_t>(begin[address + i - first]) << (8 * i);
    return letters;
  }
};

// Calls each(group, eight letters) for letters [at, at + count) in groups of eight. In the last group, the
// letters after the end are `other`. If the compiler knows the number of groups, all words are requested
// before the first one is waited for.
template <unsigned MaxGroups, class Each>
[[gnu::always_inline]] WEFT_HOST_DEVICE inline void for_each_eight(const readable_letters& text,
                                                                   std::uint64_t at, std::uint64_t count,
                                                                   std::uint64_t other, const Each& each) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(text.begin) + at;
  const std::uint64_t off = address % 8;
  std::uint64_t now = text.word(address - off);
  WEFT_UNROLL
  for (unsigned group = 0; group < MaxGroups; ++group) {
    const std::uint64_t done = 8 * std::uint64_t{group};
    if (done >= count) break;
    const std::uint64_t next = done + 8 < count + off ? text.word(address - off + done + 8) : 0;
    const std::uint64_t letters = off == 0 ? now : now >> (8 * off) | next << (64 - 8 * off);
    each(group, first_letters(letters, count - done, other));
    now = next;
  }
}

// Returns letters [at, at + count) in 2 bits each, the first lowest; 1 <= count <= 32. Sets `valid` as
// pack_letters() does.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t
packed_letters(const readable_letters& text, std::uint64_t at, std::uint64_t count, bool& valid) {
  std::uint64_t packed = 0;
  for_each_eight<4>(text, at, count, 'A', [&](unsigned group, std::uint64_t letters) {
    packed |= pack_letters(letters, valid) << (16 * group);
  });
  return packed;
}

} // namespace weft::bwt_detail
