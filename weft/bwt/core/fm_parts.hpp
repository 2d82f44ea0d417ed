// An FM-index as searches read it: numbers, and pointers to its sections in host or device memory.
//
// Rows are the suffixes of the text of all segments, in order. A segment is a stretch of a record that can be
// searched. Each segment ends in a separator, which is code 0 and occurs in no pattern. entry/build_index.cpp
// explains why searching is exact.
//
// On a device, a block of ranks is read as four vectors of 16 bytes, and a group of 512 bits as pairs of
// words, of which only the needed ones are read. So no loop waits for memory twice.
#pragma once

#include <cstdint>
#include <span>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/dna_rank.hpp>
#include <weft/bwt/core/wavelet_matrix.hpp>

namespace weft::bwt_detail {

// A stretch of a record that is searched: text[start, next segment's start - 1) is the record from `begin`
// on. The symbol after it is a separator.
struct fm_segment {
  std::uint64_t start, record, begin;
};

// Requests the cache line of an address, on the host. A compiler takes a function that only prefetches for
// one without effect, and may remove its calls; the empty statement keeps them.
inline void prefetch_line(const void* address) {
  __builtin_prefetch(address);
  asm volatile("");
}

// An array of 32-bit or 64-bit numbers; which of the two is known at run time.
struct index_array {
  const void* data = nullptr;
  bool wide = false;
  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t operator[](std::uint64_t i) const {
    return wide ? static_cast<const std::uint64_t*>(data)[i] : static_cast<const std::uint32_t*>(data)[i];
  }
  void prefetch(std::uint64_t i) const { prefetch_line(static_cast<const char*>(data) + i * (wide ? 8 : 4)); }
};

// A span that device functions can read.
template <class T> struct fm_list {
  fm_list() = default;
  fm_list(std::span<const T> of) : items(of.data()), count(of.size()) {}
  [[nodiscard]] WEFT_HOST_DEVICE const T& operator[](std::uint64_t i) const { return items[i]; }
  [[nodiscard]] WEFT_HOST_DEVICE const T& front() const { return items[0]; }
  [[nodiscard]] WEFT_HOST_DEVICE const T& back() const { return items[count - 1]; }
  [[nodiscard]] WEFT_HOST_DEVICE const T* data() const { return items; }
  [[nodiscard]] WEFT_HOST_DEVICE const T* begin() const { return items; }
  [[nodiscard]] WEFT_HOST_DEVICE const T* end() const { return items + count; }
  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t size() const { return count; }
  [[nodiscard]] WEFT_HOST_DEVICE bool empty() const { return count == 0; }

  const T* items = nullptr;
  std::uint64_t count = 0;
};

// Returns the index of the first item that `holds` rejects, in a list in which it accepts all items before
// that one and none after it.
template <class T, class Holds>
[[nodiscard]] WEFT_HOST_DEVICE std::uint64_t count_leading(const T* items, std::uint64_t count,
                                                           const Holds& holds) {
  std::uint64_t first = 0;
  while (count > 0) {
    const std::uint64_t half = count / 2;
    if (holds(items[first + half])) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

struct fm_parts {
  std::uint64_t num_rows = 0;
  std::uint32_t alphabet = 0, sample_rate = 1, kmer_size = 0;
  fm_list<fm_segment> segments;
  fm_list<std::uint16_t> code_of_byte;
  fm_list<std::uint64_t> first_row, open_rows, open_positions;
  const dna_block* blocks = nullptr;         // DNA only
  const std::uint64_t* supers = nullptr;     // DNA only
  wavelet_matrix matrix;                     // other alphabets only
  const std::uint64_t* code_begin = nullptr; // other alphabets only: where each code begins on the last level
  index_array kmers, samples;
  const std::uint64_t *marks = nullptr, *mark_counts = nullptr;
  const std::uint64_t* packed_text = nullptr; // DNA only
  const char* byte_text = nullptr;            // other alphabets only

  [[nodiscard]] WEFT_HOST_DEVICE bool dna() const noexcept { return alphabet == 0; }
  [[nodiscard]] WEFT_HOST_DEVICE bool folds_case() const noexcept { return alphabet == 1; }

  // Returns how many of the rows [0, i) have `code` (not the separator) before them, that is, in the
  // transform.
  template <bool Dna>
  [[nodiscard]] [[gnu::always_inline]] WEFT_HOST_DEVICE std::uint64_t rank(unsigned code,
                                                                           std::uint64_t i) const {
    if constexpr (Dna) {
#if defined(__CUDA_ARCH__)
      const dna_block block = block_in_registers(blocks + i / dna_block_rows);
#else
      const dna_block& block = blocks[i / dna_block_rows];
#endif
      return rank_in(block, code, i);
    } else {
      return matrix.end_of(code, i) - code_begin[code];
    }
  }
  // Returns the same rank; `block` is the block that contains row i.
  [[nodiscard]] [[gnu::always_inline]] WEFT_HOST_DEVICE std::uint64_t
  rank_in(const dna_block& block, unsigned code, std::uint64_t i) const {
    const std::uint64_t b = i / dna_block_rows;
    const auto rows = static_cast<unsigned>(i % dna_block_rows);
    const unsigned base = code - 1;
    std::uint64_t count = supers[(b >> dna_superblock_shift) * 4 + base] +
                          (count_before(block, base) & ~dna_exception_flag) +
                          count_in_block(block, base, rows);
    if ((block.counts[0] & dna_exception_flag) != 0 && base == 0) [[unlikely]]
      count -= open_in(i - rows, i);
    return count;
  }
  // Replaces the rows [low, high) of a string by the rows of `code` followed by that string.
  template <bool Dna>
  [[gnu::always_inline]] WEFT_HOST_DEVICE void narrow(unsigned code, std::uint64_t& low,
                                                      std::uint64_t& high) const {
    const std::uint64_t first = first_row[code];
#if defined(__CUDA_ARCH__)
    if constexpr (Dna) { // a single read if both ends are in the same block
      const std::uint64_t b = low / dna_block_rows, c = high / dna_block_rows;
      const dna_block low_block = block_in_registers(blocks + b);
      dna_block high_block = low_block;
      if (c != b) high_block = block_in_registers(blocks + c);
      low = first + rank_in(low_block, code, low);
      high = first + rank_in(high_block, code, high);
      return;
    }
#else
    if constexpr (Dna) { // most ranges of few rows lie within one block
      const std::uint64_t b = low / dna_block_rows;
      const dna_block& block = blocks[b];
      if (high / dna_block_rows == b && (block.counts[0] & dna_exception_flag) == 0) [[likely]] {
        const unsigned base = code - 1;
        const std::uint64_t before =
            first + supers[(b >> dna_superblock_shift) * 4 + base] + block.counts[base];
        const row_counts inside = counts_in_block(block, base, static_cast<unsigned>(low % dna_block_rows),
                                                  static_cast<unsigned>(high % dna_block_rows));
        low = before + inside.low;
        high = before + inside.high;
        return;
      }
    }
#endif
    low = first + rank<Dna>(code, low);
    high = first + rank<Dna>(code, high);
  }
  // Returns the code before a row's suffix, and moves `row` to the row of the suffix that begins with that
  // code. If a separator or nothing precedes the suffix, returns 0 and leaves `row` unchanged.
  template <bool Dna>
  [[nodiscard]] [[gnu::always_inline]] WEFT_HOST_DEVICE unsigned step_back(std::uint64_t& row) const {
    if constexpr (Dna) {
#if defined(__CUDA_ARCH__)
      const dna_block block = block_in_registers(blocks + row / dna_block_rows);
#else
      const dna_block& block = blocks[row / dna_block_rows];
#endif
      const unsigned base = base_in_block(block, static_cast<unsigned>(row % dna_block_rows));
      if ((block.counts[0] & dna_exception_flag) != 0 && base == 0 && open_in(row, row + 1) != 0) [[unlikely]]
        return 0;
      row = first_row[base + 1] + rank_in(block, base + 1, row);
      return base + 1;
    } else {
      std::uint64_t position = row;
      const unsigned code = matrix.access(position);
      if (code != 0) row = first_row[code] + position - code_begin[code];
      return code;
    }
  }
  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t open_before(std::uint64_t row) const {
    return count_leading(open_rows.items, open_rows.count, [&](std::uint64_t open) { return open < row; });
  }
  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t open_in(std::uint64_t first, std::uint64_t last) const {
    const std::uint64_t begin = open_before(first);
    std::uint64_t end = begin;
    while (end < open_rows.count && open_rows[end] < last) ++end;
    return end - begin;
  }
  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t open_position(std::uint64_t row) const {
    return open_positions[open_before(row)];
  }
  [[nodiscard]] [[gnu::always_inline]] WEFT_HOST_DEVICE bool marked(std::uint64_t row) const {
    return (marks[row / 64] >> (row % 64) & 1) != 0;
  }
  [[nodiscard]] [[gnu::always_inline]] WEFT_HOST_DEVICE std::uint64_t marks_before(std::uint64_t row) const {
    return mark_counts[row / 512] + ones_in_group(marks + row / 512 * 8, static_cast<unsigned>(row % 512));
  }
  // Returns the segment that contains text[position].
  [[nodiscard]] WEFT_HOST_DEVICE const fm_segment& segment_of(std::uint64_t position) const {
    return segments[count_leading(segments.items, segments.count,
                                  [&](const fm_segment& s) { return s.start <= position; }) -
                    1];
  }
};

} // namespace weft::bwt_detail
