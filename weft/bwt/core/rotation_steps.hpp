// The shortest root of a text, and its least rotation, found by a tournament of candidate starts.
//
// The plain version:
//     the candidate of a single position is that position. To merge two adjacent windows, compare d = j - i
//     symbols from the candidate i of the left one and from the candidate j of the right one, wrapping round
//     the end of the text. At a difference, the candidate with the smaller symbol wins; else i wins
//
// The loser of a duel is never the least rotation, if the text is not a power of a shorter text. Let v be the
// d symbols, and T_i the infinite repetition of the rotation that begins at i. Then T_i = v T_j and, if there
// is no difference, T_j = v T_(j+d). So T_i < T_j if and only if T_j < T_(j+d), and they are not equal:
// either T_j is greater than T_i, or it is greater than T_(j+d). A difference at a greater distance, found by
// whatever comparison, decides as well.
//
// Candidates of adjacent windows of w symbols are less than 2 w apart. So a round compares at most n symbols
// of each side, and all rounds together at most n log2(n); for most texts it is a few symbols for each
// position.
//
// Sources: Shiloach, J. Algorithms 2 (1981) 107-121, and Iliopoulos & Smyth, Theor. Comput. Sci. 92 (1992)
// 87-105 (least rotations, the latter in parallel); Vishkin, Inf. Control 67 (1985) 91-113 (duels).
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/bits.hpp>

namespace weft::bwt_detail {

// Returns the length of the root of a text of n symbols. has_period(root, part) says whether the first `root`
// symbols, of which the text is a power, are a power of their first `part` symbols. If a text is a power of
// its first d and of its first e symbols, it is a power of its first gcd(d, e) symbols; so each prime factor
// of n can be removed independently.
template <class HasPeriod> std::uint64_t root_length(std::uint64_t n, const HasPeriod& has_period) {
  std::uint64_t root = n;
  const auto take_off = [&](std::uint64_t prime) {
    while (root % prime == 0 && has_period(root, root / prime)) root /= prime;
  };
  std::uint64_t left = n; // n without the prime factors already handled
  for (std::uint64_t d = 2; d * d <= left; ++d) {
    if (left % d != 0) continue;
    take_off(d);
    while (left % d == 0) left /= d;
  }
  if (left > 1) take_off(left);
  return root;
}

// Returns the bytes of a word in reverse order, so that comparing the numbers compares the bytes
// lexicographically.
WEFT_HOST_DEVICE inline std::uint64_t reversed_bytes(std::uint64_t word) {
#if defined(__CUDA_ARCH__)
  const unsigned low = static_cast<unsigned>(word), high = static_cast<unsigned>(word >> 32);
  return std::uint64_t{__byte_perm(low, 0, 0x0123)} << 32 | __byte_perm(high, 0, 0x0123);
#else
  return __builtin_bswap64(word);
#endif
}

// A view of a text that is followed by its own beginning.
struct circular_text {
  // Little-endian: byte i of the text is bits 8 * (i % 8) to 8 * (i % 8) + 7 of word i / 8. After its last
  // byte the text starts again from the first, up to the end of the words.
  const std::uint64_t* words;
  std::uint64_t size; // >= 1

  WEFT_HOST_DEVICE static constexpr std::uint64_t words_for(std::uint64_t size) { return (size + 7) / 8 + 1; }

  // Returns the position `at` wrapped round the end of the text; at < 2 size.
  WEFT_HOST_DEVICE std::uint64_t wrapped(std::uint64_t at) const { return at < size ? at : at - size; }
  // Returns bytes [at, at + 8), the first in the lowest byte; at < size.
  WEFT_HOST_DEVICE std::uint64_t bytes(std::uint64_t at) const {
    return joined(words[at / 8], words[at / 8 + 1], at);
  }
  WEFT_HOST_DEVICE unsigned byte(std::uint64_t at) const {
    return static_cast<unsigned>(words[at / 8] >> (at % 8 * 8) & 255);
  }
  // Returns the eight bytes from `at` on, given the word that contains `at` and the next word.
  WEFT_HOST_DEVICE static std::uint64_t joined(std::uint64_t word, std::uint64_t next, std::uint64_t at) {
    const auto shift = static_cast<unsigned>(at % 8 * 8);
    return word >> shift | next << 1 << (63 - shift);
  }
};

// Returns whether the text and the text shifted by `distance` < size agree in the bytes of word `number` <
// (size + 7) / 8. If they agree in all words, and the distance divides the size, the distance is a period.
WEFT_HOST_DEVICE inline bool word_repeats(const circular_text& text, std::uint64_t number,
                                          std::uint64_t distance) {
  return text.words[number] == text.bytes(text.wrapped(8 * number + distance));
}

inline constexpr std::uint64_t no_difference = ~std::uint64_t{0};

// Returns the distance from the candidates i and j to their first difference, among the eight bytes from
// distance `at` on, or no_difference; at < size.
WEFT_HOST_DEVICE inline std::uint64_t difference_at(const circular_text& text, std::uint64_t i,
                                                    std::uint64_t j, std::uint64_t at) {
  const std::uint64_t differ = text.bytes(text.wrapped(i + at)) ^ text.bytes(text.wrapped(j + at));
  return differ == 0 ? no_difference : at + static_cast<std::uint64_t>(lowest_one(differ)) / 8;
}

// Returns which of the candidates i < j wins. `difference` is the distance of their first difference, or
// no_difference if j - i bytes agree.
WEFT_HOST_DEVICE inline std::uint64_t winner_of_duel(const circular_text& text, std::uint64_t i,
                                                     std::uint64_t j, std::uint64_t difference) {
  if (difference == no_difference) return i;
  return text.byte((i + difference) % text.size) < text.byte((j + difference) % text.size) ? i : j;
}

// Returns the candidate of positions [begin, end), comparing them one after another: most positions already
// differ from the candidate within eight bytes.
WEFT_HOST_DEVICE inline std::uint64_t candidate_of_window(const circular_text& text, std::uint64_t begin,
                                                          std::uint64_t end) {
  // Whether j beats i, given that they agree in eight bytes.
  const auto wins_after_eight_bytes = [&](std::uint64_t i, std::uint64_t j) {
    for (std::uint64_t at = 8; at < j - i; at += 8)
      if (const std::uint64_t difference = difference_at(text, i, j, at); difference != no_difference)
        return winner_of_duel(text, i, j, difference) == j;
    return false;
  };
  std::uint64_t candidate = begin, min_key = reversed_bytes(text.bytes(begin)), word = text.words[begin / 8];
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t next = text.words[at / 8 + 1];
    do {
      const std::uint64_t key = reversed_bytes(circular_text::joined(word, next, at));
      if (key < min_key || (key == min_key && wins_after_eight_bytes(candidate, at))) {
        candidate = at;
        min_key = key;
      }
      ++at;
    } while (at < end && at % 8 != 0);
    word = next;
  }
  return candidate;
}

// A round of the tournament. Window k keeps its candidate at index k * stride of a list. The winner of two
// windows is stored at the index of the left one; if the number of windows is odd, the last candidate stays
// where it is.
struct tournament_round {
  std::uint64_t windows, stride = 1;

  WEFT_HOST_DEVICE std::uint64_t pairs() const { return windows / 2; }
  WEFT_HOST_DEVICE std::uint64_t left(std::uint64_t pair) const { return 2 * pair * stride; }
  WEFT_HOST_DEVICE std::uint64_t right(std::uint64_t pair) const { return left(pair) + stride; }
  [[nodiscard]] tournament_round next() const { return {windows - windows / 2, 2 * stride}; }
};

} // namespace weft::bwt_detail
