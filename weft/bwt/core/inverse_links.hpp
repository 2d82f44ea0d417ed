// The links that steps of the inverse transform follow. The functions work on values and pointers alone.
//
// The plain version, for the rotation form, in which byte i is the last byte of row i:
//     link[i] = the position of byte i after a stable sort of the bytes: byte i is the first byte of that row
//     row = primary_index;  for at = n - 1 down to 0:  text[at] = byte of row, row = link[row]
//
// - The byte of a row is not stored: rows that begin with the same byte are adjacent, so the link alone
//   determines the byte.
// - Sentinel form: of its n + 1 rows, row primary_index has no byte. Rows are numbered by their bytes here,
//   as if that row did not exist: the row of the end mark is 0, the row that a link leads to is one higher
//   because of the end mark, which precedes all bytes, and one lower after primary_index. From the row of the
//   text's first byte, the walk would reach primary_index, where it ends; here it continues at row 0, where
//   it began. So the links are a permutation of n rows in both forms, whatever the bytes are; the bytes are a
//   transform if one cycle passes through all rows.
//
// Source: Burrows & Wheeler, SRC Research Report 124 (1994).
#pragma once

#include <bit>
#include <cstdint>
#include <weft/base/host_device.hpp>

namespace weft::bwt_detail {

// Reads a word through the read-only cache of a device, or from host memory.
WEFT_HOST_DEVICE inline std::uint32_t read_word(const std::uint32_t* word) {
#if defined(__CUDA_ARCH__)
  return __ldg(word);
#else
  return *word;
#endif
}

// Links of 32 bits each.
struct links_32 {
  using index = std::uint32_t;
  const std::uint32_t* words;

  // Returns the number of words that `count` links take; `count` is a multiple of 32.
  WEFT_HOST_DEVICE static constexpr std::uint64_t num_words(std::uint64_t count) { return count; }
  static constexpr int words_of_32 = 32;
  // Returns word w of the words that hold 32 links; link(i) is the i-th of these links, i < 32.
  template <class Link> WEFT_HOST_DEVICE static std::uint32_t word_of_32(int w, const Link& link) {
    return link(w);
  }
  WEFT_HOST_DEVICE index operator[](index row) const { return read_word(words + row); }
};

// Links of 40 bits each, stored without gaps.
struct links_40 {
  using index = std::uint64_t;
  const std::uint32_t* words;

  WEFT_HOST_DEVICE static constexpr std::uint64_t num_words(std::uint64_t count) {
    return count / 32 * words_of_32;
  }
  static constexpr int words_of_32 = 40;
  // Returns word w of the words that hold 32 links. Calls link(i) exactly twice whatever w is, so that link
  // may be a vote among lanes.
  template <class Link> WEFT_HOST_DEVICE static std::uint32_t word_of_32(int w, const Link& link) {
    const int first = w * 4 / 5, byte = w * 4 % 5; // the byte of that link at which the word begins
    const index low = link(first), high = link(first < 31 ? first + 1 : 31);
    return static_cast<std::uint32_t>(low >> byte * 8 | high << (40 - byte * 8));
  }
  // A link has five bytes, so it always spans exactly two words. Both belong to its group of 32 links,
  // because a group fills whole words.
  WEFT_HOST_DEVICE index operator[](index row) const {
    const index byte = row * 5;
    const index low = read_word(words + byte / 4), high = read_word(words + byte / 4 + 1);
    return (low | high << 32) >> byte % 4 * 8 & ((index{1} << 40) - 1);
  }
};

// Returns the row that a link leads to. `primary` is primary_index in the sentinel form and 0 in the rotation
// form.
template <class Index> WEFT_HOST_DEVICE constexpr Index row_after(Index link, Index primary) {
  if (static_cast<Index>(link + 1) == primary) return 0;
  return static_cast<Index>(link + (link < primary ? 1 : 0));
}

// Finds the byte that a row begins with. Rows are divided into cells of equal size; the table has a byte for
// each cell, from which the search for the row's byte continues upwards.
template <class Index> struct first_bytes {
  static constexpr unsigned num_cells = 4096;
  Index begins[257]; // where the rows of each byte begin; [256]: the number of rows
  Index shift;
  std::uint8_t cells[num_cells]; // the last byte whose rows begin no later than the cell

  static constexpr Index shift_for(std::uint64_t rows) {
    const auto bits = static_cast<Index>(std::bit_width(rows - 1));
    return bits > 12 ? bits - 12 : 0;
  }

  WEFT_HOST_DEVICE static std::uint8_t byte_of_cell(const Index* begins, Index first_row) {
    unsigned low = 0, high = 256; // begins[low] <= first_row, and begins[high] > first_row or high is 256
    while (high - low > 1) {
      const unsigned middle = (low + high) / 2;
      if (begins[middle] <= first_row)
        low = middle;
      else
        high = middle;
    }
    return static_cast<std::uint8_t>(low);
  }

  WEFT_HOST_DEVICE unsigned of(Index row) const {
    unsigned byte = cells[row >> shift];
    while (begins[byte + 1] <= row) ++byte; // ends because begins[256] is greater than any row
    return byte;
  }
};

} // namespace weft::bwt_detail
