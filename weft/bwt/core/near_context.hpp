// The context of a row of an index of DNA: 31 letters near the position of its suffix, in one number. Rows
// that begin with the same letters lie side by side, so that the contexts of all occurrences of a short
// stretch of a pattern are read one after the other, and most of these occurrences need not be looked up.
//
// A number has 32 slots of two bits. For a row whose suffix begins at position p of the text:
//   slots 0 .. 14     the letters before it: slot i has the letter at p - 15 + i
//   slot 15           1 if some of the letters lie outside of the segment; then all other slots are 0
//   slots 16 .. 31    the letters from p + 8 on: slot 16 + i has the letter at p + 8 + i
// The 8 letters from p on are left out: a stretch that is searched has at least as many.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/near_steps.hpp>

namespace weft::bwt_detail {

constexpr unsigned context_slots = 32, letters_before_row = 15, letters_left_out = 8, context_flag_slot = 15;
// Letters that a context reaches to the left and to the right of the begin of a suffix.
constexpr unsigned context_left = letters_before_row, context_right = letters_left_out + 16;
constexpr std::uint32_t min_kmer_size_with_contexts = letters_left_out; // of an index
constexpr std::uint64_t context_flag = std::uint64_t{1} << (2 * context_flag_slot);

// Returns the bytes that the contexts of an index take, with padding to a multiple of 64.
[[nodiscard]] WEFT_HOST_DEVICE constexpr std::uint64_t bytes_of_contexts(std::uint64_t num_rows) {
  return (num_rows + 7) / 8 * 64;
}

// Returns the context of the row whose suffix begins at `position`, in a segment text[begin, end).
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t make_context(const std::uint64_t* packed_text,
                                                                 std::uint64_t position, std::uint64_t begin,
                                                                 std::uint64_t end) {
  if (position < begin + context_left || position + context_right > end) return context_flag;
  const std::uint64_t before = text_letters(packed_text, position - context_left),
                      after = text_letters(packed_text, position + letters_left_out);
  return (before & ((std::uint64_t{1} << (2 * letters_before_row)) - 1)) | after << 32;
}

// Returns which letter of a pattern lies in a slot of a context, if letter `window` of the pattern is the
// first letter of the suffix. The letter may lie before the begin of the pattern (then it is less than 0) or
// behind its end. Slot 15 has none.
[[nodiscard]] WEFT_HOST_DEVICE constexpr std::int64_t letter_of_slot(std::int64_t window, unsigned slot) {
  return slot < context_flag_slot ? window - letters_before_row + slot
                                  : window + letters_left_out + (slot - context_flag_slot - 1);
}

} // namespace weft::bwt_detail
