#include <weft/sort/line_key.hpp>

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <weft/base/error.hpp>
#include <weft/sort/line_codes.hpp>

namespace weft {

namespace {

using sort_detail::is_blank;

[[noreturn]] void throw_bad_key(const std::string& text, const char* what) {
  throw error(errc::invalid_input, fmt::format("{}: invalid field specification '{}'", what, text));
}

// Reads the number at position `at` of the text, and moves `at` behind it. Returns `unlimited`, which is
// behind every field, for a number that does not fit in 64 bits.
std::uint64_t parse_position(const std::string& text, std::size_t& at, const char* what) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data() + at, end, value);
  if (status == std::errc::invalid_argument)
    throw error(errc::invalid_input,
                fmt::format("{}: invalid count at start of '{}'", what, text.substr(at)));
  at = static_cast<std::size_t>(rest - text.data());
  return status == std::errc::result_out_of_range ? line_key::unlimited : value;
}

// Sets the options whose letters begin at position `at`, and moves `at` behind them.
void parse_options(line_key& key, const std::string& text, std::size_t& at, bool& blanks) {
  for (; at < text.size(); ++at) {
    switch (text[at]) {
    case 'b':
      blanks = true;
      continue;
    case 'd':
      key.dictionary = true;
      continue;
    case 'f':
      key.fold_case = true;
      continue;
    case 'g':
      key.general_numeric = true;
      continue;
    case 'h':
      key.human_numeric = true;
      continue;
    case 'i':
      key.printable = true;
      continue;
    case 'M':
      key.month = true;
      continue;
    case 'n':
      key.numeric = true;
      continue;
    case 'R':
      key.random = true;
      continue;
    case 'r':
      key.reverse = true;
      continue;
    case 'V':
      key.version = true;
      continue;
    default:
      return;
    }
  }
}

// Parses "+FIELD[.CHAR][OPTIONS]", optionally followed by " -FIELD[.CHAR][OPTIONS]". Fields and characters
// count from 0.
line_key parse_obsolete(const std::string& text) {
  line_key key;
  key.obsolete = true;
  std::size_t at = 1;
  key.begin_field = parse_position(text, at, "invalid number after '+'");
  if (at < text.size() && text[at] == '.')
    key.begin_char = parse_position(text, ++at, "invalid number after '.'");
  if (key.begin_field == 0 && key.begin_char == 0) key.begin_field = line_key::unlimited;
  parse_options(key, text, at, key.begin_blanks);
  if (at == text.size()) return key;
  if (text.compare(at, 2, " -") != 0) throw_bad_key(text, "stray character in field spec");
  key.end_field = parse_position(text, at += 2, "invalid number after '-'");
  if (at < text.size() && text[at] == '.')
    key.end_char = parse_position(text, ++at, "invalid number after '.'");
  if (key.end_char == 0 && key.end_field > 0) --key.end_field; // "-1" ends where field 1 begins
  parse_options(key, text, at, key.end_blanks);
  if (at < text.size()) throw_bad_key(text, "stray character in field spec");
  return key;
}

} // namespace

line_key line_key::parse(const std::string& text) {
  if (text.starts_with('+')) return parse_obsolete(text);
  line_key key;
  std::size_t at = 0;
  key.begin_field = parse_position(text, at, "invalid number at field start");
  if (key.begin_field == 0) throw_bad_key(text, "field number is zero");
  --key.begin_field;
  if (at < text.size() && text[at] == '.') {
    key.begin_char = parse_position(text, ++at, "invalid number after '.'");
    if (key.begin_char == 0) throw_bad_key(text, "character offset is zero");
    --key.begin_char;
  }
  if (key.begin_field == 0 && key.begin_char == 0) key.begin_field = unlimited;
  parse_options(key, text, at, key.begin_blanks);
  if (at < text.size() && text[at] == ',') {
    key.end_field = parse_position(text, ++at, "invalid number after ','");
    if (key.end_field == 0) throw_bad_key(text, "field number is zero");
    --key.end_field;
    if (at < text.size() && text[at] == '.')
      key.end_char = parse_position(text, ++at, "invalid number after '.'");
    parse_options(key, text, at, key.end_blanks);
  }
  if (at < text.size()) throw_bad_key(text, "stray character in field spec");
  return key;
}

std::string line_key::letters() const {
  std::string result;
  const auto add = [&](bool set, char letter) {
    if (set) result += letter;
  };
  add(begin_blanks || end_blanks, 'b');
  add(dictionary, 'd');
  add(fold_case, 'f');
  add(general_numeric, 'g');
  add(human_numeric, 'h');
  add(printable && !dictionary, 'i'); // i has no effect beside d
  add(month, 'M');
  add(numeric, 'n');
  add(random, 'R');
  add(reverse, 'r');
  add(version, 'V');
  return result;
}

void line_key::check() const {
  const int kinds = (numeric ? 1 : 0) + (general_numeric ? 1 : 0) + (human_numeric ? 1 : 0) +
                    (month ? 1 : 0) + (version || random || dictionary || printable ? 1 : 0);
  if (kinds < 2) return;
  line_key named = *this;
  named.begin_blanks = named.end_blanks = named.reverse = false;
  throw error(errc::invalid_input, fmt::format("options '-{}' are incompatible", named.letters()));
}

std::string_view line_key::find(std::string_view line, int separator) const {
  const std::size_t n = line.size();
  const auto skip_blanks = [&](std::size_t& at) {
    while (at < n && is_blank(line[at])) ++at;
  };
  const auto skip_field = [&](std::size_t& at) {
    if (separator >= 0) {
      at = std::min(line.find(static_cast<char>(separator), at), n);
      return;
    }
    skip_blanks(at);
    while (at < n && !is_blank(line[at])) ++at;
  };
  const auto skip_fields = [&](std::size_t at, std::uint64_t count) {
    for (; at < n && count > 0; --count) {
      skip_field(at);
      if (separator >= 0 && at < n) ++at;
    }
    return at;
  };
  const std::uint64_t fields_before = begin_field == unlimited ? 0 : begin_field;
  const std::size_t field = skip_fields(0, fields_before);
  std::size_t begin = field;
  if (begin_blanks) skip_blanks(begin);
  begin += std::min<std::uint64_t>(n - begin, begin_char);
  if (end_field == unlimited) return line.substr(begin);
  std::size_t end =
      end_field < fields_before ? skip_fields(0, end_field) : skip_fields(field, end_field - fields_before);
  if (end_char == 0) {
    skip_field(end);
  } else {
    if (end_blanks) skip_blanks(end);
    end += std::min<std::uint64_t>(n - end, end_char);
  }
  return line.substr(begin, end > begin ? end - begin : 0);
}

std::string_view line_key::find_csv(std::string_view record, int separator, std::string& unquoted) const {
  const char comma = static_cast<char>(separator);
  const std::uint64_t wanted = begin_field == unlimited ? 0 : begin_field;
  if (record.ends_with('\r')) record.remove_suffix(1); // the line ended in CR LF
  std::size_t at = 0;
  std::string_view value;
  for (std::uint64_t field = 0;; ++field) {
    if (at < record.size() && record[at] == '"') {
      unquoted.clear();
      bool quoted = true;
      for (++at; at < record.size() && (quoted || record[at] != comma); ++at) {
        if (!quoted || record[at] != '"')
          unquoted += record[at];
        else if (at + 1 < record.size() && record[at + 1] == '"')
          unquoted += record[++at];
        else
          quoted = false;
      }
      value = unquoted;
    } else {
      const std::size_t end = std::min(record.find(comma, at), record.size());
      value = record.substr(at, end - at);
      at = end;
    }
    if (field == wanted) break;
    if (at++ >= record.size()) return {}; // the record has fewer fields
  }
  if (begin_blanks)
    value.remove_prefix(
        static_cast<std::size_t>(std::find_if_not(value.begin(), value.end(), is_blank) - value.begin()));
  return value;
}

} // namespace weft
