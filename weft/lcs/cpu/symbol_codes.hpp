// Numbers to dense codes: 0 .. sigma - 1, equal for equal numbers; and codes to bit planes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>
#include <weft/lcs/common.hpp>
#include <weft/lcs/core/bit_planes.hpp>

namespace weft::lcs_cpu {

struct coded_pair {
  std::vector<std::uint32_t> a, b;
  std::uint64_t sigma;
};

// Codes in the order of the numbers. Direct where the numbers are already dense, else by sorting them.
inline coded_pair dense_codes(text<std::uint32_t> a, text<std::uint32_t> b) {
  std::uint32_t largest = 0;
  for (const text<std::uint32_t> symbols : {a, b})
    for (const std::uint32_t symbol : symbols) largest = std::max(largest, symbol);
  coded_pair coded{{a.begin(), a.end()}, {b.begin(), b.end()}, 0};
  if (largest < 4 * (a.size() + b.size()) + 1024) {
    std::vector<std::uint32_t> code(std::uint64_t{largest} + 1);
    for (const text<std::uint32_t> symbols : {a, b})
      for (const std::uint32_t symbol : symbols) code[symbol] = 1;
    for (std::uint32_t& c : code) c = c == 0 ? 0 : static_cast<std::uint32_t>(coded.sigma++);
    for (auto* symbols : {&coded.a, &coded.b})
      for (std::uint32_t& symbol : *symbols) symbol = code[symbol];
    return coded;
  }
  std::vector<std::uint32_t> sorted(a.begin(), a.end());
  sorted.insert(sorted.end(), b.begin(), b.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  coded.sigma = sorted.size();
  for (auto* symbols : {&coded.a, &coded.b})
    for (std::uint32_t& symbol : *symbols)
      symbol =
          static_cast<std::uint32_t>(std::lower_bound(sorted.begin(), sorted.end(), symbol) - sorted.begin());
  return coded;
}

// The bit planes of both texts, symbols below sigma. Only which symbols of a equal which of b counts, so
// those that occur in a alone get one code, and those that occur in b alone another.
template <class Symbol>
std::pair<lcs_core::bit_planes, lcs_core::bit_planes> symbol_planes(text<Symbol> a, text<Symbol> b,
                                                                    std::uint64_t sigma) {
  std::vector<std::uint8_t> in_a(sigma), in_b(sigma);
  for (const Symbol symbol : a) in_a[symbol] = 1;
  for (const Symbol symbol : b) in_b[symbol] = 1;
  std::vector<Symbol> code(sigma);
  std::uint64_t shared = 0, only_a = 0, only_b = 0;
  for (std::size_t symbol = 0; symbol < sigma; ++symbol) {
    if (in_a[symbol] & in_b[symbol]) code[symbol] = static_cast<Symbol>(shared++);
    only_a |= in_a[symbol] & ~in_b[symbol];
    only_b |= in_b[symbol] & ~in_a[symbol];
  }
  const auto planes_of = [&](text<Symbol> symbols, const std::vector<std::uint8_t>& other,
                             std::uint64_t alone) {
    std::vector<Symbol> codes;
    codes.reserve(symbols.size());
    for (const Symbol symbol : symbols)
      codes.push_back(other[symbol] ? code[symbol] : static_cast<Symbol>(alone));
    return lcs_core::make_bit_planes(text<Symbol>(codes), lcs_core::planes_for(shared + only_a + only_b));
  };
  return {planes_of(a, in_b, shared), planes_of(b, in_a, shared + only_a)};
}

} // namespace weft::lcs_cpu
