#include <weft/sort/line_order.hpp>

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <weft/base/error.hpp>

namespace weft {

namespace {

// The C locale, whatever the program's is.
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_dictionary(char c) { return is_blank(c) || is_digit(c) || is_lower(c) || (c >= 'A' && c <= 'Z'); }
bool is_printable(char c) { return c >= ' ' && c <= '~'; }

[[noreturn]] void bad_key(const std::string& text, const char* what) {
  throw error(errc::invalid_input, fmt::format("bad key '{}': {}", text, what));
}

// A number that does not fit stands for "behind every field".
std::uint64_t parse_position(const std::string& text, std::size_t& at) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data() + at, end, value);
  if (status == std::errc::invalid_argument)
    bad_key(text, at < text.size() ? "a number is expected" : "it ends early");
  at = static_cast<std::size_t>(rest - text.data());
  return status == std::errc::result_out_of_range ? ~std::uint64_t{0} : value;
}

// A number's code: 80 for zero; else a byte 81 + (count of digits before the point), from 112 digits on F1
// and the count in eight bytes; then the digits, each a nibble digit + 1, and a nibble 0. Of a negative
// number all bits are inverted.
void append_number(std::string_view text, std::string& code) {
  std::size_t i = 0;
  while (i < text.size() && is_blank(text[i])) ++i;
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
  for (int shift = 56; whole_digits >= long_count && shift >= 0; shift -= 8)
    code += static_cast<char>(whole_digits >> shift & 255);
  const std::size_t digits = whole_digits + fraction_digits;
  const auto nibble = [&](std::size_t d) {
    return d >= digits ? 0
                       : (d < whole_digits ? text[whole + d] : text[fraction + d - whole_digits]) - '0' + 1;
  };
  for (std::size_t d = 0; d <= digits; d += 2) code += static_cast<char>(nibble(d) << 4 | nibble(d + 1));
  if (negative)
    for (std::size_t at = start; at < code.size(); ++at) code[at] = static_cast<char>(~code[at]);
}

} // namespace

line_order::line_order(const line_order_options& options, const std::vector<std::string>& keys)
    : options_(options) {
  key whole;
  whole.begin_blanks = whole.end_blanks = options.ignore_blanks;
  whole.dictionary = options.dictionary;
  whole.fold_case = options.fold_case;
  whole.printable = options.printable;
  whole.numeric = options.numeric;
  whole.reverse = options.reverse;
  for (const std::string& text : keys) {
    key each = parse(text);
    const bool own = each.begin_blanks || each.end_blanks || each.dictionary || each.fold_case ||
                     each.printable || each.numeric || each.reverse;
    if (!own) {
      const key place = each;
      each = whole;
      each.begin_field = place.begin_field;
      each.begin_char = place.begin_char;
      each.end_field = place.end_field;
      each.end_char = place.end_char;
    }
    keys_.push_back(each);
  }
  if (keys.empty() && (options.ignore_blanks || options.dictionary || options.fold_case ||
                       options.printable || options.numeric))
    keys_.push_back(whole);
  for (const key& each : keys_)
    if (each.numeric && (each.dictionary || each.printable))
      throw error(errc::invalid_input, "numbers (n) cannot be compared by some of their characters (d, i)");
}

line_order::key line_order::parse(const std::string& text) const {
  key result;
  std::size_t at = 0;
  const auto take_options = [&](bool& blanks) {
    for (; at < text.size() && text[at] != ','; ++at) switch (text[at]) {
      case 'b':
        blanks = true;
        break;
      case 'd':
        result.dictionary = true;
        break;
      case 'f':
        result.fold_case = true;
        break;
      case 'i':
        result.printable = true;
        break;
      case 'n':
        result.numeric = true;
        break;
      case 'r':
        result.reverse = true;
        break;
      default:
        bad_key(text, "the options of a key are b, d, f, i, n and r");
      }
  };
  if ((result.begin_field = parse_position(text, at)) == 0) bad_key(text, "fields count from 1");
  --result.begin_field;
  if (at < text.size() && text[at] == '.') {
    if ((result.begin_char = parse_position(text, ++at)) == 0) bad_key(text, "characters count from 1");
    --result.begin_char;
  }
  take_options(result.begin_blanks);
  if (at < text.size()) { // a comma
    if ((result.end_field = parse_position(text, ++at)) == 0) bad_key(text, "fields count from 1");
    --result.end_field;
    if (at < text.size() && text[at] == '.') result.end_char = parse_position(text, ++at);
    take_options(result.end_blanks);
    if (at < text.size()) bad_key(text, "it has two positions at most");
  }
  return result;
}

// The bytes of the line that a key names.
std::string_view line_order::find(const key& each, std::string_view line) const {
  const std::size_t n = line.size();
  const auto skip_blanks = [&](std::size_t& at) {
    while (at < n && is_blank(line[at])) ++at;
  };
  const auto skip_field = [&](std::size_t& at) {
    if (options_.separator >= 0) {
      at = std::min(line.find(static_cast<char>(options_.separator), at), n);
      return;
    }
    skip_blanks(at);
    while (at < n && !is_blank(line[at])) ++at;
  };
  const auto skip_fields = [&](std::uint64_t count) {
    std::size_t at = 0;
    for (; at < n && count > 0; --count) {
      skip_field(at);
      if (options_.separator >= 0 && at < n) ++at;
    }
    return at;
  };
  std::size_t begin = skip_fields(each.begin_field);
  if (each.begin_blanks) skip_blanks(begin);
  begin += std::min<std::uint64_t>(n - begin, each.begin_char);
  if (each.end_field == ~std::uint64_t{0}) return line.substr(begin);
  std::size_t end = skip_fields(each.end_field);
  if (each.end_char == 0) {
    skip_field(end);
  } else {
    if (each.end_blanks) skip_blanks(end);
    end += std::min<std::uint64_t>(n - end, each.end_char);
  }
  return line.substr(begin, end > begin ? end - begin : 0);
}

// Bytes: as they are if nothing follows; else 00 as 00 01, and 00 00 at the end. Of a reversed key all bits
// are inverted.
void line_order::append_code(std::string_view line, std::string& code) const {
  if (plain()) {
    code += line;
    return;
  }
  for (const key& each : keys_) {
    const std::string_view text = find(each, line);
    const std::size_t start = code.size();
    if (each.numeric) {
      append_number(text, code);
    } else {
      const bool alone = keys_.size() == 1 && !each.reverse;
      for (char c : text) {
        if (each.dictionary && !is_dictionary(c)) continue;
        if (each.printable && !each.dictionary && !is_printable(c)) continue;
        if (each.fold_case && is_lower(c)) c = static_cast<char>(c - 'a' + 'A');
        code += c;
        if (c == '\0' && !alone) code += '\x01';
      }
      if (!alone) code.append(2, '\0');
    }
    if (each.reverse)
      for (std::size_t at = start; at < code.size(); ++at) code[at] = static_cast<char>(~code[at]);
  }
}

int line_order::compare(std::string_view a, std::string_view b) const {
  if (!plain()) {
    std::string a_code, b_code;
    append_code(a, a_code);
    append_code(b, b_code);
    const int by_keys = a_code.compare(b_code);
    if (by_keys != 0 || !last_resort()) return by_keys;
  }
  const int by_bytes = a.compare(b);
  return options_.reverse ? -by_bytes : by_bytes;
}

} // namespace weft
