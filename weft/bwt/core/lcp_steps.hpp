// LCP arrays by way of the permuted one, on values and pointers alone.
//
// The plain version:
//     before[sa[r]] = sa[r - 1] for all rows r but 0
//     for i = 0 to n - 1:  plcp[i] = how many symbols suffixes i and before[i] have in common, of which
//                          plcp[i - 1] - 1 need not be compared; 0 where there is none before
//     lcp[r] = plcp[sa[r]]
//
// In parallel
// - by levels, not one after another: plcp[i] >= plcp[i - q] - q for every q. Position 0 comes first, then
//   the odd multiples of the largest power of two q that is less than n, then of its half, at last those of
//   1. Positions of a level do not wait for each other. They compare
//       plcp[i] - (plcp[i - q] - q) <= (plcp[i + q] + q) - (plcp[i - q] - q)
//   symbols, which adds up to n + q at most: with its log2(n) + 2 levels O(n log n), whatever the text is.
// - by teams: a thread compares up to a limit. What goes on is put on a list, and a block goes on with it;
//   what goes on for a second limit, all blocks. So of the items that have come to a limit there are not more
//   than 2 n / limit a level. Till one is compared, plcp[i] is the most that it can be.
// - in one array: entry i is before[i] until it becomes plcp[i]. A level reads before of its own positions,
//   and plcp of positions of earlier levels.
//
// Arrays of positions less than n that are no suffix array lead to other numbers, none of them more than
// n - i, and never to a read out of range.
//
// Source: Karkkainen, Manzini & Puglisi, Permuted Longest-Common-Prefix Array, CPM 2009 (theorem 1, and the
// sparse PLCP array, of which a level is one).
#pragma once

#include <bit>
#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/bits.hpp>
#include <weft/bwt/core/fm_letters.hpp>

namespace weft::bwt_core {

using weft::detail::readable_letters;

// Positions back, 3 * back, 5 * back, ...; of back 0 there is one, 0.
struct lcp_level {
  std::uint64_t back, count;
  WEFT_HOST_DEVICE std::uint64_t position(std::uint64_t i) const { return back + i * 2 * back; }
};

// Calls each(level) in their order; n >= 1.
template <class Each> void for_each_level(std::uint64_t n, const Each& each) {
  each(lcp_level{0, 1});
  for (std::uint64_t back = std::bit_floor(n - 1); back > 0; back /= 2)
    each(lcp_level{back, (n - 1 - back) / (2 * back) + 1});
}

// Two suffixes of which so many symbols are known to be common.
template <class Index> struct lcp_item {
  Index at, before, common;
  // That they can have in common, of a text of n symbols.
  WEFT_HOST_DEVICE std::uint64_t most(std::uint64_t n) const { return n - (at < before ? before : at); }
};

// For items that have come to a limit, of which a level has not more than this.
constexpr std::uint64_t lcp_list_room(std::uint64_t n, std::uint64_t limit) { return 2 * n / limit + 1; }

// Symbols [at, at + 8), the first lowest; 0 behind the end.
WEFT_HOST_DEVICE inline std::uint64_t eight_symbols(const readable_letters& text, std::uint64_t at) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(text.begin) + at;
  const auto off = static_cast<unsigned>(address % 8);
  const std::uint64_t low = text.word(address - off);
  return off == 0 ? low : low >> (8 * off) | text.word(address - off + 8) << (64 - 8 * off);
}

// How many symbols suffixes a and b have in common, of which `known` <= most are; it ends before that where
// it has compared `limit` more. By words of b, so that a comparison of a few symbols takes one of it.
WEFT_HOST_DEVICE inline std::uint64_t common_symbols(const readable_letters& text, std::uint64_t a,
                                                     std::uint64_t b, std::uint64_t known, std::uint64_t most,
                                                     std::uint64_t limit) {
  std::uint64_t common = known;
  while (common < most && common - known < limit) {
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(text.begin) + b + common;
    const auto off = static_cast<unsigned>(address % 8);
    const std::uint64_t differ =
        (text.word(address - off) ^ eight_symbols(text, a + common) << (8 * off)) >> (8 * off);
    common += differ != 0 ? static_cast<unsigned>(lowest_one(differ)) / 8 : 8 - off;
    if (differ != 0) break;
  }
  return common < most ? common : most;
}

// plcp[i], i of the level. Or what is to go on: then put(item) puts it on a list.
template <class Index, class Put>
WEFT_HOST_DEVICE void compare_position(const readable_letters& text, Index* plcp, std::uint64_t back,
                                       std::uint64_t i, std::uint64_t limit, const Put& put) {
  const auto n = static_cast<std::uint64_t>(text.end - text.begin);
  const Index before = plcp[i];
  if (before >= n) { // the first in order has none
    plcp[i] = 0;
    return;
  }
  lcp_item<Index> item{static_cast<Index>(i), before, 0};
  const std::uint64_t most = item.most(n), there = back == 0 ? 0 : plcp[i - back];
  std::uint64_t known = there > back ? there - back : 0;
  if (known > most) known = most; // of no suffix array
  const std::uint64_t common = common_symbols(text, i, before, known, most, limit);
  const bool goes_on = common < most && common - known >= limit;
  plcp[i] = static_cast<Index>(goes_on ? most : common);
  item.common = static_cast<Index>(common);
  if (goes_on) put(item);
}

// A team looks at a window of symbols at a time: each thread at some words, as far apart as the team is wide.
inline constexpr unsigned window_words = 4;
WEFT_HOST_DEVICE constexpr std::uint64_t window_symbols(unsigned threads) {
  return std::uint64_t{8} * window_words * threads;
}

// The first of the symbols [known, known + window) where the two suffixes differ, among those that the thread
// looks at; most, if there is none before that.
template <class Index>
WEFT_HOST_DEVICE std::uint64_t first_difference(const readable_letters& text, const lcp_item<Index>& item,
                                                std::uint64_t known, std::uint64_t most, unsigned thread,
                                                unsigned threads) {
  std::uint64_t differ[window_words];
  WEFT_UNROLL
  for (unsigned w = 0; w < window_words; ++w) {
    const std::uint64_t at = known + std::uint64_t{8} * (w * threads + thread);
    differ[w] = at < most ? eight_symbols(text, item.at + at) ^ eight_symbols(text, item.before + at) : 0;
  }
  std::uint64_t first = most;
  WEFT_UNROLL
  for (unsigned w = window_words; w-- > 0;) {
    const std::uint64_t at = known + std::uint64_t{8} * (w * threads + thread);
    if (differ[w] != 0) first = at + static_cast<unsigned>(lowest_one(differ[w])) / 8;
  }
  return first < most ? first : most;
}

} // namespace weft::bwt_core
