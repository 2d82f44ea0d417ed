// Base counts and bases of 192 rows of a transform in 64 bytes: a step of backward search reads exactly one
// such cache line.
//
//   counts   four 32-bit numbers: how many A, C, G and T the rows before the block have, counted from the
//            beginning of its superblock; the top bit of the first number is set if some rows of the block
//            hold no base
//   low      three 64-bit words: the low bit of each row's base (A 0, C 1, G 2, T 3)
//   high     three 64-bit words: the high bit of each row's base
// Rows without a base are stored as A but are left out of the counts; a sorted list of rows names them. The
// functions are always inlined so that a caller compiled for a processor with a population count instruction
// uses that instruction. A superblock has 2^23 blocks (1.6 billion rows); its counts have 64 bits.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/bits.hpp>

namespace weft::bwt_detail {

constexpr std::uint64_t dna_block_rows = 192;
constexpr int dna_superblock_shift = 23; // log2 of its blocks; 31 bits count its rows

struct dna_block { // 64-byte aligned in an index that is mapped from a file
  std::uint32_t counts[4];
  std::uint64_t low[3], high[3];
};
static_assert(sizeof(dna_block) == 64);

constexpr std::uint32_t dna_exception_flag = std::uint32_t{1} << 31;

// Returns the bits of word w that stand for the first `rows` rows of a block; rows in [0, 192]. Has no
// branches, because `rows` is unpredictable.
[[gnu::always_inline]] WEFT_HOST_DEVICE constexpr std::uint64_t first_rows_of_word(unsigned rows,
                                                                                   unsigned w) {
  const int bits = static_cast<int>(rows) - static_cast<int>(w) * 64;
  const std::uint64_t some = (std::uint64_t{1} << (bits & 63)) - 1;
  return (bits >= 64 ? ~std::uint64_t{0} : some) & (bits > 0 ? ~std::uint64_t{0} : 0);
}

#if !defined(__CUDA_ARCH__)
// first_rows_of_word() for all numbers of rows and all words: on a CPU, reading it from the first cache takes
// less time than six operations.
struct first_rows_table {
  constexpr first_rows_table() : words{} {
    for (unsigned rows = 0; rows <= dna_block_rows; ++rows)
      for (unsigned w = 0; w < 3; ++w) words[rows][w] = first_rows_of_word(rows, w);
  }
  std::uint64_t words[dna_block_rows + 1][3];
};
inline constexpr first_rows_table first_rows_of_words;
#endif

// Returns the same as first_rows_of_word().
[[gnu::always_inline]] WEFT_HOST_DEVICE constexpr std::uint64_t first_rows(unsigned rows, unsigned w) {
#if defined(__CUDA_ARCH__)
  return first_rows_of_word(rows, w);
#else
  return first_rows_of_words.words[rows][w];
#endif
}

// Returns how many of the first `rows` rows of the block have the stored base `base`; rows in [0, 192].
[[gnu::always_inline]] WEFT_HOST_DEVICE constexpr std::uint32_t count_in_block(const dna_block& block,
                                                                               unsigned base, unsigned rows) {
  const std::uint64_t low = (base & 1) != 0 ? 0 : ~std::uint64_t{0},
                      high = (base & 2) != 0 ? 0 : ~std::uint64_t{0};
  std::uint32_t count = 0;
  for (unsigned w = 0; w < 3; ++w)
    count += count_ones((block.low[w] ^ low) & (block.high[w] ^ high) & first_rows(rows, w));
  return count;
}

// Numbers of rows before two rows of a block.
struct row_counts {
  std::uint32_t low, high;
};

// Returns count_in_block() for `low` and `high` rows; low <= high. Takes less time than two calls.
[[gnu::always_inline]] WEFT_HOST_DEVICE constexpr row_counts
counts_in_block(const dna_block& block, unsigned base, unsigned low, unsigned high) {
  const std::uint64_t low_bits = (base & 1) != 0 ? 0 : ~std::uint64_t{0},
                      high_bits = (base & 2) != 0 ? 0 : ~std::uint64_t{0};
  row_counts counts{0, 0};
  for (unsigned w = 0; w < 3; ++w) {
    const std::uint64_t equal = (block.low[w] ^ low_bits) & (block.high[w] ^ high_bits);
    counts.low += count_ones(equal & first_rows(low, w));
    counts.high += count_ones(equal & first_rows(high, w));
  }
  return counts;
}

// Returns of[i]. On a device it compares i with every index, because an array that is held in registers
// cannot be indexed by a variable.
template <class T, unsigned N>
[[gnu::always_inline]] WEFT_HOST_DEVICE constexpr T nth(const T (&of)[N], unsigned i) {
#if defined(__CUDA_ARCH__)
  T result = of[0];
  WEFT_UNROLL
  for (unsigned k = 1; k < N; ++k)
    if (i == k) result = of[k];
  return result;
#else
  return of[i];
#endif
}

// Returns the stored count of `base` in the rows before the block, from the superblock on. For base 0 it
// includes the flag.
[[gnu::always_inline]] WEFT_HOST_DEVICE constexpr std::uint32_t count_before(const dna_block& block,
                                                                             unsigned base) {
  return nth(block.counts, base);
}

[[gnu::always_inline]] WEFT_HOST_DEVICE constexpr unsigned base_in_block(const dna_block& block,
                                                                         unsigned row) {
  return static_cast<unsigned>(nth(block.low, row / 64) >> (row % 64) & 1) |
         static_cast<unsigned>(nth(block.high, row / 64) >> (row % 64) & 1) << 1;
}

#if defined(__CUDACC__)
// Loads a block into registers by four reads of 16 bytes.
[[nodiscard]] __device__ inline dna_block block_in_registers(const dna_block* from) {
  const auto* const vectors = reinterpret_cast<const uint4*>(from);
  const uint4 a = __ldg(vectors), b = __ldg(vectors + 1), c = __ldg(vectors + 2), d = __ldg(vectors + 3);
  const auto word = [](std::uint32_t low, std::uint32_t high) {
    return low | static_cast<std::uint64_t>(high) << 32;
  };
  return {{a.x, a.y, a.z, a.w},
          {word(b.x, b.y), word(b.z, b.w), word(c.x, c.y)},
          {word(c.z, c.w), word(d.x, d.y), word(d.z, d.w)}};
}
#endif

} // namespace weft::bwt_detail
