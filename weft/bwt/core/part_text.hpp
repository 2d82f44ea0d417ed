// A text that consists of several texts as its parts: where each part ends, and the keys by which the
// suffixes of the parts are sorted.
//
// The plain version:
//     suffix a < suffix b, where a suffix ends with its part:
//         batches: by the number of the part, then as suffixes of a text
//         collections: as suffixes of a text; of equal suffixes, the one of the earlier part is less
//
// The bits of all parts form one string (bit_text.hpp), without separators. Keys are masked so that zeros
// follow the end of a part, as they follow the end of a text. In a batch, the first key begins with the
// number of the part. A suffix that has ended is less than one that continues. Suffixes that have ended are
// ordered by (length, position): those that end in the same round and have been equal so far differ in length
// by less than 64 bits, which leaves 57 bits of the key for the position. So keys distinguish all suffixes,
// and the equal suffixes of a collection get the order of their parts.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/bit_text.hpp>
#include <weft/bwt/core/bits.hpp>

namespace weft::bwt_detail {

// The parts at 64 successive positions, in a single 16-byte read.
struct alignas(16) part_block {
  std::uint64_t begins; // bit i: at the i-th position a part begins, or the last part has ended
  std::uint32_t before; // number of parts that begin before these positions
  std::uint32_t skip; // distance from the end of the positions to the next begin of a part, or to the end of
                      // all; at most max_skip
};
inline constexpr std::uint32_t max_skip = 0xffffffffU;

WEFT_HOST_DEVICE constexpr std::uint64_t part_blocks(std::uint64_t size) { return (size + 63) / 64; }

// Returns block `number` of parts that have at least one symbol each: begins[0 .. parts-1] ascend from 0, and
// begins[parts] is the size of all parts together. parts < 2^32.
WEFT_HOST_DEVICE inline part_block part_block_of(std::uint64_t number, const std::uint64_t* begins,
                                                 std::uint64_t parts) {
  const std::uint64_t first = number * 64, end = first + 64;
  std::uint64_t low = 0, high = parts; // the first begin is in [low, high]
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (begins[middle] < first)
      low = middle + 1;
    else
      high = middle;
  }
  part_block block{0, static_cast<std::uint32_t>(low), 0};
  for (; low <= parts && begins[low] < end; ++low) block.begins |= std::uint64_t{1} << (begins[low] - first);
  if (low <= parts) {
    const std::uint64_t skip = begins[low] - end;
    block.skip = skip < max_skip ? static_cast<std::uint32_t>(skip) : max_skip;
  }
  return block;
}

// A view of the blocks of all positions; it owns nothing.
struct part_marks {
  const part_block* blocks;

  WEFT_HOST_DEVICE bool begins_at(std::uint64_t i) const {
    return (blocks[i / 64].begins >> (i % 64) & 1) != 0;
  }
  // Returns the number of the part that contains position i, among the parts that have symbols.
  WEFT_HOST_DEVICE std::uint32_t number(std::uint64_t i) const { return number(blocks[i / 64], i); }
  WEFT_HOST_DEVICE static std::uint32_t number(const part_block& block, std::uint64_t i) {
    return block.before + count_ones(block.begins << (63 - i % 64)) - 1;
  }
  // Returns the number of symbols from position i to the end of its part. If there are 2^32 - 1 or more, the
  // result may be smaller, but not less than 2^32 - 1.
  WEFT_HOST_DEVICE std::uint64_t left(std::uint64_t i) const { return left(blocks[i / 64], i); }
  WEFT_HOST_DEVICE static std::uint64_t left(const part_block& block, std::uint64_t i) {
    const std::uint64_t later_begins = block.begins >> (i % 64) >> 1; // bit k: position i + 1 + k
    return later_begins != 0 ? static_cast<std::uint64_t>(lowest_one(later_begins)) + 1
                             : 64 - i % 64 + block.skip;
  }
};

// A view of a text and its parts; it owns nothing. Keys cover less than 2^32 symbols.
struct part_text : bit_text {
  part_marks parts;
  std::uint32_t number_bits; // of a part number in the first key; 0: a collection, otherwise at most 32

  WEFT_HOST_DEVICE std::uint64_t depth(std::uint32_t rounds) const {
    const std::uint64_t of_one = key_depth(bits, rounds);
    return rounds == 0 ? of_one : of_one - number_bits;
  }
  WEFT_HOST_DEVICE std::uint64_t first_key(std::uint64_t suffix) const {
    const std::uint64_t key = bit_text::first_key(suffix), before = mask_of_symbol();
    const part_block block = parts.blocks[suffix / 64];
    const std::uint64_t left = part_marks::left(block, suffix) * bits;
    const std::uint64_t end_mask = left < 64 ? ~std::uint64_t{0} >> left : 0;
    const std::uint64_t number = std::uint64_t{part_marks::number(block, suffix)} << 1 << (63 - number_bits);
    return number | ((key & ~before & ~end_mask) >> number_bits & ~before) | (key & before);
  }
  // Returns the key of a suffix in a round after the first; round >= 1. Either the suffix had not ended in
  // the rounds before, or it was equal to no other suffix.
  WEFT_HOST_DEVICE std::uint64_t later_key(std::uint64_t suffix, std::uint32_t round) const {
    const std::uint64_t left = parts.left(suffix) * bits, at = depth(round);
    if (at >= left) return (left - depth(round - 1)) << 57 | suffix;
    const std::uint64_t rest = left - at,
                        end_mask = rest < 63 ? ~std::uint64_t{0} >> 1 >> rest : 0; // of 63 bits
    return std::uint64_t{1} << 63 | (from(suffix * bits + at) >> 1 & ~end_mask);
  }
};

} // namespace weft::bwt_detail
