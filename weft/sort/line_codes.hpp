// Codes of keys: strings that compare byte by byte, as unsigned numbers and a prefix first, as the keys that
// they are made of compare by an option of sort. No code of an option is a prefix of another one, so that the
// codes of several keys can follow each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft::detail {

// The C locale, whatever the program's is.
inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
inline bool is_letter(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }
inline char to_upper(char c) { return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c; }

// Option n: blanks, a minus sign, digits, a point, digits, of any length. What is no number is 0.
void append_number(std::string_view text, std::string& code);
// Option h: by the suffix behind the number (none, K or k, M, G, T, P, E, Z, Y), then as n.
void append_human_number(std::string_view text, std::string& code);
// Option g: as strtold() reads it. What is no number comes first, then NaN, then numbers.
void append_general_number(std::string_view text, std::string& code);
// Option M: three letters of an English month in any case, behind blanks. What is no month comes first.
void append_month(std::string_view text, std::string& code);
// Option V: the order of versions that `ls -v` and dpkg have, numbers within names by their values.
void append_version(std::string_view text, std::string& code);
// Option R: a hash of the text, seeded. The text itself must follow, because two texts may have one hash.
void append_hash(std::string_view text, std::uint64_t seed, std::string& code);

// How many bytes of `text`, behind its blanks, are the number (n, h, g) or the month: 0 if there is none.
[[nodiscard]] std::size_t number_size(std::string_view text, bool with_suffix);
[[nodiscard]] std::size_t general_number_size(std::string_view text);
[[nodiscard]] std::size_t month_size(std::string_view text);

} // namespace weft::detail
