// Dense codes for 16-bit or 32-bit symbols, in the order of the symbols: the code of a symbol is the number
// of smaller symbols in use. It is counted with a bit for each symbol up to the greatest, and a sum for each
// group of 256 symbols.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/bits.hpp>

namespace weft::bwt_detail {

// Symbols of a group, and the words of its bits.
inline constexpr std::uint64_t symbol_group = 256, symbol_group_words = symbol_group / 64;

// Returns how many symbols of a group are in use.
WEFT_HOST_DEVICE inline std::uint32_t symbols_of_group(const std::uint64_t* in_use, std::uint64_t group) {
  std::uint32_t sum = 0;
  for (std::uint64_t k = 0; k < symbol_group_words; ++k)
    sum += count_ones(in_use[group * symbol_group_words + k]);
  return sum;
}

// A view of the bits and the sums; it owns nothing.
struct symbol_codes {
  // Bit s % 64 of word s / 64 is set if symbol s is in use. Null: each symbol is its own code.
  const std::uint64_t* in_use;
  const std::uint32_t* before; // for each group, how many symbols in use are below the group

  WEFT_HOST_DEVICE std::uint64_t operator()(std::uint64_t symbol) const {
    if (in_use == nullptr) return symbol;
    const std::uint64_t word = symbol / 64;
    std::uint64_t code = before[symbol / symbol_group];
    for (std::uint64_t k = word / symbol_group_words * symbol_group_words; k < word; ++k)
      code += count_ones(in_use[k]);
    return code + count_ones(in_use[word] & ((std::uint64_t{1} << (symbol % 64)) - 1));
  }
};

} // namespace weft::bwt_detail
