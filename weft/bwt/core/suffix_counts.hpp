// Counts suffixes for their slots (induced_slots.hpp): a pass over the symbols that belong to one word of
// suffix types (suffix_types.hpp).
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/bit_text.hpp>
#include <weft/bwt/core/bits.hpp>
#include <weft/bwt/core/induced_slots.hpp>

namespace weft::bwt_detail {

// Reads symbols one after another, up to the end of the text. Each read of the text fetches as many symbols
// as 64 bits hold.
class symbol_reader {
public:
  WEFT_HOST_DEVICE symbol_reader(const bit_text& text, std::uint64_t first)
      : text_(text), bit_(first * text.bits) {}
  WEFT_HOST_DEVICE std::uint32_t next() {
    if (left_ == 0) {
      left_ = 64 / text_.bits;
      window_ = text_.from(bit_);
      bit_ += left_ * text_.bits;
    }
    const auto symbol = static_cast<std::uint32_t>(window_ >> (64 - text_.bits));
    window_ <<= text_.bits; // bits is at most 8 here, because the text consists of bytes
    --left_;
    return symbol;
  }

private:
  const bit_text& text_;
  std::uint64_t bit_, window_ = 0;
  std::uint32_t left_ = 0;
};

// Returns how many symbols before position w * 64 belong to the same run, but at most max_length <= 64.
// `heads` marks where runs begin.
WEFT_HOST_DEVICE inline std::uint32_t run_before(const head_bits& heads, std::uint64_t w,
                                                 std::uint32_t max_length) {
  if (w == 0 || (heads.level[0][w] & 1) != 0) return 0;
  const std::uint64_t word = heads.level[0][w - 1];
  if (word == 0) return max_length;
  const auto run = static_cast<std::uint32_t>(64 - highest_one(word));
  return run < max_length ? run : max_length;
}

// Calls add(a, column) for each pair of symbols that begins at one of the suffixes of word w, and for each
// run that ends there; `column` is a column of letter a's row of counts. The bits of `rising` say which of
// the suffixes rise, and `next_rises` whether the first suffix after the word rises.
template <class Add>
WEFT_HOST_DEVICE void count_word(const bit_text& text, std::uint32_t letters, const head_bits& heads,
                                 std::uint64_t w, std::uint64_t rising, bool next_rises, const Add& add) {
  const std::uint64_t begin = w * 64, left = text.size - begin, size = left < 64 ? left : 64;
  std::uint32_t run = run_before(heads, w, run_lengths + 1);
  symbol_reader reader(text, begin);
  std::uint32_t a = reader.next();
  for (std::uint32_t k = 0; k < size; ++k) {
    const bool last = begin + k + 1 == text.size, rises = (rising >> k & 1) != 0,
               then_rises = k == 63 ? next_rises : (rising >> k >> 1 & 1) != 0;
    const std::uint32_t b = last ? ~0U : reader.next();
    ++run;
    if (a != b) {
      const std::uint32_t length = run - 2 < run_lengths - 1 ? run - 2 : run_lengths - 1;
      if (run > 1) add(a, 2 * letters + static_cast<std::uint32_t>(rises) * run_lengths + length);
      run = 0;
    }
    if (!last) add(a, 2 * b + static_cast<std::uint32_t>(a < b ? !then_rises : a == b && rises));
    a = b;
  }
}

} // namespace weft::bwt_detail
