// The shortest root of a text, and its least rotation by a tournament of the positions where it may begin.
//
// The plain version:
//     the candidate of one position is that position; windows side by side, i that of the left one, j that of
//     the right one: look at d = j - i symbols from each on, round the end of the text. At a difference the
//     one with the smaller symbol stays; if there is none, i does
//
// Whoever goes is not least, in a text that is no power of another: let v be the d symbols, and T_i the
// rotation from i on, taken on and on. T_i = v T_j, and if there is no difference T_j = v T_(j+d). So T_i is
// less than T_j just where T_j is less than T_(j+d), and they are not equal: in one case T_j is greater than
// T_i, in the other greater than T_(j+d). A difference further on, wherever it was seen, tells as well.
//
// Two of windows of w symbols are less than 2 w apart: a round looks at no more than n symbols of each side,
// all rounds at n log2(n), and of most texts at a few for each position.
//
// Sources: Shiloach, J. Algorithms 2 (1981) 107-121, and Iliopoulos & Smyth, Theor. Comput. Sci. 92 (1992)
// 87-105 (least rotations, the latter in parallel); Vishkin, Inf. Control 67 (1985) 91-113 (duels).
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/bits.hpp>

namespace weft::bwt_core {

// The root's length for a text of n symbols, where has_period(root, part) says whether the first `root`
// symbols, of which the text is a power, are a power of their first `part`. With parts d and e so they are of
// the greatest common divisor's: each prime of n can be taken off on its own.
template <class HasPeriod> std::uint64_t root_length(std::uint64_t n, const HasPeriod& has_period) {
  std::uint64_t root = n;
  const auto take_off = [&](std::uint64_t prime) {
    while (root % prime == 0 && has_period(root, root / prime)) root /= prime;
  };
  std::uint64_t left = n; // without the primes seen
  for (std::uint64_t d = 2; d * d <= left; ++d) {
    if (left % d != 0) continue;
    take_off(d);
    while (left % d == 0) left /= d;
  }
  if (left > 1) take_off(left);
  return root;
}

// The eight bytes in the other order: then numbers compare as they do.
WEFT_HOST_DEVICE inline std::uint64_t reversed_bytes(std::uint64_t word) {
#if defined(__CUDA_ARCH__)
  const unsigned low = static_cast<unsigned>(word), high = static_cast<unsigned>(word >> 32);
  return std::uint64_t{__byte_perm(low, 0, 0x0123)} << 32 | __byte_perm(high, 0, 0x0123);
#else
  return __builtin_bswap64(word);
#endif
}

// A view of a text behind whose end stands its beginning.
struct circular_text {
  // Little-endian: byte i of the text is bits 8 * (i % 8) of word i / 8. Behind the last byte the text goes
  // on from the first one to the end of the words.
  const std::uint64_t* words;
  std::uint64_t size; // >= 1

  WEFT_HOST_DEVICE static constexpr std::uint64_t words_for(std::uint64_t size) { return (size + 7) / 8 + 1; }

  // at < 2 size
  WEFT_HOST_DEVICE std::uint64_t place(std::uint64_t at) const { return at < size ? at : at - size; }
  // Bytes [at, at + 8), the first lowest; at < size.
  WEFT_HOST_DEVICE std::uint64_t bytes(std::uint64_t at) const {
    return joined(words[at / 8], words[at / 8 + 1], at);
  }
  WEFT_HOST_DEVICE unsigned byte(std::uint64_t at) const {
    return static_cast<unsigned>(words[at / 8] >> (at % 8 * 8) & 255);
  }
  // Those of `at` out of its word and the next one.
  WEFT_HOST_DEVICE static std::uint64_t joined(std::uint64_t word, std::uint64_t next, std::uint64_t at) {
    const auto shift = static_cast<unsigned>(at % 8 * 8);
    return word >> shift | next << 1 << (63 - shift);
  }
};

// Whether the text and itself `distance` < size further on agree in the bytes of a word, that of a number
// below (size + 7) / 8. If they do in all of them, and the distance divides the size, it is a period.
WEFT_HOST_DEVICE inline bool word_repeats(const circular_text& text, std::uint64_t number,
                                          std::uint64_t distance) {
  return text.words[number] == text.bytes(text.place(8 * number + distance));
}

inline constexpr std::uint64_t no_difference = ~std::uint64_t{0};

// How far behind candidates i and j they first differ, of the eight bytes from `at` on; at < size.
WEFT_HOST_DEVICE inline std::uint64_t difference_at(const circular_text& text, std::uint64_t i,
                                                    std::uint64_t j, std::uint64_t at) {
  const std::uint64_t differ = text.bytes(text.place(i + at)) ^ text.bytes(text.place(j + at));
  return differ == 0 ? no_difference : at + static_cast<std::uint64_t>(lowest_one(differ)) / 8;
}

// Which of candidates i < j stays; difference: the first there is, or none if j - i bytes agree.
WEFT_HOST_DEVICE inline std::uint64_t stays(const circular_text& text, std::uint64_t i, std::uint64_t j,
                                            std::uint64_t difference) {
  if (difference == no_difference) return i;
  return text.byte((i + difference) % text.size) < text.byte((j + difference) % text.size) ? i : j;
}

// The candidate of positions [begin, end), one after another: most differ from it in eight bytes.
WEFT_HOST_DEVICE inline std::uint64_t candidate_of_window(const circular_text& text, std::uint64_t begin,
                                                          std::uint64_t end) {
  const auto is_less_behind = [&](std::uint64_t i, std::uint64_t j) { // j than i, which agree in eight bytes
    for (std::uint64_t at = 8; at < j - i; at += 8)
      if (const std::uint64_t difference = difference_at(text, i, j, at); difference != no_difference)
        return stays(text, i, j, difference) == j;
    return false;
  };
  std::uint64_t candidate = begin, least = reversed_bytes(text.bytes(begin)), word = text.words[begin / 8];
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t next = text.words[at / 8 + 1];
    do {
      const std::uint64_t key = reversed_bytes(circular_text::joined(word, next, at));
      if (key < least || (key == least && is_less_behind(candidate, at))) {
        candidate = at;
        least = key;
      }
      ++at;
    } while (at < end && at % 8 != 0);
    word = next;
  }
  return candidate;
}

// A round of the tournament: window k has its candidate in place k * stride of a list. That of two windows
// goes to the place of the left one; the last of an odd number stays where it is.
struct tournament_round {
  std::uint64_t windows, stride = 1;

  WEFT_HOST_DEVICE std::uint64_t pairs() const { return windows / 2; }
  WEFT_HOST_DEVICE std::uint64_t left(std::uint64_t pair) const { return 2 * pair * stride; }
  WEFT_HOST_DEVICE std::uint64_t right(std::uint64_t pair) const { return left(pair) + stride; }
  [[nodiscard]] tournament_round next() const { return {windows - windows / 2, 2 * stride}; }
};

} // namespace weft::bwt_core
