#include <weft/sort/line_codes.hpp>

#define XXH_INLINE_ALL // no library to link for one function
#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <locale.h>
#include <xxhash.h>

namespace weft::sort_detail {

namespace {

// Returns how many blanks the text begins with.
std::size_t count_leading_blanks(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_blank) - text.begin());
}

// Appends the lowest `bytes` bytes of `value`, at most 8, the highest byte first.
void append_bytes(std::uint64_t value, std::size_t bytes, std::string& code) {
  std::array<char, 8> all;
  for (std::size_t at = 0; at < all.size(); ++at) all[at] = static_cast<char>(value >> (56 - 8 * at));
  code.append(all.data() + all.size() - bytes, bytes);
}

// Inverts all bits of the code from position `from` on.
void invert(std::string& code, std::size_t from) {
  for (std::size_t at = from; at < code.size(); ++at) code[at] = static_cast<char>(~code[at]);
}

// The result of scan_digits.
struct scanned_digits {
  std::size_t end = 0;            // position behind the digits, the point, and the digits after it
  bool has_digit = false;         // whether there is a digit
  bool has_nonzero_digit = false; // whether there is a digit other than 0
};

// Scans digits, a point, and digits from position `at` on.
scanned_digits scan_digits(std::string_view text, std::size_t at) {
  scanned_digits seen;
  const auto digits = [&] {
    for (; at < text.size() && is_digit(text[at]); ++at) {
      seen.has_digit = true;
      seen.has_nonzero_digit |= text[at] != '0';
    }
  };
  digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    digits();
  }
  seen.end = at;
  return seen;
}

// Returns the power of 1000 or 1024 that a suffix of option h stands for, or 0 if the character is no suffix.
int suffix_power(char suffix) {
  if (suffix == 'k') return 1;
  constexpr std::string_view suffixes = "KMGTPEZY";
  const std::size_t at = suffixes.find(suffix);
  return at == std::string_view::npos ? 0 : static_cast<int>(at) + 1;
}

// Appends the digits before and behind the point, each as a nibble of digit + 1, and a nibble 0. Up to 15
// digits are put together in one word.
void append_digits(std::string_view whole, std::string_view fraction, std::string& code) {
  const std::size_t digits = whole.size() + fraction.size();
  if (digits < 16) {
    std::uint64_t nibbles = 0;
    for (const std::string_view part : {whole, fraction})
      for (const char digit : part) nibbles = nibbles << 4 | static_cast<std::uint64_t>(digit - '0' + 1);
    const std::size_t bytes = digits / 2 + 1;
    return append_bytes(nibbles << 4 * (2 * bytes - digits), bytes, code);
  }
  const auto nibble = [&](std::size_t d) {
    return d >= digits ? 0 : (d < whole.size() ? whole[d] : fraction[d - whole.size()]) - '0' + 1;
  };
  for (std::size_t d = 0; d <= digits; d += 2) code += static_cast<char>(nibble(d) << 4 | nibble(d + 1));
}

} // namespace

// The code of zero is 80 (all bytes in this comment are hexadecimal). The code of a positive number begins
// with a byte 81 + (number of digits before the point), or, from 112 (decimal) digits on, with F1 and that
// number in eight bytes. Then follow the digits, each as a nibble of digit + 1, and a nibble 0. In the code
// of a negative number all bits are inverted.
void append_number(std::string_view text, std::string& code) {
  std::size_t i = count_leading_blanks(text);
  const bool negative = i < text.size() && text[i] == '-';
  if (negative) ++i;
  while (i < text.size() && text[i] == '0') ++i;
  const std::size_t whole = i;
  while (i < text.size() && is_digit(text[i])) ++i;
  const std::size_t whole_digits = i - whole;
  std::size_t fraction = i, fraction_digits = 0;
  if (i < text.size() && text[i] == '.') {
    fraction = ++i;
    for (; i < text.size() && is_digit(text[i]); ++i)
      if (text[i] != '0') fraction_digits = i + 1 - fraction;
  }
  if (whole_digits + fraction_digits == 0) {
    code += '\x80';
    return;
  }
  const std::size_t start = code.size();
  constexpr std::size_t long_count = 0xF1 - 0x81;
  code += static_cast<char>(0x81 + std::min(whole_digits, long_count));
  if (whole_digits >= long_count) append_bytes(whole_digits, 8, code);
  append_digits(text.substr(whole, whole_digits), text.substr(fraction, fraction_digits), code);
  if (negative) invert(code, start);
}

// The code is a byte 80 (hexadecimal) + the power of the suffix, or 80 - the power if the number is negative,
// and then the code of the number.
void append_human_number(std::string_view text, std::string& code) {
  text.remove_prefix(count_leading_blanks(text));
  const bool negative = text.starts_with('-');
  const scanned_digits seen = scan_digits(text, negative ? 1 : 0);
  const int power = seen.has_nonzero_digit && seen.end < text.size() ? suffix_power(text[seen.end]) : 0;
  code += static_cast<char>(0x80 + (negative ? -power : power));
  append_number(text, code);
}

namespace {

locale_t c_locale() {
  static const locale_t instance = ::newlocale(LC_ALL_MASK, "C", nullptr);
  return instance;
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); } // the space that strtold() skips

// Reads a decimal number of up to 19 digits without an exponent, with the same result as strtold(). The
// digits and the power of ten are exact, so that only the division rounds. Returns false for any other text.
bool read_short_decimal(std::string_view text, long double& value) {
#if LDBL_MANT_DIG >= 64
  static constexpr std::array<long double, 20> powers = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
                                                         1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
                                                         1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L};
  std::size_t at = 0, digits = 0, fraction = 0;
  while (at < text.size() && is_space(text[at])) ++at;
  const bool negative = at < text.size() && text[at] == '-';
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  std::uint64_t number = 0;
  bool point = false;
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !point) {
      point = true;
    } else if (is_digit(text[at])) {
      if (++digits > 19) return false;
      number = 10 * number + static_cast<std::uint64_t>(text[at] - '0');
      if (point) ++fraction;
    } else {
      break;
    }
  }
  if (digits == 0) return false;
  if (at < text.size() && is_letter(text[at]) && std::strchr("eExX", text[at]) != nullptr) return false;
  value = static_cast<long double>(number) / powers[fraction];
  if (negative) value = -value;
  return true;
#else
  (void)text, (void)value;
  return false;
#endif
}

// Reads a number as strtold() does. Returns false if the text does not begin with a number.
bool read_long_double(std::string_view text, long double& value) {
  if (read_short_decimal(text, value)) return true;
  std::array<char, 128> buffer;
  std::string large;
  char* begin = buffer.data();
  if (text.size() >= buffer.size()) {
    large = text;
    begin = large.data();
  } else {
    std::copy(text.begin(), text.end(), begin);
    begin[text.size()] = '\0';
  }
  char* end = nullptr;
  value = ::strtold_l(begin, &end, c_locale());
  return end != begin;
}

} // namespace

// The first byte of the code is 0 if the text is no number, 1 for NaN, 2 for a negative number, 3 for zero,
// and 4 for a positive number. The bytes of the value follow the 1. The exponent, in two bytes, and the
// mantissa, in words of four bytes, follow the 2 and the 4; all their bits are inverted behind the 2.
void append_general_number(std::string_view text, std::string& code) {
  long double value = 0;
  if (!read_long_double(text, value)) {
    code += '\0';
    return;
  }
  if (std::isnan(value)) {
    constexpr std::size_t size = LDBL_MANT_DIG == 64 ? 10 : sizeof value; // on x86, 10 of 16 bytes are used
    code += '\1';
    code.append(reinterpret_cast<const char*>(&value), size);
    return;
  }
  if (value == 0) {
    code += '\3';
    return;
  }
  code += value < 0 ? '\2' : '\4';
  const std::size_t start = code.size();
  int exponent = 0x7FFF;
  long double mantissa = 0.5L;
  if (!std::isinf(value)) mantissa = std::frexp(std::fabs(value), &exponent);
  append_bytes(static_cast<std::uint64_t>(exponent + 0x8000), 2, code);
  for (int word = 0; word < (LDBL_MANT_DIG + 31) / 32; ++word) {
    mantissa *= 4294967296.0L;
    const auto whole = static_cast<std::uint32_t>(mantissa);
    append_bytes(whole, 4, code);
    mantissa -= static_cast<long double>(whole);
  }
  if (value < 0) invert(code, start);
}

namespace {

constexpr std::array<std::string_view, 12> months = {"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                                     "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};

// Returns the number of the month, 1 to 12, that the text begins with, or 0 if there is none. The text must
// not begin with blanks.
std::size_t parse_month(std::string_view text) {
  if (text.size() < 3) return 0;
  const std::array<char, 3> name = {to_upper(text[0]), to_upper(text[1]), to_upper(text[2])};
  const auto* found = std::find(months.begin(), months.end(), std::string_view(name.data(), 3));
  return found == months.end() ? 0 : static_cast<std::size_t>(found - months.begin()) + 1;
}

} // namespace

void append_month(std::string_view text, std::string& code) {
  text.remove_prefix(count_leading_blanks(text));
  code += static_cast<char>(parse_month(text));
}

namespace {

// The rank of the end of a part without digits. The end comes after ~, and before all other characters.
constexpr char part_end = 2;

// Returns the rank of a character that is no digit. The order is ~, (part_end), letters, other characters.
char version_rank(char c) {
  static constexpr std::array<char, 256> ranks = [] {
    std::array<char, 256> result{};
    result['~'] = 1;
    unsigned next = part_end;
    for (const bool letters : {true, false})
      for (std::size_t byte = 0; byte < result.size(); ++byte)
        if (const char each = static_cast<char>(byte);
            is_letter(each) == letters && !is_digit(each) && each != '~')
          result[byte] = static_cast<char>(++next);
    return result;
  }();
  return ranks[static_cast<unsigned char>(c)];
}

// Appends the code of a text, which is a sequence of parts without digits, each followed by a number. The
// first part may be empty, and the number behind the last part is 0 if it is absent. The code of a number is
// the count of its digits, and then the digits, each as a nibble. The code ends with the end of an empty
// part, where longer texts continue with a part that is not empty.
void append_version_parts(std::string_view text, std::string& code) {
  std::size_t at = 0;
  for (bool first = true;; first = false) {
    const std::size_t part = at;
    for (; at < text.size() && !is_digit(text[at]); ++at) code += version_rank(text[at]);
    code += part_end;
    if (at == part && !first) return;
    while (at < text.size() && text[at] == '0') ++at;
    const std::size_t number = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    const std::size_t digits = at - number;
    code += static_cast<char>(std::min<std::size_t>(digits, 255));
    if (digits >= 255) append_bytes(digits, 8, code);
    for (std::size_t d = 0; d < digits; d += 2) {
      const int high = text[number + d] - '0', low = d + 1 < digits ? text[number + d + 1] - '0' : 0;
      code += static_cast<char>(high << 4 | low);
    }
  }
}

// Returns the size of the text without its suffixes, such as ".tar.gz". A suffix is a point, a letter or ~,
// and any number of letters, digits and ~; the last suffix ends with the text.
std::size_t size_without_suffixes(std::string_view text) {
  std::size_t begin = text.size();
  for (std::size_t at = text.size(); at > 0;) {
    const std::size_t point = text.rfind('.', at - 1);
    if (point == std::string_view::npos || point + 1 >= at) break;
    const std::string_view suffix = text.substr(point + 1, at - point - 1);
    const auto allowed = [](char c) { return is_letter(c) || is_digit(c) || c == '~'; };
    if (is_digit(suffix[0]) || !std::all_of(suffix.begin(), suffix.end(), allowed)) break;
    begin = at = point;
  }
  return begin;
}

} // namespace

// The first byte of the code puts the empty text first, then ".", "..", texts that begin with a point, and
// other texts. For the last two kinds, the code of the text without its suffixes and the code of the whole
// text follow.
void append_version(std::string_view text, std::string& code) {
  if (text.empty() || text == "." || text == "..") {
    code += static_cast<char>(text.size());
    return;
  }
  code += text[0] == '.' ? '\3' : '\4';
  const std::size_t start = code.size(), size = size_without_suffixes(text);
  append_version_parts(text.substr(0, size), code);
  if (size < text.size())
    append_version_parts(text, code);
  else
    code.append(code, start);
}

void append_hash(std::string_view text, std::uint64_t seed, std::string& code) {
  append_bytes(XXH3_64bits_withSeed(text.data(), text.size(), seed), 8, code);
}

std::size_t number_size(std::string_view text, bool with_suffix) {
  const scanned_digits seen = scan_digits(text, text.starts_with('-') ? 1 : 0);
  if (!seen.has_digit) return 0;
  return seen.end + (with_suffix && seen.end < text.size() && suffix_power(text[seen.end]) > 0 ? 1 : 0);
}

std::size_t general_number_size(std::string_view text) {
  const std::string copy(text.substr(0, text.find('\0')));
  char* end = nullptr;
  (void)::strtold_l(copy.c_str(), &end, c_locale());
  return static_cast<std::size_t>(end - copy.c_str());
}

std::size_t month_size(std::string_view text) { return parse_month(text) > 0 ? 3 : 0; }

} // namespace weft::sort_detail
