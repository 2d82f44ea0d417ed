// LCP arrays computed by way of the permuted LCP array (PLCP), which is indexed by text position instead of
// by row. The functions work on values and pointers alone.
//
// The plain version:
//     before[sa[r]] = sa[r - 1] for all rows r except 0
//     for i = 0 to n - 1:  plcp[i] = how many symbols suffixes i and before[i] have in common; the first
//                          plcp[i - 1] - 1 of them need not be compared; 0 if there is no suffix before
//     lcp[r] = plcp[sa[r]]
//
// The parallel version works
// - by levels instead of one position after another, because plcp[i] >= plcp[i - q] - q for every q. Position
//   0 comes first, then the odd multiples of the largest power of two q that is less than n, then those of q
//   / 2, and finally those of 1. Positions of one level do not depend on each other. Each compares
//       plcp[i] - (plcp[i - q] - q) <= (plcp[i + q] + q) - (plcp[i - q] - q)
//   symbols, which adds up to at most n + q per level. With log2(n) + 2 levels the time is O(n log n) for
//   every text.
// - by teams of growing size: a thread compares symbols up to a limit. If a comparison is not finished by
//   then, it is put on a list, and a block of threads continues it; if it is not finished at a second limit,
//   all blocks continue it. At most 2 n / limit comparisons of a level reach a limit. Until a comparison is
//   finished, plcp[i] is its upper bound.
// - in one array: entry i is before[i] until it becomes plcp[i]. A level reads `before` of its own positions,
//   and `plcp` of positions of earlier levels.
//
// If the array of positions is not a suffix array but its entries are less than n, the resulting numbers are
// wrong, but none is greater than n - i, and nothing is read out of range.
//
// Source: Karkkainen, Manzini & Puglisi, Permuted Longest-Common-Prefix Array, CPM 2009 (theorem 1, and the
// sparse PLCP array, of which a level is one).
#pragma once

#include <bit>
#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/bits.hpp>
#include <weft/bwt/core/fm_letters.hpp>

namespace weft::bwt_detail {

// A level: the positions back, 3 * back, 5 * back, ...; the level with back 0 has only position 0.
struct lcp_level {
  std::uint64_t back, count;
  WEFT_HOST_DEVICE std::uint64_t position(std::uint64_t i) const { return back + i * 2 * back; }
};

// Calls each(level) for all levels in order; n >= 1.
template <class Each> void for_each_level(std::uint64_t n, const Each& each) {
  each(lcp_level{0, 1});
  for (std::uint64_t back = std::bit_floor(n - 1); back > 0; back /= 2)
    each(lcp_level{back, (n - 1 - back) / (2 * back) + 1});
}

// A comparison of two suffixes of which `common` symbols are known to be equal.
template <class Index> struct lcp_item {
  Index at, before, common;
  // Returns how many symbols the suffixes can have in common at most, in a text of n symbols.
  WEFT_HOST_DEVICE std::uint64_t max_common(std::uint64_t n) const { return n - (at < before ? before : at); }
};

// Returns the capacity of a list of the comparisons of one level that reach a limit.
constexpr std::uint64_t lcp_list_capacity(std::uint64_t n, std::uint64_t limit) { return 2 * n / limit + 1; }

// Returns symbols [at, at + 8), the first in the lowest byte; bytes after the end of the text are 0.
WEFT_HOST_DEVICE inline std::uint64_t eight_symbols(const readable_letters& text, std::uint64_t at) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(text.begin) + at;
  const auto off = static_cast<unsigned>(address % 8);
  const std::uint64_t low = text.word(address - off);
  return off == 0 ? low : low >> (8 * off) | text.word(address - off + 8) << (64 - 8 * off);
}

// Returns how many symbols suffixes a and b have in common, of which `known` <= max_common are known. Returns
// a smaller number if it has compared `limit` further symbols without finding a difference. Comparisons
// proceed by aligned words of b, so that a comparison of a few symbols reads only one word of b.
WEFT_HOST_DEVICE inline std::uint64_t common_symbols(const readable_letters& text, std::uint64_t a,
                                                     std::uint64_t b, std::uint64_t known,
                                                     std::uint64_t max_common, std::uint64_t limit) {
  std::uint64_t common = known;
  while (common < max_common && common - known < limit) {
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(text.begin) + b + common;
    const auto off = static_cast<unsigned>(address % 8);
    const std::uint64_t differ =
        (text.word(address - off) ^ eight_symbols(text, a + common) << (8 * off)) >> (8 * off);
    common += differ != 0 ? static_cast<unsigned>(lowest_one(differ)) / 8 : 8 - off;
    if (differ != 0) break;
  }
  return common < max_common ? common : max_common;
}

// Computes plcp[i] for a position i of the level. If the comparison reaches the limit, calls put(item), which
// puts it on a list, and sets plcp[i] to its upper bound.
template <class Index, class Put>
WEFT_HOST_DEVICE void compare_position(const readable_letters& text, Index* plcp, std::uint64_t back,
                                       std::uint64_t i, std::uint64_t limit, const Put& put) {
  const auto n = static_cast<std::uint64_t>(text.end - text.begin);
  const Index before = plcp[i];
  if (before >= n) { // the first suffix in order has no suffix before it
    plcp[i] = 0;
    return;
  }
  lcp_item<Index> item{static_cast<Index>(i), before, 0};
  const std::uint64_t max_common = item.max_common(n), earlier_plcp = back == 0 ? 0 : plcp[i - back];
  std::uint64_t known = earlier_plcp > back ? earlier_plcp - back : 0;
  if (known > max_common) known = max_common; // happens only if the array was not a suffix array
  const std::uint64_t common = common_symbols(text, i, before, known, max_common, limit);
  const bool reached_limit = common < max_common && common - known >= limit;
  plcp[i] = static_cast<Index>(reached_limit ? max_common : common);
  item.common = static_cast<Index>(common);
  if (reached_limit) put(item);
}

// A team of threads compares a window of symbols at a time. Each thread compares `window_words` words, spaced
// by the width of the team.
inline constexpr unsigned window_words = 4;
WEFT_HOST_DEVICE constexpr std::uint64_t window_symbols(unsigned threads) {
  return std::uint64_t{8} * window_words * threads;
}

// Returns the first of the symbols [known, known + window) at which the two suffixes differ, among the
// symbols that this thread compares; max_common if these do not differ before that.
template <class Index>
WEFT_HOST_DEVICE std::uint64_t first_difference(const readable_letters& text, const lcp_item<Index>& item,
                                                std::uint64_t known, std::uint64_t max_common,
                                                unsigned thread, unsigned threads) {
  std::uint64_t differ[window_words];
  WEFT_UNROLL
  for (unsigned w = 0; w < window_words; ++w) {
    const std::uint64_t at = known + std::uint64_t{8} * (w * threads + thread);
    differ[w] =
        at < max_common ? eight_symbols(text, item.at + at) ^ eight_symbols(text, item.before + at) : 0;
  }
  std::uint64_t first = max_common;
  WEFT_UNROLL
  for (unsigned w = window_words; w-- > 0;) {
    const std::uint64_t at = known + std::uint64_t{8} * (w * threads + thread);
    if (differ[w] != 0) first = at + static_cast<unsigned>(lowest_one(differ[w])) / 8;
  }
  return first < max_common ? first : max_common;
}

} // namespace weft::bwt_detail
