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

// Of suffixes in the difference cover; step is a multiple of its period. Those that agree in a period by keys
// of the text, and in more by ranks, go on in their parts: ranks need not know where these end.
struct further_ranks {
  const std::uint32_t* ranks; // by number in the cover
  std::uint64_t size, step;   // of the text; symbols
  WEFT_HOST_DEVICE std::uint64_t operator()(std::uint64_t suffix, std::uint32_t) const {
    const std::uint64_t next = suffix + step;
    return next < size ? ranks[cover_number(next)] + std::uint64_t{1} : 0;
  }
};

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
