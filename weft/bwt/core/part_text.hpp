// Texts that stand one behind the other as the parts of one: where each ends, and the keys that their
// suffixes are sorted by.
//
// The plain version:
//     suffix a < suffix b, where a suffix ends with its part:
//         batches: by the number of the part, then as suffixes of a text
//         collections: as suffixes of a text; of equal ones that of the earlier part
//
// The bits of all parts are one string (bit_text.hpp), without separators. Keys are masked: behind the end of
// a part stand zeros, as behind the end of a text. The first key of a batch begins with the number of the
// part. What has ended is less than what goes on, and is in the order of (length, position): those that end
// in the same round and are equal so far differ by less than 64 bits, which leaves 57 bits for the position.
// So keys tell all suffixes apart; those of a collection that are equal stand in the order of their parts.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/bit_text.hpp>
#include <weft/bwt/core/bits.hpp>

namespace weft::bwt_core {

// What is known of 64 positions, in one read.
struct alignas(16) part_block {
  std::uint64_t begins; // bit i: a part begins, or all end, at the i-th of them
  std::uint32_t before; // so many parts begin before these positions
  std::uint32_t skip;   // so far behind them the next part begins, or all end; max_skip: as far, or farther
};
inline constexpr std::uint32_t max_skip = 0xffffffffU;

WEFT_HOST_DEVICE constexpr std::uint64_t part_blocks(std::uint64_t size) { return (size + 63) / 64; }

// Block `number` of parts of one symbol and more, where begins[0 .. parts-1] ascend from 0, and begins[parts]
// is the size of all. parts < 2^32.
WEFT_HOST_DEVICE inline part_block part_block_of(std::uint64_t number, const std::uint64_t* begins,
                                                 std::uint64_t parts) {
  const std::uint64_t first = number * 64, behind = first + 64;
  std::uint64_t low = 0, high = parts; // the first begin at `first` or behind it; begins[parts] is behind
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (begins[middle] < first)
      low = middle + 1;
    else
      high = middle;
  }
  part_block block{0, static_cast<std::uint32_t>(low), 0};
  for (; low <= parts && begins[low] < behind; ++low)
    block.begins |= std::uint64_t{1} << (begins[low] - first);
  if (low <= parts) {
    const std::uint64_t skip = begins[low] - behind;
    block.skip = skip < max_skip ? static_cast<std::uint32_t>(skip) : max_skip;
  }
  return block;
}

// A view.
struct part_marks {
  const part_block* blocks;

  WEFT_HOST_DEVICE bool begins_at(std::uint64_t i) const {
    return (blocks[i / 64].begins >> (i % 64) & 1) != 0;
  }
  // Of the part of position i, among those of one symbol and more.
  WEFT_HOST_DEVICE std::uint32_t number(std::uint64_t i) const { return number(blocks[i / 64], i); }
  WEFT_HOST_DEVICE static std::uint32_t number(const part_block& block, std::uint64_t i) {
    return block.before + count_ones(block.begins << (63 - i % 64)) - 1;
  }
  // Symbols from position i to the end of its part; where they are 2^32 - 1 and more, at least so many.
  WEFT_HOST_DEVICE std::uint64_t left(std::uint64_t i) const { return left(blocks[i / 64], i); }
  WEFT_HOST_DEVICE static std::uint64_t left(const part_block& block, std::uint64_t i) {
    const std::uint64_t behind = block.begins >> (i % 64) >> 1; // bit k: position i + 1 + k
    return behind != 0 ? static_cast<std::uint64_t>(lowest_one(behind)) + 1 : 64 - i % 64 + block.skip;
  }
};

// A view. Keys of less than 2^32 symbols.
struct part_text : bit_text {
  part_marks parts;
  std::uint32_t number_bits; // of a part's number, in the first key; 0: a collection, else at most 32

  WEFT_HOST_DEVICE std::uint64_t depth(std::uint32_t rounds) const {
    const std::uint64_t of_one = key_depth(bits, rounds);
    return rounds == 0 ? of_one : of_one - number_bits;
  }
  WEFT_HOST_DEVICE std::uint64_t first_key(std::uint64_t suffix) const {
    const std::uint64_t key = bit_text::first_key(suffix), before = mask_of_symbol();
    const part_block block = parts.blocks[suffix / 64];
    const std::uint64_t left = part_marks::left(block, suffix) * bits;
    const std::uint64_t ended = left < 64 ? ~std::uint64_t{0} >> left : 0;
    const std::uint64_t number = std::uint64_t{part_marks::number(block, suffix)} << 1 << (63 - number_bits);
    return number | ((key & ~before & ~ended) >> number_bits & ~before) | (key & before);
  }
  // round >= 1. Of a suffix that had not ended in the rounds before, or was equal to none.
  WEFT_HOST_DEVICE std::uint64_t later_key(std::uint64_t suffix, std::uint32_t round) const {
    const std::uint64_t left = parts.left(suffix) * bits, at = depth(round);
    if (at >= left) return (left - depth(round - 1)) << 57 | suffix;
    const std::uint64_t rest = left - at,
                        ended = rest < 63 ? ~std::uint64_t{0} >> 1 >> rest : 0; // of the 63 bits
    return std::uint64_t{1} << 63 | (from(suffix * bits + at) >> 1 & ~ended);
  }
};

} // namespace weft::bwt_core
