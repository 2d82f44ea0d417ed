// One key of an order of lines: which part of a line it names, and how these parts compare.
//
//   const weft::line_key key = weft::line_key::parse("2,2nr");
//   key.find("a 10 b", -1);                         // == " 10"
//   key.numeric && key.reverse;                     // == true
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

// A key as `sort -k` has it. The fields are public so that a program can explain a key to its user.
struct line_key {
  // Stands for "no limit" and for the whole line where it says so below.
  static constexpr std::uint64_t unlimited = ~std::uint64_t{0};

  // How many fields, and then characters, stand before the key. begin_field is `unlimited` for the whole
  // line.
  std::uint64_t begin_field = 0, begin_char = 0;
  // How many fields stand before the field that the key ends in, `unlimited` if it ends with the line, and
  // how many characters of that field belong to the key; 0: all.
  std::uint64_t end_field = unlimited, end_char = 0;
  bool begin_blanks = false, end_blanks = false; // b: blanks before the position do not count
  bool dictionary = false, fold_case = false, printable = false;
  bool numeric = false, general_numeric = false, human_numeric = false, month = false, random = false;
  bool version = false, reverse = false;
  bool obsolete = false; // it was written as +POS1 -POS2

  // Reads "FIELD[.CHAR][OPTIONS][,FIELD[.CHAR][OPTIONS]]", or the obsolete "+FIELD[.CHAR][OPTIONS]
  // [-FIELD[.CHAR][OPTIONS]]". Throws error(invalid_input) that quotes a bad key and says what is wrong.
  [[nodiscard]] static line_key parse(const std::string& text);

  // The letters of the options that are set, in the order "bdfghiMnRrV".
  [[nodiscard]] std::string letters() const;
  // Throws error(invalid_input) if the options contradict each other, as n and d do.
  void check() const;
  // Whether the key compares numbers: n, g or h.
  [[nodiscard]] bool is_number() const noexcept { return numeric || general_numeric || human_numeric; }

  // The part of the line that the key names; fields end at the byte `separator`, or if it is negative begin
  // with the blanks before them. O(line).
  [[nodiscard]] std::string_view find(std::string_view line, int separator) const;
  // Of a record of comma-separated values: the value of the field `begin_field`, without its quotes. Uses
  // `unquoted` to hold it where that differs from the record. O(record).
  [[nodiscard]] std::string_view find_csv(std::string_view record, int separator,
                                          std::string& unquoted) const;
};

} // namespace weft
