// Where a step of the inverse transform leads, on values and pointers alone.
//
// The plain version, for the rotation form, where byte i is the last one of row i:
//     link[i] = where byte i comes to stand when the bytes are sorted stably: it is the first byte of that
//     row row = primary_index;  for at = n - 1 down to 0:  text[at] = byte of row, row = link[row]
//
// - The byte is not looked up: rows that begin with a byte stand together, so that the link alone tells it.
// - sentinel form: of its n + 1 rows, primary_index has no byte. Rows are numbered by their bytes here, as if
//   that one were not: the row of the end mark is 0, the link's row is one further for the mark that comes
//   before all bytes, and one less behind primary_index. From the row before the text's first byte the walk
//   would come to primary_index, its end, and goes on to 0, its start, instead. So it is a permutation of n
//   rows in both forms, whatever the bytes are; they are a transform if one cycle passes through all rows.
//
// Source: Burrows & Wheeler, SRC Research Report 124 (1994).
#pragma once

#include <bit>
#include <cstdint>
#include <weft/base/host_device.hpp>

namespace weft::bwt_core {

// A word that is read once.
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

  // Of so many links, a multiple of 32.
  WEFT_HOST_DEVICE static constexpr std::uint64_t num_words(std::uint64_t count) { return count; }
  static constexpr int words_of_32 = 32;
  // Word w of those for 32 links; link(i) is the i-th of them, i < 32.
  template <class Link> WEFT_HOST_DEVICE static std::uint32_t word_of_32(int w, const Link& link) {
    return link(w);
  }
  WEFT_HOST_DEVICE index operator[](index row) const { return read_word(words + row); }
};

// Links of 40 bits, one behind the other.
struct links_40 {
  using index = std::uint64_t;
  const std::uint32_t* words;

  WEFT_HOST_DEVICE static constexpr std::uint64_t num_words(std::uint64_t count) {
    return count / 32 * words_of_32;
  }
  static constexpr int words_of_32 = 40;
  // Calls link(i) twice whatever w is, so that it may be a vote of lanes.
  template <class Link> WEFT_HOST_DEVICE static std::uint32_t word_of_32(int w, const Link& link) {
    const int first = w * 4 / 5, byte = w * 4 % 5; // of the link that the word begins in
    const index low = link(first), high = link(first < 31 ? first + 1 : 31);
    return static_cast<std::uint32_t>(low >> byte * 8 | high << (40 - byte * 8));
  }
  // A link never lies in the last byte of a group of 32 alone: both words are of its group.
  WEFT_HOST_DEVICE index operator[](index row) const {
    const index byte = row * 5;
    const index low = read_word(words + byte / 4), high = read_word(words + byte / 4 + 1);
    return (low | high << 32) >> byte % 4 * 8 & ((index{1} << 40) - 1);
  }
};

// The row that a link leads to. primary: primary_index in the sentinel form, 0 in the rotation form.
template <class Index> WEFT_HOST_DEVICE constexpr Index row_after(Index link, Index primary) {
  if (static_cast<Index>(link + 1) == primary) return 0;
  return static_cast<Index>(link + (link < primary ? 1 : 0));
}

// The byte that a row begins with, by the row's place: a cell of rows leads to it or to one less.
template <class Index> struct first_bytes {
  static constexpr unsigned num_cells = 4096;
  Index begins[257]; // where the rows of each byte begin; [256]: how many there are
  Index shift;
  std::uint8_t cells[num_cells]; // the last byte whose rows begin no later than the cell

  static constexpr Index shift_for(std::uint64_t rows) {
    const auto bits = static_cast<Index>(std::bit_width(rows - 1));
    return bits > 12 ? bits - 12 : 0;
  }

  WEFT_HOST_DEVICE static std::uint8_t byte_of_cell(const Index* begins, Index first_row) {
    unsigned low = 0, high = 256; // begins[low] <= first_row, begins[high] is more or high is 256
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
    while (begins[byte + 1] <= row) ++byte; // begins[256] is more than any row
    return byte;
  }
};

} // namespace weft::bwt_core
