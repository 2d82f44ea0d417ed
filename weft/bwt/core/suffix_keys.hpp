// The keys that distinguish suffixes which are equal so far: bits of the text, ranks of suffixes at a
// distance, or ranks of the suffixes in a difference cover.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/bit_text.hpp>
#include <weft/bwt/core/difference_cover.hpp>
#include <weft/bwt/core/part_text.hpp>

namespace weft::bwt_detail {

// Keys of the rounds from 1 on, taken from the text. Text is bit_text or part_text.
template <class Text> struct keys_of {
  Text text;
  WEFT_HOST_DEVICE std::uint64_t operator()(std::uint64_t suffix, std::uint32_t round) const {
    return text.later_key(suffix, round);
  }
};
using text_keys = keys_of<bit_text>;
using part_keys = keys_of<part_text>;

// Keys of suffixes in the difference cover: the rank of the suffix `step` symbols further on, where step is a
// multiple of the cover's period. Suffixes that agree in a period by keys of the text, and in more by ranks,
// continue inside their parts, so ranks need not know where parts end.
struct further_ranks {
  const std::uint32_t* ranks; // indexed by number in the cover
  std::uint64_t size, step;   // size of the text; distance in symbols
  WEFT_HOST_DEVICE std::uint64_t operator()(std::uint64_t suffix, std::uint32_t) const {
    const std::uint64_t next = suffix + step;
    return next < size ? ranks[cover_number(next)] + std::uint64_t{1} : 0;
  }
};

// Compares suffixes that agree in at least one period of the cover.
struct cover_ranks {
  const std::uint32_t* ranks; // indexed by number in the cover; all different
  template <class Index> WEFT_HOST_DEVICE bool less(Index a, Index b) const {
    if (a == b) return false;
    const Index shift = cover_shift(a, b);
    return ranks[cover_number(a + shift)] < ranks[cover_number(b + shift)];
  }
};

} // namespace weft::bwt_detail
