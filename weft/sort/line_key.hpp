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
  // A field number that stands for "no limit" or for the whole line; the members below say which.
  static constexpr std::uint64_t unlimited = ~std::uint64_t{0};

  // The number of fields, and then of characters, before the key. begin_field is `unlimited` if the key is
  // the whole line.
  std::uint64_t begin_field = 0, begin_char = 0;
  // The number of fields before the field that the key ends in (`unlimited` if the key ends with the line),
  // and the number of characters of that field that belong to the key (0: all).
  std::uint64_t end_field = unlimited, end_char = 0;
  bool begin_blanks = false, end_blanks = false; // option b: blanks before the position do not count
  bool dictionary = false, fold_case = false, printable = false;
  bool numeric = false, general_numeric = false, human_numeric = false, month = false, random = false;
  bool version = false, reverse = false;
  bool obsolete = false; // whether the key was written as +POS1 -POS2

  // Reads "FIELD[.CHAR][OPTIONS][,FIELD[.CHAR][OPTIONS]]", or the obsolete "+FIELD[.CHAR][OPTIONS]
  // [-FIELD[.CHAR][OPTIONS]]". Throws error(invalid_input) that quotes a bad key and says what is wrong.
  [[nodiscard]] static line_key parse(const std::string& text);

  // Returns the letters of the options that are set, in the order "bdfghiMnRrV".
  [[nodiscard]] std::string letters() const;
  // Throws error(invalid_input) if the options contradict each other, as n and d do.
  void check() const;
  // Returns whether the key compares numbers: option n, g or h.
  [[nodiscard]] bool is_number() const noexcept { return numeric || general_numeric || human_numeric; }

  // Returns the part of the line that the key names. Fields end at the byte `separator`; if it is negative,
  // fields begin with the blanks before them. O(size of the line).
  [[nodiscard]] std::string_view find(std::string_view line, int separator) const;
  // Returns the value of the field `begin_field` of a record of comma-separated values, without its quotes.
  // Stores the value in `unquoted` if it differs from the bytes of the record. O(size of the record).
  [[nodiscard]] std::string_view find_csv(std::string_view record, int separator,
                                          std::string& unquoted) const;
};

} // namespace weft
