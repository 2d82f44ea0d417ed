#include <weft/sort/line_order.hpp>

#include <algorithm>
#include <weft/base/error.hpp>
#include <weft/sort/line_codes.hpp>

namespace weft {

line_key sort_detail::global_key(const line_order_options& options) {
  line_key key;
  key.begin_field = line_key::unlimited;
  key.begin_blanks = key.end_blanks = options.ignore_blanks;
  key.dictionary = options.dictionary;
  key.fold_case = options.fold_case;
  key.printable = options.printable;
  key.numeric = options.numeric;
  key.general_numeric = options.general_numeric;
  key.human_numeric = options.human_numeric;
  key.month = options.month;
  key.random = options.random;
  key.version = options.version;
  key.reverse = options.reverse;
  return key;
}

namespace {

// Returns a key with the given options and the position of another key.
line_key with_position(line_key options, const line_key& position) {
  options.begin_field = position.begin_field;
  options.begin_char = position.begin_char;
  options.end_field = position.end_field;
  options.end_char = position.end_char;
  options.obsolete = position.obsolete;
  return options;
}

// Appends the characters of a text that options d and i leave, in the case that option f gives them. If
// `escape`, a zero byte becomes 00 01.
void append_filtered(const line_key& key, std::string_view text, bool escape, std::string& to) {
  for (const char c : text) {
    if (key.dictionary ? !sort_detail::is_blank(c) && !sort_detail::is_digit(c) && !sort_detail::is_letter(c)
                       : key.printable && (c < ' ' || c > '~'))
      continue;
    to += key.fold_case ? sort_detail::to_upper(c) : c;
    if (c == '\0' && escape) to += '\1';
  }
}

// Appends the text, with each zero byte as 00 01.
void append_escaped(std::string_view text, std::string& to) {
  for (std::size_t zero; (zero = text.find('\0')) != std::string_view::npos; text.remove_prefix(zero + 1)) {
    to += text.substr(0, zero);
    to.append("\0\1", 2);
  }
  to += text;
}

} // namespace

line_order::line_order(const line_order_options& options, const std::vector<std::string>& keys)
    : options_(options) {
  const line_key global = sort_detail::global_key(options);
  for (const std::string& text : keys) {
    const line_key key = line_key::parse(text);
    keys_.push_back(key.letters().empty() ? with_position(global, key) : key);
  }
  line_key compared = global;
  compared.reverse = false;
  if (keys.empty() && !compared.letters().empty()) keys_.push_back(global);
  for (const line_key& key : keys_) key.check();
}

// Appends the code of a text. If other codes may follow it, or its bits are to be inverted, a zero byte
// becomes 00 01, and 00 00 marks the end. Otherwise the text is its own code.
void line_order::append_text(const line_key& key, std::string_view text, std::string& code) const {
  const bool escape = keys_.size() > 1 || key.reverse;
  if (key.dictionary || key.printable || key.fold_case)
    append_filtered(key, text, escape, code);
  else if (escape)
    append_escaped(text, code);
  else
    code += text;
  if (escape) code.append(2, '\0');
}

void line_order::append_key(const line_key& key, std::string_view line, std::string& code) const {
  std::string unquoted, filtered;
  std::string_view text =
      options_.csv ? key.find_csv(line, options_.separator, unquoted) : key.find(line, options_.separator);
  const bool compares_text = !key.is_number() && !key.month && !key.version && !key.random;
  if (compares_text) return append_text(key, text, code);
  if (key.dictionary || key.printable || key.fold_case) {
    append_filtered(key, text, false, filtered);
    text = filtered;
  }
  if (key.numeric) return sort_detail::append_number(text, code);
  if (key.general_numeric) return sort_detail::append_general_number(text, code);
  if (key.human_numeric) return sort_detail::append_human_number(text, code);
  if (key.month) return sort_detail::append_month(text, code);
  if (!key.random) return sort_detail::append_version(text, code);
  sort_detail::append_hash(text, options_.seed, code);
  append_escaped(text, code); // tells apart two texts that have the same hash
  code.append(2, '\0');
}

// Concatenates the codes of the keys. In the code of a reversed key all bits are inverted.
void line_order::append_code(std::string_view line, std::string& code) const {
  if (plain()) {
    code += line;
    return;
  }
  for (const line_key& key : keys_) {
    const std::size_t start = code.size();
    append_key(key, line, code);
    if (key.reverse)
      for (std::size_t at = start; at < code.size(); ++at) code[at] = static_cast<char>(~code[at]);
  }
}

int line_order::compare(std::string_view a, std::string_view b) const {
  std::string a_code, b_code;
  if (!plain()) {
    append_code(a, a_code);
    append_code(b, b_code);
  }
  return compare(a, a_code, b, b_code);
}

int line_order::compare(std::string_view a, std::string_view a_code, std::string_view b,
                        std::string_view b_code) const {
  if (!plain()) {
    const int by_keys = a_code.compare(b_code);
    if (by_keys != 0 || !last_resort()) return by_keys;
  }
  const int by_bytes = a.compare(b);
  return options_.reverse ? -by_bytes : by_bytes;
}

} // namespace weft
