// Packs bases of 2 bits, a vector at a time. Compiled anew for each set of vector instructions, so the file
// has include guards of its own (Highway's convention for files of this kind).
#if defined(WEFT_BWT_CPU_PACK_BASES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_BWT_CPU_PACK_BASES_INL_HPP
#undef WEFT_BWT_CPU_PACK_BASES_INL_HPP
#else
#define WEFT_BWT_CPU_PACK_BASES_INL_HPP
#endif

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace weft::bwt_detail::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
using byte_tag = hn::CappedTag<std::uint8_t, 32>;

// Returns 32 bases in 2 bits each, the first lowest. bases_from(i) returns a vector of byte_tag with the
// bases from the i-th one on, a byte each.
template <class BasesFrom> HWY_INLINE std::uint64_t pack_32_bases(const BasesFrom& bases_from) {
  const hn::Repartition<std::uint32_t, byte_tag> d32;
  std::array<std::uint8_t, 8> packed;
  for (std::size_t i = 0; i < 32; i += hn::Lanes(byte_tag())) {
    // The product has four bases side by side in its highest byte. The other products of a base and a bit of
    // the factor lie lower, where no two of them overlap, or are lost.
    const auto quads =
        hn::Mul(hn::BitCast(d32, bases_from(i)), hn::Set(d32, 1U << 24 | 1U << 18 | 1U << 12 | 1U << 6));
    hn::StoreU(hn::U8FromU32(hn::ShiftRight<24>(quads)), hn::Rebind<std::uint8_t, decltype(d32)>(),
               packed.data() + i / 4);
  }
  return std::bit_cast<std::uint64_t>(packed);
}
#endif

} // namespace weft::bwt_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
