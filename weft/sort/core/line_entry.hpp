// The entries of lines that are sorted, and the order of whole lines by their entries.
//
// An entry is a number of 128 bits. Its upper half is a word: the first eight bytes of a string, the first
// byte highest, zeros behind the end. Its lower half is the id of the string. The string is a line or, if the
// order of lines has keys, the code of a line.
//
// An id has 63 bits: 39 bits for the offset of the line in the text, and 24 for its size. A size of all ones
// means "at least that long"; the line then ends at the next terminator. The id of a code is the same for the
// memory of the codes. The 16 bytes before each code hold the code's size, which is used if the size field of
// the id is all ones, and the id of the code's line. Bit 63 marks the id of a line where other ids are those
// of codes.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/sort/core/ordered_bits.hpp>

namespace weft::sort_detail {

inline constexpr std::uint64_t line_size_mask = (std::uint64_t{1} << 24) - 1;
inline constexpr std::uint64_t line_id_flag = std::uint64_t{1} << 63; // the id is that of a line

WEFT_HOST_DEVICE constexpr std::uint64_t id_of(uint128 entry) { return static_cast<std::uint64_t>(entry); }
WEFT_HOST_DEVICE constexpr std::uint64_t word_of(uint128 entry) {
  return static_cast<std::uint64_t>(entry >> 64);
}
WEFT_HOST_DEVICE constexpr uint128 make_entry(std::uint64_t word, std::uint64_t id) {
  return uint128{word} << 64 | id;
}

WEFT_HOST_DEVICE constexpr std::uint64_t make_line_id(std::uint64_t begin, std::uint64_t size) {
  return begin << 24 | (size < line_size_mask ? size : line_size_mask);
}
WEFT_HOST_DEVICE constexpr std::uint64_t begin_of_line(std::uint64_t id) {
  return (id & ~line_id_flag) >> 24;
}

// The memory that ids refer to, as aligned words. The 16 bytes behind the text and behind the codes can be
// read.
struct line_memory {
  const std::uint64_t* text;
  const std::uint64_t* codes; // null: ids are those of lines
  // With codes: whether lines of equal codes are ordered by their bytes, and whether in descending order.
  bool by_lines, reversed;
};

// A string in memory of aligned words: bytes [begin, begin + size).
struct stored_string {
  const std::uint64_t* words;
  std::uint64_t begin, size;
};

// Strings that agree in so many bytes are not compared further.
inline constexpr std::uint64_t max_compared_bytes = 4096;

// Returns the eight bytes at an offset, as a little-endian number.
WEFT_HOST_DEVICE inline std::uint64_t stored_bytes(const std::uint64_t* words, std::uint64_t offset) {
  const std::uint64_t* const at = words + offset / 8;
  const unsigned shift = static_cast<unsigned>(offset % 8) * 8;
  return shift == 0 ? at[0] : at[0] >> shift | at[1] << (64 - shift);
}
// Reverses the order of eight bytes.
WEFT_HOST_DEVICE inline std::uint64_t first_byte_highest(std::uint64_t bytes) {
#if defined(__CUDA_ARCH__)
  const auto low = static_cast<std::uint32_t>(bytes), high = static_cast<std::uint32_t>(bytes >> 32);
  return std::uint64_t{__byte_perm(low, 0, 0x0123)} << 32 | __byte_perm(high, 0, 0x0123);
#else
  return __builtin_bswap64(bytes);
#endif
}

// Compares two strings that agree in their first `depth` bytes, a multiple of 8, where zeros stand behind
// their ends. Returns a negative number, zero or a positive number. Sets `gave_up`, and returns zero, if they
// agree in max_compared_bytes.
WEFT_HOST_DEVICE inline int compare_from(const stored_string& a, const stored_string& b, std::uint64_t depth,
                                         bool& gave_up) {
  const std::uint64_t shorter = a.size < b.size ? a.size : b.size;
  for (; depth < shorter; depth += 8) {
    if (depth >= max_compared_bytes) {
      gave_up = true;
      return 0;
    }
    std::uint64_t x = first_byte_highest(stored_bytes(a.words, a.begin + depth)),
                  y = first_byte_highest(stored_bytes(b.words, b.begin + depth));
    if (const std::uint64_t left = shorter - depth; left < 8) {
      x >>= 64 - 8 * left;
      y >>= 64 - 8 * left;
    }
    if (x != y) return x < y ? -1 : 1;
  }
  return a.size < b.size ? -1 : a.size > b.size ? 1 : 0;
}

WEFT_HOST_DEVICE inline stored_string stored_at(const std::uint64_t* words, std::uint64_t id) {
  return {words, begin_of_line(id), id & line_size_mask};
}

// Returns whether the line of entry a is before that of entry b: by the code or the line, then, if the memory
// says so, by the line, then by the id. Sets `gave_up` if that is not certain, because strings agree in
// max_compared_bytes; the order is then a strict weak order still.
//
// The plain version:
//     return std::tuple(string(a), line(a), id(a)) < std::tuple(string(b), line(b), id(b));
WEFT_HOST_DEVICE inline bool comes_before(uint128 a, uint128 b, const line_memory& memory, bool& gave_up) {
  if (word_of(a) != word_of(b)) return word_of(a) < word_of(b);
  const std::uint64_t a_id = id_of(a), b_id = id_of(b);
  if (a_id == b_id) return false;
  const std::uint64_t* const strings = memory.codes != nullptr ? memory.codes : memory.text;
  if (const int order = compare_from(stored_at(strings, a_id), stored_at(strings, b_id), 8, gave_up))
    return order < 0;
  if (memory.by_lines) {
    const auto line_of = [&](std::uint64_t id) {
      return stored_at(memory.text, stored_bytes(memory.codes, begin_of_line(id) - 8));
    };
    if (const int order = compare_from(line_of(a_id), line_of(b_id), 0, gave_up))
      return memory.reversed ? order > 0 : order < 0;
  }
  return a_id < b_id;
}

} // namespace weft::sort_detail
