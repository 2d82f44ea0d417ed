// The letters of pairs whose penalties with affine gaps are computed two at a time (affine_pairs.hpp): two
// 16-bit numbers in a word, codes of bytes, and the score of a cell of both pairs from the codes.
//
// The score is -2 gap_extend if the letters match, and mismatch - 2 gap_extend if not. There are two forms:
//
//   any   A code is a number in the high bits of 15, so that the exclusive or of two different ones is at
//         least `mismatch`. A row has its code in both halves of a word, a column has a code in each half:
//         score = min((row ^ column) - 2 gap_extend, mismatch - 2 gap_extend).
//   four  Columns have at most four letters, and scores fit a byte. A row has the score of its letter with
//         each of the four, a column selects one of these for each half, with its sign: one instruction.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <weft/base/host_device.hpp>

namespace weft::lcs_detail {

// Returns a word with `value` in both halves.
[[nodiscard]] WEFT_HOST_DEVICE constexpr std::uint32_t in_both_halves(std::int32_t value) {
  return (static_cast<std::uint32_t>(value) & 0xffffU) * 0x10001U;
}
// Returns the signed number in a half of a word.
[[nodiscard]] WEFT_HOST_DEVICE inline std::int32_t half_of(std::uint32_t word, int half) {
  return static_cast<std::int16_t>(word >> (16 * half) & 0xffffU);
}

// Returns min(a + b, c) for each half.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint32_t add_min_halves(std::uint32_t a, std::uint32_t b,
                                                                   std::uint32_t c) {
#if defined(__CUDA_ARCH__)
  return __viaddmin_s16x2(a, b, c);
#else
  std::uint32_t result = 0;
  for (int half = 0; half < 2; ++half) {
    const auto sum = static_cast<std::int16_t>(half_of(a, half) + half_of(b, half));
    const std::int32_t smaller = std::min<std::int32_t>(sum, half_of(c, half));
    result |= (static_cast<std::uint32_t>(smaller) & 0xffffU) << (16 * half);
  }
  return result;
#endif
}
// Returns min(a, b) for each half.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint32_t min_halves(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDA_ARCH__)
  return __vmins2(a, b);
#else
  return add_min_halves(a, 0, b);
#endif
}
// Returns the bytes of `bytes` that the four nibbles of `selector` number; with 8 added to its number, a byte
// of its sign.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint32_t selected_bytes(std::uint32_t bytes,
                                                                   std::uint32_t selector) {
  std::uint32_t result = 0;
#if defined(__CUDA_ARCH__)
  asm("prmt.b32 %0, %1, %1, %2;" : "=r"(result) : "r"(bytes), "r"(selector));
#else
  for (int k = 0; k < 4; ++k) {
    const std::uint32_t nibble = selector >> (4 * k) & 15U, byte = bytes >> (nibble % 4 * 8) & 0xffU;
    result |= (nibble < 8 ? byte : (byte >> 7) * 0xffU) << (8 * k);
  }
#endif
  return result;
}

// The penalties of the cells in both halves of words.
struct affine_pair_costs {
  std::uint32_t open = 0, twice_open = 0, match = 0, mismatch = 0; // match, mismatch: scores
  constexpr affine_pair_costs() = default;
  constexpr affine_pair_costs(std::int32_t gap_open, std::int32_t gap_extend, std::int32_t of_mismatch)
      : open(in_both_halves(gap_open)), twice_open(in_both_halves(2 * gap_open)),
        match(in_both_halves(-2 * gap_extend)), mismatch(in_both_halves(of_mismatch - 2 * gap_extend)) {}
};

enum class letter_form { any, four };

// Returns the scores of the letter of a row with the letters of two columns, which are in words of codes.
template <letter_form Form>
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint32_t scores_of(std::uint32_t row, std::uint32_t columns,
                                                              const affine_pair_costs& costs) {
  if constexpr (Form == letter_form::four) return selected_bytes(row, columns);
  return add_min_halves(row ^ columns, costs.match, costs.mismatch);
}

// The bytes of a batch: those that occur, and those of them that match no byte, not even themselves.
struct affine_alphabet {
  bool occurs[256] = {}, is_unmatched[256] = {};

  // Returns the number of bytes that occur and match.
  [[nodiscard]] constexpr unsigned count_letters() const {
    unsigned count = 0;
    for (int byte = 0; byte < 256; ++byte) count += occurs[byte] && !is_unmatched[byte] ? 1 : 0;
    return count;
  }
  [[nodiscard]] constexpr bool has_unmatched() const {
    for (int byte = 0; byte < 256; ++byte)
      if (occurs[byte] && is_unmatched[byte]) return true;
    return false;
  }
  // Returns the number of codes of form `any`: unmatched letters have one in rows and another one in columns.
  [[nodiscard]] constexpr unsigned count_codes() const { return count_letters() + (has_unmatched() ? 2 : 0); }
};

// The penalties in units of their greatest common divisor.
struct affine_pair_penalties {
  std::uint64_t open, extend, mismatch;
};

// The codes of form `any` are shifted by this number of bits, if there are `num_codes` of them.
[[nodiscard]] constexpr int affine_letter_shift(unsigned num_codes) {
  return 15 - static_cast<int>(std::bit_width(std::max(num_codes, 1U) - 1));
}

inline constexpr std::uint64_t max_affine_pair_length = 4096;

// Returns the greatest number of rows with which pairs can be computed in 16 bits, at most
// max_affine_pair_length; 0: they cannot with these penalties.
[[nodiscard]] constexpr std::uint64_t affine_pair_length(const affine_pair_penalties& penalties,
                                                         unsigned num_codes) {
  constexpr std::uint64_t max_half = 32767;
  if (3 * penalties.open > max_half || 2 * penalties.open + penalties.mismatch > max_half ||
      penalties.mismatch > std::uint64_t{1} << affine_letter_shift(num_codes))
    return 0;
  return std::min(max_affine_pair_length, (max_half + 1) / (2 * penalties.extend));
}

// The word of each byte in a row, and in a column of the first pair. The word of the column of the second
// pair is shifted by second_shift and added.
struct affine_codes {
  std::uint32_t row[256] = {}, column[256] = {};
  int second_shift = 16;
  letter_form form = letter_form::any;
};

// Returns the words of an alphabet, for penalties for which affine_pair_length() is not 0.
[[nodiscard]] constexpr affine_codes make_affine_codes(const affine_alphabet& alphabet,
                                                       const affine_pair_penalties& penalties) {
  const auto extend = static_cast<std::int32_t>(penalties.extend),
             mismatch = static_cast<std::int32_t>(penalties.mismatch);
  const unsigned letters = alphabet.count_letters();
  const bool scores_fit = 2 * extend <= 128 && mismatch - 2 * extend <= 127;
  affine_codes codes;
  if (letters + (alphabet.has_unmatched() ? 1 : 0) <= 4 && scores_fit)
    codes.form = letter_form::four, codes.second_shift = 8;
  const int shift = affine_letter_shift(alphabet.count_codes());
  const std::uint32_t match_byte = static_cast<std::uint32_t>(-2 * extend) & 0xffU,
                      mismatch_byte = static_cast<std::uint32_t>(mismatch - 2 * extend) & 0xffU;
  unsigned next = 0;
  for (int byte = 0; byte < 256; ++byte) {
    if (!alphabet.occurs[byte]) continue;
    const bool is_unmatched = alphabet.is_unmatched[byte];
    const std::uint32_t in_column = is_unmatched ? letters : next++;
    if (codes.form == letter_form::any) {
      codes.column[byte] = in_column << shift;
      codes.row[byte] = ((is_unmatched ? letters + 1 : in_column) << shift) * 0x10001U;
    } else {
      codes.column[byte] = in_column | (in_column + 8) << 4;
      codes.row[byte] = mismatch_byte * 0x1010101U;
      if (!is_unmatched) codes.row[byte] ^= (mismatch_byte ^ match_byte) << (8 * in_column);
    }
  }
  return codes;
}

} // namespace weft::lcs_detail
