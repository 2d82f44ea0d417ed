// The order of lines of text, as the flags of GNU sort describe it in the C locale.
//
//   const weft::line_order order({.separator = ','}, {"2,2n", "1,1r"});
//   order.compare("b,10", "a,9") > 0;               // == true
//   order.compare("b,9", "a,9") < 0;                // == true
//
// Keys. A key is written FIELD[.CHAR][OPTIONS][,FIELD[.CHAR][OPTIONS]], as in POSIX sort. Fields and
// characters count from 1. The key includes its second position, which without CHAR is the end of the field;
// without a second position the key runs to the end of the line. Fields are the texts between separators; if
// there is no separator, a field begins with the blanks before it. Options:
//   b  blanks (space, tab, newline) before the position do not count
//   d  only blanks, letters and digits are compared
//   f  a lower-case letter is compared as its upper-case
//   g  the key is a number as strtold() reads it, exponents, inf and nan included; other text comes first
//   h  the key is a number with a suffix, as `du -h` prints it
//   i  only printable characters are compared (without d)
//   M  the key is a month, JAN to DEC in any case; other text comes first
//   n  the key is a number: blanks, -, digits, a point, digits
//   R  equal keys stand together; the order is otherwise that of a hash of the key
//   r  the order is reversed
//   V  the key is a version: numbers within it compare by their values
// A key without options takes the global ones. Without keys, the whole line is the key if a global option
// other than r is set. Lines with equal keys compare byte by byte (reversed by the global r), unless the
// order is stable or unique.
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

// The global flags of GNU sort that determine the order, and the options that only weft has.
struct line_order_options {
  // The options b, d, f, i, n, g, h, M, R, V and r for all keys without options of their own.
  bool ignore_blanks = false, dictionary = false, fold_case = false, printable = false, numeric = false;
  bool general_numeric = false, human_numeric = false, month = false, random = false, version = false;
  bool reverse = false;
  bool stable = false, unique = false; // lines whose keys are equal do not compare byte by byte
  int separator = -1;                  // a byte, or -1 if blanks separate fields
  // Whether lines are records of comma-separated values. A key is then the value of its first field, without
  // the quotes around it; fields end at the separator.
  bool csv = false;
  std::uint64_t seed = 0; // seed of the hash of option R
};

namespace sort_detail {

// Returns the key of the whole line with the global options.
[[nodiscard]] line_key global_key(const line_order_options& options);

} // namespace sort_detail

// An order of lines. Immutable.
class line_order {
public:
  // Throws error(invalid_input) that quotes a bad key and says what is wrong with it.
  explicit line_order(const line_order_options& options, const std::vector<std::string>& keys = {});

  // Returns whether there are no keys. Lines then compare byte by byte, and the code of a line is the line
  // itself.
  [[nodiscard]] bool plain() const noexcept { return keys_.empty(); }
  [[nodiscard]] bool reverse() const noexcept { return options_.reverse; }
  // Returns whether lines of equal codes compare byte by byte.
  [[nodiscard]] bool last_resort() const noexcept { return !options_.stable && !options_.unique; }

  // Appends the code of a line's keys: codes compare byte by byte (a prefix first) as the keys do. O(size of
  // the line).
  void append_code(std::string_view line, std::string& code) const;

  // Returns a number less than, equal to or greater than 0 if `a` comes before, is equal to or comes after
  // `b`. O(size of the lines). To compare a line many times, compare codes instead.
  [[nodiscard]] int compare(std::string_view a, std::string_view b) const;
  // Does the same for lines with their codes, which append_code() has made. If plain(), codes do not matter.
  [[nodiscard]] int compare(std::string_view a, std::string_view a_code, std::string_view b,
                            std::string_view b_code) const;

  // Returns the keys, the first to compare first, each with the options that apply to it.
  [[nodiscard]] std::span<const line_key> keys() const noexcept { return keys_; }
  [[nodiscard]] const line_order_options& options() const noexcept { return options_; }

private:
  void append_key(const line_key& key, std::string_view line, std::string& code) const;
  void append_text(const line_key& key, std::string_view text, std::string& code) const;

  line_order_options options_;
  std::vector<line_key> keys_;
};

} // namespace weft
