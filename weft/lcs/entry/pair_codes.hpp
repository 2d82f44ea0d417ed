// Maps symbols to dense codes 0 .. sigma - 1, where equal symbols have equal codes, and codes to bit
// planes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>
#include <weft/base/parallel.hpp>
#include <weft/lcs/core/bit_planes.hpp>
#include <weft/lcs/entry/call.hpp>

namespace weft::lcs_detail {

// The codes of two texts; all are below sigma.
struct coded_pair {
  std::vector<std::uint32_t> a, b;
  std::uint64_t sigma;
};

// Returns codes in the order of the numbers. Uses a direct table if the numbers are already dense, and
// sorts them otherwise.
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

// The codes of a text of bytes; all are below sigma.
struct coded_bytes {
  std::vector<std::uint8_t> codes;
  std::uint64_t sigma = 0;
};

// Returns codes in the order of the bytes.
inline coded_bytes dense_codes(std::string_view symbols) {
  coded_bytes coded;
  std::array<std::uint8_t, 256> code{};
  for (const char c : symbols) code[static_cast<std::uint8_t>(c)] = 1;
  for (std::uint8_t& c : code) c = c == 0 ? 0 : static_cast<std::uint8_t>(coded.sigma++);
  coded.codes.reserve(symbols.size());
  for (const char c : symbols) coded.codes.push_back(code[static_cast<std::uint8_t>(c)]);
  return coded;
}

// Codes for comparing symbols of a with symbols of b, as few as possible: one for each symbol that both
// texts contain, one for all symbols that occur in a only, one for all symbols that occur in b only.
// Symbols are below sigma.
template <class Symbol> class pair_codes {
public:
  // `threads` is the number of threads for the constructor, codes_of_a() and codes_of_b().
  pair_codes(text<Symbol> a, text<Symbol> b, std::uint64_t sigma, int threads)
      : threads_(threads), in_a_(mark_occurring(a, sigma)), in_b_(mark_occurring(b, sigma)), code_(sigma) {
    for (std::size_t symbol = 0; symbol < sigma; ++symbol) {
      if (in_a_[symbol] & in_b_[symbol]) code_[symbol] = static_cast<std::uint32_t>(shared_++);
      only_a_ |= in_a_[symbol] & ~in_b_[symbol];
      only_b_ |= in_b_[symbol] & ~in_a_[symbol];
    }
  }
  [[nodiscard]] std::uint64_t count() const { return shared_ + only_a_ + only_b_; }
  template <class Code> [[nodiscard]] std::vector<Code> codes_of_a(text<Symbol> a) const {
    return codes<Code>(a, in_b_, shared_);
  }
  template <class Code> [[nodiscard]] std::vector<Code> codes_of_b(text<Symbol> b) const {
    return codes<Code>(b, in_a_, shared_ + only_a_);
  }

private:
  static constexpr std::uint64_t grain = 1 << 18; // the number of symbols that is worth a thread

  // Returns for each symbol whether it occurs.
  [[nodiscard]] std::vector<std::uint8_t> mark_occurring(text<Symbol> symbols, std::uint64_t sigma) const {
    std::vector<std::uint8_t> found(sigma);
    std::mutex mutex;
    const bool is_small_alphabet = sigma <= 4096; // then each thread can have its own marks
    parallel_for(0, symbols.size(), is_small_alphabet ? grain : std::max<std::uint64_t>(symbols.size(), 1),
                 threads_, [&](std::uint64_t first, std::uint64_t last) {
                   std::vector<std::uint8_t> mine(sigma);
                   // A local pointer, because bytes might alias everything else.
                   std::uint8_t* const mark = mine.data();
                   for (const Symbol symbol : symbols.subspan(first, last - first)) mark[symbol] = 1;
                   const std::lock_guard lock(mutex);
                   for (std::size_t symbol = 0; symbol < sigma; ++symbol) found[symbol] |= mine[symbol];
                 });
    return found;
  }

  template <class Code>
  [[nodiscard]] std::vector<Code> codes(text<Symbol> symbols, const std::vector<std::uint8_t>& other,
                                        std::uint64_t unshared_code) const {
    std::vector<Code> code_of_symbol(code_.size());
    for (std::size_t symbol = 0; symbol < code_.size(); ++symbol)
      code_of_symbol[symbol] = static_cast<Code>(other[symbol] ? code_[symbol] : unshared_code);
    std::vector<Code> result(symbols.size());
    parallel_for(0, symbols.size(), grain, threads_, [&](std::uint64_t first, std::uint64_t last) {
      // A local pointer, because bytes might alias everything else.
      const Code* const code = code_of_symbol.data();
      Code* to = result.data() + first;
      for (const Symbol symbol : symbols.subspan(first, last - first)) *to++ = code[symbol];
    });
    return result;
  }

  int threads_;
  std::vector<std::uint8_t> in_a_, in_b_;
  std::vector<std::uint32_t> code_;
  std::uint64_t shared_ = 0, only_a_ = 0, only_b_ = 0;
};

// Returns the bit planes of both texts, whose symbols are below sigma.
template <class Symbol>
std::pair<bit_planes, bit_planes> symbol_planes(text<Symbol> a, text<Symbol> b, std::uint64_t sigma,
                                                int threads) {
  const pair_codes<Symbol> codes(a, b, sigma, threads);
  const auto planes_of = [&](const std::vector<Symbol>& symbols) {
    return lcs_detail::make_bit_planes(text<Symbol>(symbols), lcs_detail::planes_for(codes.count()));
  };
  return {planes_of(codes.template codes_of_a<Symbol>(a)), planes_of(codes.template codes_of_b<Symbol>(b))};
}

} // namespace weft::lcs_detail
