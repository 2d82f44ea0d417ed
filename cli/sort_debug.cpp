// weft sort --debug: explains keys as GNU sort does.
#include <algorithm>
#include <cli/sort_verb.hpp>
#include <cli/task.hpp>
#include <fmt/format.h>
#include <weft/sort/line_codes.hpp>

namespace weft::cli {

namespace {

// Returns how many columns the bytes take on a terminal in the C locale.
std::size_t width_of(std::string_view bytes) {
  return static_cast<std::size_t>(std::count_if(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return c == '\t' || (byte >= ' ' && byte != 0x7F);
  }));
}

// Returns where the part of a line that `key` names would end, even if this is before the part begins.
std::size_t end_of(line_key key, std::string_view line, int separator) {
  key.begin_field = line_key::unlimited;
  key.begin_char = 0;
  key.begin_blanks = false;
  return key.find(line, separator).size();
}

// Returns the part of a line that a key compares; for numbers and months only the text that belongs to them.
// If the key ends before it begins, the part is empty and stands where GNU sort marks it, behind blanks.
std::string_view compared_part(const line_key& key, std::string_view line, int separator) {
  std::string_view part = key.find(line, separator);
  if (!key.is_number() && !key.month && !(key.begin_blanks && key.begin_field == line_key::unlimited))
    return part;
  const auto begin = static_cast<std::size_t>(part.data() - line.data());
  const bool ends_before = part.empty() && end_of(key, line, separator) < begin;
  if (ends_before) part = line.substr(begin);
  while (!part.empty() && sort_detail::is_blank(part.front())) part.remove_prefix(1);
  if (ends_before) return part.substr(0, 0);
  if (key.month) return part.substr(0, sort_detail::month_size(part));
  if (key.general_numeric) return part.substr(0, sort_detail::general_number_size(part));
  if (key.is_number()) return part.substr(0, sort_detail::number_size(part, key.human_numeric));
  return part;
}

// Appends a line that underlines `part` of `line`.
void append_mark(std::string_view line, std::string_view part, std::string& out) {
  out.append(width_of(line.substr(0, static_cast<std::size_t>(part.data() - line.data()))), ' ');
  const std::size_t width = width_of(part);
  if (width == 0)
    out += "^ no match for key\n";
  else
    out.append(width, '_') += '\n';
}

// Appends a line as it is shown, and marks under the part that each key compares.
void append_annotated(std::string_view line, const line_order& order, std::string& out) {
  const std::size_t begin = out.size();
  out += line;
  std::replace(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(), '\t', '>');
  out += '\n';
  for (const line_key& key : order.keys())
    append_mark(line, compared_part(key, line, order.options().separator), out);
  if (order.plain() || order.last_resort()) append_mark(line, line, out);
}

// Returns the warning about an obsolete key, which names the key and its replacement, as GNU sort does.
std::string obsolete_warning(const line_key& key) {
  const std::uint64_t begin = key.begin_field == line_key::unlimited ? 0 : key.begin_field;
  std::string old = fmt::format("+{}", begin), instead = fmt::format("-k {}", begin + 1);
  if (key.end_field != line_key::unlimited) {
    old += fmt::format(" -{}", key.end_field + 1);
    instead += fmt::format(",{}", key.end_field + 1);
  }
  return fmt::format("obsolescent key '{}' used; consider '{}' instead", old, instead);
}

// Returns the number of a field as a user counts it, or 0 for the whole line or its end.
std::uint64_t field_number(std::uint64_t field) { return field == line_key::unlimited ? 0 : field + 1; }

// Warnings about keys that may not mean what the user expects.
class key_warnings {
public:
  key_warnings(std::string name, const line_order& order, bool with_keys)
      : name_(std::move(name)), order_(order), with_keys_(with_keys) {}

  void print_all() {
    std::uint64_t number = 0;
    for (const line_key& key : order_.keys()) warn_about_key(key, ++number);
    warn_about_numbers();
    warn_about_ignored_options();
  }

private:
  void warn(const std::string& text) const { say(fmt::format("{}: {}\n", name_, text)); }

  void warn_about_key(const line_key& key, std::uint64_t number) {
    (key.general_numeric ? has_general_numbers_ : has_basic_numbers_) |= key.is_number();
    if (key.obsolete) warn(obsolete_warning(key));
    const bool empty = key.begin_field != line_key::unlimited && key.end_field < key.begin_field;
    if (empty) warn(fmt::format("key {} has zero width and will be ignored", number));
    const bool within_first = key.end_field == 0 && key.end_char != 0;
    const bool blanks = (!key.begin_blanks && !key.is_number() && !key.month) ||
                        (!key.begin_blanks && key.begin_char > 0) || (!key.end_blanks && key.end_char > 0);
    if (!empty && with_keys_ && order_.options().separator < 0 && !within_first && blanks)
      warn(fmt::format("leading blanks are significant in key {}; consider also specifying 'b'", number));
    const std::uint64_t begin = std::max<std::uint64_t>(field_number(key.begin_field), 1),
                        end = field_number(key.end_field);
    if (with_keys_ && key.is_number() && (end == 0 || begin < end)) {
      warn(fmt::format("key {} is numeric and spans multiple fields", number));
      (key.general_numeric ? general_number_spans_ : basic_number_spans_) = true;
    }
  }

  // Warns that numbers may be read in a way that the user does not expect, because of the separator for
  // example.
  void warn_about_numbers() const {
    const int separator = order_.options().separator;
    const bool spans = basic_number_spans_ || general_number_spans_;
    const auto treated = [&](const char* as) {
      warn(fmt::format("field separator '{}' is treated as a {} in numbers", static_cast<char>(separator),
                       as));
    };
    if (spans && separator == '.') return treated("decimal point");
    if (spans && separator == '-')
      treated("minus sign");
    else if (general_number_spans_ && separator == '+')
      treated("plus sign");
    if (has_basic_numbers_ || has_general_numbers_)
      warn(fmt::format("{}numbers use '.' as a decimal point in this locale",
                       separator == '.' ? "" : "note "));
  }

  // Warns about global options that no key takes.
  void warn_about_ignored_options() const {
    if (order_.plain()) return;
    line_key unused = sort_detail::global_key(order_.options());
    for (const line_key& key : order_.keys()) {
      unused.begin_blanks &= !key.begin_blanks;
      unused.end_blanks &= !key.end_blanks;
      if (unused.dictionary == key.dictionary && (key.dictionary || unused.printable == key.printable))
        unused.dictionary = unused.printable = false;
      unused.fold_case &= !key.fold_case;
      unused.numeric &= !key.numeric;
      unused.general_numeric &= !key.general_numeric;
      unused.human_numeric &= !key.human_numeric;
      unused.month &= !key.month;
      unused.random &= !key.random;
      unused.version &= !key.version;
      unused.reverse &= !key.reverse;
    }
    const bool last_resort = unused.reverse && order_.last_resort();
    if (last_resort) unused.reverse = false;
    if (const std::string letters = unused.letters(); !letters.empty())
      warn(fmt::format("option{} '-{}' {} ignored", letters.size() == 1 ? "" : "s", letters,
                       letters.size() == 1 ? "is" : "are"));
    if (last_resort) warn("option '-r' only applies to last-resort comparison");
  }

  std::string name_;
  const line_order& order_;
  bool with_keys_; // whether keys were given; otherwise the key is the whole line
  bool has_basic_numbers_ = false, has_general_numbers_ = false, basic_number_spans_ = false,
       general_number_spans_ = false;
};

} // namespace

void warn_of_keys(const arguments& given, const line_order& order) {
  say(fmt::format("{}: text ordering performed using simple byte comparison{}\n", program_name(given),
                  given.as_sort ? "" : ", as in the C locale"));
  key_warnings(program_name(given), order, given.has("key")).print_all();
}

std::string annotated(std::string_view lines, char terminator, const line_order& order) {
  std::string out;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find(terminator), lines.size());
    append_annotated(lines.substr(0, end), order, out);
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return out;
}

} // namespace weft::cli
