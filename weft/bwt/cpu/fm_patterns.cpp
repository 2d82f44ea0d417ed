// Packs the patterns of a batch: letters of DNA become two bits each, a vector at a time.
#define HWY_DISABLED_TARGETS                                                                                 \
  (HWY_SSSE3 | HWY_AVX3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/bwt/cpu/fm_patterns.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <array>
#include <bit>
#include <cstring>
#include <weft/bwt/core/fm_letters.hpp>
#include <weft/bwt/cpu/fm_search.hpp>
#include <weft/bwt/cpu/pack_bases-inl.hpp>

HWY_BEFORE_NAMESPACE();
namespace weft::bwt_detail::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// pack_32() packs 32 letters into a word, 2 bits each, the first lowest, as pack_letters() does, and sets a
// bit of `wrong` if one of them is not a base. any() returns whether one was not.
#if HWY_TARGET == HWY_SCALAR // no vectors
using wrong_letters = bool;
inline bool no_wrong_letters() { return false; }
inline bool any(bool wrong) { return wrong; }

inline std::uint64_t pack_32(const char* from, bool& wrong) {
  std::uint64_t packed = 0;
  bool valid = true;
  for (std::size_t i = 0; i < 4; ++i) {
    std::uint64_t letters = 0;
    std::memcpy(&letters, from + 8 * i, 8);
    packed |= pack_letters(letters, valid) << (16 * i);
  }
  wrong = wrong || !valid;
  return packed;
}
#else
using wrong_letters = hn::Vec<byte_tag>;
inline wrong_letters no_wrong_letters() { return hn::Zero(byte_tag()); }
inline bool any(wrong_letters wrong) { return !hn::AllTrue(byte_tag(), hn::Eq(wrong, no_wrong_letters())); }

// For the low half of a letter's byte: the code, and the only base with this low half. A letter that differs
// from that base, apart from the case, is not a base.
alignas(16) constexpr std::uint8_t code_of_low[16] = {0, 0, 1, 1, 3, 3, 2, 2, 0, 0, 1, 1, 3, 3, 2, 2};
alignas(16) constexpr std::uint8_t base_of_low[16] = {1, 'A', 0, 'C', 'T', 0, 0, 'G'};

inline std::uint64_t pack_32(const char* from, wrong_letters& wrong) {
  const byte_tag d;
  return pack_32_bases([&](std::size_t i) {
    const auto letters = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(from) + i);
    const auto upper = hn::And(letters, hn::Set(d, 0xdf));
    const auto low = hn::And(letters, hn::Set(d, 0x0f));
    wrong = hn::Or(wrong, hn::Xor(upper, hn::TableLookupBytes(hn::LoadDup128(d, base_of_low), low)));
    return hn::TableLookupBytes(hn::LoadDup128(d, code_of_low), low);
  });
}
#endif

// Packs each pattern p into the words from begins[p] on, and sets its size to 0 if it has a letter that is
// not a base.
void pack_patterns(std::string_view text, std::span<const std::uint64_t> offsets,
                   std::span<const std::uint64_t> begins, std::uint64_t* words, std::uint64_t* sizes) {
  for (std::size_t p = 0; p < begins.size(); ++p) {
    const std::uint64_t size = offsets[p + 1] - offsets[p];
    const char* from = text.data() + offsets[p];
    std::uint64_t* to = words + begins[p];
    wrong_letters wrong = no_wrong_letters();
    for (std::uint64_t i = 0; i + 32 <= size; i += 32) *to++ = pack_32(from + i, wrong);
    if (const std::uint64_t rest = size % 32; rest > 0 && size > 32) {
      // Packs the last 32 letters, the first of which the word before has already.
      *to = pack_32(from + size - 32, wrong) >> (2 * (32 - rest));
    } else if (rest > 0) {
      std::array<char, 32> last;
      last.fill('A'); // fills the word after the end of the pattern
      std::memcpy(last.data(), from, rest);
      *to = pack_32(last.data(), wrong);
    }
    sizes[p] = any(wrong) ? 0 : size;
  }
}

} // namespace weft::bwt_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::bwt_detail {

HWY_EXPORT(pack_patterns);

fm_patterns::fm_patterns(const fm_index::view& index, std::string_view text,
                         std::span<const std::uint64_t> offsets)
    : code_of_byte_(index.code_of_byte) {
  const std::uint64_t count = offsets.size() - 1;
  sizes_.resize(count);
  begins_.resize(count);
  if (index.dna()) {
    std::uint64_t words = 0;
    for (std::uint64_t p = 0; p < count; ++p) {
      begins_[p] = words;
      words += (offsets[p + 1] - offsets[p]) / 32 + 1;
    }
    words_.resize(words);
    HWY_DYNAMIC_DISPATCH(pack_patterns)(text, offsets, begins_, words_.data(), sizes_.data());
    return;
  }
  letters_.reserve(offsets.back() - offsets.front());
  for (std::uint64_t p = 0; p < count; ++p) {
    const std::string_view pattern = text.substr(offsets[p], offsets[p + 1] - offsets[p]);
    bool valid = true;
    begins_[p] = letters_.size();
    for (char c : pattern) {
      if (index.header.alphabet == 1 && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
      valid = valid && code_of_byte_[static_cast<unsigned char>(c)] != 0;
      letters_ += c;
    }
    sizes_[p] = valid ? pattern.size() : 0;
  }
}

} // namespace weft::bwt_detail
#endif
