// Codes of keys. A code is a string that is made from a key: codes compare byte by byte, as unsigned numbers
// and with a prefix first, in the order in which an option of sort compares the keys. No code of an option is
// a prefix of another code of that option, so that the codes of several keys can be concatenated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft::sort_detail {

// Characters are classified as in the C locale, whatever the locale of the program is.
constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_letter(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }
constexpr char to_upper(char c) { return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c; }

// Appends the code for option n: a number of any length, which is blanks, a minus sign, digits, a point,
// digits. Text that is no number counts as 0.
void append_number(std::string_view text, std::string& code);
// Appends the code for option h: numbers compare first by the suffix behind them (none, K or k, M, G, T, P,
// E, Z, Y), and then as for option n.
void append_human_number(std::string_view text, std::string& code);
// Appends the code for option g: a number as strtold() reads it. Text that is no number comes first, then
// NaN, then numbers.
void append_general_number(std::string_view text, std::string& code);
// Appends the code for option M: three letters of an English month in any case, behind blanks. Text that is
// no month comes first.
void append_month(std::string_view text, std::string& code);
// Appends the code for option V: the order of versions as in `ls -v` and dpkg, where numbers within names
// compare by their values.
void append_version(std::string_view text, std::string& code);
// Appends the code for option R: a seeded hash of the text. The caller must append the text as well, because
// two texts may have the same hash.
void append_hash(std::string_view text, std::uint64_t seed, std::string& code);

// Return how many bytes at the start of `text`, which must not begin with blanks, are the number (options n
// and h; option g) or the month (option M); 0 if there is none. `with_suffix` includes a suffix of option h.
[[nodiscard]] std::size_t number_size(std::string_view text, bool with_suffix);
[[nodiscard]] std::size_t general_number_size(std::string_view text);
[[nodiscard]] std::size_t month_size(std::string_view text);

} // namespace weft::sort_detail
