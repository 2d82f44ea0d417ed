// The suffix and LCP arrays of `weft-bench bwt`: checks, and the methods that compute them on the first GPU.
// The header also compiles without a CUDA toolkit; each method then reports that it is unavailable.
#pragma once

#include <algorithm>
#include <bench/bench.hpp>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string_view>
#include <vector>

namespace weft::bench {

// Returns true if the entries add up to those of a permutation, and the suffixes of 1,000 pairs of adjacent
// rows are in order. Suffixes that agree in a million symbols count as in order.
template <class Symbol>
bool is_suffix_array(std::span<const Symbol> text, std::span<const std::uint32_t> sa) {
  std::uint64_t sum = 0;
  for (const std::uint32_t each : sa) sum += each;
  const std::uint64_t n = text.size();
  if (sa.size() != n || sum != n * (n - 1) / 2) return false;
  std::mt19937_64 random(1);
  for (int round = 0; n > 1 && round < 1000; ++round) {
    const std::uint64_t row = 1 + random() % (n - 1);
    if (sa[row - 1] >= n || sa[row] >= n) return false;
    const auto a = text.subspan(sa[row - 1], std::min<std::uint64_t>(n - sa[row - 1], 1'000'000)),
               b = text.subspan(sa[row], std::min<std::uint64_t>(n - sa[row], 1'000'000));
    if (std::lexicographical_compare(b.begin(), b.end(), a.begin(), a.end())) return false;
  }
  return true;
}

// Returns true if 1,000 entries of the LCP array are right. Of a long common prefix only the last million
// symbols are compared.
template <class Index>
bool is_lcp_array(std::string_view text, std::span<const Index> sa, std::span<const Index> lcp) {
  std::mt19937_64 random(1);
  const std::uint64_t n = text.size();
  for (int round = 0; n > 1 && round < 1000; ++round) {
    const std::uint64_t row = 1 + random() % (n - 1), common = lcp[row],
                        last = std::max(sa[row - 1], sa[row]);
    if (last + common > n) return false;
    const std::uint64_t compared = std::min<std::uint64_t>(common, 1'000'000);
    const std::string_view a = text.substr(sa[row - 1] + common - compared),
                           b = text.substr(sa[row] + common - compared);
    if (a.substr(0, compared) != b.substr(0, compared) || (last + common < n && a[compared] == b[compared]))
      return false;
  }
  return lcp[0] == 0;
}

using text_source = std::function<std::string_view()>;
using symbol_source = std::function<std::span<const std::uint32_t>()>;

// Sort the suffixes of a text in device memory, of bytes or of symbols of 32 bits.
[[nodiscard]] method suffix_array_in_gpu_memory(const text_source& text);
[[nodiscard]] method suffix_array_in_gpu_memory(const symbol_source& symbols);
// Compute the LCP array of a text and its suffix array in device memory, with indexes of 32 and of 64 bits.
// `one_run`: all symbols of the text but perhaps the first are the same, and shorter suffixes are smaller.
[[nodiscard]] std::vector<method> lcp_arrays_in_gpu_memory(const text_source& text, bool one_run);
// Sorts n pairs of 64-bit random keys and 32-bit values by CUB's radix sort, timed in the stream: what a
// suffix array of n symbols may be compared with where there is no other software.
[[nodiscard]] method pair_sort_in_gpu_memory(std::uint64_t n);

} // namespace weft::bench
