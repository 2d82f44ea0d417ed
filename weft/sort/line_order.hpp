// The order of lines of text, as the flags of GNU sort describe it in the C locale.
//
//   const weft::line_order order({.separator = ','}, {"2,2n", "1,1r"});
//   order.compare("b,10", "a,9") > 0;               // == true
//   order.compare("b,9", "a,9") < 0;                // == true
//
// Keys. A key is FIELD[.CHAR][OPTIONS][,FIELD[.CHAR][OPTIONS]], as in POSIX sort: fields and characters count
// from 1; the second position is included, without CHAR up to its field's end; without a second position the
// key runs to the line's end. Fields are what stands between separators, or, without one, begin with the
// blanks before them. Options:
//   b  blanks (space, tab, newline) before the position do not count
//   d  only blanks, letters and digits are compared
//   f  a lower-case letter is compared as its upper-case
//   g  the key is a number as strtold() reads it, exponents, inf and nan included; what is none comes first
//   h  the key is a number with a suffix, as `du -h` prints it
//   i  only printable characters are compared (without d)
//   M  the key is a month, JAN to DEC in any case; what is none comes first
//   n  the key is a number: blanks, -, digits, a point, digits
//   R  equal keys stand together, and otherwise in an order that follows a hash of the key
//   r  the reverse order
//   V  the key is a version: numbers within it compare by their values
// A key without options takes the global ones. Without keys the whole line is the key if a global option
// other than r is set. Lines with equal keys compare byte by byte (reversed by the global r), unless stable
// or unique.
//
// Source: The Open Group Base Specifications, sort; the manual of GNU coreutils for what POSIX leaves open.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/sort/line_key.hpp>

namespace weft {

// The flags of GNU sort that are not of a key, and what weft has beyond them.
struct line_order_options {
  // b, d, f, i, n, g, h, M, R, V and r, for all keys without options of their own.
  bool ignore_blanks = false, dictionary = false, fold_case = false, printable = false, numeric = false;
  bool general_numeric = false, human_numeric = false, month = false, random = false, version = false;
  bool reverse = false;
  bool stable = false, unique = false; // no comparison byte by byte of lines whose keys are equal
  int separator = -1;                  // a byte, or -1: blanks
  // Lines are records of comma-separated values with a separator, and a key is the value of its first field,
  // without the quotes around it.
  bool csv = false;
  std::uint64_t seed = 0; // of the hash of option R
};

// Compares lines. Immutable.
class line_order {
public:
  // Throws error(invalid_input) that quotes a bad key and says what is wrong with it.
  explicit line_order(const line_order_options& options, const std::vector<std::string>& keys = {});

  // Without keys: lines compare byte by byte, and the code of a line is the line itself.
  [[nodiscard]] bool plain() const noexcept { return keys_.empty(); }
  [[nodiscard]] bool reverse() const noexcept { return options_.reverse; }
  // Lines of equal codes compare byte by byte.
  [[nodiscard]] bool last_resort() const noexcept { return !options_.stable && !options_.unique; }

  // Appends a code of the line's keys: codes compare byte by byte (a prefix first) as the keys do. O(line).
  void append_code(std::string_view line, std::string& code) const;

  // < 0, 0, > 0. O(lines); for what is not worth codes.
  [[nodiscard]] int compare(std::string_view a, std::string_view b) const;

  // The keys in order, each with the options that count for it.
  [[nodiscard]] std::span<const line_key> keys() const noexcept { return keys_; }
  [[nodiscard]] const line_order_options& options() const noexcept { return options_; }

private:
  void append_key(const line_key& key, std::string_view line, std::string& code) const;
  void append_text(const line_key& key, std::string_view text, std::string& code) const;

  line_order_options options_;
  std::vector<line_key> keys_;
};

} // namespace weft
