// The plain version of filter_rows():
//     for each string:  for each of its rows:
//         mismatches = slots of the context whose letter the filter's set of the slot does not contain
//         append the row if string.mismatches + mismatches <= max_distance and no exact slot is among them,
//         or if the context is incomplete
// A vector has the contexts of several rows. The contexts of the next strings are prefetched, because each
// string begins at a cache line of its own.
#define HWY_DISABLED_TARGETS                                                                                 \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/bwt/cpu/context_filter.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <weft/bwt/core/near_context.hpp>
#include <weft/bwt/cpu/near_windows.hpp>

HWY_BEFORE_NAMESPACE();
namespace weft::bwt_detail::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using context_tag = hn::CappedTag<std::uint64_t, 8>; // the section of contexts ends at a multiple of 8 rows
using signed_tag = hn::RebindToSigned<context_tag>;  // vectors of signed numbers can be compared by <
using contexts = hn::Vec<context_tag>;

// The filter of a string, with a copy of each number for each row of a vector.
class vector_filter {
public:
  vector_filter(const context_filter& filter, unsigned mismatches_before)
      : a_(hn::Set(d_, filter.contains[0])), c_(hn::Set(d_, filter.contains[1])),
        g_(hn::Set(d_, filter.contains[2])), t_(hn::Set(d_, filter.contains[3])),
        exact_(hn::Set(d_, filter.exact)),
        forbidden_(
            hn::Set(signed_tag(), static_cast<std::int64_t>(filter.max_distance - mismatches_before + 1))) {}

  // Returns the rows that pass, a bit each.
  [[nodiscard]] HWY_INLINE unsigned passing(contexts low) const {
    const contexts high = hn::ShiftRight<1>(low);
    const contexts if_high = hn::Or(hn::And(low, t_), hn::AndNot(low, g_)),
                   if_low = hn::Or(hn::And(low, c_), hn::AndNot(low, a_));
    const contexts matches = hn::Or(hn::And(high, if_high), hn::AndNot(high, if_low));
    const contexts differ = hn::AndNot(matches, hn::Set(d_, even_bits));
    const auto near =
        hn::RebindMask(d_, hn::Lt(hn::BitCast(signed_tag(), hn::PopulationCount(differ)), forbidden_));
    const auto all_exact = hn::Eq(hn::And(differ, exact_), hn::Zero(d_));
    const auto incomplete = hn::Eq(hn::And(low, hn::Set(d_, context_flag)), hn::Set(d_, context_flag));
    std::uint8_t bits[8] = {}; // StoreMaskBits() may write more bytes than the lanes need
    hn::StoreMaskBits(d_, hn::Or(hn::And(near, all_exact), incomplete), bits);
    return bits[0];
  }

private:
  context_tag d_;
  contexts a_, c_, g_, t_, exact_;
  hn::Vec<signed_tag> forbidden_;
};

bool filter_with_vectors(const fm_index::view& index, std::span<const window_string> strings,
                         std::size_t first, std::size_t last, std::span<const context_filter> filters,
                         std::size_t max_matches, std::vector<context_match>& matches) {
  const context_tag d;
  const std::size_t lanes = hn::Lanes(d);
  constexpr std::size_t ahead = 12;             // strings
  constexpr std::uint64_t rows_prefetched = 64; // of each string; the processor reads further ones ahead
  for (std::size_t s = first; s < last; ++s) {
    if (s + ahead < strings.size()) {
      const window_string& next = strings[s + ahead];
      const std::uint64_t end = std::min(next.high, next.low + rows_prefetched);
      for (std::uint64_t row = next.low; row < end; row += 8) __builtin_prefetch(index.contexts + row);
    }
    const window_string& string = strings[s];
    const vector_filter filter(filters[string.filter], string.mismatches);
    for (std::uint64_t row = string.low / lanes * lanes; row < string.high; row += lanes) {
      unsigned passing = filter.passing(hn::LoadU(d, index.contexts + row));
      if (row < string.low) passing &= ~0U << (string.low - row);
      if (row + lanes > string.high) passing &= ~(~0U << (string.high - row));
      for (; passing != 0; passing &= passing - 1) {
        if (matches.size() >= max_matches) return false;
        matches.push_back({row + static_cast<unsigned>(std::countr_zero(passing)), string.filter});
      }
    }
  }
  return true;
}

} // namespace weft::bwt_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::bwt_detail {

HWY_EXPORT(filter_with_vectors);

bool filter_rows(const fm_index::view& index, std::span<const window_string> strings, std::size_t first,
                 std::size_t last, std::span<const context_filter> filters, std::size_t max_matches,
                 std::vector<context_match>& matches) {
  return HWY_DYNAMIC_DISPATCH(filter_with_vectors)(index, strings, first, last, filters, max_matches,
                                                   matches);
}

void find_rows(const fm_index::view& index, std::span<window_string> strings) {
  constexpr std::size_t ahead = 16;
  for (std::size_t s = 0; s < strings.size(); ++s) {
    if (s + ahead < strings.size()) {
      index.kmers.prefetch(2 * std::uint64_t{strings[s + ahead].first});
      index.kmers.prefetch(2 * std::uint64_t{strings[s + ahead].last} + 1);
    }
    window_string& string = strings[s];
    // Between the rows of two k-mers are suffixes that end before they have k letters. They begin with the
    // same letters as the k-mer behind them, because a separator is less than all letters.
    string.low = string.first == 0 ? index.first_row[1] : index.kmers[2 * std::uint64_t{string.first} - 1];
    string.high = std::max(string.low, index.kmers[2 * std::uint64_t{string.last} + 1]);
  }
}

} // namespace weft::bwt_detail
#endif
