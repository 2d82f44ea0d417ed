// Numbers to dense codes: 0 .. sigma - 1, equal for equal numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>
#include <weft/lcs/cpu/common.hpp>

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

} // namespace weft::lcs_cpu
