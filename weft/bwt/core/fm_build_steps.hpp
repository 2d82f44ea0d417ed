// Steps of building an FM-index, the same on the host and on a device. Codes are bytes: those of symbols are
// 1 and more, and 0 is the separator.
//
// The plain version, for DNA:
//     for row = 0 .. rows - 1: base = code - 1 of the row's code
//     a block holds the low and high bits of the bases of 192 rows, and the counts of bases before them
// and for other alphabets:
//     for level = 0 .. levels - 1: store bit (levels - 1 - level) of each code, then sort codes stably by it
// Departures: codes are read eight at a time, and one multiplication gathers one bit of each of the eight.
// The rows of a k-mer are found by searching in the ranks, which exist by then, instead of by counting k-mers
// in a pass over the text.
#pragma once

#include <cstdint>
#include <cstring>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/fm_letters.hpp>
#include <weft/bwt/core/fm_parts.hpp>

namespace weft::bwt_detail {

// Returns the first `count` codes, at most eight, as one number: the first code is the lowest byte, and bytes
// after the last code are 0. On a device, `codes` must be a multiple of 8. No other bytes are read.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t eight_codes(const unsigned char* codes, unsigned count) {
  std::uint64_t eight = 0;
  if (count >= 8) {
#if defined(__CUDA_ARCH__)
    return __ldg(reinterpret_cast<const unsigned long long*>(codes));
#else
    std::memcpy(&eight, codes, 8);
    return eight;
#endif
  }
  for (unsigned i = 0; i < count; ++i) eight |= static_cast<std::uint64_t>(codes[i]) << (8 * i);
  return eight;
}

// Returns bit 0 of each of eight bytes whose other bits are 0; the first byte's bit is the lowest. Byte i
// times 2^(56 - 7 i) is bit 56 + i of the product, and no two products of a byte and a power of two overlap.
[[nodiscard]] WEFT_HOST_DEVICE constexpr unsigned gather_bits(std::uint64_t bytes) {
  return static_cast<unsigned>(bytes * 0x0102040810204080ULL >> 56);
}

// Eight codes 1 to 4 as bases 0 to 3, bit by bit: each bit is bit 0 of the code's byte. Code 0 becomes base
// 0, and its bit of `any` is 0 because it is no base.
struct base_bits {
  WEFT_HOST_DEVICE explicit base_bits(std::uint64_t codes) {
    const std::uint64_t one = codes & byte_ones, two = codes >> 1 & byte_ones, four = codes >> 2 & byte_ones;
    low = (two & ~one) | four;
    high = (two & one) | four;
    any = one | two | four;
  }
  std::uint64_t low, high, any;
};

// Returns up to 32 DNA codes in 2 bits each, the first lowest. Separators, and the bits after the last code,
// are 0.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t packed_codes(const unsigned char* codes, unsigned count) {
  std::uint64_t packed = 0;
  for (unsigned i = 0; i < count; i += 8) {
    const base_bits bases(eight_codes(codes + i, count - i));
    packed |= pack_pairs(bases.low | bases.high << 1) << (2 * i);
  }
  return packed;
}

// Returns the block of up to 192 rows with these codes. Its counts are those of its own rows, not of the rows
// before it.
[[nodiscard]] WEFT_HOST_DEVICE inline dna_block block_of_codes(const unsigned char* codes, unsigned rows) {
  dna_block block{};
  std::uint32_t open = rows;
  WEFT_UNROLL
  for (unsigned w = 0; w < 3; ++w)
    for (unsigned i = 0; i < 64 && w * 64 + i < rows; i += 8) {
      const base_bits bases(eight_codes(codes + w * 64 + i, rows - w * 64 - i));
      block.low[w] |= static_cast<std::uint64_t>(gather_bits(bases.low)) << i;
      block.high[w] |= static_cast<std::uint64_t>(gather_bits(bases.high)) << i;
      open -= count_ones(bases.any);
    }
  WEFT_UNROLL
  for (unsigned base = 0; base < 4; ++base) block.counts[base] = count_in_block(block, base, rows);
  block.counts[0] -= open;
  if (open > 0) block.counts[0] |= dna_exception_flag;
  return block;
}

struct base_counts {
  std::uint64_t of[4] = {0, 0, 0, 0};
  friend bool operator==(const base_counts&, const base_counts&) = default;
  friend WEFT_HOST_DEVICE base_counts operator+(const base_counts& a, const base_counts& b) {
    base_counts sum;
    for (unsigned base = 0; base < 4; ++base) sum.of[base] = a.of[base] + b.of[base];
    return sum;
  }
};

[[nodiscard]] WEFT_HOST_DEVICE inline base_counts counts_of(const dna_block& block) {
  base_counts counts;
  for (unsigned base = 0; base < 4; ++base)
    counts.of[base] = block.counts[base] & (base == 0 ? ~dna_exception_flag : ~std::uint32_t{0});
  return counts;
}

// Sets the counts of a block. `before` are the counts of all rows before the block, and `super` those of all
// rows before its superblock.
WEFT_HOST_DEVICE inline void set_counts(dna_block& block, const base_counts& before,
                                        const base_counts& super) {
  for (unsigned base = 0; base < 4; ++base)
    block.counts[base] = static_cast<std::uint32_t>(before.of[base] - super.of[base]) |
                         (base == 0 ? block.counts[0] & dna_exception_flag : 0);
}

WEFT_HOST_DEVICE constexpr std::uint64_t dna_blocks_for(std::uint64_t rows) {
  return rows / dna_block_rows + 1;
}
WEFT_HOST_DEVICE constexpr std::uint64_t dna_supers_for(std::uint64_t rows) {
  return ((dna_blocks_for(rows) - 1) >> dna_superblock_shift) + 1;
}

// The rows of a k-mer, whose last base is in the lowest bits; for a k-mer that does not occur, an empty
// interval where its suffixes would stand. Of the index, only ranks, first rows and open rows are read.
struct kmer_rows {
  WEFT_HOST_DEVICE kmer_rows(const fm_parts& index, std::uint32_t k, std::uint64_t kmer)
      : low(0), high(index.num_rows) {
    for (std::uint32_t i = 0; i < k; ++i)
      index.narrow<true>(static_cast<unsigned>(kmer >> (2 * i) & 3) + 1, low, high);
  }
  std::uint64_t low, high;
};

// Returns the number of groups of 8 words that the marks, and each level, have for `rows` rows.
WEFT_HOST_DEVICE constexpr std::uint64_t groups_for(std::uint64_t rows) { return rows / 512 + 1; }

[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t ones_of_group(const std::uint64_t* words) {
  std::uint64_t ones = 0;
  WEFT_UNROLL
  for (unsigned w = 0; w < 8; ++w) ones += count_ones(words[w]);
  return ones;
}

// Returns bit `shift` of each of up to 64 codes; bits after the last code are 0.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t level_word(const unsigned char* codes, unsigned rows,
                                                               int shift) {
  std::uint64_t word = 0;
  for (unsigned i = 0; i < rows; i += 8)
    word |= static_cast<std::uint64_t>(gather_bits(eight_codes(codes + i, rows - i) >> shift & byte_ones))
            << i;
  return word;
}

// Returns the position on the next level of the number at position i of `level`, whose bits have `zeros`
// zeros.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t
next_level_position(const wavelet_matrix& matrix, int level, std::uint64_t zeros, std::uint64_t i) {
  const std::uint64_t ones = matrix.ones_before(level, i);
  return matrix.bit(level, i) ? zeros + ones : i - ones;
}

} // namespace weft::bwt_detail
