// Writes a line of short texts and numbers, without a call for each of them.
//
//   std::string out;
//   {
//     weft::files::line_text line(out, 32);         // 32 bytes are enough for the line
//     line.add("chr1\t").add_number(17).add('\n');
//   }
//   out;                                            // == "chr1\t17\n"
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace weft::files {

namespace text_detail {

// The numbers 00 to 99.
inline constexpr char two_digits[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536"
    "37383940414243444546474849505152535455565758596061626364656667686970717273"
    "7475767778798081828384858687888990919293949596979899";

// Copies `size` bytes by two blocks of `block` bytes that overlap. `size` must be block .. 2 * block.
template <std::size_t block> void copy_blocks(char* to, const char* from, std::size_t size) {
  char first[block], last[block];
  std::memcpy(first, from, block);
  std::memcpy(last, from + size - block, block);
  std::memcpy(to, first, block);
  std::memcpy(to + size - block, last, block);
}

// Copies `size` bytes. Short texts take no call of a function.
//
//   memcpy(to, from, size)
inline void copy_text(char* to, const char* from, std::size_t size) {
  if (size > 64) {
    std::memcpy(to, from, size);
  } else if (size > 32) {
    copy_blocks<32>(to, from, size);
  } else if (size >= 16) {
    copy_blocks<16>(to, from, size);
  } else if (size >= 8) {
    copy_blocks<8>(to, from, size);
  } else if (size >= 4) {
    copy_blocks<4>(to, from, size);
  } else {
    for (std::size_t i = 0; i < size; ++i) to[i] = from[i];
  }
}

// Returns whether all bytes of a word are letters of ASCII. With the bit 0x20 set, letters are 0x61 .. 0x7a;
// the sums carry into the highest bit of a byte if it is at least 0x61, and if it is more than 0x7a.
inline bool are_letters(std::uint64_t word) {
  constexpr std::uint64_t each = 0x0101010101010101U, high = 0x80 * each;
  const std::uint64_t lower = (word | 0x20 * each) & ~high;
  return ((lower + (0x80 - 0x61) * each) & ~(lower + (0x80 - 0x7b) * each) & ~word & high) == high;
}

template <class Word> std::uint64_t load_word(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

} // namespace text_detail

// Returns whether `text` consists of letters of ASCII, which stand for themselves in every format.
[[nodiscard]] inline bool is_all_letters(std::string_view text) {
  using namespace text_detail;
  const char* at = text.data();
  const std::size_t size = text.size();
  if (size >= 8) {
    for (std::size_t i = 0; i + 8 < size; i += 8)
      if (!are_letters(load_word<std::uint64_t>(at + i))) return false;
    return are_letters(load_word<std::uint64_t>(at + size - 8));
  }
  if (size >= 4)
    return are_letters(load_word<std::uint32_t>(at) | load_word<std::uint32_t>(at + size - 4) << 32);
  for (const char c : text)
    if (static_cast<unsigned char>((c | 0x20) - 'a') >= 26) return false;
  return true;
}

// Appends a number in decimal digits.
inline void append_number(std::string& out, std::uint64_t number) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

// A line_text appends to a string. The string is complete when the object ends.
class line_text {
public:
  // The text must have at most `max_size` bytes. Throws bad_alloc.
  line_text(std::string& out, std::size_t max_size) : out_(out) {
    const std::size_t before = out.size();
    out.resize(before + max_size);
    at_ = out.data() + before;
  }
  ~line_text() { out_.resize(static_cast<std::size_t>(at_ - out_.data())); }
  line_text(const line_text&) = delete;
  line_text& operator=(const line_text&) = delete;

  // The most bytes that a number takes.
  static constexpr std::size_t max_digits = 20;

  line_text& add(std::string_view text) {
    text_detail::copy_text(at_, text.data(), text.size());
    at_ += text.size();
    return *this;
  }
  line_text& add(char c) {
    *at_++ = c;
    return *this;
  }
  line_text& add_number(std::uint64_t number) {
    const auto add_two = [this](std::uint64_t two) {
      std::memcpy(at_, text_detail::two_digits + 2 * two, 2);
      at_ += 2;
    };
    if (number >= 10000) {
      at_ = std::to_chars(at_, at_ + max_digits, number).ptr;
      return *this;
    }
    const std::uint64_t low = number % 100, high = number / 100;
    if (high >= 10)
      add_two(high);
    else if (high > 0)
      *at_++ = static_cast<char>('0' + high);
    if (number >= 10)
      add_two(low);
    else
      *at_++ = static_cast<char>('0' + low);
    return *this;
  }

private:
  std::string& out_;
  char* at_;
};

} // namespace weft::files
