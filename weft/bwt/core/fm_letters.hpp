// Letters of patterns, eight or 32 at a time, from any address.
#pragma once

#include <cstdint>
#include <cstring>
#include <weft/base/host_device.hpp>

namespace weft::detail {

constexpr std::uint64_t byte_ones = 0x0101010101010101ULL;

// Eight letters to bytes: A 0, C 1, G 2, T 3, of either case; `valid` becomes false for any other letter.
[[gnu::always_inline]] WEFT_HOST_DEVICE inline std::uint64_t bases_of_letters(std::uint64_t letters,
                                                                              bool& valid) {
  letters &= ~(0x20 * byte_ones);
  std::uint64_t codes = letters >> 1 & 3 * byte_ones; // A 0, C 1, T 2, G 3
  codes ^= codes >> 1 & byte_ones;                    // A 0, C 1, G 2, T 3
  // What those codes stand for: A = 41, C = 41 + 2, G = 41 + 6, T = 41 + 13 (hexadecimal).
  const std::uint64_t low = codes & byte_ones, high = codes >> 1 & byte_ones;
  const std::uint64_t expected =
      0x41 * byte_ones + 2 * (low & ~high) + 6 * (high & ~low) + 0x13 * (high & low);
  valid = valid && expected == letters;
  return codes;
}

// Eight bytes of 2 bits to 16 bits, the first lowest.
[[gnu::always_inline]] WEFT_HOST_DEVICE inline std::uint64_t pack_pairs(std::uint64_t bytes) {
  bytes = (bytes | bytes >> 6) & 0x000F000F000F000FULL;
  bytes = (bytes | bytes >> 12) & 0x000000FF000000FFULL;
  return (bytes | bytes >> 24) & 0xFFFF;
}

// Eight letters to 16 bits, 2 for each; see bases_of_letters().
[[gnu::always_inline]] WEFT_HOST_DEVICE inline std::uint64_t pack_letters(std::uint64_t letters,
                                                                          bool& valid) {
  return pack_pairs(bases_of_letters(letters, valid));
}

// Eight letters, a to z in upper case.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t upper_letters(std::uint64_t letters) {
  const std::uint64_t low = letters & 0x7F * byte_ones;
  const std::uint64_t from_a = low + (0x80 - 'a') * byte_ones, behind_z = low + (0x80 - 'z' - 1) * byte_ones;
  return letters - ((from_a & ~behind_z & ~letters & 0x80 * byte_ones) >> 2);
}

// The first `count` of eight letters, the others being `other`; count <= 8.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t first_letters(std::uint64_t letters, std::uint64_t count,
                                                                  std::uint64_t other) {
  if (count >= 8) return letters;
  const std::uint64_t mask = (std::uint64_t{1} << (8 * count)) - 1;
  return (letters & mask) | (other * byte_ones & ~mask);
}

// Bytes that may be read, and no others. They are read in words at multiples of 8.
struct readable_letters {
  const unsigned char *begin = nullptr, *end = nullptr;

  // The eight bytes at an address that is a multiple of 8; those that may not be read are 0.
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

// Calls each(group, eight letters) for the groups of eight of letters [at, at + count), what stands behind
// them in the last group being `other`. All words are asked for before the first is waited for where the
// number of groups is known to the compiler.
template <unsigned MostGroups, class Each>
[[gnu::always_inline]] WEFT_HOST_DEVICE inline void each_eight(const readable_letters& text, std::uint64_t at,
                                                               std::uint64_t count, std::uint64_t other,
                                                               const Each& each) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(text.begin) + at;
  const std::uint64_t off = address % 8;
  std::uint64_t now = text.word(address - off);
  WEFT_UNROLL
  for (unsigned group = 0; group < MostGroups; ++group) {
    const std::uint64_t done = 8 * std::uint64_t{group};
    if (done >= count) break;
    const std::uint64_t next = done + 8 < count + off ? text.word(address - off + done + 8) : 0;
    const std::uint64_t letters = off == 0 ? now : now >> (8 * off) | next << (64 - 8 * off);
    each(group, first_letters(letters, count - done, other));
    now = next;
  }
}

// Letters [at, at + count) as 2 bits each, the first lowest; 1 <= count <= 32. See pack_letters().
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t
packed_letters(const readable_letters& text, std::uint64_t at, std::uint64_t count, bool& valid) {
  std::uint64_t packed = 0;
  each_eight<4>(text, at, count, 'A', [&](unsigned group, std::uint64_t letters) {
    packed |= pack_letters(letters, valid) << (16 * group);
  });
  return packed;
}

} // namespace weft::detail
