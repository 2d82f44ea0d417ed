// The plain version of scan_positions():
//     for each position:  mismatches = 0
//         for each counted letter:  if its plane has the bit of the position, ++mismatches
//         report the position if mismatches <= max_distance and no exact letter's plane has the bit
// Differences from the plain version: a letter adds its plane to counters of four bits for all positions of a
// vector, eight letters at a time, by seven full adders, each of which adds three bits (Harley & Seal's
// counting of ones: Warren, Hacker's Delight, 2nd ed., section 5-1). The counters begin with 15 -
// max_distance, so that the first carry out of them says that there are too many.
#define HWY_DISABLED_TARGETS                                                                                 \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/bwt/cpu/near_scan.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <bit>
#include <cstdint>
#include <vector>
#include <weft/bwt/cpu/near_scan.hpp>

HWY_BEFORE_NAMESPACE();
namespace weft::bwt_detail::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using byte_tag = hn::ScalableTag<std::uint8_t>;
using bits = hn::Vec<byte_tag>;

// Counters of four bits for the positions of a vector.
struct counters {
  bits ones, twos, fours, eights, overflow;
};

// Replaces a by the lowest bit of a + b + c, and returns the higher bit.
HWY_INLINE bits full_add(bits& a, bits b, bits c) {
  const bits either = hn::Xor(a, b), carry = hn::Or(hn::And(a, b), hn::And(either, c));
  a = hn::Xor(either, c);
  return carry;
}

// Adds the bits of eight planes, `at` bytes behind their pointers.
HWY_INLINE void add_eight(counters& sum, const std::uint8_t* const* planes, std::size_t at) {
  const byte_tag d;
  const auto plane = [&](int i) { return hn::LoadU(d, planes[i] + at); };
  const bits twos_a = full_add(sum.ones, plane(0), plane(1)), twos_b = full_add(sum.ones, plane(2), plane(3));
  const bits fours_a = full_add(sum.twos, twos_a, twos_b);
  const bits twos_c = full_add(sum.ones, plane(4), plane(5)), twos_d = full_add(sum.ones, plane(6), plane(7));
  const bits fours_b = full_add(sum.twos, twos_c, twos_d);
  const bits eights = full_add(sum.fours, fours_a, fours_b);
  sum.overflow = hn::Or(sum.overflow, hn::And(sum.eights, eights));
  sum.eights = hn::Xor(sum.eights, eights);
}

HWY_INLINE bits all_if(bool set) { return hn::Set(byte_tag(), set ? std::uint8_t{0xff} : std::uint8_t{0}); }

// Appends the hits among the positions of a vector.
void list_hits(const counters& sum, std::size_t at, unsigned start, std::vector<near_scan_hit>& hits) {
  const byte_tag d;
  constexpr std::size_t max_bytes = HWY_MAX_BYTES;
  alignas(HWY_MAX_BYTES) std::uint8_t ones[max_bytes], twos[max_bytes], fours[max_bytes], eights[max_bytes],
      found[max_bytes];
  hn::Store(sum.ones, d, ones);
  hn::Store(sum.twos, d, twos);
  hn::Store(sum.fours, d, fours);
  hn::Store(sum.eights, d, eights);
  hn::Store(hn::Not(sum.overflow), d, found);
  for (std::size_t byte = 0; byte < hn::Lanes(d); ++byte)
    for (unsigned left = found[byte]; left != 0; left &= left - 1) {
      const auto bit = static_cast<unsigned>(std::countr_zero(left));
      const auto of = [&](const std::uint8_t* plane) { return plane[byte] >> bit & 1U; };
      const unsigned count = of(ones) + 2 * of(twos) + 4 * of(fours) + 8 * of(eights);
      hits.push_back({static_cast<std::uint32_t>(8 * (at + byte)) + bit, count - start});
    }
}

void scan_with_vectors(const near_scan_letters& letters, std::size_t num_bytes,
                       std::vector<near_scan_hit>& hits) {
  const byte_tag d;
  const unsigned start = 15 - letters.max_distance;
  for (std::size_t at = 0; at < num_bytes; at += hn::Lanes(d)) {
    counters sum{all_if((start & 1) != 0), all_if((start & 2) != 0), all_if((start & 4) != 0),
                 all_if((start & 8) != 0), hn::Zero(d)};
    for (const std::uint8_t* plane : letters.exact)
      sum.overflow = hn::Or(sum.overflow, hn::LoadU(d, plane + at));
    bool any = true;
    for (std::size_t i = 0; any && i < letters.counted.size(); i += 8) {
      add_eight(sum, letters.counted.data() + i, at);
      any = !hn::AllTrue(d, hn::Eq(sum.overflow, all_if(true)));
    }
    if (any) list_hits(sum, at, start, hits);
  }
}

} // namespace weft::bwt_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::bwt_detail {

HWY_EXPORT(scan_with_vectors);

void scan_positions(const near_scan_letters& letters, std::size_t num_bytes,
                    std::vector<near_scan_hit>& hits) {
  HWY_DYNAMIC_DISPATCH(scan_with_vectors)(letters, num_bytes, hits);
}

} // namespace weft::bwt_detail
#endif
