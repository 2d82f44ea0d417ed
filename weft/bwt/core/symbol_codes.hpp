// Codes of symbols of 16 or 32 bits, in their order and without gaps: of each how many smaller ones are in
// use. They are counted by a bit for each symbol up to the greatest, and a sum for each 256 of them.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/bits.hpp>

namespace weft::bwt_core {

// Symbols are in groups of so many, a few words.
inline constexpr std::uint64_t symbol_group = 256, symbol_group_words = symbol_group / 64;

// Of a group how many are in use.
WEFT_HOST_DEVICE inline std::uint32_t symbols_of_group(const std::uint64_t* in_use, std::uint64_t group) {
  std::uint32_t sum = 0;
  for (std::uint64_t k = 0; k < symbol_group_words; ++k)
    sum += count_ones(in_use[group * symbol_group_words + k]);
  return sum;
}

// A view.
struct symbol_codes {
  const std::uint64_t* in_use; // bit s % 64 of word s / 64: symbol s. Null: each symbol is its own code
  const std::uint32_t* before; // of each group, how many are in use below it

  WEFT_HOST_DEVICE std::uint64_t operator()(std::uint64_t symbol) const {
    if (in_use == nullptr) return symbol;
    const std::uint64_t word = symbol / 64;
    std::uint64_t code = before[symbol / symbol_group];
    for (std::uint64_t k = word / symbol_group_words * symbol_group_words; k < word; ++k)
      code += count_ones(in_use[k]);
    return code + count_ones(in_use[word] & ((std::uint64_t{1} << (symbol % 64)) - 1));
  }
};

} // namespace weft::bwt_core
