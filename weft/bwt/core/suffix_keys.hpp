// What tells suffixes apart that agree so far: bits of the text, ranks of suffixes further on, or ranks of a
// difference cover.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/bit_text.hpp>
#include <weft/bwt/core/difference_cover.hpp>
#include <weft/bwt/core/part_text.hpp>

namespace weft::bwt_core {

// Keys from round 1 on. Text: bit_text or part_text.
template <class Text> struct keys_of {
  Text text;
  WEFT_HOST_DEVICE std::uint64_t operator()(std::uint64_t suffix, std::uint32_t round) const {
    return text.later_key(suffix, round);
  }
};
using text_keys = keys_of<bit_text>;
using part_keys = keys_of<part_text>;

// Of suffixes in the difference cover; step is a multiple of its period.
struct further_ranks {
  const std::uint32_t* ranks; // by number in the cover
  std::uint64_t size, step;   // of the text; symbols
  WEFT_HOST_DEVICE std::uint64_t operator()(std::uint64_t suffix, std::uint32_t) const {
    const std::uint64_t next = suffix + step;
    return next < size ? ranks[cover_number(next)] + std::uint64_t{1} : 0;
  }
};

// The same where suffixes end with their parts. Those that end now agree in `step` symbols and are equal:
// they are in the order of their positions.
struct further_part_ranks {
  const std::uint32_t* ranks;
  part_marks parts;
  std::uint64_t step;
  WEFT_HOST_DEVICE std::uint64_t operator()(std::uint64_t suffix, std::uint32_t) const {
    const std::uint64_t next = suffix + step;
    return next < parts.end(suffix) ? std::uint64_t{1} << 63 | ranks[cover_number(next)] : suffix;
  }
};

WEFT_HOST_DEVICE inline further_ranks further_of(const bit_text& text, const std::uint32_t* ranks,
                                                 std::uint64_t step) {
  return {ranks, text.size, step};
}
WEFT_HOST_DEVICE inline further_part_ranks further_of(const part_text& text, const std::uint32_t* ranks,
                                                      std::uint64_t step) {
  return {ranks, text.parts, step};
}

// Of suffixes that agree in a period of the cover and more.
struct cover_ranks {
  const std::uint32_t* ranks; // by number in the cover; all different
  template <class Index> WEFT_HOST_DEVICE bool less(Index a, Index b) const {
    if (a == b) return false;
    const Index shift = cover_shift(a, b);
    return ranks[cover_number(a + shift)] < ranks[cover_number(b + shift)];
  }
};

} // namespace weft::bwt_core
